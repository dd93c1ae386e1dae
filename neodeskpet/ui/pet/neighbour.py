"""A window beside which the companion lives: where it is, told when it stays there."""

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
)


class Neighbour(QObject):
    """`moved(QRect)`: what it covers now with its frame, an empty rect while it isn't to be seen.
    On Wayland nobody knows where windows are; nothing is told there.
    """

    moved = Signal(QRect)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._told = QRect()
        self._rest = QTimer(self, singleShot=True, interval=_RESTED_MS)
        self._rest.timeout.connect(self._tell)
        if not QGuiApplication.platformName().startswith("wayland"):
            window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _TELLING:
            self._rest.start()
        return False

    def _tell(self) -> None:
        seen = self._window.isVisible() and not self._window.isMinimized()
        place = self._window.frameGeometry() if seen else QRect()
        if place != self._told:
            self._told = place
            self.moved.emit(place)
