"""Stop at any moment of a reply: the text is kept, and the conversation continues."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt

from neodeskpet.core.blocks import MessageState, ToolStatus
from neodeskpet.core.transcript import CONTINUE_TEXT
from tests.support.desk import DeskStory
from tests.support.notebook import noted, notes_busy
from tests.support.replies import bare, block, calling, end
from tests.support.sseserver import HANG, Part, ScriptedServer, text, thinking, tool_call

Play = Callable[..., None]
MODES = ("native", "text")
WAYS = ("escape", "button")


def stop(person: DeskStory, way: str = "escape") -> None:
    if way == "button":
        person.click(person.button("Stop"))
    else:
        person.press(Qt.Key.Key_Escape)


async def goes_on(person: DeskStory, server: ScriptedServer) -> None:
    """The next message is answered by a service that checks that calls and results are paired."""
    server.reply(text("Here I am."), *end())
    person.type("are you there?")
    await person.until(lambda: "Here I am." in person.shown(), "the next message wasn't answered")
    await person.idle()
    assert (await person.reply()).state is MessageState.DONE
    last = server.requests[-1].body["messages"][-1]
    assert last["role"] == "user"
    assert bare(last["content"]).endswith("are you there?")


@pytest.mark.parametrize("way", WAYS)
def test_while_text_streams(desk_story: Play, server: ScriptedServer, way: str) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(thinking("Hm."), text("Once upon a"), HANG)
        person.type("tell me a story")
        await person.until(lambda: person.sees("Once upon a"))
        stop(person, way)
        await person.idle()
        assert server.requests[0].closed_early.wait(60)
        reply = await person.reply()
        assert reply.state is MessageState.CANCELLED
        assert reply.text == "Once upon a"
        assert reply.thinking == "Hm."
        assert "stopped" in person.shown()
        assert person.button("Send").isVisible()
        await goes_on(person, server)
        told = [
            bare(m["content"])
            for m in server.requests[-1].body["messages"]
            if m["role"] != "system"
        ]
        assert told[0] == "tell me a story"
        assert "Once upon a" in told[1]

    desk_story(story, server.url)


def test_a_stopped_reply_continues_when_the_user_wants_it(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(text("Once upon a"), HANG)
        person.type("tell me a story")
        await person.until(lambda: person.sees("Once upon a"))
        stop(person)
        await person.idle()
        server.reply(text(" time."), *end())
        person.press_in_message("Continue")
        await person.until(lambda: "time." in person.shown(), "it didn't go on")
        await person.idle()
        assert (await person.reply()).state is MessageState.DONE
        told = [bare(m["content"]) for m in server.requests[-1].body["messages"][-2:]]
        assert told == ["Once upon a", CONTINUE_TEXT]
        assert "Continue" not in person.buttons(), "it has ended"
        server.reply(text("And then"), HANG)
        person.type("another one")
        await person.until(lambda: person.sees("And then"))
        stop(person)
        await person.idle()
        stopped = person.desk.chat.view.access.messages()[-1]
        await goes_on(person, server)
        named = [node.region.name for node in stopped.regions() if node.region is not None]
        assert "Retry" in named
        assert "Continue" not in named, "another message was sent since"

    desk_story(story, server.url)


def test_code_in_which_a_reply_was_stopped_is_continued_twice(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(text("Here:\n\n```python\ndef fish():\n    ret"), HANG)
        person.type("write code")
        await person.until(lambda: person.sees("ret"))
        stop(person)
        await person.idle()
        server.reply(text("urn 5\n\ndef frog():"), HANG)
        person.press_in_message("Continue")
        await person.until(lambda: "frog" in person.shown(), "it didn't go on")
        stop(person)
        await person.idle()
        server.reply(text("\n    pass\n```\n\nDone."), *end())
        person.press_in_message("Continue")
        await person.until(lambda: "Done." in person.shown(), "it didn't go on again")
        await person.idle()
        code = "def fish():\n    return 5\n\ndef frog():\n    pass"
        assert f"Here:\n{code}\nDone.\n" in person.shown()
        assert "3 rounds" in person.shown()
        assert person.buttons().count("Copy the code") == 1
        whole = f"Here:\n\n```python\n{code}\n```\n\nDone."
        assert (await person.reply()).text == whole

    desk_story(story, server.url)


@pytest.mark.parametrize("mode", MODES)
def test_while_arguments_stream(desk_story: Play, server: ScriptedServer, mode: str) -> None:
    half: list[Part] = (
        [tool_call("note_add", '{"text": "half', "a")]
        if mode == "native"
        else [text(block("note.add", {"text": "half a note"})[:-40])]
    )

    async def story(person: DeskStory) -> None:
        server.reply(text("I note it."), *half, HANG)
        person.type("note this")
        await person.until(lambda: "writing" in person.shown())
        stop(person)
        await person.idle()
        assert server.requests[0].closed_early.wait(60)
        (call,) = await person.calls()
        assert call.status is ToolStatus.CANCELLED
        assert not call.output
        assert "cancelled" in person.shown()
        assert "I note it." in person.shown()
        assert "TOOL" not in person.shown()
        await goes_on(person, server)
        assert not noted(person.desk.engine.storage.home)

    desk_story(story, server.url, mode)


@pytest.mark.parametrize("mode", MODES)
def test_while_a_tool_runs(desk_story: Play, server: ScriptedServer, mode: str) -> None:
    async def story(person: DeskStory) -> None:
        calls = calling(mode, ("note.add", {"text": "slow"}), ("time.now", {}))
        server.reply(text("One moment."), *calls, *end("tool_calls"))
        with notes_busy(person.desk.engine.storage.home):
            person.type("note this, and the time")
            await person.until(lambda: "running" in person.shown())
            stop(person)
            await person.idle()
            assert [c.status for c in await person.calls()] == [ToolStatus.CANCELLED] * 2
            assert person.shown().count("cancelled") == 2
            assert (await person.reply()).state is MessageState.CANCELLED
            assert len(server.requests) == 1
            await goes_on(person, server)

    desk_story(story, server.url, mode)


def test_while_it_waits_for_a_retry(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        busy = {"error": {"message": "slow down"}}
        server.reply(busy, status=429, headers={"Retry-After": "30"})
        person.type("hello")
        await person.until(lambda: "Attempt 2 follows in 30 s" in person.shown())
        stop(person)
        await person.idle()
        reply = await person.reply()
        assert reply.state is MessageState.CANCELLED
        assert reply.blocks == ()
        assert "Attempt" not in person.shown()
        assert "stopped" in person.shown()
        assert len(server.requests) == 1
        await goes_on(person, server)

    desk_story(story, server.url)


def test_before_the_first_token(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(HANG)
        person.type("hello")
        await person.until(lambda: server.requests)
        stop(person)
        await person.idle()
        assert server.requests[0].closed_early.wait(60)
        assert (await person.reply()).state is MessageState.CANCELLED
        await goes_on(person, server)

    desk_story(story, server.url)


def test_while_it_asks_for_permission(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(*calling("native", ("note.add", {"text": "x"})), *end("tool_calls"))
        person.type("note this")
        await person.until(lambda: "Allow once" in person.buttons())
        stop(person)
        await person.idle()
        (call,) = await person.calls()
        assert call.status is ToolStatus.CANCELLED
        assert "Allow once" not in person.buttons()
        await goes_on(person, server)

    desk_story(story, server.url, settings={"mode": {"ask_before_every_change": True}})
