"""Decides whether the figure is awake, sleepy or asleep, depending on the user's absence; and
movements during sleep.

Pure. Times are seconds of a monotonic clock.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from random import Random

from neodeskpet.figure.behaviour.handling import is_night
from neodeskpet.figure.poses import Pose

WELCOME_GAP_SECONDS = 7200.0
"""Least number of seconds between two welcomes."""


class WakeReaction(Enum):
    """The reaction to the user's return."""

    NONE = auto()
    GROGGY = auto()
    """The user is back, and the figure slept."""
    WELCOME = auto()
    """The same after a long absence, with a greeting."""


@dataclass(frozen=True, slots=True)
class _Spans:
    sleepy: float
    asleep: float
    missed: float
    """The absence in seconds after which a greeting is appropriate."""


class SleepState:
    SEEING = _Spans(480.0, 720.0, 1080.0)
    BLIND = _Spans(1800.0, 2700.0, float("inf"))
    NIGHT = 0.4
    """The factor of these times at night."""
    THERE = 30.0
    """A user with input within this many seconds is present."""

    def __init__(self, now: float) -> None:
        self._stirred = now
        self._seen = now
        self._sees = False
        self._slept = False
        self._welcomed = float("-inf")

    def disturb(self, now: float, hour: int) -> bool:
        """Record an event at the figure; return whether it woke it."""
        woke = self.state(now, hour) is Pose.ASLEEP
        self._stirred = now
        self._slept = False
        return woke

    def update_presence(self, idle: float | None, now: float, hour: int) -> WakeReaction:
        """Update the user's presence: the last input was `idle` seconds ago; None if unknown."""
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
        """Return IDLE, SLEEPY or ASLEEP; `hour` is the user's (0 to 23)."""
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


LEAST_SLEEP_REPEAT_SECONDS = 120.0
_PAUSE = (18.0, 45.0)
_TURN, _NOD, _TILT = "ParamAngleX", "ParamAngleY", "ParamAngleZ"
_LEAN, _SWAY = "ParamBodyAngleZ", "ParamBodyAngleX"
_MOUTH, _BROW, _BROW_2 = "ParamMouthOpenY", "ParamBrowLY", "ParamBrowRY"
CHANNELS = (_TURN, _NOD, _TILT, _LEAN, _SWAY, _MOUTH, _BROW, _BROW_2)
"""The Cubism 3 names of all parameters that may be moved."""


class SleepAct(Enum):
    SHIFT = auto()
    SIGH = auto()
    DREAM = auto()


_SECONDS = {SleepAct.SHIFT: 3.0, SleepAct.SIGH: 4.5, SleepAct.DREAM: 5.0}


class SleepMovements:
    """Movements during sleep. Values are shares (-1 to 1) of half a parameter's range, to
    be added.
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        self._lies = self._before = dict.fromkeys((_TURN, _TILT, _LEAN, _SWAY), 0.0)
        self._doing: SleepAct | None = None
        self._since = 0.0
        self._next = -math.inf
        self._done: dict[SleepAct, float] = {}

    def begin(self, now: float) -> None:
        """Start at the moment of falling asleep."""
        self._doing = None
        self._next = now + self._random.uniform(8.0, 20.0)
        self._before = self._lies = self._place()
        self._since = now

    @property
    def doing(self) -> SleepAct | None:
        return self._doing

    def advance(self, now: float) -> None:
        """Update the state during sleep."""
        doing = self._doing
        if doing is not None and now - self._since >= _SECONDS[doing]:
            self._before = self._lies
            self._doing = doing = None
            self._next = now + self._random.uniform(*_PAUSE)
        if doing is None and now >= self._next:
            self._start(now)

    def values(self, now: float) -> Mapping[str, float]:
        """Return the values to add at `now`."""
        share = 1.0
        if self._doing is not None:
            share = min(1.0, max(0.0, (now - self._since) / _SECONDS[self._doing]))
        eased = share * share * (3.0 - 2.0 * share)
        lies = {
            name: before + (self._lies[name] - before) * eased
            for name, before in self._before.items()
        }
        if self._doing is SleepAct.SIGH:
            return lies | _sigh(share)
        if self._doing is SleepAct.DREAM:
            twitch, fades = _dream(share), math.sin(math.pi * share)
            lies[_TURN] += 0.05 * fades * math.sin(share * 40.0)
            return lies | twitch
        return lies

    def _start(self, now: float) -> None:
        free = [
            one
            for one in SleepAct
            if now - self._done.get(one, -math.inf) >= LEAST_SLEEP_REPEAT_SECONDS
        ]
        if not free:
            self._next = now + 5.0
            return
        self._doing = self._random.choice(free)
        self._done[self._doing] = now
        self._since = now
        if self._doing is SleepAct.SHIFT:
            self._lies = self._place()

    def _place(self) -> dict[str, float]:
        side = self._random.choice((-1.0, 1.0))
        far = self._random.uniform(0.5, 1.0)
        return {
            _TURN: 0.2 * side * far,
            _TILT: 0.25 * side * far,
            _LEAN: 0.2 * side * self._random.uniform(-1.0, 1.0),
            _SWAY: 0.2 * self._random.uniform(-1.0, 1.0),
        }


def _sigh(share: float) -> dict[str, float]:
    """A sigh: up with the breath, and down with an open mouth."""
    rises = math.sin(math.pi * min(1.0, share / 0.45)) if share < 0.45 else 0.0
    sinks = math.sin(math.pi * (share - 0.45) / 0.55) if share >= 0.45 else 0.0
    brows = 0.3 * rises
    return {_NOD: 0.2 * rises - 0.15 * sinks, _MOUTH: 0.5 * sinks, _BROW: brows, _BROW_2: brows}


def _dream(share: float) -> dict[str, float]:
    """A dream: brows and lips twitch."""
    fades = math.sin(math.pi * share)
    brows = 0.4 * fades * math.sin(share * 23.0)
    return {_MOUTH: 0.3 * fades * max(0.0, math.sin(share * 31.0)), _BROW: brows, _BROW_2: brows}
