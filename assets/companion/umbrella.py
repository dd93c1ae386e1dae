"""An umbrella on the right shoulder, opened behind the head; its crook is at the right paw."""

import numpy as np

from companion.arms import ARMS, lift_of
from companion.curl import CURL, stands
from companion.curves import even, spline
from companion.figure import Figure, Values
from companion.ink import contour, strokes, vertical, volume
from companion.moc_model import Points
from companion.palette import GOLD, GOLD_DEEP, GOLD_LIGHT, INK, PINK_DEEP
from companion.raster import Box
from companion.space import CX
from companion.worn import DETAIL, PREFIX, SWAY, opacity_of, shown_by

_PARAMETER = f"{PREFIX}Umbrella"
_ORIGIN = np.array([CX, 0.0])
_SHOULDER = (CX - 140.0, 1070.0)
_DOME = (
    "-470,470! -440,310 -330,170 -170,98 0,80 170,98 330,170 440,310 470,470! 392,420 306,452! "
    "204,400 104,440! 0,396 -104,440! -204,400 -306,452! -392,420"
)
_RIBS = (
    "0,82 -70,240 -104,436",
    "0,82 70,240 104,436",
    "0,82 -200,190 -306,448",
    "0,82 200,190 306,448",
)
_SHAFT = "-20,300 -120,960 -180,1330"
_CROOK = "-176,1300 -190,1400 -204,1440 -240,1452 -262,1420 -256,1388"


def add_umbrella(figure: Figure) -> None:
    """Add the umbrella under ``WarpTorso``: its dome behind everything, its shaft before the body.
    It follows a part of the way of a lifted arm.
    """
    part = figure.part("PartUmbrella", "Umbrella", "雨伞")
    lifted = {"ParamArmRA": (-60.0, 0.0, 60.0, 150.0)}
    part.rotation(
        "RotUmbrella", "WarpTorso", _SHOULDER, lifted | SWAY | CURL, _leaning, opacity=stands
    )
    dome = spline(_DOME, closed=True) + _ORIGIN
    p = figure.paint("Umbrella", Box.around(dome, margin=14), DETAIL, second=True)
    mask = p.mask(dome)
    p.fill(mask, vertical(80, 470, (0.0, GOLD_LIGHT), (0.4, GOLD), (1.0, GOLD_DEEP)))
    volume(p, mask, 30, GOLD_DEEP, GOLD_LIGHT)
    strokes(p, [spline(rib) + _ORIGIN for rib in _RIBS], 9.0, GOLD_DEEP, clip=mask)
    contour(p, dome, 9.0)
    keys, shown = shown_by(_PARAMETER), opacity_of(_PARAMETER)
    part.mesh("Umbrella", "RotUmbrella", 40, cell=110, keys=keys, move=_opening, opacity=shown)
    shaft = spline(_SHAFT) + _ORIGIN
    crook = spline(_CROOK) + _ORIGIN
    p = figure.paint("UmbrellaShaft", Box.around(shaft[8:], crook, margin=20), DETAIL, second=True)
    p.fill(p.stroke_mask(shaft, even(24)), INK)
    p.fill(p.stroke_mask(shaft, even(11)), GOLD_LIGHT)
    p.fill(p.stroke_mask(crook, even(38)), INK)
    p.fill(p.stroke_mask(crook, even(22)), PINK_DEEP)
    part.mesh("UmbrellaShaft", "RotUmbrella", 378, cell=110, keys=keys, opacity=shown)


def _leaning(values: Values) -> float:
    lift = max(-10.0, min(60.0, lift_of(values["ParamArmRA"])))
    return -ARMS[0].side * 0.08 * lift + 1.5 * values["ParamWornSway"]


def _opening(rest: Points, values: Values) -> Points:
    """Hidden, it is folded behind the head, where it needs no larger window."""
    open_ = values[_PARAMETER]
    middle = np.array([[CX, 560.0]])
    return np.asarray(
        middle + (rest - middle) * np.array([[0.35 + 0.65 * open_, 0.6 + 0.4 * open_]])
    )
