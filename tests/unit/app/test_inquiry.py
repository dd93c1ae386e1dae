"""Questions of MCP servers: shown in the card of the call, or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from PySide6.QtCore import QUrl
from pytestqt.qtbot import QtBot

from neodeskpet.app.tool_approval import ElicitationCard
from neodeskpet.core.blocks import Message, MessageState, Role, ToolStatus, ToolUse
from neodeskpet.core.turn.turn_events import BlockChanged
from neodeskpet.mcp.server_connection import START_KEY
from neodeskpet.mcp.session_interface import (
    FormRequest,
    OpenUrlRequest,
    SamplingRequest,
    UserAnswer,
)
from neodeskpet.ui.chat.argument_form import ArgumentForm
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.theme import DARK, LIGHT

CITY = FormRequest(
    "Where\u202e to?",
    {"properties": {"city": {"type": "string", "minLength": 2}}, "required": ["city"]},
)
PAGE = OpenUrlRequest("Please sign in", "https://example.com/in?x=1")


def call(index: int, status: ToolStatus = ToolStatus.RUNNING) -> ToolUse:
    return ToolUse(index, 0, f"c{index}", "mcp.small.wish", "{}", arguments={}, status=status)


class Scene:
    """A view with one message that runs two calls."""

    def __init__(self, qtbot: QtBot) -> None:
        self.view = ChatView(LIGHT)
        qtbot.addWidget(self.view)
        self.view.resize(500, 600)
        self.view.show()
        blocks = (call(0), call(1))
        self.view.add_message(
            Message("m", Role.ASSISTANT, blocks, MessageState.RUNNING, created=0.0)
        )
        self.said: list[str] = []
        self.opened: list[str] = []
        self.inquiry = ElicitationCard(self.view, self.said.append, open_url=self.open_url)

    def open_url(self, url: QUrl) -> bool:
        self.opened.append(url.toString())
        return True

    def forms(self) -> list[ArgumentForm]:
        return self.view.viewport().findChildren(ArgumentForm)


@pytest.fixture
def scene(qtbot: QtBot) -> Scene:
    return Scene(qtbot)


def play(story: Callable[[], Awaitable[None]]) -> None:
    async def whole() -> None:
        await story()

    asyncio.run(whole())


def test_each_call_asks_in_its_own_card(scene: Scene) -> None:
    async def story() -> None:
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(scene.inquiry.ask("small", "wish", CITY)) for _ in range(2)]
            await asyncio.sleep(0)
            one, other = scene.forms()
            assert one.heading.text() == "small asks: Where\\u202e to?"
            assert one.y() < other.y()
            assert scene.said == ["small has a question for you in the chat."] * 2
            scene.view.set_theme(DARK)
            other.allow.click()
            assert "city" in other.errors()
            other.back.click()
            one.back.click()
        assert [task.result() for task in asked] == [UserAnswer(False)] * 2

    play(story)
    assert all(form.isHidden() for form in scene.forms())


def test_an_address_is_opened_when_the_user_agrees(scene: Scene) -> None:
    async def story() -> None:
        async with asyncio.TaskGroup() as group:
            asked = group.create_task(scene.inquiry.ask("small", "wish", PAGE))
            await asyncio.sleep(0)
            (form,) = scene.forms()
            assert form.heading.text().endswith("Please sign in\nhttps://example.com/in?x=1")
            assert scene.opened == []
            form.allow.click()
        assert asked.result() == UserAnswer(True)

    play(story)
    assert scene.opened == ["https://example.com/in?x=1"]


def test_a_removed_card_ends_its_question(scene: Scene) -> None:
    async def story() -> None:
        async with asyncio.TaskGroup() as group:
            asked = group.create_task(scene.inquiry.ask("small", "wish", CITY))
            await asyncio.sleep(0)
            scene.view.apply([("m", BlockChanged(call(0, ToolStatus.CANCELLED)))])
        assert asked.result() == UserAnswer(False)

    play(story)


@pytest.mark.parametrize("address", ["file:///etc/passwd", "javascript:alert(1)", "https:", "x"])
def test_only_web_addresses_are_opened(scene: Scene, address: str) -> None:
    async def story() -> None:
        visit = OpenUrlRequest("look", address)
        assert await scene.inquiry.ask("small", "wish", visit) == UserAnswer()
        assert await scene.inquiry.ask("small", START_KEY, visit) == UserAnswer()

    play(story)
    assert scene.opened == []
    assert scene.forms() == []


def test_a_server_that_the_user_started_opens_its_page_at_once(scene: Scene) -> None:
    async def story() -> None:
        assert await scene.inquiry.ask("small", START_KEY, PAGE) == UserAnswer(True)
        assert await scene.inquiry.ask("small", START_KEY, CITY) == UserAnswer()

    play(story)
    assert scene.opened == [PAGE.url]


def test_without_a_card_nothing_is_asked(scene: Scene) -> None:
    async def story() -> None:
        assert await scene.inquiry.ask("other", "wish", CITY) == UserAnswer()

    play(story)
    assert scene.said == []


def test_the_text_for_the_model_is_shown(scene: Scene) -> None:
    question = SamplingRequest(
        (("user", "A line\u202e about tea"), ("assistant", "Steam."), ("user", "Another")),
        "Be brief.",
        most=2000,
        left=19,
    )

    async def story() -> None:
        async with asyncio.TaskGroup() as group:
            asked = [
                group.create_task(scene.inquiry.ask("small", "wish", question)) for _ in range(2)
            ]
            await asyncio.sleep(0)
            one, other = scene.forms()
            assert one.heading.text().split("\n\n") == [
                "small asks your language model for a text of at most 2,000 tokens. Only this is "
                "sent, nothing of your conversation:",
                "Instructions: Be brief.",
                "Request: A line\\u202e about tea",
                "Earlier answer: Steam.",
                "Request: Another",
                "Requests left for this server this hour: 19",
            ]
            assert (one.allow.text(), one.back.text()) == ("Send to the model", "Deny")
            one.back.click()
            other.allow.click()
        assert [task.result() for task in asked] == [UserAnswer(False), UserAnswer(True)]

    play(story)


def test_a_text_that_is_too_long_to_be_shown_is_not_sent(scene: Scene) -> None:
    async def story() -> None:
        answer = await scene.inquiry.ask("small", "wish", SamplingRequest((("user", "x" * 9000),)))
        assert answer.accepted is None
        assert "completely" in answer.why
        assert not scene.forms()

    play(story)
