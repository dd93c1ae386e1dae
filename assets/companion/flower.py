"""A flower at the root of the left ear, with two leaves."""

import numpy as np

from companion.curves import ellipse, placed, spline
from companion.figure import Figure
from companion.ink import contour, strokes, vertical, volume
from companion.palette import GOLD, GOLD_DEEP, HEART, LEAF, LEAF_DEEP, LEAF_LIGHT, PETAL, PETAL_DEEP
from companion.raster import Box
from companion.space import CX, rotated
from companion.worn import DETAIL, PREFIX, add_worn, swaying

_PARAMETER = f"{PREFIX}Flower"
_AT = (CX + 226.0, 396.0)
_PETAL = "-20,-22 -58,-62 -52,-108 -14,-112! 0,-98 14,-112! 52,-108 58,-62 20,-22"
_LEAF = "0,-60 44,-104 112,-124! 104,-66 62,-22 10,-16"


def add_flower(figure: Figure) -> None:
    """Add the flower under ``WarpFringe``, before hair and ear."""
    part = figure.part("PartFlower", "Flower", "花")
    leaf = placed(_LEAF, *_AT)
    leaves = [np.round(rotated(leaf, _AT, turn), 4) for turn in (24.0, 92.0)]
    petal = placed(_PETAL, *_AT)
    petals = [np.round(rotated(petal, _AT, 72.0 * number - 14), 4) for number in range(5)]
    p = figure.paint("Flower", Box.around(*leaves, *petals, margin=12), DETAIL, second=True)
    top, bottom = p.box.top, p.box.bottom
    for shape in leaves:
        mask = p.mask(shape)
        p.fill(mask, vertical(top, bottom, (0.0, LEAF_LIGHT), (0.5, LEAF), (1.0, LEAF_DEEP)))
        contour(p, shape, 8.0)
    for number, shape in enumerate(petals):
        mask = p.mask(shape)
        p.fill(mask, PETAL)
        volume(p, mask, 14, PETAL_DEEP, PETAL)
        vein = np.round(rotated(spline("0,-34 0,-78") + np.array(_AT), _AT, 72.0 * number - 14), 4)
        strokes(p, [vein], 8.0, HEART, clip=mask)
        contour(p, shape, 8.0)
    heart = ellipse(*_AT, 27, 27)
    p.fill(p.mask(heart), vertical(_AT[1] - 27, _AT[1] + 27, (0.0, GOLD), (1.0, GOLD_DEEP)))
    contour(p, heart, 7.0)
    move = swaying(_AT, _AT[1] + 140, 60.0, 7.0)
    add_worn(part, "Flower", "WarpFringe", 623, _PARAMETER, move)
