"""Feet that come back under the body where a walk is broken off.

What takes over from the walk would draw them there along the ground; so they go by steps: first
the one in the air comes down, then the one that stood is lifted. The body stays where it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from neodeskpet.live2d.library import CubismModel

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
