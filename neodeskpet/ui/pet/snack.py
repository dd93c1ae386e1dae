"""A snack beside the companion: the user drags it to the companion, or clicks it."""

from __future__ import annotations

import math

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen, QRegion
from PySide6.QtWidgets import QApplication, QWidget

from neodeskpet.language import tr
from neodeskpet.ui.desktop.desktop_windows import FLOATING_FLAGS
from neodeskpet.ui.widgets.labels import set_tooltip

SIZE = 44
_DOUGH, _CRUST, _CHIP = "#d9a066", "#8a5a34", "#4f2f1d"
_CHIPS = ((-0.32, -0.18), (0.12, -0.42), (0.38, 0.06), (-0.06, 0.12), (-0.36, 0.34), (0.2, 0.46))


class Snack(QWidget):
    """A biscuit, clipped to its outline on desktops without compositing (`cut_out`).

    Signals: `clicked()`; `dropped(point)` after it was dragged.
    """

    clicked = Signal()
    dropped = Signal(QPoint)
    removed = Signal()
    """It was ignored for long, or eaten."""

    def __init__(self, *, lies_ms: int = 60_000, cut_out: bool = False) -> None:
        super().__init__()
        self._cut_out = cut_out
        self.setWindowFlags(FLOATING_FLAGS)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setFixedSize(QSize(SIZE, SIZE))
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.setAccessibleName(tr("A snack"))
        set_tooltip(self, tr("Drag it to the companion, or click on it"))
        self._grip: QPoint | None = None
        self._bites = 0
        self._carried = False
        self._eaten = False
        self._lies = QTimer(self, singleShot=True, interval=lies_ms)
        self._lies.timeout.connect(self.remove)

    def place_at(self, middle: QPoint) -> None:
        """Show the whole snack at this point."""
        self._bites = 0
        self._eaten = False
        self._cut()
        self.move(middle - self.rect().center())
        self.show()
        self.raise_()
        self._lies.start()

    def take_bite(self) -> None:
        """Remove a piece."""
        self._bites += 1
        self._cut()
        self.update()

    def eat_at(self, mouth: QPoint) -> None:
        """Show it being eaten at this point; it can't be dragged any more."""
        self._lies.stop()
        self._grip = None
        self._eaten = True
        self.move(mouth - self.rect().center())

    def remove(self) -> None:
        self._lies.stop()
        self._grip = None
        self.hide()
        self.removed.emit()

    def _cut(self) -> None:
        if self._cut_out:
            outline = biscuit_path(self._place().adjusted(-1, -1, 1, 1), self._bites)
            self.setMask(QRegion(outline.toFillPolygon().toPolygon()))

    def _place(self) -> QRectF:
        return QRectF(self.rect()).adjusted(4, 4, -4, -4)

    def middle(self) -> QPoint:
        return self.geometry().center()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and not self._eaten:
            self._grip = event.position().toPoint()
            self._carried = False
            self._lies.stop()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grip is None:
            return
        step = event.position().toPoint() - self._grip
        if self._carried or step.manhattanLength() >= QApplication.startDragDistance():
            self._carried = True
            self.move(self.pos() + step)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._grip is None or event.button() != Qt.MouseButton.LeftButton:
            return
        self._grip = None
        self._lies.start()
        if self._carried:
            self.dropped.emit(self.middle())
        else:
            self.clicked.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint_biscuit(painter, self._place(), self._bites)


def biscuit_path(place: QRectF, bites: int) -> QPainterPath:
    """Return the outline of a biscuit with this many bites; three are most of it."""
    radius, middle = place.width() / 2, place.center()
    dough = QPainterPath()
    dough.addEllipse(place)
    for number in range(bites):
        angle = -0.9 + 0.75 * number
        at = middle + QPointF(math.cos(angle), math.sin(angle)) * radius * (0.85 - 0.12 * number)
        gone = QPainterPath()
        gone.addEllipse(at, radius * 0.62, radius * 0.62)
        dough = dough.subtracted(gone)
    return dough


def paint_biscuit(painter: QPainter, place: QRectF, bites: int) -> None:
    radius, middle = place.width() / 2, place.center()
    dough = biscuit_path(place, bites)
    painter.setPen(QPen(QColor(_CRUST), 2))
    painter.setBrush(QColor(_DOUGH))
    painter.drawPath(dough)
    painter.setClipPath(dough)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(_CHIP))
    for x, y in _CHIPS:
        painter.drawEllipse(middle + QPointF(x, y) * radius, radius * 0.13, radius * 0.13)
