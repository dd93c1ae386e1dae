"""Covers the chat while pictures or files are dragged over it, and says what a drop does."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QWidget

from neodeskpet.language import tr
from neodeskpet.ui.theme import Theme, ui_font

_MARGIN = 14
_RADIUS = 14


class DropZone(QWidget):
    """Hidden until `show_over_chat`. The data of `dropped(QMimeData)` is valid during the call."""

    dropped = Signal(QMimeData)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._chat = parent
        self._theme = theme
        self.setAcceptDrops(True)
        self.hide()

    def show_over_chat(self) -> None:
        """Cover the whole chat."""
        self.setGeometry(self._chat.rect())
        self.setAccessibleName(self.text())
        self.raise_()
        self.show()

    def text(self) -> str:
        return tr("Drop here to attach pictures, text, PDF and Word files to your message")

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.hide()
        self.dropped.emit(event.mimeData())

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            veil = QColor(theme.window)
            veil.setAlphaF(0.92)
            painter.fillRect(self.rect(), veil)
            inner = QRectF(self.rect()).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
            painter.setPen(QPen(QColor(theme.accent), 2, Qt.PenStyle.DashLine))
            painter.drawRoundedRect(inner, _RADIUS, _RADIUS)
            painter.setPen(QColor(theme.text))
            painter.setFont(ui_font(theme, bold=True))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(inner.adjusted(24, 24, -24, -24), flags, self.text())
