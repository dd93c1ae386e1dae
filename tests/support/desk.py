"""Runs a story in the real windows on the real engine: a coroutine acts as the user.

    def test_it(desk_story, server):
        async def story(desk: DeskStory) -> None:
            desk.type("hello")
            await desk.until(lambda: "Hel" in desk.reply_text())
        desk_story(story, server.url)

What the user does goes through Qt's own events (keys and clicks into the widgets).
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from neodeskpet.app.desktop_app import DesktopApp
from neodeskpet.app.run_options import RunOptions
from neodeskpet.app.startup import StartOptions, open_app
from neodeskpet.conversation.chat_events import ChatEvent, MessageAdded
from neodeskpet.core.blocks import Message, Role, Text, ToolUse
from neodeskpet.core.errors import Action
from neodeskpet.documents.web.addresses import is_public
from neodeskpet.settings.store import FILE_NAME
from neodeskpet.ui import event_loop
from neodeskpet.ui.chat.view.accessibility import MessageNode
from tests.support.menus import choose_in_menu

TIMEOUT = 60.0


class PaintWatch(QObject):
    """Records the text of the last reply in the view at each paint."""

    def __init__(self, desk: DesktopApp) -> None:
        super().__init__()
        self.painted: list[str] = []
        self._view = desk.chat.view
        self._newest = _Newest()
        desk.engine.chat.subscribe(self._newest)
        desk.chat.view.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint and self._newest.reply:
            self.painted.append(self._view.message_text(self._newest.reply))
        return False


class _Newest:
    def __init__(self) -> None:
        self.reply = ""

    def on_chat_event(self, event: ChatEvent) -> None:
        if isinstance(event, MessageAdded) and event.message.role is Role.ASSISTANT:
            self.reply = event.message.id


ANSWER_KEYS = {"once": "Allow once", "deny": "Deny…", "keep": "Deny", "edit": "Edit…"}
"""The answers of a question as stories call them, independent of the tool's labels."""


class DeskStory:
    """A user of the windows of `desk`. What was painted is kept for `sees`, unless the
    user stays so long that it would fill the memory (`brief=False`).
    """

    def __init__(self, desk: DesktopApp, *, brief: bool = True) -> None:
        self.desk = desk
        self._paint = PaintWatch(desk) if brief else None

    def sees(self, text: str) -> bool:
        """Whether `text` of the last reply has been painted."""
        assert self._paint is not None
        return any(text in painted for painted in self._paint.painted)

    async def until(
        self, true: Callable[[], object], what: str = "", timeout: float = TIMEOUT
    ) -> None:
        """Wait until `true()`; raises TimeoutError naming `what` after `timeout` seconds."""
        end = time.monotonic() + timeout
        while not true():
            if time.monotonic() > end:
                raise TimeoutError(what or "it didn't happen")
            await asyncio.sleep(0.005)

    def type(self, text: str, *, send: bool = True) -> None:
        """Write into the composer (as an input method commits it) and press Enter."""
        field = self.desk.chat.window.composer.field
        self.desk.chat.window.composer.insert(text)
        if send:
            QTest.keyClick(field, Qt.Key.Key_Return)

    def press(self, key: Qt.Key) -> None:
        QTest.keyClick(self.desk.chat.window.composer.field, key)

    async def idle(self, timeout: float = TIMEOUT) -> None:
        """Wait until no turn runs, and everything is shown and stored."""
        ended = "the turn didn't end"
        await self.until(lambda: not self.desk.engine.chat.running, ended, timeout)
        self.desk.chat.bridge.flush()
        await self.desk.engine.storage.store.flush()

    async def messages(self) -> list[Message]:
        """Return the open conversation as it is stored now."""
        info = self.desk.engine.chat.conversation
        assert info is not None
        await self.desk.engine.storage.store.flush()
        return await self.desk.engine.storage.store.history(info.id)

    async def reply(self) -> Message:
        """Return the one assistant message after the user's last message."""
        messages = await self.messages()
        last = max(i for i, m in enumerate(messages) if m.role is Role.USER)
        replies = messages[last + 1 :]
        assert len(replies) == 1, [m.role for m in messages]
        return replies[0]

    async def calls(self) -> list[ToolUse]:
        return [b for b in (await self.reply()).blocks if isinstance(b, ToolUse)]

    async def texts(self) -> list[str]:
        return [b.text for b in (await self.reply()).blocks if isinstance(b, Text)]

    async def act(self, action: Action) -> None:
        """Press a button of the notice of the last reply."""
        reply = await self.reply()
        self.desk.chat.view.action_requested.emit(reply.id, action.value)
        await self.until(lambda: self.desk.engine.chat.running, "nothing began")

    def click(self, widget: QWidget) -> None:
        """Press a widget in its middle."""
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton)

    def button(self, name: str, within: QWidget | None = None) -> QAbstractButton:
        """Return the visible button with this name (or text) in the chat window, or in `within`."""
        buttons = (within or self.desk.chat.window).findChildren(QAbstractButton)
        named = [b for b in buttons if name in (b.accessibleName(), b.text()) and b.isVisible()]
        assert len(named) == 1, [b.accessibleName() or b.text() for b in buttons if b.isVisible()]
        return named[0]

    # The newest message, as the view shows it

    def _newest(self) -> MessageNode:
        return self.desk.chat.view.access.messages()[-1]

    def shown(self) -> str:
        """Return the content of the newest message: text, cards, notices, the footer."""
        self.desk.chat.bridge.flush()
        return self._newest().text if self.desk.chat.view.access.messages() else ""

    def buttons(self) -> list[str]:
        """Return everything that can be pressed in the newest message, with the entries of its
        menus.
        """
        self.desk.chat.bridge.flush()
        if not self.desk.chat.view.access.messages():
            return []
        regions = [node.region for node in self._newest().regions() if node.region is not None]
        return [
            ANSWER_KEYS.get(one.key, one.name)
            for region in regions
            for one in (region, *region.choices)
        ]

    def press_in_message(self, name: str) -> None:
        """Click with the mouse on the part with this name in the newest message, or in one of its
        menus.
        """
        view = self.desk.chat.view
        found = [
            (node, one if one is not region else None)
            for node in self._newest().regions()
            if (region := node.region) is not None
            for one in (region, *region.choices)
            if name in (one.name, ANSWER_KEYS.get(one.key))
        ]
        assert found, (name, self.buttons())
        node, choice = found[0]
        place = node.place
        assert place is not None
        view.scroller.reveal(place)
        spot = view.viewport().mapFromGlobal(node.rect.center())
        assert view.viewport().rect().contains(spot), name
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
        if choice is not None:
            choose_in_menu(choice.name)

    def picture(self) -> QImage:
        return self.desk.chat.window.grab().toImage()


Story = Callable[[DeskStory], Awaitable[None]]


Values = Mapping[str, Mapping[str, object]]
"""Settings by section and name, as in the file."""

# In English; titles and facts are only requested in their own stories, because servers count
# requests.
_FIRST: Values = {
    "appearance": {"language": "en", "reduced_motion": True},
    "service": {"titles": False},
    "memory": {"learn": False},
}


def settle(home: Path, values: Values) -> None:
    """Write the settings with which a story begins; existing ones stay (the next start)."""
    file = home / FILE_NAME
    if not file.exists():
        home.mkdir(parents=True, exist_ok=True)
        service = {**_FIRST["service"], **values.get("service", {})}
        file.write_text(json.dumps({**_FIRST, **values, "service": service}), encoding="utf-8")


def play(
    app: QApplication,
    home: Path,
    cache: Path,
    story: Story,
    url: str = "",
    *,
    mode: str | None,
    pet: bool = False,
    settings: Values | None = None,
    limit: float = 240,
    may_reach: Callable[[str], bool] = is_public,
) -> None:
    """Open the desk in `home` with the service at `url`, run the story, close everything. `cache`
    keeps the verdict on the figure's files from story to story; without `pet` the figure isn't
    drawn (its names exist). The first start has these `settings`, and is in English. After `limit`
    seconds it counts as hung. `may_reach` as in `Options`.
    """
    settle(home, settings or {})
    service = RunOptions(
        base_url=url or None,
        model="test-model" if url else None,
        mode=mode,
        recall_timeout=TIMEOUT,
        is_address_allowed=may_reach,
    )

    async def live() -> int:
        desk = await open_app(
            app, StartOptions(home, service, single_instance=False, cache=cache, hidden=not pet)
        )
        try:
            desk.chat.window.present()
            async with asyncio.timeout(limit):
                person = DeskStory(desk)
                # From then on, keys of a window work and a field has the focus.
                await person.until(desk.chat.window.isActiveWindow, "the window isn't active")
                await story(person)
        finally:
            await desk.aclose()
        return 0

    event_loop.run(app, live)
