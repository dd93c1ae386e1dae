"""What moves by itself: signs that swell, times that run, the caret.

No timer runs while nothing of it is in sight.
"""

from __future__ import annotations

import math

from PySide6.QtCore import QRect, QTimer
from PySide6.QtWidgets import QWidget

from neodeskpet.ui.chat.items.item import Item, Scene
from neodeskpet.ui.chat.items.prose import TextItem
from neodeskpet.ui.chat.view.column import MessageColumn, RowPosition
from neodeskpet.ui.chat.view.scroller import Scroller

_TICK_MS = 80
_CALM_TICK_MS = 1000
_STREAMS_S = 0.4


class AnimationTimer:
    """Its owner says when something was painted (`keep`) and when text came in (`text_arrived`)."""

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
        """Whether something in sight moves by itself."""
        return self._timer.isActive()

    def update(self) -> None:
        """Run if anything in sight moves."""
        if not self._timer.isActive() and self._moving():
            self._timer.start(_CALM_TICK_MS if self._scene.reduced else _TICK_MS)

    def stop(self) -> None:
        self._timer.stop()

    def text_arrived(self) -> None:
        """A text grew just now."""
        self._last_text = self._scene.clock()

    def is_streaming(self, seconds: float) -> bool:
        """Whether text came in during the last `seconds`."""
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
