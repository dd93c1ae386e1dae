"""How lively a body moves just now, read from its own parameters: frames are drawn for that.

Pure: whoever asks gives the values. Seconds are those since the values before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

VISIBLE_PARAMETERS = (
    *("AngleX", "AngleY", "AngleZ", "BodyAngleX", "BodyAngleY", "BodyAngleZ", "BaseX", "BaseY"),
    *("BaseAngle", "Crouch", "EyeLOpen", "EyeROpen", "MouthOpenY"),
    *("ArmLA", "ArmLB", "ArmRA", "ArmRB"),
)
"""What moves much of the picture when it changes, without "Param". Breath, tail and hair are slow,
or follow; signs float on and on.
"""
_STEP = 0.08
"""From frame to frame, as a share of a parameter's range: at 340 pixels a head goes some five."""


def visible_parameters(parameters: Sequence[str]) -> list[str]:
    """Those of a model's `parameters` that move much of its picture."""
    own = {name.lower().replace("_", ""): name for name in parameters}
    found = (own.get(f"param{name}".lower()) for name in VISIBLE_PARAMETERS)
    return [name for name in found if name is not None]


class MotionSpeed:
    """`spans`: the range of each parameter that is looked at."""

    def __init__(self, spans: Mapping[str, float]) -> None:
        self._spans = {name: span for name, span in spans.items() if span > 0.0}
        self._before: dict[str, float] = {}
        self._speed = math.inf

    def update(self, value: Callable[[str], float], seconds: float) -> None:
        """A new frame, with the `value` of each parameter by its name."""
        values = {name: value(name) for name in self._spans}
        if self._before and seconds > 0.0:
            moved = (abs(values[n] - self._before[n]) / span for n, span in self._spans.items())
            self._speed = max(moved) / seconds
        self._before = values

    @property
    def pace(self) -> float:
        """Frames a second at which it goes a small step from each to the next; infinite before
        the second frame, and without such parameters.
        """
        return self._speed / _STEP
