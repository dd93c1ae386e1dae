"""The tail: one fluffy drawing bent along its spine."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from PIL import ImageChops

from companion.curl import INSTANT, SWEEPS, add_sweep_begins, laid_on_its_way
from companion.curves import ellipse, resample, smooth, spline, tube
from companion.figure import Figure, Keys, Values
from companion.ink import leaf, silhouette, strokes, vertical, volume
from companion.moc_model import Points
from companion.raster import Box, Linear, Mask, Painter
from companion.space import CX, SIDES
from companion.spine import Bend, Spine

_SPINE = spline("70,1404 200,1462 350,1456 466,1386 520,1270 520,1130 556,1000 660,872")
_SPINE += np.array([CX, 0.0])
_GIRTH = (
    (0.0, 90.0),
    (0.2, 170.0),
    (0.4, 246.0),
    (0.58, 262.0),
    (0.76, 204.0),
    (0.9, 104.0),
    (1.0, 0.0),
)
_TUFTS = (
    (0.34, 1, 130),
    (0.45, 1, 130),
    (0.56, 1, 130),
    (0.67, 1, 120),
    (0.78, 1, 110),
    (0.66, -1, 110),
    (0.78, -1, 90),
)
"""Fur tufts: place along the spine, side (1 right of the way to the tip), length."""
_ROOT = (CX + 90, 1420.0)
_BEHIND = 0.3
"""How wide the tail is seen while it is straight behind the body."""
_BALANCE = 0.45
_TURNED = 44.0
"""Pixels that the root goes to the other side as the body turns."""
_LENGTH = 1130.0
"""Of the spine, about, in canvas pixels."""
_CREASE = ((-0.004, 0.52), (0.025, 0.43), (0.06, 0.39))
"""A pen stroke inwards: steps back along the spine, and across its girth."""
_TIP_AT = 0.66
_FRINGE = (-0.42, -0.2, 0.02, 0.24, 0.44)


def add_tail(figure: Figure) -> None:
    """Add the tail under ``WarpTorso``."""
    tail = figure.part("PartTail", "Tail", "尾巴")
    _paint(figure)
    three = (-1.0, 0.0, 1.0)
    side = {"ParamTailSide": three}
    wag = {"ParamTailWag": three, "ParamBodyAngleZ": (-10.0, 0.0, 10.0)}
    gone: Keys = {"ParamCurl": (0.0, SWEEPS, SWEEPS + INSTANT, 1.0)}
    tail.rotation(
        "RotTail",
        "WarpLean",
        _ROOT,
        {**wag, **side, **gone, **SIDES},
        _root_angle,
        _root,
        opacity=lambda values: 1.0 if values["ParamCurl"] <= SWEEPS else 0.0,
    )
    spine = Spine(_SPINE)

    def move(rest: Points, values: Values) -> Points:
        wag = values["ParamTailWag"]
        # Away from the body there is room for more; towards it, it curls in behind.
        wag *= 1.3 if wag > 0 else 1.6
        # What hangs on the other side sways in the same direction.
        sway = -1.0 if values["ParamTailSide"] < 0 else 1.0
        bends = [
            Bend(values["ParamTailBase"] * sway * 12 + wag * 9, 0.0, 0.6),
            Bend(values["ParamTailTip"] * sway * 26 + wag * 10, 0.45, 1.0),
        ]
        if values["ParamCurl"] > 0:
            return laid_on_its_way(spine, rest, SWEEPS)
        return _sided(spine.pose(rest, bends), values["ParamTailSide"])

    keys = {"ParamTailBase": three, "ParamTailTip": three, "ParamTailWag": three} | side
    keys |= {"ParamCurl": (0.0, SWEEPS, 1.0)}
    tail.mesh("Tail", "RotTail", 100, cell=76, keys=keys, move=move)
    add_sweep_begins(tail, spine)


def _root_angle(values: Values) -> float:
    """Degrees; it leans less than the body, and so balances it."""
    if values["ParamCurl"] > 0:
        return 0.0
    wag = values["ParamTailWag"]
    lifted = wag * (1 if wag > 0 else 15) * values["ParamTailSide"]
    return lifted - _BALANCE * values["ParamBodyAngleZ"]


def _root(values: Values) -> tuple[float, float]:
    """The root is at that side of the body, and behind it as it turns."""
    if values["ParamCurl"] > 0:
        return (0.0, 0.0)
    side = values["ParamTailSide"]
    behind = -_TURNED * values["ParamBodyAngleX"] / 10
    # There is no room for it farther out.
    behind *= 0.0 if behind * side > 0 else 1.0
    return ((_ROOT[0] - CX) * (side - 1) + behind, 0.0)


def _sided(tail: Points, side: float) -> Points:
    """``tail`` at a side of the body: 1 the character's left, -1 its right, 0 straight behind."""
    across = side if side else _BEHIND
    return np.stack([_ROOT[0] + (tail[:, 0] - _ROOT[0]) * across, tail[:, 1]], axis=1)


def _girth(t: float) -> float:
    for (a, wide), (b, until) in pairwise(_GIRTH):
        if t <= b:
            k = (t - a) / (b - a)
            return wide + (until - wide) * k * k * (3 - 2 * k)
    return 0.0


def _at(t: float, across: float) -> tuple[Points, Points, Points]:
    """A point of the tail ``across`` (-0.5..0.5) its girth, with its unit axes along and across."""
    line = resample(_SPINE, 101)
    i = min(99, max(1, round(t * 100)))
    step = line[i + 1] - line[i - 1]
    along = step / np.sqrt(step[0] * step[0] + step[1] * step[1])
    side = np.array([-along[1], along[0]])
    return line[i] + side * (across * _girth(t)), along, side


def _tuft(t: float, side: int, length: float) -> Points:
    start, along, out = _at(t, side * 0.36)
    knots = [
        start,
        start + along * length * 0.5 + out * side * 16,
        start + along * length + out * side * 34,
    ]
    return leaf(smooth(np.array(knots)), length * 0.46, 0.3, 0.5)


def _paint(figure: Figure) -> None:
    body = tube(resample(_SPINE, 80), _girth)
    shapes = [body, *[_tuft(*spec) for spec in _TUFTS]]
    p = figure.paint("Tail", Box.around(*shapes, margin=12))
    fur = p.palette.fur
    ramp = ((0.0, fur.deep), (0.5, fur.base), (1.0, fur.light))
    mask = silhouette(p, shapes, Linear((CX + 200, 1570), (CX + 480, 900), ramp))
    volume(p, mask, reach=46)
    shadow = p.blur(p.mask(ellipse(CX + 130, 1430, 110, 150)), 22)
    p.fill(shadow, fur.shade.fade(150), clip=mask)
    _tip(p, mask, [_tuft(*spec) for spec in _TUFTS if spec[0] > _TIP_AT])
    _fur(p, mask)


def _tip(p: Painter, mask: Mask, tufts: Sequence[Points]) -> None:
    """The coloured end: it begins in a row of pointed tufts reaching down the tail."""
    line = resample(_SPINE, 101)[round(_TIP_AT * 100) :]
    end = tube(line, lambda t: 1.5 * _girth(_TIP_AT + (1 - _TIP_AT) * t) + 10)
    fringe = []
    for across in _FRINGE:
        start, along, side = _at(_TIP_AT + 0.05, across)
        knots = [
            start + along * 40,
            start - along * 30,
            start - along * (150 - 130 * abs(across)) - side * 16,
        ]
        fringe.append(leaf(smooth(np.array(knots)), 84, 0.4, 0.8))
    shades = p.palette.tail_tip
    shade = vertical(870, 1120, (0.0, shades.glow), (0.45, shades.light), (1.0, shades.base))
    tip = p.mask(end, *tufts, *fringe)
    p.fill(p.blur(p.moved(tip, -8, 6), 4), shades.shade.fade(70), clip=mask)
    tip = ImageChops.multiply(tip, mask)
    p.fill(tip, shade)
    p.shade(tip, shades.shade.fade(120), -30, -20, 18)
    p.shade(tip, shades.glow.fade(190), 14, 12, 8)


def _fur(p: Painter, mask: Mask) -> None:
    """Short pen strokes inwards from the notches between the tufts."""
    for t, side, length in _TUFTS:
        if side > 0 and t > _TIP_AT - 0.02:
            # Towards the tip the tufts leave no notch on this side.
            continue
        # Just past its tip, where the tuft's far edge comes back to the tail.
        at = t + 0.66 * length / _LENGTH
        knots = [_at(at - back, side * across)[0] for back, across in _CREASE]
        strokes(p, [smooth(np.array(knots))], 8, clip=mask, head=0.05)
