"""The iris with its lights, and the star, heart and spiral that replace them in some moods."""

import numpy as np

from companion.curves import ellipse, even, placed, smooth, tapered
from companion.figure import PartBuilder, Scalar, Values, always
from companion.head import OPENINGS
from companion.ink import vertical
from companion.moc_model import Points
from companion.palette import HEART, INK_DEEP, PINK_LIGHT, PUPIL, WHITE
from companion.raster import Box, Painter, Radial
from companion.space import CX, rotated

_THREE = (-1.0, 0.0, 1.0)
_RX, _RY = 76.0, 98.0
_MOODS = {"Heart": "ParamHeart", "Star": "ParamSparkle", "Spiral": "ParamDizzy"}
"""The parameter that shows each drawing that replaces the lights of the iris."""


def add_iris(part: PartBuilder, letter: str, parent: str, x: float, y: float) -> None:
    """Add the iris of one eye, its middle at (x, y), clipped to the white."""
    warp = f"WarpIris{letter}"
    box = Box(x - 110, y - 130, x + 110, y + 130)
    gaze = {"ParamEyeBallX": _THREE, "ParamEyeBallY": _THREE}

    def look(rest: Points, values: Values) -> Points:
        step = (values["ParamEyeBallX"] * 28, -values["ParamEyeBallY"] * 24)
        return np.asarray(rest + np.array([step]))

    part.warp(warp, parent, box, (3, 3), gaze, look)
    middle = np.array([[x, y]])

    def swell(rest: Points, values: Values) -> Points:
        factor = 1 + values["ParamEyeBallForm"] * (0.12 if values["ParamEyeBallForm"] > 0 else 0.3)
        return np.asarray(middle + (rest - middle) * factor)

    def whirl(rest: Points, values: Values) -> Points:
        return rotated(swell(rest, values), (x, y), 50 * values["ParamFloat"])

    size = {"ParamEyeBallForm": _THREE}
    for name, order, cell, paint in (
        ("Iris", 542, 60, _paint_iris),
        ("Heart", 546, 72, _paint_heart),
        ("Shine", 549, 80, _paint_shine),
        ("Star", 549, 72, _paint_star),
        ("Spiral", 550, 72, _paint_spiral),
    ):
        # Both eyes show the same drawings, made around the axis of the figure.
        if name not in part.figure.painters:
            half = Box(CX - 84, y - 106, CX + 84, y + 106)
            paint(part.figure.paint(name, half, 1.0 if name == "Spiral" else 1.15), CX, y)
        mood = _MOODS.get(name)
        keys: dict[str, tuple[float, ...]] = {**size}
        if mood is not None:
            keys[mood] = (0.0, 1.0)
        if name == "Spiral":
            keys["ParamFloat"] = _THREE
        part.mesh(
            f"{name}{letter}",
            warp,
            order,
            piece=name,
            offset=(x - CX, 0.0),
            cell=cell,
            keys=keys,
            move=whirl if name == "Spiral" else swell,
            opacity=_mood(mood) if mood else always(1.0),
            masks=OPENINGS,
        )


def _mood(parameter: str) -> Scalar:
    return lambda values: values[parameter]


def _paint_iris(p: Painter, x: float, y: float) -> None:
    p.fill(p.mask(ellipse(x, y, _RX, _RY)), INK_DEEP)
    inner = p.mask(ellipse(x, y + 2, _RX - 7, _RY - 8))
    shades = p.palette.iris
    p.fill(
        inner, vertical(y - 92, y + 92, (0.0, shades.top), (0.52, shades.middle), (1.0, shades.low))
    )
    for i in range(15):
        # Fine rays from the pupil down into the lit half.
        dx = (i - 7) * 11.0
        ray = np.array([(x + dx * 0.4, y + 30), (x + dx * 1.05, y + 92 - abs(dx) * 0.45)])
        p.fill(p.stroke_mask(ray, tapered(5, 0.6)), shades.glow.fade(90), clip=inner)
    glow = ((0.0, shades.glow.fade(255)), (0.5, shades.low.fade(160)), (1.0, shades.low.fade(0)))
    p.fill(inner, Radial((x, y + 74), 66, 56, glow))
    p.fill(p.mask(ellipse(x, y - 4, 33, 46)), PUPIL)
    p.fill(p.blur(p.mask(ellipse(x, y - 96, 84, 62)), 8), INK_DEEP.fade(190), clip=inner)


def _paint_shine(p: Painter, x: float, y: float) -> None:
    p.fill(p.mask(ellipse(x - 26, y - 42, 26, 31)), WHITE)
    p.fill(p.mask(ellipse(x + 31, y + 36, 13, 14)), WHITE.fade(240))
    p.fill(p.mask(ellipse(x + 38, y - 16, 7, 8)), WHITE.fade(220))
    p.fill(p.mask(ellipse(x - 40, y + 12, 6, 7)), WHITE.fade(180))


def _paint_star(p: Painter, x: float, y: float) -> None:
    for cx, cy, size in ((x + 6, y + 4, 40.0), (x + 34, y + 48, 20.0), (x - 34, y + 44, 15.0)):
        p.fill(p.mask(star(cx, cy, size)), WHITE)


def _paint_spiral(p: Painter, x: float, y: float) -> None:
    p.fill(p.mask(ellipse(x, y, _RX, _RY)), INK_DEEP)
    p.fill(p.mask(ellipse(x, y, _RX - 8, _RY - 9)), WHITE)
    turns = np.arange(37) / 36
    angle = turns * 2.6 * 2 * np.pi
    reach = np.stack([np.cos(angle) * (_RX - 18), np.sin(angle) * (_RY - 22)], axis=1)
    # Rounded, since cosines differ in the last digit between machines.
    line = np.round(np.array([[x, y]]) + reach * turns[:, None], 3)
    p.fill(p.stroke_mask(smooth(line), even(13)), INK_DEEP)


def star(x: float, y: float, size: float) -> Points:
    """A closed four-pointed star, ``size`` from its middle to a point."""
    text = "0,-1! 0.2,-0.2 1,0! 0.2,0.2 0,1! -0.2,0.2 -1,0! -0.2,-0.2"
    return placed(text, x, y, size)


def heart(x: float, y: float, size: float) -> Points:
    """A closed heart about ``2 * size`` wide with its middle at (x, y)."""
    text = "0,-0.45! 0.45,-0.88 0.98,-0.5 0.8,0.15 0,0.95! -0.8,0.15 -0.98,-0.5 -0.45,-0.88"
    return placed(text, x, y, size)


def _paint_heart(p: Painter, x: float, y: float) -> None:
    p.fill(p.blur(p.mask(heart(x, y + 4, 56)), 3), WHITE.fade(120))
    p.fill(p.mask(heart(x, y + 4, 48)), vertical(y - 40, y + 50, (0.0, HEART), (1.0, PINK_LIGHT)))
