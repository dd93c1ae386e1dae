"""A Santa hat between the ears: a fur brim over the fringe, and a tip that hangs to the left."""

import numpy as np

from companion.curves import ellipse, spline, tube
from companion.figure import Figure, Values
from companion.ink import contour, silhouette, strokes, vertical, volume
from companion.moc_model import Points
from companion.palette import GREY, GREY_DEEP, GREY_LIGHT, RED, RED_DEEP, RED_LIGHT, WHITE
from companion.raster import Box, Painter
from companion.space import CX
from companion.spine import Bend, Spine
from companion.worn import DETAIL, PREFIX, SWAY, add_hat_warp, opacity_of, shown_by

_PARAMETER = f"{PREFIX}SantaHat"
_ORIGIN = np.array([CX, 0.0])
_DOME = "-206,372! -192,280 -132,178 -10,126 104,144 184,226 206,372! 100,330 0,318 -100,330"
_BRIM = "-226,392 -120,346 0,330 120,346 226,392"
_TIP = "-30,130 70,112 160,136 226,204 262,296! 236,320 206,312! 172,250 110,204 20,182"
_POMPOM = (246.0, 326.0)
_TIP_AXIS = np.array([[CX + 30, 146.0], [CX + 170, 178.0], [CX + 246, 326.0]])


def add_santa_hat(figure: Figure) -> None:
    """Add the hat under ``RotHead``; it turns with the lock that it covers."""
    part = figure.part("PartSantaHat", "Santa hat", "圣诞帽")
    box = Box(CX - 320, 30, CX + 360, 460)
    add_hat_warp(part, "WarpSantaHat", box)
    shown = opacity_of(_PARAMETER)
    dome = spline(_DOME, closed=True) + _ORIGIN
    brim = _curls(spline(_BRIM) + _ORIGIN)
    p = figure.paint("SantaHat", Box.around(dome, *brim, margin=12), DETAIL, second=True)
    _cloth(p, dome)
    creases = ("-150,316 -122,240 -64,188", "150,306 138,250 110,210")
    strokes(p, [spline(crease) + _ORIGIN for crease in creases], 7.0, RED_DEEP)
    _fur(p, brim)
    part.mesh("SantaHat", "WarpSantaHat", 623, cell=80, keys=shown_by(_PARAMETER), opacity=shown)
    tip = spline(_TIP, closed=True) + _ORIGIN
    ball = ellipse(CX + _POMPOM[0], _POMPOM[1], 48, 46)
    p = figure.paint("SantaTip", Box.around(tip, ball, margin=12), DETAIL, second=True)
    _cloth(p, tip)
    _fur(p, [ball])
    axis = Spine(_TIP_AXIS)

    def swing(rest: Points, values: Values) -> Points:
        sway = values["ParamWornSway"]
        return axis.pose(rest, [Bend(sway * 8, 0.1, 0.6), Bend(sway * 18, 0.4, 1.0)])

    keys = shown_by(_PARAMETER) | SWAY
    part.mesh("SantaTip", "WarpSantaHat", 624, cell=70, keys=keys, move=swing, opacity=shown)


def _cloth(p: Painter, shape: Points) -> None:
    mask = p.mask(shape)
    top, bottom = float(shape[:, 1].min()), float(shape[:, 1].max())
    p.fill(mask, vertical(top, bottom, (0.0, RED_LIGHT), (0.35, RED), (1.0, RED_DEEP)))
    volume(p, mask, 22, RED_DEEP, RED_LIGHT)
    contour(p, shape, 9.0)


def _fur(p: Painter, shapes: list[Points]) -> None:
    mask = silhouette(p, shapes, GREY_LIGHT, 9.0)
    low = float(max(shape[:, 1].max() for shape in shapes))
    high = float(min(shape[:, 1].min() for shape in shapes))
    p.fill(mask, vertical(high, low, (0.0, WHITE), (0.55, GREY_LIGHT), (1.0, GREY)))
    volume(p, mask, 16, GREY_DEEP, WHITE)


def _curls(line: Points) -> list[Points]:
    """A band of fur along ``line`` with a wavy outline."""
    curls = [tube(line, lambda _t: 66.0)]
    for at in np.arange(9) / 8:
        x, y = line[round(float(at) * (len(line) - 1))]
        curls.append(ellipse(float(x), float(y), 40, 41))
    return curls
