"""Plans short walks: when, where to and how, and how the feet return under the body when a walk is
interrupted. Pure: randomness and time come from the caller. Pixels with x to the right, seconds of
a monotonic clock.
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
"""The parameters of the feet of a figure that has them: the distance of each foot along the ground
from its standing place (-1 to 1), and its height (0 to 1).
"""
_STEP = 0.2
"""Seconds in which a foot returns from its largest distance."""
_SHORTEST_STEP = 0.14
_ARC = 0.7
"""The height of a foot on its way."""
_FAR = 0.5
"""The distance from which on a foot is lifted that high."""
_LONGEST_FEET_FRAME = 0.05
"""Seconds that one frame advances at most: a low frame rate shows the foot in the air, too."""
_AT_HOME = 0.02


class Foot(NamedTuple):
    along: float
    lift: float

    @property
    def away(self) -> bool:
        return max(abs(self.along), self.lift) > _AT_HOME


class FootStep:
    """The way of one foot back to its standing place."""

    def __init__(self, start: Foot) -> None:
        self._start = start
        self.seconds = max(_SHORTEST_STEP, _STEP * max(abs(start.along), start.lift))

    def after(self, seconds: float) -> Foot:
        share = min(1.0, max(0.0, seconds / self.seconds))
        if share == 1.0:
            return Foot(0.0, 0.0)
        # The foot hardly moves along the ground when it is lifted and when it lands.
        along = self._start.along * (1.0 - share * share * (3.0 - 2.0 * share))
        arc = _ARC * min(1.0, abs(self._start.along) / _FAR) * math.sin(math.pi * share)
        return Foot(along, min(1.0, self._start.lift * (1.0 - share) + arc))


class Feet:
    """The feet of `model`, if it has them. Call `gather` when another motion takes over, `advance`
    before the model's Update and `hold` after it.
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
        """The parameters that they move."""
        return frozenset(name for names in self._names for name in names)

    @property
    def stepping(self) -> bool:
        """Whether the feet are returning."""
        return bool(self._steps)

    def gather(self) -> None:
        """Move the feet back from their current place, when another motion than a walk
        takes over.
        """
        if self.stepping:
            return
        value = self._model.GetParamValueById
        self._now = [Foot(value(along), value(lift)) for along, lift in self._names]
        # The lifted foot first.
        order = sorted(range(len(self._now)), key=lambda which: -self._now[which].lift)
        self._steps = [
            (which, FootStep(self._now[which])) for which in order if self._now[which].away
        ]
        self._passed = 0.0

    def advance(self, seconds: float) -> None:
        """Advance by `seconds`, limited for long pauses."""
        if not self._steps:
            return
        self._passed += min(seconds, _LONGEST_FEET_FRAME)
        begins = 0.0
        for which, step in self._steps:
            self._now[which] = step.after(self._passed - begins)
            begins += step.seconds
        # The motion then fades from the current place of the feet and leaves them there.
        self._put(self._model.SetSaveParamById)

    def hold(self) -> None:
        """Replace the motion's values of the feet."""
        if self._steps:
            self._put(self._model.SetParamById)
            if not any(foot.away for foot in self._now):
                self._steps = []

    def _put(self, put: Callable[[str, float], None]) -> None:
        for names, foot in zip(self._names, self._now, strict=True):
            for name, value in zip(names, foot, strict=True):
                put(name, value)


WALK_SPEED = 0.24
"""The walking speed, in heights of the figure a second."""
_SOONEST, _LATEST = 80.0, 260.0
_LOOK_AGAIN = (5.0, 15.0)
_PAUSED, _AWAY = 4.0, 240.0
"""A user with input less than _PAUSED seconds ago is busy; one without input for more than _AWAY
seconds is away and would not see a walk.
"""
NEAR_POINTER_PIXELS = 90.0
"""Distance in pixels within which the pointer means that the user works there or is about to use
the figure.
"""
_SHORTEST, _LONGEST = 0.5, 2.2
"""The length of a walk, in heights of the figure."""
_LEAST = 0.3
_EASE = 0.45
"""Seconds for reaching the walking speed, and for stopping."""
_HOP, _HOP_HEIGHT = 0.16, 0.03
"""A figure without steps moves in small hops: their length and height, in heights of the figure."""
_LONGEST_FRAME = 0.25
"""Seconds that a motion advances in one frame at most."""
_FOOTING = 20.0
"""Pixels of an edge that must remain beside the feet."""


class WalkRange(NamedTuple):
    """The range of `x`, in pixels."""

    left: float
    right: float

    def holds(self, x: float) -> bool:
        return self.left <= x <= self.right


@dataclass(frozen=True, slots=True)
class WalkContext:
    """The conditions of a walk: whether the figure is idle, whether the user talks with it or needs
    it, the seconds since the last input (None if unknown), and the distance of the pointer (px).
    """

    leisure: bool
    wanted: bool = False
    idle: float | None = None
    pointer: float = math.inf

    @property
    def free(self) -> bool:
        """Whether a walk would not disturb the user now."""
        paused = self.idle is None or _PAUSED <= self.idle <= _AWAY
        return self.leisure and not self.wanted and paused and self.pointer > NEAR_POINTER_PIXELS


@dataclass(frozen=True, slots=True)
class Gait:
    """How a figure steps: two steps take `seconds`, and in them its feet move by `length` (in
    heights of the figure) along the ground. Walking motions start, and every step ends, with the
    standing foot under the figure.
    """

    seconds: float
    length: float


class WalkSchedule:
    """Decides when the figure walks: minutes apart, and a little later where it would disturb."""

    def __init__(self, random: Random, now: float) -> None:
        self._random = random
        self._next = now
        self.put_off(now)

    def due(self, now: float) -> bool:
        """Return whether a walk is due. The caller then calls `put_off` or `postpone`."""
        return now >= self._next

    def put_off(self, now: float) -> None:
        """Wait some minutes, after a walk or another event."""
        self._next = now + self._random.uniform(_SOONEST, _LATEST)

    def postpone(self, now: float) -> None:
        """Wait a little, because a walk would disturb now."""
        self._next = now + self._random.uniform(*_LOOK_AGAIN)


def walkable_range(
    ground: Ledge, screen: WalkRange, limits: WalkRange | None, reach: tuple[float, float]
) -> WalkRange | None:
    """Return the range of its feet on `ground`: the whole figure stays on `screen` and within the
    user's `limits`. `reach`: how far it extends to the left and to the right of its feet. None
    without enough room.
    """
    left = max(ground.left + _FOOTING, screen.left + reach[0])
    right = min(ground.right - _FOOTING, screen.right - reach[1])
    if limits is not None:
        left, right = max(left, limits.left + reach[0]), min(right, limits.right - reach[1])
    return WalkRange(left, right) if left <= right else None


def walk_goal(room: WalkRange, x: float, height: float, random: Random) -> float | None:
    """Return where a figure of `height` walks from `x`; None if the way would be too short. A
    figure outside its range walks into it.
    """
    if not room.holds(x):
        return max(room.left, min(room.right, x))
    far = random.uniform(_SHORTEST, _LONGEST) * height
    # The direction with more room is more likely.
    right = random.random() * (room.right - room.left) < room.right - x
    for way in (1.0, -1.0) if right else (-1.0, 1.0):
        goal = max(room.left, min(room.right, x + way * far))
        if abs(goal - x) >= _LEAST * height:
            return goal
    return None


@dataclass(slots=True)
class Walk:
    """One walk from `x` to `goal`, of a figure of `height` pixels. If the figure's `gait` is known,
    it moves with its feet, in whole steps, so that a standing foot doesn't slide; otherwise it
    accelerates and slows down.
    """

    x: float
    goal: float
    height: float
    steps: bool = True
    """Whether the figure has motions for steps; otherwise it hops."""
    gait: Gait | None = None
    speed: float = 0.0
    """The current speed in pixels a second."""
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
        """The current height above the ground in pixels."""
        if self.steps or self.over:
            return 0.0
        hop = abs(math.sin(math.pi * self._gone / (_HOP * self.height)))
        return hop * _HOP_HEIGHT * self.height * min(1.0, self.speed / self._most)

    def advance(self, seconds: float) -> None:
        """Continue the walk by `seconds`, limited for long pauses."""
        left = abs(self.goal - self.x)
        if self.gait is not None:
            self._step(min(left, self.speed * min(seconds, _LONGEST_FRAME)), left)
            return
        seconds = min(seconds, 0.1)
        slower = self._most / _EASE
        # The highest speed from which it can stop at the goal.
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
