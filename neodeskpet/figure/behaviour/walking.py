"""Short walks: when, where to and how, and how the feet return under the body when a walk is
interrupted. Pure: randomness and time come from the caller. Pixels with x to the right, seconds
of a monotonic clock.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from neodeskpet.figure.behaviour.ground import Ledge
from neodeskpet.figure.live2d.library import CubismModel

FEET = (("ParamStrideL", "ParamLiftL"), ("ParamStrideR", "ParamLiftR"))
"""Of a figure that walks by them: how far each foot is along the ground from where it stands (-1 to
1), and how high it is lifted (0 to 1).
"""
_STEP = 0.2
"""Seconds in which a foot comes from as far as it goes."""
_SHORTEST_STEP = 0.14
_ARC = 0.7
"""How high it is lifted on its way."""
_FAR = 0.5
"""From here on it is lifted that high."""
_LONGEST_FEET_FRAME = 0.05
"""So that few frames show it in the air, too."""
_AT_HOME = 0.02


class Foot(NamedTuple):
    along: float
    lift: float

    @property
    def away(self) -> bool:
        return max(abs(self.along), self.lift) > _AT_HOME


class FootStep:
    """The way of one foot back to where it stands."""

    def __init__(self, start: Foot) -> None:
        self._start = start
        self.seconds = max(_SHORTEST_STEP, _STEP * max(abs(start.along), start.lift))

    def after(self, seconds: float) -> Foot:
        share = min(1.0, max(0.0, seconds / self.seconds))
        if share == 1.0:
            return Foot(0.0, 0.0)
        # As it leaves the ground and as it comes down it hardly moves along.
        along = self._start.along * (1.0 - share * share * (3.0 - 2.0 * share))
        arc = _ARC * min(1.0, abs(self._start.along) / _FAR) * math.sin(math.pi * share)
        return Foot(along, min(1.0, self._start.lift * (1.0 - share) + arc))


class Feet:
    """The feet of `model`, if it has such. Tell it when something takes over; `advance` before the
    model's Update and `hold` after it.
    """

    def __init__(self, model: CubismModel) -> None:
        self._model = model
        known = set(model.GetParamIds())
        self._names = FEET if all(known.issuperset(names) for names in FEET) else ()
        self._steps: list[tuple[int, FootStep]] = []
        self._passed = 0.0
        self._now = [Foot(0.0, 0.0) for _ in self._names]

    @property
    def parameters(self) -> frozenset[str]:
        """What they move."""
        return frozenset(name for names in self._names for name in names)

    @property
    def stepping(self) -> bool:
        """Whether they are on their way."""
        return bool(self._steps)

    def gather(self) -> None:
        """Something else than a walk takes over: come back from where they are now."""
        if self.stepping:
            return
        value = self._model.GetParamValueById
        self._now = [Foot(value(along), value(lift)) for along, lift in self._names]
        # First the one in the air.
        order = sorted(range(len(self._now)), key=lambda which: -self._now[which].lift)
        self._steps = [
            (which, FootStep(self._now[which])) for which in order if self._now[which].away
        ]
        self._passed = 0.0

    def advance(self, seconds: float) -> None:
        """Move on by `seconds`; a long pause is not caught up with."""
        if not self._steps:
            return
        self._passed += min(seconds, _LONGEST_FEET_FRAME)
        begins = 0.0
        for which, step in self._steps:
            self._now[which] = step.after(self._passed - begins)
            begins += step.seconds
        # What the motion fades from is where they are, so that it leaves them there.
        self._put(self._model.SetSaveParamById)

    def hold(self) -> None:
        """Not where the motion would have them."""
        if self._steps:
            self._put(self._model.SetParamById)
            if not any(foot.away for foot in self._now):
                self._steps = []

    def _put(self, put: Callable[[str, float], None]) -> None:
        for names, foot in zip(self._names, self._now, strict=True):
            for name, value in zip(names, foot, strict=True):
                put(name, value)


WALK_SPEED = 0.24
"""The figure's heights that it walks in a second."""
_SOONEST, _LATEST = 80.0, 260.0
_LOOK_AGAIN = (5.0, 15.0)
_PAUSED, _AWAY = 4.0, 240.0
"""Who touched a key or the pointer less than _PAUSED seconds ago is busy; after _AWAY nobody would
see it."""
NEAR_POINTER_PIXELS = 90.0
"""Pixels around it in which the pointer means that somebody is at work there, or wants it."""
_SHORTEST, _LONGEST = 0.5, 2.2
"""Of a walk, in heights of the figure."""
_LEAST = 0.3
_EASE = 0.45
"""Seconds in which it is as fast as it walks, and in which it comes to a halt."""
_HOP, _HOP_HEIGHT = 0.16, 0.03
"""Who has no steps goes in small hops: how far and how high they are, in heights of the figure."""
_LONGEST_FRAME = 0.25
"""Seconds that a figure's motion goes on in one frame, at most."""
_FOOTING = 20.0
"""So many pixels of an edge stay beside its feet."""


class WalkRange(NamedTuple):
    """From the left to the right, in pixels."""

    left: float
    right: float

    def holds(self, x: float) -> bool:
        return self.left <= x <= self.right


@dataclass(frozen=True, slots=True)
class WalkContext:
    """What matters now: whether it is at leisure, whether anybody talks with it or wants something
    of it, since when (s) the person touched nothing (None if nobody tells), and how far (px) the
    pointer is from it.
    """

    leisure: bool
    wanted: bool = False
    idle: float | None = None
    pointer: float = math.inf

    @property
    def free(self) -> bool:
        """Whether it disturbs nobody by walking now."""
        paused = self.idle is None or _PAUSED <= self.idle <= _AWAY
        return self.leisure and not self.wanted and paused and self.pointer > NEAR_POINTER_PIXELS


@dataclass(frozen=True, slots=True)
class Gait:
    """How a figure steps: a round of two steps takes so many `seconds`, and in it its feet go
    `length` (in heights of the figure) along the ground. Its walking motions begin, and every step
    ends, with the standing foot under it.
    """

    seconds: float
    length: float


class WalkSchedule:
    """When it walks: minutes apart, and a little later where it would disturb."""

    def __init__(self, random: Random, now: float) -> None:
        self._random = random
        self._next = now
        self.put_off(now)

    def due(self, now: float) -> bool:
        """Whether it wants to walk now. The answer is to be `put_off` or `wait`."""
        return now >= self._next

    def put_off(self, now: float) -> None:
        """It has walked, or something happened: not again for minutes."""
        self._next = now + self._random.uniform(_SOONEST, _LATEST)

    def postpone(self, now: float) -> None:
        """It would disturb somebody now."""
        self._next = now + self._random.uniform(*_LOOK_AGAIN)


def walkable_range(
    ground: Ledge, screen: WalkRange, limits: WalkRange | None, reach: tuple[float, float]
) -> WalkRange | None:
    """Where its feet may be: on `ground`, all of it on `screen` and within the person's `limits`.
    `reach`: how far it extends to the left and to the right of its feet. None without room.
    """
    left = max(ground.left + _FOOTING, screen.left + reach[0])
    right = min(ground.right - _FOOTING, screen.right - reach[1])
    if limits is not None:
        left, right = max(left, limits.left + reach[0]), min(right, limits.right - reach[1])
    return WalkRange(left, right) if left <= right else None


def walk_goal(room: WalkRange, x: float, height: float, random: Random) -> float | None:
    """Where to walk from `x`, for a figure of `height`; None where that is no way worth walking.
    Who stands outside its room walks into it.
    """
    if not room.holds(x):
        return max(room.left, min(room.right, x))
    far = random.uniform(_SHORTEST, _LONGEST) * height
    # More likely to where there is more room.
    right = random.random() * (room.right - room.left) < room.right - x
    for way in (1.0, -1.0) if right else (-1.0, 1.0):
        goal = max(room.left, min(room.right, x + way * far))
        if abs(goal - x) >= _LEAST * height:
            return goal
    return None


@dataclass(slots=True)
class Walk:
    """One walk from `x` to `goal`, of a figure of `height` pixels. Where the figure's `gait` is
    known it goes as its feet do, in whole steps, so that a foot stays where it stands; else it
    eases in and out.
    """

    x: float
    goal: float
    height: float
    steps: bool = True
    """Whether the figure has steps of its own; else it hops."""
    gait: Gait | None = None
    speed: float = 0.0
    """Pixels a second, now."""
    _gone: float = 0.0

    def __post_init__(self) -> None:
        if self.gait is not None:
            step = self.gait.length / 2 * self.height
            steps = max(1, int(abs(self.goal - self.x) / step))
            self.goal = self.x + math.copysign(steps * step, self.goal - self.x)
            self.speed = 2 * step / self.gait.seconds

    @property
    def right(self) -> bool:
        return self.goal > self.x

    @property
    def over(self) -> bool:
        return self.x == self.goal

    @property
    def lift(self) -> float:
        """How many pixels it is above the ground now."""
        if self.steps or self.over:
            return 0.0
        hop = abs(math.sin(math.pi * self._gone / (_HOP * self.height)))
        return hop * _HOP_HEIGHT * self.height * min(1.0, self.speed / self._most)

    def advance(self, seconds: float) -> None:
        """Walk on by `seconds`. A long pause is not caught up with."""
        left = abs(self.goal - self.x)
        if self.gait is not None:
            self._step(min(left, self.speed * min(seconds, _LONGEST_FRAME)), left)
            return
        seconds = min(seconds, 0.1)
        slower = self._most / _EASE
        # As fast as it may be to come to a halt right there.
        braked = math.sqrt(2.0 * slower * left)
        self.speed = max(2.0, min(self._most, self.speed + slower * seconds, braked))
        self._step(min(left, self.speed * seconds), left)

    def _step(self, step: float, left: float) -> None:
        self._gone += step
        if left - step < 0.5:
            self.x, self.speed = self.goal, 0.0
        else:
            self.x += math.copysign(step, self.goal - self.x)

    @property
    def _most(self) -> float:
        return WALK_SPEED * self.height
