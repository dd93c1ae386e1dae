"""Animations of the view: items that slide when something opens or closes, and the timer for
pulses, durations and the caret.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QObject, QRect, QTimer, QVariantAnimation
from PySide6.QtWidgets import QWidget

from neodeskpet.ui.chat.items.item import Item, Scene
from neodeskpet.ui.chat.items.text_items import TextItem
from neodeskpet.ui.chat.view.message_column import MessageColumn, RowPosition
from neodeskpet.ui.chat.view.scroller import Scroller


class SlideAnimation(QObject):
    """Slides what is below row `row` of a message by `distance` px: down when something opens (its
    `body` rows are revealed), up when something closes.
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
        """Cached: it is read for each painted row."""

    def _note(self, now: QVariantAnimation.State) -> None:
        self.is_moving = now is QVariantAnimation.State.Running

    def start(self, place: RowPosition, body: int, distance: int, duration: int) -> None:
        """Start; `place` is the row that doesn't move. Does nothing if `distance` is 0."""
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
        """Return the row after the body, whose painted top is the end of the body."""
        return RowPosition(self._place.message, self._place.row + self._body + 1)

    @property
    def remaining_share(self) -> float:
        """Return 1 at the start, 0 at the end and when nothing moves."""
        return 1.0 - float(self._motion.currentValue()) if self.is_moving else 0.0

    @property
    def remaining(self) -> int:
        """Return the distance from the final position: above it (> 0) or below it (< 0)."""
        return round(self.remaining_share * self._distance)

    def is_below(self, place: RowPosition) -> bool:
        """Whether a row is one of those that slide."""
        here, still = (place.message, place.row), (self._place.message, self._place.row)
        return self.is_moving and here > still and not self.is_revealed(place)

    def is_revealed(self, place: RowPosition) -> bool:
        """Whether a row is one of those being revealed."""
        first = self._place.row + 1
        inside = self.is_moving and place.message == self._place.message
        return inside and first <= place.row < first + self._body


_TICK_MS = 80
_CALM_TICK_MS = 1000
_STREAMS_S = 0.4


class AnimationTimer:
    """The timer of repeated animations. The view calls `update` after each paint and `text_arrived`
    for new text.
    """

    def __init__(
        self, viewport: QWidget, column: MessageColumn, scene: Scene, scroller: Scroller
    ) -> None:
        self._viewport = viewport
        self._column = column
        self._scene = scene
        self._scroller = scroller
        self._last_text = 0.0
        self._timer = QTimer(viewport)
        self._timer.timeout.connect(self._tick)

    @property
    def is_running(self) -> bool:
        """Whether a visible item is animated."""
        return self._timer.isActive()

    def update(self) -> None:
        """Start the timer if a visible item is animated."""
        if not self._timer.isActive() and self._moving():
            self._timer.start(_CALM_TICK_MS if self._scene.reduced else _TICK_MS)

    def stop(self) -> None:
        self._timer.stop()

    def text_arrived(self) -> None:
        """Note that text has arrived."""
        self._last_text = self._scene.clock()

    def is_streaming(self, seconds: float) -> bool:
        """Whether text arrived during the last `seconds`."""
        return self._scene.clock() - self._last_text < seconds

    def _moving(self) -> list[tuple[RowPosition, Item]]:
        out = []
        for place in self._scroller.visible_places():
            item = self._column.item(place)
            if item is not None and item.is_animated:
                out.append((place, item))
        return out

    def _tick(self) -> None:
        moving = self._moving()
        if not moving:
            self._timer.stop()
            return
        scene = self._scene
        phase = (scene.clock() * 1000 % scene.style.theme.pulse_ms) / scene.style.theme.pulse_ms
        streams = self.is_streaming(_STREAMS_S)
        scene.pulse = 0.0 if streams else 0.5 - 0.5 * math.cos(2 * math.pi * phase)
        for place, item in moving:
            box = self._scroller.row_rect(place)
            if isinstance(item, TextItem):
                if streams:
                    continue
                spot = item.caret_position(scene)
                box = QRect(box.left() + int(spot.x()) - 1, box.top() + int(spot.y()) - 4, 14, 34)
            self._viewport.update(box)
