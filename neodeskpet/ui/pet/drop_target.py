"""What is dragged over the figure and dropped on it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QDropEvent, QWindow

_OVER = (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop)


class DropTarget(QObject):
    """`hovered(on)`: something that can be taken is over the window; `dropped(QMimeData)` for the
    time of the call.
    """

    hovered = Signal(bool)
    dropped = Signal(QMimeData)

    def __init__(self, window: QWindow) -> None:
        super().__init__(window)
        self._over = False
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.DragLeave:
            self._hover(False)
            return True
        if event.type() not in _OVER or not isinstance(event, QDropEvent):
            return False
        data = event.mimeData()
        if not (data.hasUrls() or data.hasText() or data.hasImage()):
            event.ignore()
            return True
        event.setDropAction(Qt.DropAction.CopyAction)  # whatever is dropped stays where it was
        event.accept()
        falls = event.type() is QEvent.Type.Drop
        self._hover(not falls)
        if falls:
            self.dropped.emit(data)
        return True

    def _hover(self, over: bool) -> None:
        if over != self._over:
            self._over = over
            self.hovered.emit(over)
