"""Reads a window anew when it comes into sight, tidies when it goes, and leaves it by Escape."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget


def _nothing() -> None:
    pass


def _nowhere() -> bool:
    return False


class Presence(QObject):
    """`read()` when `window` is shown or comes to the front, `gone()` when it is hidden. Escape
    closes it, unless `back()` is true: there was something to leave first (a form, a search).
    """

    def __init__(
        self,
        window: QWidget,
        *,
        read: Callable[[], None] = _nothing,
        gone: Callable[[], None] = _nothing,
        back: Callable[[], bool] = _nowhere,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._read = read
        self._gone = gone
        self._back = back
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        match event.type():
            case QEvent.Type.Show:
                self._read()
            case QEvent.Type.ActivationChange:
                if self._window.isActiveWindow():
                    self._read()
            case QEvent.Type.Hide:
                self._gone()
            case QEvent.Type.KeyPress:
                return isinstance(event, QKeyEvent) and self._press(event)
            case _:
                pass
        return False

    def _press(self, event: QKeyEvent) -> bool:
        if event.key() != Qt.Key.Key_Escape:
            return False
        if not self._back():
            self._window.close()
        return True
