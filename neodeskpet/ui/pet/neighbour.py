"""Windows beside which the companion lives: where the foremost is, told when it stays there."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

_RESTED_MS = 150
_TELLING = (
    QEvent.Type.Move,
    QEvent.Type.Resize,
    QEvent.Type.Show,
    QEvent.Type.Hide,
    QEvent.Type.WindowStateChange,
    QEvent.Type.WindowActivate,
)


class Neighbour(QObject):
    """`moved(QRect)`: what that one covers now with its frame which was in front last, or the first
    that is to be seen; an empty rect while none is. On Wayland nobody knows where windows are;
    nothing is told there.
    """

    moved = Signal(QRect)

    def __init__(self, window: QWidget, parent: QObject | None = None) -> None:
        super().__init__(parent or window)
        self._windows: list[QWidget] = []
        self._told = QRect()
        self._rest = QTimer(self, singleShot=True, interval=_RESTED_MS)
        self._rest.timeout.connect(self._tell)
        self.watch(window)

    def watch(self, window: QWidget) -> None:
        """This one counts too."""
        if window in self._windows:
            return
        self._windows.append(window)
        if not QGuiApplication.platformName().startswith("wayland"):
            window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _TELLING:
            if event.type() is QEvent.Type.WindowActivate:  # the first in the list is in front
                front = [one for one in self._windows if one is watched]
                self._windows = [*front, *(one for one in self._windows if one is not watched)]
            self._rest.start()
        return False

    def _tell(self) -> None:
        seen = [one for one in self._windows if one.isVisible() and not one.isMinimized()]
        place = seen[0].frameGeometry() if seen else QRect()
        if place != self._told:
            self._told = place
            self.moved.emit(place)
