"""The tile of a model in the settings: a button with its picture and its name."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen, QPixmap

from neodeskpet.language import tr
from neodeskpet.ui.icons import pixmap
from neodeskpet.ui.theme import Theme, scale_to_font, ui_font
from neodeskpet.ui.widgets.accessible import mark_as_choice
from neodeskpet.ui.widgets.choice_tile import ChoiceTile
from neodeskpet.ui.widgets.labels import set_tooltip

TILE_WIDTH, TILE_HEIGHT = 116, 156
PICTURE_SIZE = 112
_ICON_SIZE = 18


class ModelTileButton(ChoiceTile):
    """The tile of a model. It is checked if the model is on the desktop. `icon_name` is drawn if
    there is no picture.
    """

    def __init__(
        self, theme: Theme, title: str, *, icon_name: str = "companion", dashed: bool = False
    ) -> None:
        super().__init__(theme, (TILE_WIDTH, TILE_HEIGHT))
        if not dashed:
            mark_as_choice(self)
        self._icon_name = icon_name
        self._dashed = dashed
        self._picture = QPixmap()
        self._has_problem = False
        self.setText(title)
        self.setAccessibleName(title)
        self.setCheckable(not dashed)

    def set_picture(self, picture: QPixmap) -> None:
        self._picture = picture
        self.update()

    def set_title(self, title: str) -> None:
        self.setText(title)
        self.setAccessibleName(title)
        self.update()

    def set_error(self, problem: str) -> None:
        """Mark the model as unusable, with the reason as a tooltip; "" removes the mark."""
        self._has_problem = bool(problem)
        set_tooltip(self, problem)
        self.setAccessibleDescription(problem)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        t = self._theme
        with QPainter(self) as painter:
            painter.setRenderHints(
                QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform
            )
            self._paint_card(painter)
            area = QRect(6, 8, self.width() - 12, scale_to_font(PICTURE_SIZE, t))
            if self._picture.isNull():
                side = 28
                sign = pixmap(self._icon_name, QColor(t.muted), side, self.devicePixelRatioF())
                painter.drawPixmap(area.center() - QPoint(side // 2, side // 2), sign)
            else:
                painter.setOpacity(0.45 if self._has_problem else 1.0)
                painter.drawPixmap(_fitted(self._picture, area), self._picture)
                painter.setOpacity(1.0)
            self._paint_title(painter)
            self.paint_focus(painter, t.card_radius)

    def _paint_card(self, painter: QPainter) -> None:
        t = self._theme
        width = t.focus_width if self.isChecked() or self.hasFocus() else 1
        colour = t.accent if self.isChecked() or self.hasFocus() else t.line
        pen = QPen(QColor(t.control_line if self._dashed else colour), width)
        if self._dashed:
            pen.setStyle(Qt.PenStyle.DashLine)
            pen.setColor(QColor(t.accent if self.hasFocus() else t.control_line))
        painter.setPen(pen)
        fill = t.person if self.isChecked() else t.hover if self._hovered else t.surface
        painter.setBrush(QColor(t.window if self._dashed and not self._hovered else fill))
        half = width / 2
        box = QRectF(self.rect()).adjusted(half, half, -half, -half)
        painter.drawRoundedRect(box, t.card_radius, t.card_radius)

    def _paint_title(self, painter: QPainter) -> None:
        t = self._theme
        high = scale_to_font(24, t)
        line = QRect(8, self.height() - high - 8, self.width() - 16, high)
        sign = "check" if self.isChecked() else "warning" if self._has_problem else ""
        if sign:
            colour = QColor(t.failed if sign == "warning" else t.accent)
            picture = pixmap(sign, colour, _ICON_SIZE, self.devicePixelRatioF())
            painter.drawPixmap(
                line.right() - _ICON_SIZE + 1, line.top() + (high - _ICON_SIZE) // 2, picture
            )
            line.setRight(line.right() - _ICON_SIZE - 2)
        font = ui_font(t, t.small_px, bold=self.isChecked())
        painter.setFont(font)
        painter.setPen(QColor(t.muted if self._dashed else t.text))
        elide = Qt.TextElideMode.ElideMiddle
        text = QFontMetrics(font).elidedText(self.text(), elide, line.width())
        middle = Qt.AlignmentFlag.AlignCenter if not sign else Qt.AlignmentFlag.AlignVCenter
        painter.drawText(line, middle, text)


def _fitted(picture: QPixmap, area: QRect) -> QRect:
    size = picture.size().scaled(area.size(), Qt.AspectRatioMode.KeepAspectRatio)
    place = QRect(QPoint(0, 0), size)
    place.moveCenter(area.center())
    place.moveBottom(area.bottom())
    return place


def import_tile(theme: Theme) -> ModelTileButton:
    """Return the tile that imports a model."""
    return ModelTileButton(theme, tr("Import…"), icon_name="plus", dashed=True)
