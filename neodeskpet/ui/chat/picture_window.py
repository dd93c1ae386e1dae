"""A picture of a message, large, in a window of its own."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from neodeskpet.language import tr
from neodeskpet.ui.theme import Theme

_SHARE = 0.8
_MIN_SIZE = QSize(240, 180)


class PictureWindow(QWidget):
    """Shows `image` as large as it fits, never larger than it is. Esc, Enter and Space close it; it
    deletes itself then.
    """

    def __init__(
        self, image: QImage, theme: Theme, owner: QWidget, *, name: str = "", words: str = ""
    ) -> None:
        """`name` is the file's; `words` describe what is to be seen, for those who don't."""
        super().__init__(owner, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._image = image
        self._theme = theme
        self.setWindowTitle(name or tr("Picture"))
        self.setAccessibleName(name or tr("Picture"))
        self.setAccessibleDescription(words)
        self.setMinimumSize(_MIN_SIZE)
        room = owner.screen().availableGeometry()
        most = QSize(int(room.width() * _SHARE), int(room.height() * _SHARE))
        size = image.size()
        if size.width() > most.width() or size.height() > most.height():
            size = size.scaled(most, Qt.AspectRatioMode.KeepAspectRatio)
        self.resize(size.expandedTo(_MIN_SIZE))

    def picture_rect(self) -> QRectF:
        """Where the picture is in the window."""
        size = self._image.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
        size = size.boundedTo(self._image.size())
        box = QRectF(0, 0, size.width(), size.height())
        box.moveCenter(QRectF(self.rect()).center())
        return box

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(self._theme.window))
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(self.picture_rect(), self._image)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        closing = (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        if event.key() in closing:
            self.close()
        else:
            super().keyPressEvent(event)
