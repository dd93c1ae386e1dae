"""The mouth: a cat's lip line, the inside that opens below it, teeth and tongue."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from companion.curves import ellipse, even, tapered
from companion.figure import Figure, PartBuilder, Shape, Stroke, Values
from companion.ink import vertical
from companion.moc_model import Points
from companion.palette import MOUTH, MOUTH_DARK, TONGUE, TONGUE_LIGHT, WHITE
from companion.raster import Box
from companion.space import CX

_Y = 822.0
_HALF = 54.0
_COLUMNS = 16
_ROWS = 4
_KEYS = {
    "ParamMouthOpenY": (0.0, 1.0),
    "ParamMouthForm": (-1.0, 0.0, 1.0),
    "ParamA": (0.0, 1.0),
    "ParamI": (0.0, 1.0),
    "ParamU": (0.0, 1.0),
    "ParamE": (0.0, 1.0),
    "ParamO": (0.0, 1.0),
}
_VOWELS = {"ParamA": (1.0, 1.0), "ParamI": (1.18, 0.3), "ParamU": (0.5, 0.42), "ParamE": (1.1, 0.58), "ParamO": (0.66, 0.85)}
"""Width factor and opening of each vowel."""


@dataclass(frozen=True, slots=True)
class Lips:
    """Upper lip line and lower edge of the mouth, (n, 2) from viewer's left to right."""

    upper: Points
    lower: Points


def lips(values: Values) -> Lips:
    """The mouth at ``values``; missing parameters count as 0."""
    form = values.get("ParamMouthForm", 0.0)
    opened = values.get("ParamMouthOpenY", 0.0)
    spoken = {name: values.get(name, 0.0) for name in _VOWELS}
    total = sum(spoken.values())
    share = 1 / max(1.0, total)
    wide = 1 + sum((_VOWELS[n][0] - 1) * v * share for n, v in spoken.items())
    gap = max(opened, sum(_VOWELS[n][1] * v * share for n, v in spoken.items()))
    s = np.arange(_COLUMNS + 1) / _COLUMNS * 2 - 1
    half = _HALF * wide * (1 + 0.1 * form) * (1 - 0.08 * gap)
    happy, sad = max(0.0, form), max(0.0, -form)
    # The cat's "w": two bows meeting under the nose.
    bows = np.abs(np.sin(np.pi * s)) * (15 + 3 * happy) * (1 - 0.65 * sad) * (1 - 0.35 * gap)
    curl = s * s * (-9 - 12 * happy + 24 * sad)
    upper = _Y - 6 + bows + curl + 6 * sad
    bowl = np.sqrt(np.maximum(0.0, 1 - s * s)) * (0.8 + 0.2 * (1 - s * s))
    lower = upper + gap * (78 + 10 * happy - 14 * sad) * bowl
    x = CX + s * half
    return Lips(np.stack([x, upper], axis=1), np.stack([x, lower], axis=1))


def _sheet(edges: Lips) -> Points:
    """Vertices of the inside: rows from the upper to the lower edge, with a small overlap."""
    rows = [edges.upper + [0, -2]]
    rows += [edges.upper + (edges.lower - edges.upper) * (i / _ROWS) for i in range(1, _ROWS)]
    rows.append(edges.lower)
    return np.concatenate(rows)


def add_mouth(figure: Figure) -> None:
    """Add the mouth under ``WarpMuzzle``."""
    mouth = figure.part("PartMouth", "Mouth", "嘴")
    full = lips({"ParamMouthOpenY": 1.0})
    sheet = _sheet(full)
    p = figure.paint("MouthInside", Box.around(sheet, margin=10))
    box = np.array([(0.0, 0.0), (1400.0, 0.0), (1400.0, 1600.0), (0.0, 1600.0)])
    p.fill(p.mask(box), vertical(_Y, _Y + 80, (0.0, MOUTH_DARK), (1.0, MOUTH)))
    n = _COLUMNS + 1
    triangles = np.array([
        t
        for r in range(_ROWS)
        for c in range(_COLUMNS)
        for t in ((r * n + c, r * n + c + 1, r * n + n + c), (r * n + c + 1, r * n + n + c + 1, r * n + n + c))
    ], dtype=np.int64)
    mouth.mesh("MouthInside", "WarpMuzzle", 522, shape=Shape(sheet, triangles), keys=_KEYS, move=lambda _r, v: _sheet(lips(v)))
    _tongue(mouth)
    _lines(mouth)


def _tongue(mouth: PartBuilder) -> None:
    p = mouth.figure.paint("Tongue", Box(CX - 46, _Y + 18, CX + 46, _Y + 96))
    p.fill(p.mask(ellipse(CX, _Y + 62, 40, 32)), vertical(_Y + 30, _Y + 90, (0.0, TONGUE_LIGHT), (0.5, TONGUE), (1.0, TONGUE)))

    def move(rest: Points, v: Values) -> Points:
        edges = lips(v)
        drop = float(edges.lower[_COLUMNS // 2][1] - _Y)
        return rest + np.array([[0.0, drop - 86]])

    mouth.mesh("Tongue", "WarpMuzzle", 524, cell=40, keys=_KEYS, move=move, masks=["MouthInside"])


def _lines(mouth: PartBuilder) -> None:
    def upper(v: Values) -> Sequence[Stroke]:
        edges = lips(v)
        stem = np.array([[CX, 796.0], [CX, float(edges.upper[_COLUMNS // 2][1])]])
        return [Stroke(edges.upper, tapered(8.5, 0.3, 0.3, 4.0)), Stroke(stem, even(6.0))]

    def lower(v: Values) -> Sequence[Stroke]:
        return [Stroke(lips(v).lower, tapered(7.0, 0.3, 0.3, 3.0))]

    mouth.ribbons("MouthLower", "WarpMuzzle", 528, "StripInk", lower, {}, 16, _KEYS)
    mouth.ribbons("MouthUpper", "WarpMuzzle", 530, "StripInk", upper, {}, 16, _KEYS)
