"""A round picture of the companion."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPainterStateGuard, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget

from neodeskpet.ui.theme import Theme, ui_font


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


def draw_round(painter: QPainter, area: QRect, picture: QPixmap) -> None:
    """Draw `picture` into the circle in `area`."""
    with QPainterStateGuard(painter):
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.setClipPath(_circle(area), Qt.ClipOperation.IntersectClip)
        painter.drawPixmap(area, picture)


def _circle(area: QRect) -> QPainterPath:
    circle = QPainterPath()
    circle.addEllipse(QRectF(area).adjusted(0.5, 0.5, -0.5, -0.5))
    return circle


def paint_initial(painter: QPainter, area: QRectF, name: str, theme: Theme) -> None:
    """Paint the first letter of a name in place of a picture."""
    painter.setFont(ui_font(theme, max(1, round(area.height() * 0.45)), bold=True))
    painter.setPen(QColor(theme.accent))
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, name[:1].upper())


class Portrait(QWidget):
    """`side` is the diameter in pixels; without a picture it shows the first letter of the name."""

    def __init__(self, side: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture = QPixmap()
        self._name = ""
        self._theme: Theme | None = None
        self._shrunk = ScaledPixmapCache()
        self._back = QColor(Qt.GlobalColor.transparent)
        self._line = QColor(Qt.GlobalColor.transparent)
        self.setFixedSize(side, side)

    def set_picture(self, picture: QPixmap) -> None:
        self._picture = picture
        self.update()

    def set_name(self, name: str) -> None:
        self._name = name
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._back, self._line = QColor(theme.person), QColor(theme.line)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            circle = _circle(self.rect())
            painter.fillPath(circle, self._back)
            if not self._picture.isNull():
                face = self._shrunk.scaled(self._picture, self.width(), painter)
                draw_round(painter, self.rect(), face)
            elif self._theme is not None:
                paint_initial(painter, QRectF(self.rect()), self._name, self._theme)
            painter.setPen(self._line)
            painter.drawPath(circle)
