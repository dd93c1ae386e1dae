"""A standing window and the pointer: clicks beside the figure fall through, the figure is touched,
dragged and scaled.

Override `figure_touched`, `figure_carried` and `figure_dropped`.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QPointF, QRect, Qt, Signal
from PySide6.QtGui import QCursor, QGuiApplication, QMouseEvent, QWheelEvent

from neodeskpet.ui.pet.grip import Grip
from neodeskpet.ui.pet.standing import StandingWindow
from neodeskpet.ui.pet.surface import Pixels

_POLL_SECONDS = 0.1
_OPAQUE = 24
_STEP = 1.08


class PointedWindow(StandingWindow):
    chat_requested = Signal()
    menu_requested = Signal(QPoint)
    """At this global point."""
    scaled = Signal(float)

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self._grip = Grip(QGuiApplication.styleHints().startDragDistance())
        self._click_through = False
        self._over = False
        self._polled = 0.0
        self._let_through()

    def set_click_through(self, on: bool) -> None:
        """Clicks fall through the figure too."""
        self._click_through = on
        self._let_through()

    def figure_touched(self, point: QPointF) -> None:
        """Clicked at this point of the window."""

    def figure_carried(self, speed: float, *, begins: bool) -> None:
        """Dragged, with `speed` pixels a second to the right."""

    def figure_dropped(self) -> None:
        """Let go after a drag."""

    def feel_pointer(self, pixels: Pixels, now: float) -> None:
        """Read what was just drawn under the pointer (GL is current; a few times a second), and
        let clicks through where nothing is. `setMask` would clip visibly, and be late.
        """
        if now - self._polled < _POLL_SECONDS or self._grip.held:
            return
        self._polled = now
        local = QCursor.pos() - self.position()
        over = QRect(QPoint(), self.size()).contains(local)
        if over:
            ratio = self.devicePixelRatio()
            _, height = self.device_size()
            x, y = int(local.x() * ratio), int(local.y() * ratio)
            over = pixels.alpha(x, y, height) >= _OPAQUE
        if over is not self._over:
            self._over = over
            self._let_through()

    def _let_through(self) -> None:
        self.setFlag(Qt.WindowType.WindowTransparentForInput, self._click_through or not self._over)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        point = event.globalPosition()
        if event.button() == Qt.MouseButton.LeftButton:
            self._grip.press(point, self.position(), self._clock())
        elif event.button() == Qt.MouseButton.RightButton:
            self.menu_requested.emit(point.toPoint())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        drag = self._grip.move(event.globalPosition(), self._clock())
        if drag is not None:
            corner, speed, begins = drag
            self.carry_to(corner)
            self.figure_carried(speed, begins=begins)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self._grip.held:
            return
        if self._grip.release():
            self.figure_touched(event.position())
        else:
            self.figure_dropped()
            self.put_down()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.chat_requested.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = event.angleDelta().y() / 120
        if steps:
            self.set_scale(self.scale * _STEP**steps)
            self.scaled.emit(self.scale)
