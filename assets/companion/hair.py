"""The flame-like hair: a top lock and a fringe."""

import numpy as np

from companion.curves import spline
from companion.figure import Figure
from companion.ink import contour, strokes, vertical, volume
from companion.palette import MINT, TEAL, TEAL_DEEP, TEAL_LIGHT, TEAL_SHADE
from companion.raster import Box
from companion.space import CX, HEAD_KEYS, shifted
from companion.spine import Bend, Spine

_TOP = (
    "-96,430 -120,360 -112,280 -66,214! -70,262 -40,250 0,176 62,110 160,84! 126,134 118,176 138,196 190,176! "
    "176,250 148,320 110,384 80,430"
)
_FRINGE = (
    "-30,300 -96,330 -140,392 -176,500! -120,470 -92,440! -92,500 -66,552 -24,600! -14,540 6,480! 24,520 60,540 112,548! "
    "96,490 108,440! 130,470 168,492! 158,400 116,330 50,296"
)


def add_hair(figure: Figure) -> None:
    """Add the locks under ``RotHead``."""
    hair = figure.part("PartHair", "Hair", "头发")
    hair.warp("WarpHairTop", "RotHead", Box(CX - 200, 50, CX + 260, 460), (5, 5), HEAD_KEYS, shifted(22, 14))
    hair.warp("WarpFringe", "RotHead", Box(CX - 220, 270, CX + 220, 640), (5, 5), HEAD_KEYS, shifted(62, 52))
    origin = np.array([CX, 0])
    top = spline(_TOP, closed=True) + origin
    p = figure.paint("HairTop", Box.around(top, margin=10))
    mask = p.mask(top)
    p.fill(mask, vertical(90, 430, (0.0, MINT), (0.35, TEAL_LIGHT), (1.0, TEAL_DEEP)))
    volume(p, mask, TEAL_SHADE, 20, MINT)
    lines = [spline("138,196 96,250 70,320"), spline("-70,262 -60,320 -30,370")]
    strokes(p, [line + origin for line in lines], 6)
    contour(p, top)
    axis = Spine(np.array([[CX, 420.0], [CX + 10, 260.0], [CX + 120, 110.0]]))
    hair.mesh(
        "HairTop", "WarpHairTop", 490, cell=52,
        keys={"ParamHairFluffy": (-1.0, 0.0, 1.0)},
        move=lambda rest, v: axis.pose(rest, [Bend(v["ParamHairFluffy"] * 26, 0.1, 1.0)]),
    )
    fringe = spline(_FRINGE, closed=True) + origin
    p = figure.paint("Fringe", Box.around(fringe, margin=10))
    mask = p.mask(fringe)
    p.fill(mask, vertical(300, 600, (0.0, TEAL_LIGHT), (0.4, TEAL_LIGHT), (1.0, TEAL)))
    volume(p, mask, TEAL_SHADE, 18, MINT)
    lines = [spline("-92,440 -78,390 -40,340"), spline("6,480 10,420 20,360"), spline("108,440 100,390 76,350")]
    strokes(p, [line + origin for line in lines], 6)
    contour(p, fringe)
    front = Spine(np.array([[CX, 300.0], [CX - 10, 450.0], [CX - 20, 600.0]]))
    hair.mesh(
        "Fringe", "WarpFringe", 620, cell=46,
        keys={"ParamHairFront": (-1.0, 0.0, 1.0)},
        move=lambda rest, v: front.pose(rest, [Bend(v["ParamHairFront"] * 18, 0.05, 1.0)]),
    )
