"""The simulated user of a soak test: one action after another, of all kinds, through the
windows.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QCursor, QWheelEvent
from PySide6.QtWidgets import QApplication

from neodeskpet.core.blocks import Role
from tests.soak.service import noise
from tests.support.desk import DeskStory

_MOST_CONVERSATIONS = 6
_LONGEST = 60
"""Actions in one conversation: its content in memory is no leak, so it must not grow without a
limit.
"""
_FULL = 100
"""The same in messages: one that is opened again and again grows, too."""

_NOTED = 5
"""Notes, and timers, that stay when a new conversation begins."""

# How often each kind occurs, by pace. "ends" restarts motions near their ends, all the time.
_MIXED = {
    "talk": 5,
    "tools": 4,
    "dance": 4,
    "code": 4,
    "motions": 2,
    "picture": 2,
    "stop": 3,
    "retry": 2,
    "fault": 2,
    "queue": 1,
    "switch": 3,
    "settings": 2,
    "hide": 2,
    "scroll": 2,
    "mode": 1,
}
WEIGHTS = {"lively": _MIXED, "calm": _MIXED, "ends": {**_MIXED, "motions": 30}}
SECONDS = {"lively": 2.0, "calm": 10.0, "ends": 2.0}
"""Seconds from the beginning of one action to the beginning of the next, by pace."""


class Person:
    """Does one `deed` after another until `seconds` are over; `deed` names the present one."""

    def __init__(self, story: DeskStory, folder: Path, pace: str, seed: int) -> None:
        self.deed = ""
        self.count = 0
        self._since = 0  # the maximum number of actions in the open conversation
        self._story = story
        self._desk = story.desk
        self._folder = folder
        self._pace = pace
        self._random = Random(seed)

    @property
    def shown(self) -> int:
        """Messages of the open conversation."""
        return len(self._desk.chat.view.column.heads)

    async def live(self, seconds: float) -> None:
        weights = WEIGHTS[self._pace]
        end = time.monotonic() + seconds
        self.deed = "tour"
        await self._tour()
        while time.monotonic() < end:
            following = time.monotonic() + SECONDS[self._pace]
            [kind] = self._random.choices(list(weights), list(weights.values()))
            self.count += 1
            self.deed = f"{kind} {self.count}"
            act: Callable[[], Awaitable[None]] = getattr(self, f"_{kind}", self._plain)
            await act()
            self._since += 1
            if self._since >= _LONGEST or self.shown >= _FULL:
                await self._begin_anew()
            self.deed = "between"
            await asyncio.sleep(max(0.05, following - time.monotonic()))
        await self._story.idle()

    # Turns

    async def _plain(self) -> None:
        """A message, and its answer to the end."""
        self._say()
        await self._ends()

    async def _stop(self) -> None:
        self._say("long")
        await self._story.until(lambda: self._desk.engine.chat.running, "nothing began")
        await asyncio.sleep(self._random.uniform(0.0, 1.0))
        self._story.press(Qt.Key.Key_Escape)
        await self._ends()

    async def _retry(self) -> None:
        self._say("talk")
        await self._ends()
        messages = await self._story.messages()
        # None while a switch of conversation is pending: the message is sent after it.
        if messages and messages[-1].role is Role.ASSISTANT:
            self._desk.chat.view.retry_requested.emit(messages[-1].id)
            await self._ends()

    async def _fault(self) -> None:
        """The stream breaks, and the notice's button continues it."""
        self._say()
        await self._ends()
        for name in ("Continue", "Retry"):
            if name in self._story.buttons():
                self._story.press_in_message(name)
                break
        await self._ends()

    async def _queue(self) -> None:
        self._say("talk")
        self._story.type("soak tools 0")
        self._story.type("soak dance 0")
        await self._ends()

    async def _picture(self) -> None:
        source = QMimeData()
        file = await asyncio.to_thread(noise, self._folder, self.count)
        source.setUrls([QUrl.fromLocalFile(str(file))])
        composer = self._desk.chat.window.composer
        composer.content_dropped.emit(source)
        await self._story.until(lambda: composer.attachments.items(), "no picture came")
        self._say()
        await self._ends()
        file.unlink()

    # Without a turn

    async def _switch(self) -> None:
        """Another conversation; a new one if there are few."""
        self._desk.chat.window.show_sidebar(self._random.random() < 0.5)
        known = await self._desk.engine.storage.store.conversations()
        if len(known) < _MOST_CONVERSATIONS or self._random.random() < 0.25:
            await self._begin_anew()
        else:
            self._desk.chat.window.sidebar.opened.emit(self._random.choice(known).id)
            await asyncio.sleep(0.5)

    async def _begin_anew(self) -> None:
        """A new conversation; the oldest is deleted."""
        self._since = 0
        store, side = self._desk.engine.storage.store, self._desk.chat.window.sidebar
        side.new.click()  # not Ctrl+N: keys go to the active window
        await self._story.until(
            lambda: not self._desk.chat.view.column.heads, "the conversation was not left"
        )
        known = sorted(await store.conversations(), key=lambda one: one.updated)
        if len(known) > _MOST_CONVERSATIONS:
            side.delete_requested.emit([known[0].id])
        await self._tidy()
        await asyncio.sleep(0.5)

    async def _tidy(self) -> None:
        """Delete notes and timers: a notebook that fills up is no leak."""
        notes, timers = self._desk.engine.notebook.notes, self._desk.engine.notebook.timers
        for note in (await notes.search((), 1000))[_NOTED:]:
            await notes.delete(note.id)
        for timer in (await timers.timers())[_NOTED:]:
            await timers.cancel(timer.id)

    async def _tour(self) -> None:
        """Each page of the settings in both themes, as a new user would: what is made at its first
        view exists before growth is judged.
        """
        window = self._desk.side_windows.settings
        for theme in ("dark", "light"):
            self._desk.engine.settings.change("appearance", "theme", theme)
            for section in window.pages:
                self._desk.side_windows.show_settings(section)
                await asyncio.sleep(0.2)
        window.close()

    async def _settings(self) -> None:
        window = self._desk.side_windows.settings
        for section in self._random.sample(list(window.pages), 3):
            self._desk.side_windows.show_settings(section)
            await asyncio.sleep(0.2)
        theme = self._random.choice(("light", "dark"))
        self._desk.engine.settings.change("appearance", "theme", theme)
        await asyncio.sleep(0.2)
        window.close()

    async def _hide(self) -> None:
        self._desk.menu.tray.clicked.emit()
        self._desk.chat.window.close()
        await asyncio.sleep(0.5)
        self._desk.menu.tray.clicked.emit()
        self._desk.chat.window.present()
        await asyncio.sleep(0.3)

    async def _scroll(self) -> None:
        view = self._desk.chat.view.viewport()
        middle = view.rect().center()
        for step in self._random.choices((480, -480, 120, -240), k=12):
            event = QWheelEvent(
                middle.toPointF(),
                view.mapToGlobal(middle).toPointF(),
                QPoint(),
                QPoint(0, step),
                Qt.MouseButton.NoButton,
                Qt.KeyboardModifier.NoModifier,
                Qt.ScrollPhase.NoScrollPhase,
                False,
            )
            QApplication.sendEvent(view, event)
            # Not QTest.mouseMove: it runs Qt's loop within this task.
            below = QPoint(middle.x(), self._random.randrange(view.height()))
            QCursor.setPos(view.mapToGlobal(below))
            await asyncio.sleep(0.04)

    async def _mode(self) -> None:
        mode = self._random.choice(("text", "native", "auto"))
        self._desk.engine.settings.change("mode", "mode", mode)

    # Steps

    def _say(self, kind: str = "") -> None:
        kind = kind or self.deed.split()[0]
        self._story.type(f"soak {kind} {self.count}")

    async def _ends(self) -> None:
        await asyncio.sleep(0.05)
        await self._story.idle(timeout=60)
