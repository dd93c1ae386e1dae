"""Being held in the hand: a long hold, a shake, a throw; and how fond it grew of being petted.

Pure: times are seconds of one steady clock, fondness knows unix seconds.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from enum import Enum, auto

_DAY = 86_400.0


class HandlingEvent(Enum):
    HELD = auto()
    """Pressed for long without being moved."""
    SHAKEN = auto()
    THROWN = auto()


class Handling:
    """One press, from its beginning to its end."""

    HOLD = 1.2
    TURNS, WITHIN, FAST = 4, 1.5, 500.0
    """So many turns within these seconds, each faster than this (px/s), are a shake."""
    THROW = 1800.0

    def __init__(self, now: float) -> None:
        self._since = now
        self._moved = False
        self._speed = 0.0
        self._turns: deque[float] = deque(maxlen=self.TURNS)
        self._shaken = False
        self._side = 0.0

    def move(self, speed: float, now: float) -> HandlingEvent | None:
        """It is carried with `speed` px/s to the right; SHAKEN once, when it has become a shake."""
        self._moved = True
        self._speed = speed
        if abs(speed) < self.FAST:
            return None
        side = math.copysign(1.0, speed)
        if self._side and side != self._side:
            self._turns.append(now)
        self._side = side
        many = len(self._turns) == self.TURNS and now - self._turns[0] <= self.WITHIN
        if not many or self._shaken:
            return None
        self._shaken = True
        return HandlingEvent.SHAKEN

    def end(self, now: float) -> HandlingEvent | None:
        """It is let go."""
        if self._shaken:
            return HandlingEvent.SHAKEN
        if not self._moved:
            return HandlingEvent.HELD if now - self._since >= self.HOLD else None
        return HandlingEvent.THROWN if abs(self._speed) >= self.THROW else None


@dataclass(slots=True)
class Fondness:
    """0 to 1: a little more with each pat, a little less with each day without one."""

    value: float = 0.0
    at: float = 0.0

    def pet(self, now: float) -> None:
        self.value = self.now(now) + (1.0 - self.now(now)) * 0.03
        self.at = now

    def now(self, now: float) -> float:
        days = max(0.0, now - self.at) / _DAY
        return float(self.value * 0.97**days)

    def write(self) -> str:
        return f"{self.value:.4f} {self.at:.0f}"

    @classmethod
    def read(cls, text: str | None) -> Fondness:
        """As it was kept; what can't be read is no fondness yet."""
        try:
            value, at = (float(part) for part in (text or "").split())
        except ValueError:
            return cls()
        return cls(value, at) if 0.0 <= value <= 1.0 and math.isfinite(at) else cls()
