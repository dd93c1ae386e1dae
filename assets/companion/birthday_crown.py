"""A golden paper crown for birthdays, with a coloured ball on each point."""

import numpy as np

from companion.curves import ellipse, even, spline
from companion.figure import Figure
from companion.ink import contour, vertical, volume
from companion.palette import GOLD, GOLD_DEEP, GOLD_LIGHT, HEART, LEAF, RED, TEAR, WHITE
from companion.raster import Box
from companion.space import CX
from companion.worn import DETAIL, PREFIX, add_hat_warp, add_worn, swaying

_PARAMETER = f"{PREFIX}BirthdayCrown"
_ORIGIN = np.array([CX, 0.0])
_POINTS = ((-196.0, 196.0), (-100.0, 152.0), (0.0, 132.0), (100.0, 152.0), (196.0, 196.0))
_GOLD = (
    "-182,384! -196,196! -128,278! -100,152! -44,258! 0,132! 44,258! 100,152! 128,278! 196,196! "
    "182,384! 92,358 0,348 -92,358"
)
_BAND = "-186,354 -92,326 0,316 92,326 186,354"


def add_birthday_crown(figure: Figure) -> None:
    """Add the crown under ``RotHead``."""
    part = figure.part("PartBirthdayCrown", "Birthday crown", "生日王冠")
    add_hat_warp(part, "WarpBirthdayCrown", Box(CX - 300, 60, CX + 300, 460))
    crown = spline(_GOLD, closed=True) + _ORIGIN
    balls = [ellipse(CX + x, y, 24, 24) for x, y in _POINTS]
    p = figure.paint("Crown", Box.around(crown, *balls, margin=14), DETAIL, second=True)
    mask = p.mask(crown)
    p.fill(mask, vertical(140, 384, (0.0, GOLD_LIGHT), (0.5, GOLD), (1.0, GOLD_DEEP)))
    volume(p, mask, 18, GOLD_DEEP, GOLD_LIGHT)
    p.fill(p.stroke_mask(spline(_BAND) + _ORIGIN, even(34)), HEART, clip=mask)
    for number, x in enumerate((-120.0, -60.0, 0.0, 60.0, 120.0)):
        y = 316 + 28 * (x / 150) * (x / 150)
        p.fill(p.mask(ellipse(CX + x, y, 9, 9)), WHITE if number % 2 else GOLD_LIGHT)
    contour(p, crown, 9.0)
    for number, ball in enumerate(balls):
        colour = (TEAR, HEART, RED, LEAF, TEAR)[number]
        mask = p.mask(ball)
        p.fill(mask, colour)
        volume(p, mask, 10, colour, WHITE)
        contour(p, ball, 8.0)
    move = swaying((CX, 360.0), 380.0, 240.0, 3.0)
    add_worn(part, "Crown", "WarpBirthdayCrown", 623, _PARAMETER, move)
