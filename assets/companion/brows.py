"""The brows: tapered strokes that stay visible over the fringe."""

from collections.abc import Sequence

import numpy as np

from companion.curves import tapered
from companion.eyes import EYES, Eye
from companion.figure import Figure, Stroke, Values
from companion.moc_model import Points
from companion.raster import Box

_Y = 566.0
_THREE = (-1.0, 0.0, 1.0)


def add_brows(figure: Figure) -> None:
    """Add both brows under ``WarpHead``."""
    part = figure.part("PartBrows", "Brows", "眉毛")
    for eye in EYES:
        letter = eye.letter
        box = Box(eye.x - 140, 460, eye.x + 140, 640)
        place = {f"ParamBrow{letter}X": _THREE, f"ParamBrow{letter}Y": _THREE}
        warp = part.warp(f"WarpBrow{letter}", "WarpHead", box, (3, 3), place, _Shift(eye))
        keys = {f"ParamBrow{letter}Angle": _THREE, f"ParamBrow{letter}Form": _THREE}
        part.ribbons(f"Brow{letter}", warp, 640, "StripBrow", _Line(eye), segments=8, keys=keys)


class _Shift:
    """Moves a brow up, and towards or away from the nose."""

    def __init__(self, eye: Eye) -> None:
        self._eye = eye

    def __call__(self, rest: Points, values: Values) -> Points:
        letter = self._eye.letter
        x = values[f"ParamBrow{letter}X"] * 18 * self._eye.side
        return np.asarray(rest + np.array([[x, -values[f"ParamBrow{letter}Y"] * 24]]))


class _Line:
    """The stroke of a brow; angle 1 is angry (inner end down), form 1 is arched."""

    def __init__(self, eye: Eye) -> None:
        self._eye = eye

    def __call__(self, values: Values) -> Sequence[Stroke]:
        letter = self._eye.letter
        angle = values.get(f"ParamBrow{letter}Angle", 0.0)
        form = values.get(f"ParamBrow{letter}Form", 0.0)
        s = np.arange(13) / 6 - 1
        y = _Y - 13 * (1 - s * s) * (1 + 1.3 * form) - 27 * angle * s + 4 * s
        x = self._eye.x + self._eye.side * (s * 52 + 2)
        return [Stroke(np.stack([x, y], axis=1), tapered(23, 0.3, 0.9, 1.0))]
