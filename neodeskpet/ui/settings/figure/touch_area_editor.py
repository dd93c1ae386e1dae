"""The editor for touch areas: boxes drawn on the figure's picture, for models without
touch areas.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from neodeskpet.core.i18n import N_
from neodeskpet.figure.files.figure_settings import FigureSettings, HitAreaSettings
from neodeskpet.figure.live2d.framing import PixelBox
from neodeskpet.language import tr
from neodeskpet.ui.pet.gl_surface import opaque_bounds
from neodeskpet.ui.settings.figure.figure_parts_editor import CollapsibleSection
from neodeskpet.ui.theme import Theme, ui_font
from neodeskpet.ui.widgets.controls import ComboBox
from neodeskpet.ui.widgets.labels import PlainLabel, set_tooltip

AREA_LABELS = {
    "Head": N_("Head"),
    "Body": N_("Body"),
    "Hand": N_("Hand"),
    "Tail": N_("Tail"),
}
_HEIGHT = 240
_LEAST = 0.03
"""A smaller box is ignored: it was drawn by accident."""
_STEP = 0.05
_FIRST = PixelBox(0.3, 0.0, 0.7, 0.3)
_ARROWS = {
    Qt.Key.Key_Left: (-_STEP, 0.0),
    Qt.Key.Key_Right: (_STEP, 0.0),
    Qt.Key.Key_Up: (0.0, -_STEP),
    Qt.Key.Key_Down: (0.0, _STEP),
}


class TouchAreaEditor(CollapsibleSection):
    """Signal: `noted(side)`: the settings of the figure with the changed areas."""

    noted = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._side: FigureSettings | None = None
        self.about = PlainLabel()
        self.about.setProperty("muted", True)
        self.about.setWordWrap(True)
        self.name = ComboBox(theme)
        self.clear = QPushButton()
        self.clear.setProperty("quiet", True)
        self.canvas = TouchAreaCanvas(theme)
        self.canvas.drawn.connect(self._add)
        self.clear.clicked.connect(self._clear)
        side = QVBoxLayout()
        side.setSpacing(8)
        for widget in (self.about, self.name):
            side.addWidget(widget)
        side.addWidget(self.clear, 0, Qt.AlignmentFlag.AlignLeft)
        side.addStretch()
        line = QHBoxLayout(self.body)
        line.setContentsMargins(0, 4, 0, 4)
        line.setSpacing(16)
        line.addWidget(self.canvas)
        line.addLayout(side, 1)
        self.set_theme(theme)
        self.retranslate()
        self.hide()

    def show_side(self, side: FigureSettings | None) -> None:
        self._side = side
        self.setVisible(side is not None)
        if side is not None:
            self.canvas.set_areas(side.areas)
            self.clear.setVisible(bool(side.areas))

    def set_picture(self, file: Path) -> None:
        self.canvas.set_picture(QImage(str(file)))

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.about.setFont(ui_font(theme, theme.small_px))
        self.name.set_theme(theme)
        self.canvas.set_theme(theme)

    def retranslate(self) -> None:
        self.set_title(tr("Touch areas"))
        self.about.setText(
            tr("Drag a box over the part that shall feel a touch. It goes before the model's own.")
        )
        self.name.set_options([(name, tr(text)) for name, text in AREA_LABELS.items()])
        if not self.name.value():
            self.name.set_value("Head")
        self.name.setAccessibleName(tr("Touch areas"))
        self.clear.setText(tr("Clear these areas"))
        self.canvas.setAccessibleName(tr("Touch areas"))
        keys = tr("Or with the keys: arrows move a box, with Shift they size it, Enter keeps it.")
        set_tooltip(self.canvas, keys)
        self.canvas.setAccessibleDescription(keys)

    def _add(self, box: PixelBox) -> None:
        if self._side is None:
            return
        area = HitAreaSettings(
            name=self.name.value(), box=(box.left, box.top, box.right, box.bottom)
        )
        others = [other for other in self._side.areas if other.name != area.name]
        self.noted.emit(self._side.model_copy(update={"areas": (*others, area)}))

    def _clear(self) -> None:
        if self._side is not None:
            self.noted.emit(self._side.model_copy(update={"areas": ()}))


class TouchAreaCanvas(QWidget):
    """Shows the figure with its areas. `drawn(Box)`: the user has drawn a box, in fractions of the
    figure's size.
    """

    drawn = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._image = QImage()
        self._figure = PixelBox(0.0, 0.0, 1.0, 1.0)
        self._areas: tuple[HitAreaSettings, ...] = ()
        self._from: QPointF | None = None
        self._to = QPointF()
        self._keyed: PixelBox | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setFixedSize(QSize(_HEIGHT * 3 // 4, _HEIGHT))

    def set_picture(self, image: QImage) -> None:
        box = opaque_bounds(image) if not image.isNull() else None
        self._image = image
        self._figure = box or PixelBox(
            0.0, 0.0, float(image.width() or 1), float(image.height() or 1)
        )
        self.update()

    def set_areas(self, areas: tuple[HitAreaSettings, ...]) -> None:
        self._areas = areas
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._from = self._to = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._to = event.position()
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        start, self._from = self._from, None
        self.update()
        figure = self._figure_rect()
        if start is None or figure.isEmpty():
            return
        drawn = QRectF(start, event.position()).normalized() & figure
        box = PixelBox(
            (drawn.left() - figure.left()) / figure.width(),
            (drawn.top() - figure.top()) / figure.height(),
            (drawn.right() - figure.left()) / figure.width(),
            (drawn.bottom() - figure.top()) / figure.height(),
        )
        if box.width > _LEAST and box.height > _LEAST:
            self.drawn.emit(box)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, box = Qt.Key(event.key()), self._keyed
        if key in _ARROWS and not self._image.isNull():
            sizing = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._keyed = moved_box(box, *_ARROWS[key], sizing=sizing) if box else _FIRST
        elif box is not None and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
            self._keyed = None
            if key is not Qt.Key.Key_Escape:
                self.drawn.emit(box)
        else:
            super().keyPressEvent(event)
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._keyed = None
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        t = self._theme
        with QPainter(self) as painter:
            painter.setRenderHints(
                QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform
            )
            width = t.focus_width if self.hasFocus() else 1
            painter.setPen(QPen(QColor(t.accent if self.hasFocus() else t.line), width))
            painter.setBrush(QColor(t.surface))
            half = width / 2
            edge = QRectF(self.rect()).adjusted(half, half, -half, -half)
            painter.drawRoundedRect(edge, t.card_radius, t.card_radius)
            if not self._image.isNull():
                painter.drawImage(self._image_rect(), self._image)
            painter.setFont(ui_font(t, t.small_px))
            for area in self._areas:
                if area.box is not None:
                    self._paint_box(
                        painter, self._placed(area.box), tr(AREA_LABELS.get(area.name, area.name))
                    )
            if self._from is not None:
                self._paint_box(painter, QRectF(self._from, self._to).normalized(), "")
            if self._keyed is not None:
                k = self._keyed
                self._paint_box(painter, self._placed((k.left, k.top, k.right, k.bottom)), "")

    def _paint_box(self, painter: QPainter, box: QRectF, text: str) -> None:
        t = self._theme
        fill = QColor(t.accent)
        fill.setAlphaF(0.16)
        painter.setPen(QPen(QColor(t.accent), 1.5))
        painter.setBrush(fill)
        painter.drawRoundedRect(box, 4, 4)
        if text:
            painter.setPen(QColor(t.text))
            painter.drawText(box.adjusted(5, 2, 0, 0), text)

    def _image_rect(self) -> QRectF:
        room = QRectF(self.rect()).adjusted(4, 4, -4, -4)
        size = QSize(self._image.size()).scaled(
            room.size().toSize(), Qt.AspectRatioMode.KeepAspectRatio
        )
        place = QRectF(0, 0, size.width(), size.height())
        place.moveCenter(room.center())
        return place

    def _figure_rect(self) -> QRectF:
        """Return the rectangle of the figure without its transparent margins."""
        if self._image.isNull():
            return QRectF()
        place = self._image_rect()
        scale = place.width() / self._image.width()
        figure = self._figure
        return QRectF(
            place.left() + figure.left * scale,
            place.top() + figure.top * scale,
            figure.width * scale,
            figure.height * scale,
        )

    def _placed(self, box: tuple[float, float, float, float]) -> QRectF:
        figure = self._figure_rect()
        left, top, right, bottom = box
        return QRectF(
            figure.left() + left * figure.width(),
            figure.top() + top * figure.height(),
            (right - left) * figure.width(),
            (bottom - top) * figure.height(),
        )


def moved_box(box: PixelBox, dx: float, dy: float, *, sizing: bool) -> PixelBox:
    """Return `box` (in fractions of the figure's size) after a move, or with `sizing` with its
    right and lower edges moved. It stays within the figure.
    """
    if sizing:
        right = min(1.0, max(box.left + _STEP, box.right + dx))
        return PixelBox(box.left, box.top, right, min(1.0, max(box.top + _STEP, box.bottom + dy)))
    dx = min(1.0 - box.right, max(-box.left, dx))
    dy = min(1.0 - box.bottom, max(-box.top, dy))
    return PixelBox(box.left + dx, box.top + dy, box.right + dx, box.bottom + dy)
