"""Opening and closing in motion. Only the painting moves: the layout is final from the start."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation

from neodeskpet.ui.chat.view.column import RowPosition


class SlideAnimation(QObject):
    """What lies below row `row` of a message glides by `distance` px: downwards when something
    opened (its `body` rows are uncovered on the way), upwards when something closed.
    """

    def __init__(self, parent: QObject, changed: Callable[[], None]) -> None:
        super().__init__(parent)
        self._place = RowPosition(0, 0)
        self._body = 0
        self._distance = 0
        self._motion = QVariantAnimation(self)
        self._motion.setStartValue(0.0)
        self._motion.setEndValue(1.0)
        self._motion.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._motion.valueChanged.connect(changed)
        self._motion.stateChanged.connect(self._note)
        self._motion.finished.connect(changed)
        self.is_moving = False
        """Asked for each row that is painted, so it doesn't ask Qt."""

    def _note(self, now: QVariantAnimation.State) -> None:
        self.is_moving = now is QVariantAnimation.State.Running

    def start(self, place: RowPosition, body: int, distance: int, duration: int) -> None:
        """`place` is the row that stays. Does nothing for no distance."""
        self.stop()
        if not distance:
            return
        self._place, self._body, self._distance = place, body, distance
        self._motion.setDuration(duration)
        self._motion.start()

    def stop(self) -> None:
        if self.is_moving:
            self._motion.stop()

    @property
    def body_end(self) -> RowPosition:
        """The row after the body, whose painted top is where the body ends."""
        return RowPosition(self._place.message, self._place.row + self._body + 1)

    @property
    def remaining_share(self) -> float:
        """1 at the start, 0 at the end and when nothing moves."""
        return 1.0 - float(self._motion.currentValue()) if self.is_moving else 0.0

    @property
    def remaining(self) -> int:
        """How far what lies below still is from its place: above it (> 0) or below it (< 0)."""
        return round(self.remaining_share * self._distance)

    def is_below(self, place: RowPosition) -> bool:
        """Whether a row is one of those that glide."""
        here, still = (place.message, place.row), (self._place.message, self._place.row)
        return self.is_moving and here > still and not self.is_revealed(place)

    def is_revealed(self, place: RowPosition) -> bool:
        """Whether a row is one of those that are uncovered."""
        first = self._place.row + 1
        inside = self.is_moving and place.message == self._place.message
        return inside and first <= place.row < first + self._body
