"""The scarf with its hanging end and the bell."""

import numpy as np

from companion.curves import ellipse, spline
from companion.figure import Figure
from companion.ink import contour, strokes, vertical, volume
from companion.palette import (
    GOLD,
    GOLD_DEEP,
    GOLD_LIGHT,
    INK,
    SCARF,
    SCARF_DEEP,
    SCARF_LIGHT,
    SCARF_SHADE,
    WHITE,
)
from companion.raster import Box, Radial
from companion.space import CX
from companion.spine import Bend, Spine

_BAND = "-205,918 -120,968 0,990 120,968 205,918! 232,970 206,1046 122,1096 0,1116 -122,1096 -206,1046 -232,970!"


def add_scarf(figure: Figure) -> None:
    """Add scarf and bell under ``WarpTorso``."""
    scarf = figure.part("PartScarf", "Scarf", "围巾")
    origin = np.array([CX, 0])
    end = spline("-130,1060! -52,1080! -66,1190 -84,1300! -112,1280 -132,1304! -150,1276 -196,1282! -164,1180", closed=True) + origin
    p = figure.paint("ScarfEnd", Box.around(end, margin=10))
    mask = p.mask(end)
    p.fill(mask, vertical(1060, 1300, (0.0, SCARF_DEEP), (0.4, SCARF), (1.0, SCARF_LIGHT)))
    volume(p, mask, SCARF_SHADE, 14, SCARF_LIGHT)
    contour(p, end)
    axis = Spine(np.array([[CX - 90, 1075.0], [CX - 115, 1180.0], [CX - 140, 1290.0]]))
    three = (-1.0, 0.0, 1.0)
    scarf.mesh(
        "ScarfEnd", "WarpTorso", 395, cell=44, keys={"ParamScarf": three, "ParamScarfTip": three},
        move=lambda rest, v: axis.pose(rest, [Bend(v["ParamScarf"] * 22, 0.0, 0.6), Bend(v["ParamScarfTip"] * 22, 0.4, 1.0)]),
    )
    band = spline(_BAND, closed=True) + origin
    p = figure.paint("Scarf", Box.around(band, margin=10))
    mask = p.mask(band)
    p.fill(mask, vertical(930, 1110, (0.0, SCARF_DEEP), (0.45, SCARF), (1.0, SCARF_LIGHT)))
    volume(p, mask, SCARF_SHADE, 22, SCARF_LIGHT)
    folds = [spline("-196,1040 -120,1056 -60,1046"), spline("200,1040 130,1062 70,1056"), spline("-216,990 -150,1012 -90,1014")]
    strokes(p, [f + origin for f in folds], 6.5)
    contour(p, band)
    scarf.mesh("Scarf", "WarpTorso", 400, cell=60)
    x, y, r = CX, 1112.0, 46.0
    scarf.rotation("RotBell", "WarpTorso", (x, y - 40), {"ParamBell": three}, lambda v: v["ParamBell"] * 24)
    ball = ellipse(x, y, r, r)
    p = figure.paint("Bell", Box.around(ball, margin=9), detail=1.5)
    mask = p.mask(ball)
    p.fill(mask, Radial((x - 14, y - 16), 66, 66, ((0.0, GOLD_LIGHT), (0.45, GOLD), (1.0, GOLD_DEEP))))
    p.fill(p.stroke_mask(spline(f"{x - r},{y - 4} {x},{y + 8} {x + r},{y - 4}"), lambda _t: 7), INK)
    p.fill(p.mask(ellipse(x, y + 16, 8, 8)), INK)
    p.fill(p.stroke_mask(spline(f"{x},{y + 16} {x},{y + 40}"), lambda _t: 6), INK)
    p.fill(p.blur(p.mask(ellipse(x - 16, y - 22, 12, 8)), 1), WHITE.fade(230))
    contour(p, ball, 8)
    scarf.mesh("Bell", "RotBell", 420, cell=34)
