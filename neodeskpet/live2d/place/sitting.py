"""Sitting down on an edge: who has stood there for a while sits, and stands up again by and by.

Pure: chance and time come from the caller. Times are seconds of one steady clock.
"""

from __future__ import annotations

from random import Random

_STANDS = (45.0, 150.0)
_SITS = (60.0, 240.0)
SIT_SECONDS = 0.45
"""In which it goes down to its seat, and up again."""


class SittingState:
    """Whether it wants to sit now. Wherever it can't, it stands, and begins anew later."""

    def __init__(self, random: Random, now: float) -> None:
        self._random = random
        self._sits = False
        self._until = now
        self.stand(now)

    def stand(self, now: float) -> None:
        """It stands, for a while at least."""
        self._sits = False
        self._until = now + self._random.uniform(*_STANDS)

    def advance(self, now: float, *, can: bool) -> bool:
        """Time passes; `can`: it is on an edge where it may sit."""
        if not can or (self._sits and now >= self._until):
            self.stand(now)
        elif not self._sits and now >= self._until:
            self._sits = True
            self._until = now + self._random.uniform(*_SITS)
        return self._sits


def seat_offset(now: float, goal: float, seconds: float, depth: float) -> float:
    """How many pixels it is below where it stands, `seconds` later than at `now`, on its way to
    `goal`; the whole `depth` takes SECONDS.
    """
    step = depth * seconds / SIT_SECONDS
    return min(goal, now + step) if goal > now else max(goal, now - step)
