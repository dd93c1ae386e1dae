"""A straw hat with a red band, for the sun."""

import numpy as np

from companion.curves import even, spline
from companion.figure import Figure
from companion.ink import contour, vertical, volume
from companion.palette import RED, RED_DEEP, RED_LIGHT, STRAW, STRAW_DEEP, STRAW_LIGHT
from companion.raster import Box
from companion.space import CX
from companion.worn import DETAIL, PREFIX, add_hat_warp, add_worn, swaying

_PARAMETER = f"{PREFIX}StrawHat"
_ORIGIN = np.array([CX, 0.0])
_CROWN = (
    "-196,352! -192,262 -160,180 -96,140 0,130 96,140 160,180 192,262 196,352! 100,376 0,382 "
    "-100,376"
)
_BRIM = (
    "-366,372! -290,336 -190,322! -100,352 0,360 100,352 190,322! 290,336 366,372! 310,414 "
    "180,440 0,448 -180,440 -310,414"
)
_BAND = "-196,322 -100,354 0,362 100,354 196,322"
_ROWS = (170, 206, 242, 278)
_RINGS = ("-330,370 -180,402 0,412 180,402 330,370", "-290,394 -150,422 0,430 150,422 290,394")


def add_straw_hat(figure: Figure) -> None:
    """Add the hat under ``RotHead``."""
    part = figure.part("PartStrawHat", "Straw hat", "草帽")
    add_hat_warp(part, "WarpStrawHat", Box(CX - 390, 60, CX + 390, 470))
    crown = spline(_CROWN, closed=True) + _ORIGIN
    brim = spline(_BRIM, closed=True) + _ORIGIN
    p = figure.paint("StrawHat", Box.around(crown, brim, margin=14), DETAIL, second=True)
    mask = p.mask(crown)
    p.fill(mask, vertical(130, 380, (0.0, STRAW_LIGHT), (0.6, STRAW), (1.0, STRAW_DEEP)))
    for y in _ROWS:
        row = spline(f"-200,{y - 12} -100,{y + 8} 0,{y + 14} 100,{y + 8} 200,{y - 12}") + _ORIGIN
        p.fill(p.stroke_mask(row, even(6)), STRAW_DEEP.fade(150), clip=mask)
    volume(p, mask, 26, STRAW_DEEP, STRAW_LIGHT)
    band = p.stroke_mask(spline(_BAND) + _ORIGIN, even(58))
    p.fill(band, vertical(290, 392, (0.0, RED_LIGHT), (0.5, RED), (1.0, RED_DEEP)), clip=mask)
    contour(p, crown, 9.0)
    mask = p.mask(brim)
    p.fill(mask, vertical(322, 448, (0.0, STRAW_LIGHT), (0.5, STRAW), (1.0, STRAW_DEEP)))
    for ring in _RINGS:
        p.fill(p.stroke_mask(spline(ring) + _ORIGIN, even(6)), STRAW_DEEP.fade(150), clip=mask)
    volume(p, mask, 20, STRAW_DEEP, STRAW_LIGHT)
    contour(p, brim, 9.0)
    move = swaying((CX, 380.0), 460.0, 160.0, 2.5)
    add_worn(part, "StrawHat", "WarpStrawHat", 623, _PARAMETER, move)
