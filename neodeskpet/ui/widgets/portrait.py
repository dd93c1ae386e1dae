"""A round picture of the companion."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget

from neodeskpet.ui.theme import Theme


class ScaledPixmapCache:
    """Caches the last picture in its drawn size. QPainter only uses four source pixels for each
    target pixel when it scales down, which makes a face ragged.
    """

    def __init__(self) -> None:
        self._key = (0, 0)
        self._made = QPixmap()

    def scaled(self, picture: QPixmap, side: float, painter: QPainter) -> QPixmap:
        """Return `picture` for a square of `side` points of this painter."""
        pixels = round(side * painter.device().devicePixelRatioF())
        if picture.width() <= pixels:
            return picture
        key = (picture.cacheKey(), pixels)
        if key != self._key:
            keep, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode
            self._made = picture.scaled(pixels, pixels, keep, smooth.SmoothTransformation)
            self._key = key
        return self._made


class Portrait(QWidget):
    """`side` is the diameter in pixels; without a picture it is an empty disc."""

    def __init__(self, side: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture = QPixmap()
        self._shrunk = ScaledPixmapCache()
        self._back = QColor(Qt.GlobalColor.transparent)
        self._line = QColor(Qt.GlobalColor.transparent)
        self.setFixedSize(side, side)

    def set_picture(self, picture: QPixmap) -> None:
        self._picture = picture
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._back, self._line = QColor(theme.person), QColor(theme.line)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            circle = QPainterPath()
            circle.addEllipse(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
            painter.fillPath(circle, self._back)
            painter.setClipPath(circle)
            if not self._picture.isNull():
                painter.drawPixmap(
                    self.rect(), self._shrunk.scaled(self._picture, self.width(), painter)
                )
            painter.setClipping(False)
            painter.setPen(self._line)
            painter.drawPath(circle)
