"""`--chat` shows the last conversation before the engine is open; typed texts aren't lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from neodeskpet.app.run_options import RunOptions
from neodeskpet.app.startup import StartOptions, open_app
from neodeskpet.ui import event_loop
from neodeskpet.ui.chat.chat_window import ChatWindow
from neodeskpet.ui.chat.view.chat_view import ChatView
from tests.support.desk import DeskStory, settle
from tests.support.replies import end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]


def first_chat() -> ChatWindow | None:
    """The visible chat window, if there is one."""
    shown = (one for one in QApplication.topLevelWidgets() if isinstance(one, ChatWindow))
    return next((one for one in shown if one.isVisible()), None)


def texts(view: ChatView) -> list[str]:
    return [node.text for node in view.access.messages()]


def start(app: QApplication, home: Path, url: str, act: Callable[[ChatWindow], None]) -> list[str]:
    """Start with `--chat`; `act` is called when the window is visible and the engine isn't open.
    Return what the view shows when the answer is there, or when the chat was closed.
    """
    settle(home, {})
    service = RunOptions(base_url=url or None, model="test-model" if url else None)

    async def live() -> int:
        options = StartOptions(home, service, single_instance=False, hidden=True, chat=True)
        opening = asyncio.ensure_future(open_app(app, options))  # noqa: TID251 - a test's own task
        async with asyncio.timeout(60):
            while (window := first_chat()) is None or not window.view.isVisible():
                assert not opening.done(), "the engine was open before the window was shown"
                await asyncio.sleep(0)
            act(window)
            desk = await opening
        try:
            assert desk.chat.window is window
            person = DeskStory(desk)
            if window.isVisible():
                await person.until(lambda: "the answer" in person.shown(), person.shown())
                await person.idle()
            seen.append(str(window.isVisible()))
            desk.chat.bridge.flush()
            seen.extend(texts(desk.chat.view))
        finally:
            await desk.aclose()
        return 0

    seen: list[str] = []
    event_loop.run(app, live)
    return seen


def test_a_text_that_is_sent_early_is_answered(
    qapp: QApplication, desk_story: Play, server: ScriptedServer, tmp_path: Path
) -> None:
    server.reply(text("Hello."), *end())

    async def story(person: DeskStory) -> None:
        person.type("remember me")
        await person.until(lambda: "Hello." in person.shown())
        await person.idle()

    desk_story(story, server.url)
    server.reply(text("the answer"), *end())
    early: list[list[str]] = []

    def act(window: ChatWindow) -> None:
        assert isinstance(window.view, ChatView)
        early.append(texts(window.view))
        QTest.keyClicks(window.composer.field, "early words")
        QTest.keyClick(window.composer.field, Qt.Key.Key_Return)
        assert window.composer.draft() == ""

    visible, *shown = start(qapp, tmp_path, server.url, act)
    assert visible == "True"
    (seen,) = early
    assert len(seen) == 2, "the last conversation was not shown at once"
    assert "remember me" in seen[0]
    assert len(shown) == 4
    assert "early words" in shown[2]
    assert "the answer" in shown[3]
    sent = [m["content"] for m in server.requests[-1].body["messages"] if m["role"] == "user"]
    assert ["remember me" in sent[-2], "early words" in sent[-1]] == [True, True]


def test_a_window_that_is_closed_early_stays_closed(
    qapp: QApplication, server: ScriptedServer, tmp_path: Path
) -> None:
    def act(window: ChatWindow) -> None:
        window.close()

    visible, *_ = start(qapp, tmp_path, server.url, act)
    assert visible == "False"
