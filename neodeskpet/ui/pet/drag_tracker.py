"""Tells clicks on the figure from drags. Independent of windows."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from PySide6.QtCore import QPoint, QPointF

_FRESH = 0.1
"""Seconds before the release whose movement counts."""


@dataclass(slots=True)
class _Press:
    start: QPointF
    origin: QPoint
    last: QPointF
    time: float
    dragging: bool = False
    recent_positions: deque[tuple[float, QPointF]] = field(default_factory=lambda: deque(maxlen=24))
    """Recent positions with their times."""


class DragTracker:
    """Points are global, times in seconds. A press is a click up to `distance` px of movement."""

    def __init__(self, distance: int) -> None:
        self._distance = distance
        self._hold: _Press | None = None

    @property
    def is_pressed(self) -> bool:
        return self._hold is not None

    @property
    def is_dragging(self) -> bool:
        return self._hold is not None and self._hold.dragging

    def press(self, point: QPointF, origin: QPoint, now: float) -> None:
        """Start at `point` with the window at `origin`."""
        self._hold = _Press(point, origin, point, now)

    def move(self, point: QPointF, now: float) -> tuple[QPoint, float, bool] | None:
        """Return the window's new position, its speed to the right (px/s), and whether the drag
        starts now; None if it isn't a drag.
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
        hold.recent_positions.append((now, point))
        return hold.origin + moved.toPoint(), speed, begins

    def velocity(self, now: float) -> QPointF:
        """Return the current velocity (px/s); zero if the pointer has come to rest."""
        way = [
            step
            for step in (self._hold.recent_positions if self._hold else ())
            if now - step[0] <= _FRESH
        ]
        if len(way) < 2 or way[-1][0] - way[0][0] < 0.008:
            return QPointF()
        return (way[-1][1] - way[0][1]) / (way[-1][0] - way[0][0])

    def release(self) -> bool:
        """End the press; return whether it was a click."""
        hold, self._hold = self._hold, None
        return hold is not None and not hold.dragging
