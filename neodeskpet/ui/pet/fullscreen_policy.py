"""The companion while another window is in full screen: unchanged, quiet, or hidden."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from neodeskpet.figure.behaviour.ground import VisibleWindow, is_fullscreen
from neodeskpet.ui.desktop.desktop_windows import own_window_ids
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.pet.screen_geometry import nearest_screen, to_area

_SURE_MS = 500
"""Delay in ms, so that switching past a full-screen window has no effect."""


class FullscreenPolicy(QObject):
    """Emits `changed(active)` at begin and end. If the user shows the companion meanwhile, it stays
    visible.
    """

    changed = Signal(bool)

    def __init__(
        self,
        pet: PetWindow,
        windows: Callable[[], Sequence[VisibleWindow]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._pet = pet
        self._windows = windows
        self._wanted = self._hides = False
        self._hid = False
        self.is_active = False
        self._sure = QTimer(self, singleShot=True, interval=_SURE_MS)
        self._sure.timeout.connect(self._decide)
        pet.visibleChanged.connect(self._shown)

    def set_mode(self, wanted: str) -> None:
        """Set the mode: "stay", "quiet" or "hide"."""
        self._wanted, self._hides = wanted != "stay", wanted == "hide"
        if self.is_active:  # started in another mode
            self._switch(False)
        self.windows_changed()

    def windows_changed(self) -> None:
        """Check again after a change of the windows."""
        if self._is_filled() is self.is_active:
            self._sure.stop()
        elif not self._sure.isActive():
            self._sure.start()

    def close(self) -> None:
        self._sure.stop()
        self._wanted = False

    def _is_filled(self) -> bool:
        if not self._wanted:
            return False
        screens = [screen.geometry() for screen in QGuiApplication.screens()]
        place = nearest_screen(self._pet.placement.figure_rect(), screens)
        screen = to_area(place)
        own = own_window_ids()
        return is_fullscreen(screen, [one for one in self._windows() if one.window not in own])

    def _decide(self) -> None:
        filled = self._is_filled()
        if filled is not self.is_active:
            self._switch(filled)

    def _switch(self, hushed: bool) -> None:
        self.is_active = hushed
        if hushed and self._hides and self._pet.isVisible():
            self._pet.hide()
            self._hid = True
        elif not hushed and self._hid:
            self._hid = False
            self._pet.show()
        self.changed.emit(hushed)

    def _shown(self, visible: bool) -> None:
        if visible:
            self._hid = False
