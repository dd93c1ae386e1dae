"""Headphones: a band over the head in front of the ears, a padded cup on either side."""

import numpy as np

from companion.curves import ellipse, even, spline
from companion.figure import Figure, Stroke, Strokes, Values
from companion.ink import contour, vertical, volume
from companion.iris import star
from companion.moc_model import Points
from companion.palette import GOLD, GREY, GREY_DEEP, GREY_LIGHT, INK
from companion.raster import Box
from companion.space import CX
from companion.worn import DETAIL, PREFIX, SWAY, add_rims, opacity_of, shown_by

_PARAMETER = f"{PREFIX}Headphones"
_X, _Y = 392.0, 640.0
_BAND = "-396,596 -372,500 -318,408 -226,334 -112,296 0,286 112,296 226,334 318,408 372,500 396,596"


def add_headphones(figure: Figure) -> None:
    """Add the band behind the hair and the cups before cheeks and hair."""
    part = figure.part("PartHeadphones", "Headphones", "耳机")
    keys = shown_by(_PARAMETER) | SWAY
    shown = opacity_of(_PARAMETER)
    rims = (
        ("BandRim", 614.0, "StripInk", _strokes(50.0)),
        ("Band", 614.2, "StripBand", _strokes(34.0)),
    )
    add_rims(part, _PARAMETER, rims, 20)
    cup = ellipse(CX, _Y, 56, 94)
    p = figure.paint("Cup", Box.around(cup, margin=12), DETAIL, second=True)
    mask = p.mask(cup)
    p.fill(mask, vertical(_Y - 94, _Y + 94, (0.0, GREY_LIGHT), (0.5, GREY), (1.0, GREY_DEEP)))
    volume(p, mask, 18, GREY_DEEP, GREY_LIGHT)
    shades = p.palette.scarf
    plate = p.mask(ellipse(CX, _Y, 35, 64))
    p.fill(plate, vertical(_Y - 64, _Y + 64, (0.0, shades.light), (1.0, shades.deep)))
    p.fill(p.stroke_mask(ellipse(CX, _Y, 35, 64), even(6), closed=True), INK)
    p.fill(p.mask(star(CX, _Y, 26)), GOLD)
    contour(p, cup, 9.0)
    for side, letter in ((-1, "R"), (1, "L")):
        part.mesh(
            f"Cup{letter}",
            "WarpHead",
            625,
            cell=70,
            piece="Cup",
            keys=keys,
            move=_rocking,
            opacity=shown,
            offset=(side * _X, 0.0),
        )


def _rocking(rest: Points, values: Values) -> Points:
    """The band goes up on one side and down on the other."""
    out = rest.copy()
    out[:, 1] += (rest[:, 0] - CX) / _X * 7.0 * values["ParamWornSway"]
    return out


def _strokes(wide: float) -> Strokes:
    line = spline(_BAND) + np.array([CX, 0.0])

    def strokes(values: Values) -> list[Stroke]:
        moved = {"ParamWornSway": values.get("ParamWornSway", 0.0)}
        return [Stroke(_rocking(line, moved), even(wide))]

    return strokes
