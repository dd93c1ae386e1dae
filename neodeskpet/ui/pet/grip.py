"""What a press on the figure becomes: a touch, or a drag. No window here."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPoint, QPointF


@dataclass(slots=True)
class _Hold:
    start: QPointF
    origin: QPoint
    last: QPointF
    time: float
    dragging: bool = False


class Grip:
    """Points are global, times seconds. `distance` (px) is how far a press may slip as a touch."""

    def __init__(self, distance: int) -> None:
        self._distance = distance
        self._hold: _Hold | None = None

    @property
    def held(self) -> bool:
        return self._hold is not None

    @property
    def dragging(self) -> bool:
        return self._hold is not None and self._hold.dragging

    def press(self, point: QPointF, origin: QPoint, now: float) -> None:
        """Pressed at `point` while the window is at `origin`."""
        self._hold = _Hold(point, origin, point, now)

    def move(self, point: QPointF, now: float) -> tuple[QPoint, float, bool] | None:
        """Where the window has to go, its speed to the right (px/s), and whether the drag begins
        now; None while it isn't a drag.
        """
        hold = self._hold
        if hold is None:
            return None
        moved = point - hold.start
        begins = not hold.dragging and moved.manhattanLength() >= self._distance
        hold.dragging = hold.dragging or begins
        if not hold.dragging:
            return None
        speed = (point.x() - hold.last.x()) / max(now - hold.time, 0.008)
        hold.last, hold.time = point, now
        return hold.origin + moved.toPoint(), speed, begins

    def release(self) -> bool:
        """Let go; tells whether it was a touch."""
        hold, self._hold = self._hold, None
        return hold is not None and not hold.dragging
