"""A red paper lantern that hangs from the right paw, upright however the arm is."""

import numpy as np

from companion.arms import ARMS, PALM, lift_of
from companion.curves import ellipse, even, mirror, spline
from companion.figure import Figure, Values
from companion.ink import contour, vertical
from companion.moc_model import Points
from companion.palette import GOLD, GOLD_DEEP, GOLD_LIGHT, INK, RED, RED_DEEP, RED_LIGHT
from companion.raster import Box, Painter, Radial
from companion.space import CX
from companion.worn import DETAIL, PREFIX, SWAY, shown_by

_PARAMETER = f"{PREFIX}Lantern"
_ARM = ARMS[0]
_PALM = mirror(np.array([PALM]), CX)
_X, _Y = float(_PALM[0][0]), float(_PALM[0][1])
_MIDDLE = _Y + 130.0
_RX, _RY = 76.0, 66.0


def add_lantern(figure: Figure) -> None:
    """Add the lantern under ``RotArmR``. Its deformer undoes the turn of the arm."""
    part = figure.part("PartLantern", "Lantern", "灯笼")
    at = (_X, _Y)
    part.rotation("RotLantern", "RotArmR", at, _ARM.keys, _upright, _held)
    part.rotation(
        "RotLanternSway", "RotLantern", at, SWAY, lambda values: values["ParamWornSway"] * 13
    )
    box = Box(_X - 130, _Y - 30, _X + 130, _Y + 310)
    _paint(figure.paint("Lantern", box, DETAIL, second=True))
    part.mesh(
        "Lantern",
        "RotLanternSway",
        709,
        cell=80,
        # At the panel and the keyboard, the paw is busy.
        keys=shown_by(_PARAMETER) | {"ParamPanel": (0.0, 1.0), "ParamKeyboard": (0.0, 1.0)},
        opacity=_shown,
        move=_growing,
    )


def _growing(rest: Points, values: Values) -> Points:
    """Hidden, it is small within the paw, where it needs no larger window."""
    return np.asarray(_PALM + (rest - _PALM) * (0.1 + 0.9 * values[_PARAMETER]))


def _shown(values: Values) -> float:
    return values[_PARAMETER] * (1 - values["ParamPanel"]) * (1 - values["ParamKeyboard"])


def _upright(values: Values) -> float:
    return _ARM.side * lift_of(values["ParamArmRA"])


def _held(values: Values) -> tuple[float, float]:
    x, y = (_ARM.move(_PALM, values) - _PALM)[0]
    return (float(x), float(y))


def _paint(p: Painter) -> None:
    glow = ((0.0, GOLD_LIGHT.fade(150)), (0.55, GOLD.fade(70)), (1.0, GOLD.fade(0)))
    p.fill(p.mask(ellipse(_X, _MIDDLE, 114, 106)), Radial((_X, _MIDDLE), 114, 106, glow))
    p.fill(p.stroke_mask(np.array([(_X, _Y), (_X, _MIDDLE - _RY)]), even(11)), INK)
    paper = ellipse(_X, _MIDDLE, _RX, _RY)
    mask = p.mask(paper)
    light = ((0.0, GOLD_LIGHT), (0.35, RED_LIGHT), (0.75, RED), (1.0, RED_DEEP))
    p.fill(mask, Radial((_X - 8, _MIDDLE + 4), _RX + 6, _RY + 10, light))
    for share in (0.36, 0.72):
        rib = ellipse(_X, _MIDDLE, _RX * share, _RY)
        p.fill(p.stroke_mask(rib, even(5), closed=True), RED_DEEP.fade(190), clip=mask)
    contour(p, paper, 9.0)
    for y in (_MIDDLE - _RY, _MIDDLE + _RY):
        cap = np.array([(_X - 36, y - 12), (_X + 36, y - 12), (_X + 36, y + 12), (_X - 36, y + 12)])
        p.fill(p.mask(cap), vertical(y - 12, y + 12, (0.0, GOLD_LIGHT), (1.0, GOLD_DEEP)))
        p.fill(p.stroke_mask(cap, even(8), closed=True), INK)
    low = _MIDDLE + _RY + 14
    for dx in (-14.0, 0.0, 14.0):
        thread = spline(f"{_X + dx * 0.4},{low} {_X + dx},{low + 28} {_X + dx * 1.2},{low + 54}")
        p.fill(p.stroke_mask(thread, even(14)), INK)
    for dx in (-14.0, 0.0, 14.0):
        thread = spline(f"{_X + dx * 0.4},{low} {_X + dx},{low + 28} {_X + dx * 1.2},{low + 52}")
        p.fill(p.stroke_mask(thread, even(8)), GOLD if dx else GOLD_LIGHT)
