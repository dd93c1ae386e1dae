"""Someone shows the companion pictures, from a terminal and in the window."""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtTest import QTest

from neodeskpet.app.engine import open_engine
from neodeskpet.app.run_options import RunOptions
from neodeskpet.core.blocks import Image, MessageState, Notice, Role, Text
from neodeskpet.settings.startup import log_path
from neodeskpet.storage.image_resize import fit_picture
from tests.support.desk import DeskStory
from tests.support.pictures import encoded
from tests.support.replies import bare, end
from tests.support.sseserver import HANG, HOLD, Part, Reply, Request, ScriptedServer, event, text
from tests.support.terminal import chat

RED = encoded(colour="red")
SENT = base64.b64encode(fit_picture(RED).data).decode()

_ANTHROPIC: tuple[Part, ...] = (
    event({"type": "message_start", "message": {"usage": {"input_tokens": 1}}}),
    event({"type": "content_block_start", "index": 0, "content_block": {"type": "text"}}),
    event(
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "red"}}
    ),
    event({"type": "content_block_stop", "index": 0}),
    event({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
    event({"type": "message_stop"}),
)
_GEMINI: tuple[Part, ...] = (
    event(
        {"candidates": [{"content": {"parts": [{"text": "red"}]}, "finishReason": "STOP"}]},
    ),
)
_RESPONSES: tuple[Part, ...] = (
    event({"type": "response.output_text.delta", "output_index": 0, "delta": "red"}),
    event({"type": "response.completed", "response": {"status": "completed"}}),
)
REPLIES: dict[str, tuple[Part, ...]] = {
    "openai": (text("red"), *end()),
    "openai-responses": _RESPONSES,
    "anthropic": _ANTHROPIC,
    "gemini": _GEMINI,
}


def shown(protocol: str, body: Any) -> object:
    """The parts of the user's message in the form of the protocol."""
    key = {"openai-responses": "input", "gemini": "contents"}.get(protocol, "messages")
    last = body[key][-1]
    *parts, foot = last["parts" if protocol == "gemini" else "content"]
    assert foot["text"] == "⟦/person⟧"
    return [
        {**part, "text": bare(f"{part['text']}\n{foot['text']}")} if "text" in part else part
        for part in parts
    ]


def said(content: object) -> object:
    return bare(content) if isinstance(content, str) else content


WORDED = {
    "openai": [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{SENT}"}},
        {"type": "text", "text": "Which colour?"},
    ],
    "openai-responses": [
        {"type": "input_image", "image_url": f"data:image/png;base64,{SENT}"},
        {"type": "input_text", "text": "Which colour?"},
    ],
    "anthropic": [
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": SENT},
        },
        {"type": "text", "text": "Which colour?"},
    ],
    "gemini": [
        {"inlineData": {"mimeType": "image/png", "data": SENT}},
        {"text": "Which colour?"},
    ],
}


@pytest.mark.parametrize("protocol", sorted(REPLIES))
def test_every_protocol_sends_it_to_a_model_that_sees(tmp_path: Path, protocol: str) -> None:
    async def story(url: str) -> None:
        engine = await open_engine(
            tmp_path, options=RunOptions(base_url=url, model="gpt-4o", protocol=protocol)
        )
        await engine.chat.open()
        engine.chat.send("Which colour?", [fit_picture(RED, "red.png")])
        await engine.chat.wait_idle()
        assert engine.chat.conversation is not None
        question, reply = await engine.storage.store.history(engine.chat.conversation.id)
        assert isinstance(question.blocks[0], Image)
        assert (reply.state, reply.text) == (MessageState.DONE, "red")
        await engine.aclose()

    with ScriptedServer() as server:
        server.reply(*REPLIES[protocol])
        asyncio.run(story(server.url))
        assert shown(protocol, server.requests[0].body) == WORDED[protocol]


def config(home: Path, url: str, *models: dict[str, Any]) -> None:
    """An `llm-config.json` with these models on one service."""
    content = {
        "endpoints": [{"name": "s", "protocol": "openai", "base_url": url}],
        "models": [{"endpoint": "s", **model} for model in models],
        "tiers": {"complex": [models[0]["id"]]},
    }
    (home / "llm-config.json").write_text(json.dumps(content), encoding="utf-8")


def test_from_the_terminal_to_a_model_that_does_not_see(tmp_path: Path) -> None:
    (tmp_path / "红.png").write_bytes(RED)
    picture = str(tmp_path / "红.png")

    async def again() -> None:
        engine = await open_engine(tmp_path)
        await engine.chat.open()
        engine.chat.send("Really?", [fit_picture(RED)])
        await engine.chat.wait_idle()
        await engine.aclose()

    with ScriptedServer() as server:
        config(tmp_path, server.url, {"id": "deepseek-chat"}, {"id": "gpt-4o"})
        server.reply(text("A red square."), *end())
        server.reply(text("Nice red."), *end())
        server.reply(text("Still red."), *end())
        first = chat(tmp_path, "", "Which colour?", "--image", picture)
        asyncio.run(again())
        asked = [
            (r.body["model"], said(r.body["messages"][-1]["content"])) for r in server.requests
        ]
        log = log_path(tmp_path).read_text(encoding="utf-8")

    assert first.code == 0, first.err
    assert first.result["text"] == "Nice red."
    assert set(first.result) == {
        "type",
        "success",
        "error",
        "model",
        "finish_reason",
        "rounds",
        "tool_calls",
        "text",
        "thinking",
        "usage",
        "steps",
        "action",
        "action_result",
    }
    kinds = [line["type"] for line in first.lines]
    assert kinds.index("description_announced") < kinds.index("picture_described")
    assert [model for model, _ in asked] == ["gpt-4o", "deepseek-chat", "deepseek-chat"]
    assert asked[0][1][0]["image_url"]["url"].endswith(SENT)
    assert asked[1][1] == "Which colour? [图片:A red square.]"
    assert asked[2][1] == "Really? [图片:A red square.]"  # it was not described again
    assert "described" in log
    assert SENT[:40] not in log


def test_without_a_model_that_sees_the_turn_continues(tmp_path: Path) -> None:
    async def story(url: str) -> None:
        engine = await open_engine(
            tmp_path, options=RunOptions(base_url=url, model="deepseek-chat")
        )
        await engine.chat.open()
        engine.chat.send("Which colour?", [fit_picture(RED)])
        await engine.chat.wait_idle()
        assert engine.chat.conversation is not None
        _, reply = await engine.storage.store.history(engine.chat.conversation.id)
        assert reply.role is Role.ASSISTANT
        assert reply.state is MessageState.DONE
        notice = reply.blocks[0]
        assert isinstance(notice, Notice)
        assert notice.code == "picture_unseen"
        assert reply.text == "Tell me."
        await engine.aclose()

    with ScriptedServer() as server:
        server.reply(text("Tell me."), *end())
        asyncio.run(story(server.url))
        words = bare(server.requests[0].body["messages"][-1]["content"])
        assert words.startswith("Which colour? [图片:(could not be described: ")


def paste(desk: DeskStory, colour: str) -> None:
    """Ctrl+V with a picture in the clipboard."""
    image = QImage(30, 20, QImage.Format.Format_RGB32)
    image.fill(QColor(colour))
    QGuiApplication.clipboard().setImage(image)
    field = desk.desk.chat.window.composer.field
    QTest.keyClick(field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)


def test_in_the_window_pasted_dropped_and_there_after_a_restart(
    tmp_path: Path, desk_story: Any, server: ScriptedServer
) -> None:
    config(tmp_path, server.url, {"id": "deepseek-chat"}, {"id": "gpt-4o"})
    dropped = tmp_path / "blue.png"
    dropped.write_bytes(encoded(colour="blue"))
    looking = Reply([HOLD, text("All red."), *end()])
    refused = Reply([{"error": {"message": "no credit"}}], status=402)
    blue_data = base64.b64encode(fit_picture(dropped.read_bytes()).data).decode()

    def answer(request: Request) -> Reply:
        """Both pictures are described at the same time."""
        if request.body["model"] == "deepseek-chat":
            return Reply([text("Nice."), *end()])
        return refused if blue_data in json.dumps(request.body) else looking

    server.fallback = answer

    async def first(desk: DeskStory) -> None:
        strip = desk.desk.chat.window.composer.attachments
        paste(desk, "red")
        await desk.until(lambda: strip.items())
        assert desk.button("Remove Picture").isVisible()
        source = QMimeData()
        source.setUrls([QUrl.fromLocalFile(str(dropped))])
        desk.desk.chat.window.composer.content_dropped.emit(source)
        desk.type("Look")  # at once: the second isn't ready yet
        await desk.until(lambda: "Looking at 2 pictures…" in desk.shown())
        assert strip.count == 0
        looking.release()
        await desk.idle()
        reply = await desk.reply()
        assert [type(block) for block in reply.blocks] == [Notice, Text]
        assert "no quota or credit left" in desk.shown()
        described = bare(server.requests[-1].body["messages"][-1]["content"])
        start = "Look [图片:All red.] [图片:(could not be described: "
        assert described.startswith(start)
        assert await seen(desk) == [("", "All red."), ("blue.png", "")]

    async def second(desk: DeskStory) -> None:
        assert await seen(desk) == [("", "All red."), ("blue.png", "")]
        view = desk.desk.chat.view
        digest = fit_picture(dropped.read_bytes()).digest
        await desk.until(lambda: view.scene.picture(digest) is not None)

    desk_story(first)
    desk_story(second)


async def seen(desk: DeskStory) -> list[tuple[str, str]]:
    """Names and descriptions of the pictures in the first message, in the store and the view."""
    question = (await desk.messages())[0]
    stored = [(b.name, b.description) for b in question.blocks if isinstance(b, Image)]
    view = desk.desk.chat.view
    await desk.until(lambda: view.access.message(question.id).text)
    desk.desk.chat.bridge.flush()
    spoken = view.access.message(question.id).text.split("\n")
    for name, description in stored:
        assert " ".join(filter(None, ("Picture", name, description))) in spoken
    return stored


def test_stop_while_it_is_described(
    tmp_path: Path, desk_story: Any, server: ScriptedServer
) -> None:
    config(tmp_path, server.url, {"id": "deepseek-chat"}, {"id": "gpt-4o"})
    server.reply(HANG)

    async def story(desk: DeskStory) -> None:
        paste(desk, "red")
        await desk.until(lambda: desk.desk.chat.window.composer.attachments.items())
        desk.press(Qt.Key.Key_Return)
        await desk.until(lambda: server.requests)
        assert "Looking at the picture…" in desk.shown()
        desk.press(Qt.Key.Key_Escape)
        await desk.idle()
        assert (await desk.reply()).state is MessageState.CANCELLED

    desk_story(story)
    assert server.requests[0].closed_early.wait(60)
