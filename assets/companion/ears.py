"""The ears: they turn behind the head, droop, and sway at their tips."""

import numpy as np
from PIL import ImageChops

from companion.curves import mirror, spline
from companion.figure import Figure, Move, Scalar, Values
from companion.ink import contour, strokes, vertical, volume
from companion.moc_model import Points
from companion.palette import EAR_LINE, PINK, PINK_DEEP, PINK_LIGHT, SNOW_SHADE
from companion.raster import Box, Painter
from companion.space import CX, HEAD_KEYS, shifted
from companion.spine import Bend, Spine

_OUTER = "86,400 112,290 176,170 290,58! 334,150 366,280 364,384 334,486 240,540"
_INNER = "146,420 162,316 204,222 281,138! 312,220 330,312 326,400 300,500 220,520"
_TIP = "60,20! 420,20! 420,214! 356,196 330,222 300,192 268,226 236,190 196,214 150,176!"
_AXIS = np.array([[CX + 250, 500.0], [CX + 262, 280.0], [CX + 290, 60.0]])


def add_ears(figure: Figure) -> None:
    """Add both ears under ``RotHead``."""
    for letter, side, name, chinese in (
        ("R", -1, "Right ear", "右耳"),
        ("L", 1, "Left ear", "左耳"),
    ):
        ear = figure.part(f"PartEar{letter}", name, chinese)
        pivot = (CX + side * 235, 470.0)
        box = Box(CX + side * 240 - 200, 20, CX + side * 240 + 200, 600)
        ear.warp(f"WarpEar{letter}Turn", "RotHead", box, (5, 5), HEAD_KEYS, _turn(side))
        droop = {f"ParamEarDroop{letter}": (-1.0, 0.0, 1.0)}
        ear.rotation(
            f"RotEar{letter}",
            f"WarpEar{letter}Turn",
            pivot,
            droop,
            _droop_angle(side, f"ParamEarDroop{letter}"),
        )
        _paint(figure.paint(f"Ear{letter}", _box(side)), side)
        axis = Spine(_sided(_AXIS, side))
        sway = {f"ParamEar{letter}": (-1.0, 0.0, 1.0)} | droop
        ear.mesh(
            f"Ear{letter}",
            f"RotEar{letter}",
            320,
            cell=46,
            keys=sway,
            move=_bend(axis, side, letter),
        )


def _turn(side: int) -> Move:
    """Behind the head's axis; the ear turned away narrows, the other keeps its size."""
    shift = shifted(8, -30)

    def move(rest: Points, values: Values) -> Points:
        pivot = CX + side * 235
        factor = 1 - 0.13 * max(0.0, side * values["ParamAngleX"] / 30)
        out = rest.copy()
        out[:, 0] = pivot + (rest[:, 0] - pivot) * factor
        return shift(out, values)

    return move


def _droop_angle(side: int, name: str) -> Scalar:
    return lambda values: side * (34 if values[name] > 0 else 8) * values[name]


def _bend(axis: Spine, side: int, letter: str) -> Move:
    def move(rest: Points, values: Values) -> Points:
        sway = values[f"ParamEar{letter}"] * 16
        fold = side * max(0.0, values[f"ParamEarDroop{letter}"]) * 40
        return axis.pose(rest, [Bend(sway + fold, 0.25, 1.0)])

    return move


def _sided(line: Points, side: int) -> Points:
    return line if side > 0 else mirror(line, CX)


def _shape(text: str, side: int) -> Points:
    return _sided(spline(text, closed=True) + np.array([CX, 0]), side)


def _box(side: int) -> Box:
    return Box.around(_shape(_OUTER, side), margin=10)


def _paint(p: Painter, side: int) -> None:
    outer = _shape(_OUTER, side)
    inner = _shape(_INNER, side)
    mask = p.mask(outer)
    p.fill(mask, vertical(60, 480, (0.0, p.palette.fur.light), (1.0, p.palette.fur.base)))
    volume(p, mask, reach=22)
    tip = ImageChops.multiply(p.mask(_shape(_TIP, side)), mask)
    shades = p.palette.hair
    p.fill(tip, vertical(60, 230, (0.0, shades.deep), (0.5, shades.base), (1.0, shades.light)))
    p.shade(tip, shades.shade.fade(110), -14, -6, 8)
    p.shade(tip, shades.glow.fade(150), 10, 8, 6)
    inside = p.mask(inner)
    p.fill(inside, vertical(150, 480, (0.0, PINK_DEEP), (0.4, PINK), (1.0, PINK_LIGHT)))
    p.shade(inside, PINK_DEEP.fade(150), 14 * side, 12, 8)
    tuft = _shape(
        "96,440 120,372 158,300! 168,352! 190,290 226,236! 228,318! 252,280 280,262! 276,342! "
        "300,318 318,314! 312,400 270,520 160,520",
        side,
    )
    fluff = p.mask(tuft)
    p.fill(p.blur(p.moved(fluff, 4 * side, -8), 4), PINK_DEEP.fade(110), clip=inside)
    p.fill(
        fluff,
        vertical(250, 470, (0.0, p.palette.fur.glow), (0.6, p.palette.fur.glow), (1.0, SNOW_SHADE)),
        clip=mask,
    )
    lines = ("168,352 160,384 158,412", "228,318 214,362 208,410", "276,342 258,384 250,424")
    hairs = [_sided(spline(line) + np.array([CX, 0]), side) for line in lines]
    strokes(p, hairs, 5, EAR_LINE, clip=mask)
    contour(p, outer)
