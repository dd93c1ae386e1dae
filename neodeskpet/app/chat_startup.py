"""Shows the chat window before the engine is open, with the last messages. The user can type; texts
that are sent wait until the conversation is open.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QRect
from PySide6.QtWidgets import QApplication

from neodeskpet.settings.settings_model import AppearanceSettings
from neodeskpet.storage.conversation_preview import (
    ConversationPreview,
    read_preview,
    read_previewed_messages,
)
from neodeskpet.ui.chat.chat_window import ChatWindow
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import apply_theme, startup_theme
from neodeskpet.ui.windows.window_geometry import fitted_geometry, read_geometry

CHAT_GEOMETRY_KEY = "chat.place"
CHAT_NAME_KEY = "chat.name"
SIDEBAR_KEY = "chat.sidebar"
_PAINT_TIMEOUT = 1.0
"""Seconds to wait for the first paint; on a display that shows no window there is none."""


def read_chat_geometry(stored: str | None) -> QRect | None:
    """Read where the user left the chat window; None for nowhere."""
    # An older version stored the place of a window that was never shown.
    return None if not stored or stored.startswith("0,0,") else read_geometry(stored)


class ChatStartup(QObject):
    """The window and its view until `DesktopApp` takes them over with `finish`."""

    def __init__(self, app: QApplication, look: AppearanceSettings, database: Path) -> None:
        """`database` is the file with the conversations; it may be missing."""
        super().__init__()
        theme = startup_theme(look)
        apply_theme(app, theme)
        self.view = ChatView(theme)
        self.window = ChatWindow(self.view, theme)
        self.sent_texts: list[str] = []
        self._database = database
        self._preview: ConversationPreview | None = None
        self._painted = asyncio.Event()
        self._work = TaskRunner("early chat", failed=lambda _error: None)
        self.view.messages_wanted.connect(self._load)
        self.window.composer.submitted.connect(self._keep)
        self.window.setAcceptDrops(False)  # dropped files need the attachment controller
        self.view.viewport().installEventFilter(self)

    @property
    def conversation_id(self) -> str:
        """The id of the conversation that is shown, "" for none."""
        return self._preview.conversation_id if self._preview is not None else ""

    async def show(self, place: Callable[[], QRect | None]) -> None:
        """Show the window where it was left, else at `place()`, and wait until it is painted."""
        keys = (CHAT_GEOMETRY_KEY, CHAT_NAME_KEY, SIDEBAR_KEY)
        self._preview = await asyncio.to_thread(read_preview, self._database, keys)
        if self._preview is not None:
            self._fill(self._preview)
        state = self._preview.state if self._preview is not None else {}
        kept = read_chat_geometry(state.get(CHAT_GEOMETRY_KEY))
        if kept is not None:
            self.window.setGeometry(fitted_geometry(self.window, kept))
        elif (beside := place()) is not None:
            self.window.setGeometry(beside)
        self.window.present()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._painted.wait(), _PAINT_TIMEOUT)

    def finish(self) -> None:
        """Stop loading messages and keeping texts: `DesktopApp` connects to the window next."""
        self.view.messages_wanted.disconnect(self._load)
        self.window.composer.submitted.disconnect(self._keep)
        self.window.setAcceptDrops(True)
        self.view.viewport().removeEventFilter(self)
        self._work.detach()

    def discard(self) -> None:
        """Close the window: the app could not be started."""
        self._work.detach()
        self.window.close()
        self.window.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self._painted.set()
        return False

    def _fill(self, preview: ConversationPreview) -> None:
        if name := preview.state.get(CHAT_NAME_KEY):
            self.window.set_name(name)
            self.view.set_name(name)
        self.window.show_sidebar(SIDEBAR_KEY in preview.state)
        self.window.set_empty(not preview.heads)
        self.view.open_conversation(preview.heads)
        self.view.add_loaded_messages(preview.newest)

    def _load(self, ids: Sequence[str]) -> None:
        async def add() -> None:
            read = partial(read_previewed_messages, self._database, ids)
            self.view.add_loaded_messages(await asyncio.to_thread(read))

        self._work.start("messages", add)

    def _keep(self, text: str) -> None:
        self.sent_texts.append(text)
        self.window.composer.set_queue(self.sent_texts)
