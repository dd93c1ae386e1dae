"""Hide and seek: where it hides, and how a round goes on.

Pure: places are in device-independent pixels, y down; times are seconds of one steady clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from random import Random

from neodeskpet.live2d.place.edges import full_height_edges
from neodeskpet.live2d.place.ground import DesktopArea

HIDING_SHARE_SHOWN = 0.4
"""The share of its width that looks out from behind the screen's edge."""


def hiding_place(
    screens: Sequence[DesktopArea], figure: DesktopArea, random: Random
) -> tuple[int, int] | None:
    """The left upper corner of the figure where it looks out from an edge: one with no other
    screen behind it, and not where it stands now, if there is another. None without a screen.
    """
    found = full_height_edges(screens)
    if not found:
        return None
    middle = figure.left + figure.width / 2
    edge = max(found, key=lambda one: abs(one.x - middle) * random.uniform(0.3, 1.0))
    screen, out = edge.screen, round(figure.width * HIDING_SHARE_SHOWN)
    x = edge.x + out - figure.width if edge.side == "left" else edge.x - out
    room = max(0, screen.height - figure.height)
    return x, screen.top + round(room * random.random())


class HidingStep(Enum):
    """What is to be done now."""

    HIDE = auto()
    """Turn up in the hiding place."""
    HINT = auto()
    GIVE_UP = auto()
    """It comes out by itself."""


@dataclass(slots=True)
class HidingRound:
    """One round, from `began`."""

    began: float

    AWAY = 2.5
    """Seconds for which the person may look away."""
    HINTS, PATIENCE = 15.0, 60.0
    _done: int = 0

    def due(self, now: float) -> HidingStep | None:
        """The next step, once."""
        passed = now - self.began
        steps = [(self.AWAY, HidingStep.HIDE)]
        at = self.AWAY + self.HINTS
        while at < self.PATIENCE:
            steps.append((at, HidingStep.HINT))
            at += self.HINTS
        steps.append((self.PATIENCE, HidingStep.GIVE_UP))
        if self._done < len(steps) and passed >= steps[self._done][0]:
            self._done += 1
            return steps[self._done - 1][1]
        return None
