"""Hide and seek: where it hides, and how a round goes on.

Pure: places are in device-independent pixels, y down; times are seconds of one steady clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from random import Random

from neodeskpet.live2d.place.ground import Area

SHOWN = 0.4
"""The share of its width that looks out from behind the screen's edge."""


def hiding_place(screens: Sequence[Area], figure: Area, random: Random) -> tuple[int, int] | None:
    """The left upper corner of the figure where it looks out from an edge: one with no other
    screen behind it, and not where it stands now, if there is another. None without a screen.
    """
    found = [
        (screen, left)
        for screen in screens
        for left in (True, False)
        if not any(_beside(screen, other, left) for other in screens)
    ]
    if not found:
        return None
    middle = figure.left + figure.width / 2
    screen, left = max(found, key=lambda one: abs(_edge(*one) - middle) * random.uniform(0.3, 1.0))
    out = round(figure.width * SHOWN)
    x = screen.left + out - figure.width if left else screen.right - out
    room = max(0, screen.height - figure.height)
    return x, screen.top + round(room * random.random())


def _edge(screen: Area, left: bool) -> int:
    return screen.left if left else screen.right


def _beside(screen: Area, other: Area, left: bool) -> bool:
    """Whether `other` goes on behind this edge."""
    touches = other is not screen and abs(_edge(screen, left) - _edge(other, not left)) <= 1
    below = other.top < screen.bottom and screen.top < other.bottom
    return touches and below


class Step(Enum):
    """What is to be done now."""

    HIDE = auto()
    """Turn up in the hiding place."""
    HINT = auto()
    GIVE_UP = auto()
    """It comes out by itself."""


@dataclass(slots=True)
class Round:
    """One round, from `began`."""

    began: float

    AWAY = 2.5
    """Seconds for which the person may look away."""
    HINTS, PATIENCE = 15.0, 60.0
    _done: int = 0

    def due(self, now: float) -> Step | None:
        """The next step, once."""
        passed = now - self.began
        steps = [(self.AWAY, Step.HIDE)]
        at = self.AWAY + self.HINTS
        while at < self.PATIENCE:
            steps.append((at, Step.HINT))
            at += self.HINTS
        steps.append((self.PATIENCE, Step.GIVE_UP))
        if self._done < len(steps) and passed >= steps[self._done][0]:
            self._done += 1
            return steps[self._done - 1][1]
        return None
