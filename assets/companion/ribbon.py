"""A bow at the root of the right ear, its two ends swaying."""

import numpy as np

from companion.curves import placed, spline
from companion.figure import Figure, Values
from companion.ink import contour, strokes, vertical, volume
from companion.moc_model import Points
from companion.palette import RED, RED_DEEP, RED_LIGHT
from companion.raster import Box
from companion.space import CX, ease, rotated
from companion.worn import DETAIL, PREFIX, SWAY, opacity_of, shown_by

_PARAMETER = f"{PREFIX}Ribbon"
_AT = (CX - 222.0, 392.0)
_TURN = -20.0
_LOOPS = (
    "-16,-16 -58,-66 -112,-78 -140,-44 -142,10 -128,52 -92,56 -48,30 -16,16",
    "16,-16 58,-66 112,-78 140,-44 142,10 128,52 92,56 48,30 16,16",
)
_ENDS = (
    "-22,10! -58,60 -96,132! -62,124 -40,148! -8,84 6,16!",
    "22,10! 58,60 96,132! 62,124 40,148! 8,84 -6,16!",
)
_KNOT = "-26,-24 0,-32 26,-24 32,0 26,24 0,32 -26,24 -32,0"
_FOLDS = ("-26,-6 -64,-26 -98,-30", "-26,8 -60,8 -84,18", "26,-6 64,-26 98,-30", "26,8 60,8 84,18")


def add_ribbon(figure: Figure) -> None:
    """Add the bow under ``WarpFringe``, before the hair."""
    part = figure.part("PartRibbon", "Ribbon", "蝴蝶结")
    shapes = [_turned(placed(text, *_AT)) for text in (*_ENDS, *_LOOPS, _KNOT)]
    p = figure.paint("Bow", Box.around(*shapes, margin=12), DETAIL, second=True)
    top, bottom = p.box.top, p.box.bottom
    for shape in shapes:
        mask = p.mask(shape)
        p.fill(mask, vertical(top, bottom, (0.0, RED_LIGHT), (0.4, RED), (1.0, RED_DEEP)))
        volume(p, mask, 14, RED_DEEP, RED_LIGHT)
        contour(p, shape, 8.0)
    folds = [_turned(spline(fold) + np.array(_AT)) for fold in _FOLDS]
    strokes(p, folds, 6.0, RED_DEEP)
    part.mesh(
        "Bow",
        "WarpFringe",
        623,
        cell=60,
        keys=shown_by(_PARAMETER) | SWAY,
        move=_swinging,
        opacity=opacity_of(_PARAMETER),
    )


def _turned(shape: Points) -> Points:
    return np.round(rotated(shape, _AT, _TURN), 4)


def _swinging(rest: Points, values: Values) -> Points:
    """The ends most, the knot not at all."""
    below = ease((rest[:, 1] - _AT[1]) / 150)
    return rotated(rest, _AT, values["ParamWornSway"] * (3 + 14 * below))
