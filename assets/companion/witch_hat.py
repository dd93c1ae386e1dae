"""A witch's hat with a wide brim and a bent tip that nods."""

import numpy as np

from companion.curves import even, spline
from companion.figure import Figure
from companion.ink import contour, strokes, vertical, volume
from companion.iris import star
from companion.palette import GOLD, GOLD_DEEP, GOLD_LIGHT, INK, NIGHT, NIGHT_DEEP, NIGHT_LIGHT
from companion.raster import Box
from companion.space import CX
from companion.worn import DETAIL, PREFIX, add_hat_warp, add_worn, swaying

_PARAMETER = f"{PREFIX}WitchHat"
_ORIGIN = np.array([CX, 0.0])
_CONE = (
    "-186,348! -140,262 -104,186 -44,118 50,88 140,96 214,136 252,196! 196,168 152,172 138,204 "
    "160,270 190,348! 96,372 0,378 -96,370"
)
_BAND = (
    "-178,332! -168,306 -152,276! -70,300 10,306 90,298 164,276! 176,306 186,334! 94,362 0,368 "
    "-92,360"
)
_BRIM = (
    "-356,352! -270,326 -180,318! -96,348 0,356 96,350 184,318! 272,330 360,358! 300,398 170,424 "
    "0,430 -170,420 -300,394"
)
_CREASES = ("130,204 90,200 52,182", "-96,250 -60,240 -34,216", "150,170 120,150 84,142")


def add_witch_hat(figure: Figure) -> None:
    """Add the hat under ``RotHead``."""
    part = figure.part("PartWitchHat", "Witch hat", "女巫帽")
    add_hat_warp(part, "WarpWitchHat", Box(CX - 380, 60, CX + 380, 460))
    cone = spline(_CONE, closed=True) + _ORIGIN
    brim = spline(_BRIM, closed=True) + _ORIGIN
    p = figure.paint("WitchHat", Box.around(cone, brim, margin=14), DETAIL, second=True)
    mask = p.mask(cone)
    stops = ((0.0, NIGHT_LIGHT), (0.5, NIGHT), (1.0, NIGHT_DEEP))
    p.fill(mask, vertical(90, 380, *stops))
    volume(p, mask, 24, NIGHT_DEEP, NIGHT_LIGHT)
    strokes(p, [spline(crease) + _ORIGIN for crease in _CREASES], 7.0, INK, clip=mask)
    for x, y, size in ((-34, 190, 22), (70, 138, 15), (44, 248, 12)):
        p.fill(p.mask(star(CX + x, y, size)), GOLD_LIGHT)
    band = p.mask(spline(_BAND, closed=True) + _ORIGIN)
    p.fill(band, vertical(276, 366, (0.0, GOLD), (1.0, GOLD_DEEP)), clip=mask)
    contour(p, cone, 9.0)
    mask = p.mask(brim)
    p.fill(mask, vertical(318, 430, (0.0, NIGHT_LIGHT), (0.4, NIGHT), (1.0, NIGHT_DEEP)))
    volume(p, mask, 20, NIGHT_DEEP, NIGHT_LIGHT)
    contour(p, brim, 9.0)
    buckle = np.array([(-36.0, 292.0), (36.0, 292.0), (36.0, 350.0), (-36.0, 350.0)]) + _ORIGIN
    p.fill(p.stroke_mask(buckle, even(26), closed=True), INK)
    p.fill(p.stroke_mask(buckle, even(13), closed=True), GOLD_LIGHT)
    move = swaying((CX + 10, 250.0), 290.0, 180.0, 9.0)
    add_worn(part, "WitchHat", "WarpWitchHat", 623, _PARAMETER, move)
