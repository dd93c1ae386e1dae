"""Where the windows stand: stored when the user moves them, restored at the next start."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRect, Slot

from neodeskpet.app.chat_startup import SIDEBAR_KEY, read_chat_geometry
from neodeskpet.app.desktop_context import DesktopContext
from neodeskpet.ui.chat.chat_window import ChatWindow
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.pet.screen_geometry import window_beside
from neodeskpet.ui.windows.window_geometry import read_geometry
from neodeskpet.ui.windows.window_registry import WindowRegistry


class WindowState(QObject):
    """The chat stands beside the companion until the user has moved it."""

    def __init__(
        self,
        context: DesktopContext,
        windows: WindowRegistry,
        chat: ChatWindow,
        pet: PetWindow,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._windows = windows
        self._chat = chat
        self._pet = pet
        self._chat_was_moved = False
        self._automatic_chat_place: QRect | None = None
        windows.geometry_changed.connect(self._save_geometry)
        chat.sidebar_toggled.connect(self._save_sidebar)

    async def load(self) -> None:
        """Restore the places of the windows."""
        store = self._context.engine.storage.store
        kept = {
            key: await store.get_state(_geometry_key(key))
            for key in self._windows.with_remembered_geometry()
        }
        chat = read_chat_geometry(kept.pop("chat"))
        places = {key: read_geometry(text) for key, text in kept.items() if text}
        self._windows.restore_geometry(places if chat is None else places | {"chat": chat})
        self._chat_was_moved = chat is not None
        self._chat.show_sidebar(await store.get_state(SIDEBAR_KEY) is not None)

    def position_chat(self) -> None:
        """Place a hidden chat beside the companion, not behind it, until the user moves it."""
        if self._chat_was_moved or self._chat.isVisible():
            return
        self._automatic_chat_place = None
        if self._pet.isVisible() and self._pet.screen() is not None:
            figure = self._pet.placement.figure_rect()
            screen = self._pet.screen().availableGeometry()
            size, least = self._chat.size(), self._chat.minimumSize()
            self._chat.setGeometry(window_beside(size, least, figure, screen))

    @Slot(str, QRect)
    def _save_geometry(self, key: str, place: QRect) -> None:
        if key == "chat" and not self._chat_was_moved:
            if self._automatic_chat_place in (None, place):
                self._automatic_chat_place = place
                return
            self._chat_was_moved = True
        numbers = (place.x(), place.y(), place.width(), place.height())
        self._context.save_state(_geometry_key(key), ",".join(str(n) for n in numbers))

    @Slot(bool)
    def _save_sidebar(self, shown: bool) -> None:
        self._context.save_state(SIDEBAR_KEY, "1" if shown else None)


def _geometry_key(window: str) -> str:
    return f"{window}.place"
