"""Awake, sleepy, asleep: by whether the person is there.

Where the computer tells how long nobody touched a key or moved the pointer, it sleeps while they
are away and never beside their work. Where nobody tells that, only what happens to the figure
counts, and it waits much longer. No key and no place is ever known here, only seconds.

Pure: times are seconds of one steady clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from neodeskpet.live2d.liveliness import is_night
from neodeskpet.live2d.poses import Pose

WELCOME_GAP_SECONDS = 7200.0
"""Seconds between two welcomes, at least."""


class WakeReaction(Enum):
    """What a return is to it."""

    NONE = auto()
    GROGGY = auto()
    """The person is back, it slept."""
    WELCOME = auto()
    """The same, after long, and worth a word."""


@dataclass(frozen=True, slots=True)
class _Spans:
    sleepy: float
    asleep: float
    missed: float
    """After so long away a word of welcome isn't silly."""


class SleepState:
    SEEING = _Spans(480.0, 720.0, 1080.0)
    BLIND = _Spans(1800.0, 2700.0, float("inf"))
    NIGHT = 0.4
    """The share of those times that is enough at night."""
    THERE = 30.0
    """Somebody who did something within so many seconds is there."""

    def __init__(self, now: float) -> None:
        self._stirred = now
        self._seen = now
        self._sees = False
        self._slept = False
        self._welcomed = float("-inf")

    def disturb(self, now: float, hour: int) -> bool:
        """Something happened to it; tells whether that woke it."""
        woke = self.state(now, hour) is Pose.ASLEEP
        self._stirred = now
        self._slept = False
        return woke

    def update_presence(self, idle: float | None, now: float, hour: int) -> WakeReaction:
        """The person's last key or movement was `idle` seconds ago, None if nobody tells."""
        silence = self._silence(now)
        slept = self._slept or self.state(now, hour) is Pose.ASLEEP
        self._sees = idle is not None
        if idle is None:
            return WakeReaction.NONE
        self._seen = max(self._seen, now - idle)
        self._slept = slept
        if not slept or idle > self.THERE:
            return WakeReaction.NONE
        self._slept = False
        long = silence >= self.SEEING.missed and now - self._welcomed >= WELCOME_GAP_SECONDS
        if long:
            self._welcomed = now
        return WakeReaction.WELCOME if long else WakeReaction.GROGGY

    def state(self, now: float, hour: int) -> Pose:
        """IDLE, SLEEPY or ASLEEP; `hour` is the person's (0 to 23)."""
        silence = self._silence(now)
        spans = self.SEEING if self._sees else self.BLIND
        if is_night(hour):
            silence /= self.NIGHT
        if silence >= spans.asleep:
            return Pose.ASLEEP
        return Pose.SLEEPY if silence >= spans.sleepy else Pose.IDLE

    def _silence(self, now: float) -> float:
        last = max(self._stirred, self._seen) if self._sees else self._stirred
        return now - last
