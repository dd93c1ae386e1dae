"""Reactions to the pointer: a touch, a long hold, a shake, a throw, strokes; and the fondness that
petting increases. Pure. Times are seconds of a monotonic clock; fondness uses Unix seconds.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from enum import Enum, auto
from random import Random

from neodeskpet.figure.poses import Pose, name_words

_DAY = 86_400.0


class HandlingEvent(Enum):
    HELD = auto()
    """A long press without movement."""
    SHAKEN = auto()
    THROWN = auto()


class Handling:
    """One press of the figure, from start to end."""

    HOLD = 1.2
    TURNS, WITHIN, FAST = 4, 1.5, 500.0
    """This many changes of direction within these seconds, each faster than this (px/s), are a
    shake.
    """
    THROW = 1800.0

    def __init__(self, now: float) -> None:
        self._since = now
        self._moved = False
        self._speed = 0.0
        self._turns: deque[float] = deque(maxlen=self.TURNS)
        self._shaken = False
        self._side = 0.0

    def move(self, speed: float, now: float) -> HandlingEvent | None:
        """Move the figure with `speed` px/s to the right; return SHAKEN once, when the movement has
        become a shake.
        """
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
        """End the press; return the event that it was, if any."""
        if self._shaken:
            return HandlingEvent.SHAKEN
        if not self._moved:
            return HandlingEvent.HELD if now - self._since >= self.HOLD else None
        return HandlingEvent.THROWN if abs(self._speed) >= self.THROW else None


class StrokeEvent(Enum):
    BEGUN = auto()
    CONTINUED = auto()
    """The strokes have lasted for another `Stroking.ROUND` seconds."""


class Stroking:
    """The pointer moving over the head without a button."""

    DISTANCE, WITHIN = 250.0, 1.5
    """The pointer strokes when it moves this many pixels over the head within these seconds."""
    PAUSE = 0.7
    """Seconds without movement after which the strokes have ended."""
    ROUND = 3.0

    def __init__(self) -> None:
        self._steps: deque[tuple[float, float]] = deque()
        self._last: tuple[float, float] | None = None
        self._moved_at = -math.inf
        self._round_ends: float | None = None
        self.speed = 0.0
        """The speed of the pointer to the right, in pixels a second."""

    @property
    def is_felt(self) -> bool:
        return self._round_ends is not None

    def move(self, x: float, y: float, now: float, *, over_head: bool) -> StrokeEvent | None:
        """Move the pointer to this point; return what has happened."""
        last, seconds = self._last, now - self._moved_at
        self._last, self._moved_at = (x, y), now
        if not over_head or last is None or seconds > self.PAUSE:
            self._steps.clear()
            self._round_ends = None
            self.speed = 0.0
            return None
        self.speed = (x - last[0]) / max(seconds, 0.004)
        self._steps.append((now, math.hypot(x - last[0], y - last[1])))
        while now - self._steps[0][0] > self.WITHIN:
            self._steps.popleft()
        if self._round_ends is None:
            if sum(pixels for _, pixels in self._steps) < self.DISTANCE:
                return None
            self._round_ends = now + self.ROUND
            return StrokeEvent.BEGUN
        if now < self._round_ends:
            return None
        self._round_ends = now + self.ROUND
        return StrokeEvent.CONTINUED


@dataclass(slots=True)
class Fondness:
    """The fondness, 0 to 1: it grows with each pat and decreases with each day without one."""

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
        """Parse the stored value; 0 if it can't be read."""
        try:
            value, at = (float(part) for part in (text or "").split())
        except ValueError:
            return cls()
        return cls(value, at) if 0.0 <= value <= 1.0 and math.isfinite(at) else cls()


Motion = tuple[str, int]


class TouchPatience:
    """Chooses the reaction to touches: happy, shy, and annoyed after many of them."""

    COOL_DOWN = 0.7
    SULK = 6.0
    JOY, MANY, MORE = 3, 5, 3
    WINDOW = 7.0

    def __init__(self, random: Random) -> None:
        self._random = random
        self._touches: deque[float] = deque(maxlen=self.MANY + self.MORE)
        self._quiet_until = -1.0

    def touch(self, area: str, now: float, fondness: float = 0.0) -> Pose | None:
        """Return the reaction to a touch of `area`; None while the last reaction lasts. Several
        pats cause joy, more of them annoyance; `fondness` (0 to 1) raises that number.
        """
        if now < self._quiet_until:
            return None
        self._touches.append(now)
        recent = sum(now - at < self.WINDOW for at in self._touches)
        if recent >= self.MANY + round(self.MORE * fondness):
            self._touches.clear()
            self._quiet_until = now + self.SULK
            return Pose.ANNOYED
        self._quiet_until = now + self.COOL_DOWN
        if recent >= self.JOY:
            return Pose.HAPPY
        if set(name_words(area)) & {"head", "face", "hair", "cheek", "头", "脸"}:
            return self._random.choice((Pose.SHY, Pose.HAPPY, Pose.HAPPY))
        return self._random.choice((Pose.SURPRISED, Pose.HAPPY, Pose.SHY))


def is_night(hour: int) -> bool:
    return hour >= 23 or hour < 6
