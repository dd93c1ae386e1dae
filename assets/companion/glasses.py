"""Round glasses with a golden rim, which slip a little on the nose."""

import numpy as np

from companion.curves import ellipse, even, spline, tapered
from companion.figure import Figure, Stroke, Strokes, Values
from companion.moc_model import Points
from companion.palette import WHITE
from companion.raster import Box
from companion.space import CX
from companion.worn import DETAIL, PREFIX, SWAY, add_rims, opacity_of, shown_by

_PARAMETER = f"{PREFIX}Glasses"
_X, _Y, _RX, _RY = 176.0, 706.0, 132.0, 124.0
_SEGMENTS = 30
_OVERLAP = 6
"""Points at which the end of a rim covers its beginning: both ends of a ribbon fade."""


def add_glasses(figure: Figure) -> None:
    """Add the glasses under ``WarpHead``, behind the fringe and before eyes and brows."""
    part = figure.part("PartGlasses", "Glasses", "眼镜")
    keys = shown_by(_PARAMETER) | SWAY
    shown = opacity_of(_PARAMETER)
    box = Box(CX - _RX, _Y - _RY, CX + _RX, _Y + _RY).grown(6)
    p = figure.paint("Lens2", box, DETAIL, second=True)
    glass = p.mask(ellipse(CX, _Y, _RX - 4, _RY - 4))
    p.fill(glass, WHITE.fade(26))
    for line, wide in (("-86,30 -40,-20 4,-88", 26.0), ("-50,62 6,0 46,-74", 11.0)):
        gleam = spline(line) + np.array([CX, _Y])
        p.fill(p.blur(p.stroke_mask(gleam, tapered(wide, 0.5, 0.5, 4.0)), 2), WHITE.fade(120))
    for side, letter in ((-1, "R"), (1, "L")):
        part.mesh(
            f"Glass{letter}",
            "WarpHead",
            613,
            cell=100,
            piece="Lens2",
            keys=keys,
            move=_slipping,
            opacity=shown,
            offset=(side * _X, 0.0),
        )
    rims = (
        ("GlassesRim", 613.2, "StripInk", _strokes(23.0)),
        ("GlassesGold", 613.4, "StripGold", _strokes(12.0)),
    )
    add_rims(part, _PARAMETER, rims, _SEGMENTS)


def _slipping(rest: Points, values: Values) -> Points:
    return np.asarray(rest + np.array([[0.0, 7.0 * abs(values["ParamWornSway"])]]))


def _strokes(wide: float) -> Strokes:
    lines = []
    for side in (-1, 1):
        ring = ellipse(CX + side * _X, _Y, _RX, _RY)
        # It begins where the temple covers the seam.
        ring = np.roll(ring, len(ring) // 2, axis=0) if side < 0 else ring
        lines.append((np.concatenate([ring, ring[: _OVERLAP + 1]]), 1))
    bridge = spline(f"{CX - 48},{_Y - 10} {CX},{_Y - 30} {CX + 48},{_Y - 10}")
    lines.append((bridge, 4))
    for side in (-1, 1):
        temple = np.array([(CX + side * (_X + _RX - 4), _Y - 12), (CX + side * 384, _Y - 42)])
        lines.append((temple, 6))

    def strokes(values: Values) -> list[Stroke]:
        sway = values.get("ParamWornSway", 0.0)
        moved = {"ParamWornSway": sway}
        return [Stroke(_slipping(line, moved), even(wide), each) for line, each in lines]

    return strokes
