"""A beret that leans to one side, in the colour of the paws."""

import numpy as np

from companion.curves import spline, tapered
from companion.figure import Figure
from companion.ink import contour, strokes, vertical, volume
from companion.raster import Box
from companion.space import CX
from companion.worn import DETAIL, PREFIX, add_hat_warp, add_worn, swaying

_PARAMETER = f"{PREFIX}Beret"
_ORIGIN = np.array([CX, 0.0])
_CLOTH = (
    "-196,362! -246,306 -232,226 -150,164 -20,136 120,142 236,190 292,268 262,336 190,370! "
    "96,336 0,326 -96,334"
)
_BAND = "-202,354 -96,326 0,317 96,327 196,362! 186,392 92,360 0,350 -94,358 -192,386!"
_STALK = "26,146 20,122 32,104"
_FOLDS = ("-150,300 -130,240 -70,200", "226,318 214,258 168,214", "60,168 120,180 160,206")


def add_beret(figure: Figure) -> None:
    """Add the beret under ``RotHead``."""
    part = figure.part("PartBeret", "Beret", "贝雷帽")
    add_hat_warp(part, "WarpBeret", Box(CX - 320, 60, CX + 360, 460))
    cloth = spline(_CLOTH, closed=True) + _ORIGIN
    band = spline(_BAND, closed=True) + _ORIGIN
    p = figure.paint("Beret", Box.around(cloth, band, margin=40), DETAIL, second=True)
    shades = p.palette.paw
    stalk = p.stroke_mask(spline(_STALK) + _ORIGIN, tapered(30, 0.1, 1.0, 18))
    p.fill(stalk, shades.shade)
    mask = p.mask(cloth)
    stops = ((0.0, shades.glow), (0.35, shades.light), (1.0, shades.base))
    p.fill(mask, vertical(130, 390, *stops))
    volume(p, mask, 26, shades.deep, shades.glow)
    strokes(p, [spline(fold) + _ORIGIN for fold in _FOLDS], 7.0, shades.deep, clip=mask)
    contour(p, cloth, 9.0)
    mask = p.mask(band)
    p.fill(mask, vertical(316, 392, (0.0, shades.base), (1.0, shades.shade)))
    contour(p, band, 8.0)
    move = swaying((CX, 350.0), 350.0, 240.0, 4.0)
    add_worn(part, "Beret", "WarpBeret", 623, _PARAMETER, move)
