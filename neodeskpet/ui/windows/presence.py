"""Reads a window anew when it comes into sight, tidies when it goes, and leaves it by Escape."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from neodeskpet.ui.windows.events import WindowEvents


def _do_nothing() -> None:
    pass


def _nothing_to_leave() -> bool:
    return False


class RefreshOnShow(QObject):
    """`read()` when `window` is shown or comes to the front, `gone()` when it is hidden. Escape
    closes it, unless `back()` is true: there was something to leave first (a form, a search).
    """

    def __init__(
        self,
        window: QWidget,
        *,
        read: Callable[[], None] = _do_nothing,
        gone: Callable[[], None] = _do_nothing,
        back: Callable[[], bool] = _nothing_to_leave,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._read = read
        self._back = back
        events = WindowEvents.for_window(window)
        events.subscribe([QEvent.Type.Show], lambda _event: read())
        events.subscribe([QEvent.Type.Hide], lambda _event: gone())
        events.subscribe([QEvent.Type.ActivationChange], lambda _event: self._come())
        events.subscribe([QEvent.Type.KeyPress], self._press)

    def _come(self) -> None:
        if self._window.isActiveWindow():
            self._read()

    def _press(self, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or event.key() != Qt.Key.Key_Escape:
            return False
        if not self._back():
            self._window.close()
        return True
