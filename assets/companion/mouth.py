"""The mouth: a cat's lip line, the inside that opens below it, fangs and tongue."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from companion.curves import ellipse, even, placed, tapered
from companion.figure import Figure, PartBuilder, Shape, Stroke, Values
from companion.head import OPENINGS
from companion.ink import contour, vertical
from companion.moc_model import Points
from companion.palette import MOUTH, MOUTH_DARK, PINK_DEEP, TONGUE, TONGUE_LIGHT, WHITE
from companion.raster import Box
from companion.space import CX

_Y = 828.0
_HALF = 58.0
_COLUMNS = 24
_ROWS = 1
_VOWELS = {
    "ParamA": (1.0, 1.0),
    "ParamI": (1.5, 0.28),
    "ParamU": (0.38, 0.42),
    "ParamE": (1.14, 0.6),
    "ParamO": (0.62, 0.9),
}
"""Width factor and opening of each vowel."""
_KEYS = {"ParamMouthOpenY": (0.0, 1.0), "ParamMouthForm": (-1.0, 0.0, 1.0)} | dict.fromkeys(
    _VOWELS, (0.0, 1.0)
)


@dataclass(frozen=True, slots=True)
class Lips:
    """Upper lip line and lower edge of the mouth, (n, 2) from viewer's left to right."""

    upper: Points
    lower: Points
    gap: float
    """How far the mouth is open, 0..1."""


def lips(values: Values) -> Lips:
    """The mouth at ``values``; missing parameters count as 0."""
    form = values.get("ParamMouthForm", 0.0)
    opened = values.get("ParamMouthOpenY", 0.0)
    spoken = {name: values.get(name, 0.0) for name in _VOWELS}
    share = 1 / max(1.0, sum(spoken.values()))
    wide = 1 + sum((_VOWELS[name][0] - 1) * v * share for name, v in spoken.items())
    gap = max(opened, sum(_VOWELS[name][1] * v * share for name, v in spoken.items()))
    t = np.arange(_COLUMNS + 1) / _COLUMNS
    s = np.round(np.sin((t - 0.5) * np.pi), 9)
    happy, sad = max(0.0, form), max(0.0, -form)
    half = _HALF * wide * (1 + 0.12 * happy - 0.12 * sad * (1 - gap) + 0.16 * sad * gap)
    # The cat's "w": two bows meeting under the nose; sad, it turns into an arch.
    bows = np.abs(np.sin(np.pi * s)) * 17 * (1 - 0.85 * sad) * (1 - 0.35 * gap)
    curl = s * s * (-9 - 14 * happy + 30 * sad)
    upper = _Y - 8 + bows + curl + 8 * sad
    bowl = np.sqrt(np.maximum(0.0, 1 - s * s))
    deep = 84 + 12 * happy - 8 * sad
    # Open, the lower edge is a plain bowl.
    floor = upper - bows * min(1.0, gap * 1.6)
    lower = floor + gap * deep * bowl * (0.85 + 0.15 * bowl)
    x = CX + s * half
    return Lips(np.stack([x, upper], axis=1), np.stack([x, lower], axis=1), gap)


def _sheet(edges: Lips) -> Points:
    """Vertices of the inside, row by row from the upper to the lower edge."""
    span = edges.lower - edges.upper
    return np.concatenate([edges.upper + span * (i / _ROWS) for i in range(_ROWS + 1)])


def add_mouth(figure: Figure) -> None:
    """Add the mouth under ``WarpMuzzle``."""
    mouth = figure.part("PartMouth", "Mouth", "嘴")
    sheet = _sheet(lips({"ParamMouthOpenY": 1.0, "ParamMouthForm": 1.0}))
    box = Box.around(sheet, margin=10)
    p = figure.paint("MouthInside", box)
    corners = np.array(
        [(box.left, box.top), (box.right, box.top), (box.right, box.bottom), (box.left, box.bottom)]
    )
    p.fill(p.mask(corners), vertical(_Y - 10, _Y + 80, (0.0, MOUTH_DARK), (1.0, MOUTH)))
    n = _COLUMNS + 1
    cells = [r * n + c for r in range(_ROWS) for c in range(_COLUMNS)]
    triangles = [t for i in cells for t in ((i, i + 1, i + n), (i + 1, i + n + 1, i + n))]
    mouth.mesh(
        "MouthInside",
        "WarpMuzzle",
        522,
        shape=Shape(sheet, np.array(triangles, dtype=np.int64)),
        keys=_KEYS,
        move=lambda _rest, values: _sheet(lips(values)),
    )
    _tongue(mouth)
    _fangs(mouth)
    _lines(mouth)


def _tongue(mouth: PartBuilder) -> None:
    p = mouth.figure.paint("Tongue", Box(CX - 52, _Y + 10, CX + 52, _Y + 98))
    pink = ((0.0, TONGUE_LIGHT), (0.5, TONGUE), (1.0, TONGUE))
    p.fill(p.mask(ellipse(CX, _Y + 60, 46, 38)), vertical(_Y + 24, _Y + 90, *pink))
    groove = np.array([(CX, _Y + 34), (CX, _Y + 72)])
    p.fill(p.blur(p.stroke_mask(groove, tapered(5, 0.4)), 1), PINK_DEEP)

    def move(rest: Points, values: Values) -> Points:
        floor = float(lips(values).lower[_COLUMNS // 2][1])
        return np.asarray(rest + np.array([[0.0, floor - _Y - 84]]))

    mouth.mesh("Tongue", "WarpMuzzle", 524, cell=88, keys=_KEYS, move=move, masks=OPENINGS)


def _fangs(mouth: PartBuilder) -> None:
    """Two small teeth hanging from the bows of the upper lip."""
    p = mouth.figure.paint("Fangs", Box(CX - 46, _Y - 14, CX + 46, _Y + 30))
    for side in (-1, 1):
        x = CX + side * 30
        tooth = placed("-14,-10! 14,-10! 7,14 0,26! -7,14", x, _Y)
        p.fill(p.mask(tooth), WHITE)
        contour(p, tooth, 3.0, MOUTH_DARK)

    def move(rest: Points, values: Values) -> Points:
        edges = lips(values)
        at = float(edges.upper[_COLUMNS // 4 + 1][1]) - _Y
        wide = float(edges.upper[-1][0] - CX) / _HALF
        reach = min(1.0, edges.gap * 1.6)
        out = rest.copy()
        out[:, 0] = CX + (rest[:, 0] - CX) * wide
        out[:, 1] = _Y + at + (rest[:, 1] - _Y) * reach
        return out

    mouth.mesh("Fangs", "WarpMuzzle", 526, cell=30, keys=_KEYS, move=move, masks=OPENINGS)


def _lines(mouth: PartBuilder) -> None:
    def upper(values: Values) -> Sequence[Stroke]:
        line = lips(values).upper
        stem = np.array([[CX, 798.0], line[_COLUMNS // 2]])
        return [Stroke(line, tapered(9.0, 0.25, 0.25, 0.0)), Stroke(stem, even(6.5), each=12)]

    def lower(values: Values) -> Sequence[Stroke]:
        return [Stroke(lips(values).lower, tapered(7.5, 0.3, 0.3, 0.0))]

    mouth.ribbons("MouthLower", "WarpMuzzle", 528, "StripInk", lower, segments=14, keys=_KEYS)
    mouth.ribbons("MouthUpper", "WarpMuzzle", 530, "StripInk", upper, segments=14, keys=_KEYS)
