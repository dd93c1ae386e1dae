"""The eyes: whites shaped by the lids, irises clipped to them, lashes as line art."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from companion.curves import smooth, tapered
from companion.figure import Figure, PartBuilder, Shape, Stroke, Strokes, Values
from companion.head import OPENINGS
from companion.ink import vertical
from companion.iris import add_iris
from companion.moc_model import Points
from companion.palette import SNOW_SHADE, WHITE
from companion.raster import Box
from companion.space import CX, HEAD_KEYS, shifted

_X, _Y = 168.0, 704.0
_HALF = 92.0
_SAMPLES = 24
_THREE = (-1.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Lids:
    """The lid lines of one eye, each (n, 2) in canvas pixels from the inner to the outer corner."""

    upper: Points
    lower: Points


@dataclass(frozen=True, slots=True)
class Eye:
    """One eye: ``side`` is 1 for the character's left eye, on the viewer's right."""

    letter: str
    side: int

    @property
    def x(self) -> float:
        """The middle of the eye, canvas pixels."""
        return CX + self.side * _X

    @property
    def y(self) -> float:
        """The height of the eye's corners, canvas pixels."""
        return _Y

    @property
    def warp(self) -> str:
        """The deformer that carries the eye."""
        return f"WarpEye{self.letter}"

    @property
    def lid_keys(self) -> dict[str, tuple[float, ...]]:
        """The parameters of the lids with their keys."""
        return {
            f"ParamEye{self.letter}Open": (0.0, 0.45, 1.0, 1.3),
            f"ParamEye{self.letter}Smile": (0.0, 1.0),
            "ParamEyeForm": _THREE,
        }

    def opened(self, values: Values) -> float:
        """How far the eye opens at ``values``; 1 if they do not say."""
        opened = values.get(f"ParamEye{self.letter}Open", 1.0)
        # Wider than wide open, the lid would run into the brow.
        return min(opened, 1 + (opened - 1) * 0.5)

    def lids(self, values: Values) -> Lids:
        """The lids at ``values``, which may lack parameters at their defaults."""
        smile = values.get(f"ParamEye{self.letter}Smile", 0.0)
        opened, form = self.opened(values), values.get("ParamEyeForm", 0.0)
        # Even steps along the rim, not across the eye: the corners are round.
        t = np.arange(_SAMPLES + 1) / _SAMPLES
        s = np.sin((t - 0.5) * np.pi)
        k = (s + 1) / 2
        dome = np.sqrt(np.maximum(0.0, 1 - s * s))
        arc = 1 - s * s
        full = dome * (0.72 + 0.28 * dome)
        slant = 34 * (1 - k) * form if form > 0 else 40 * k * -form
        top = -118 * full + (3 - 5 * k) + slant * dome * 1.2
        low = 92 * full * (1 - 0.1 * s) - smile * 58 * arc
        shut = (36 + 20 * arc) * (1 - smile) + (42 - 72 * arc) * smile + 5 * k
        shut = shut + 16 * k * max(0.0, -form) * (1 - smile)
        upper = shut + (top - shut) * opened
        # Half closed, the lid keeps its arch: a straight one looks cross.
        upper = upper - 40 * arc * max(0.0, 4 * opened * (1 - opened))
        lower = shut + (low - shut) * min(1.0, opened)
        x = self.x + self.side * s * (_HALF + 14 * max(0.0, opened - 1))
        return Lids(np.stack([x, _Y + upper], axis=1), np.stack([x, _Y + lower], axis=1))


EYES = (Eye("R", -1), Eye("L", 1))


def add_eyes(figure: Figure) -> None:
    """Add both eyes under ``WarpHead``."""
    for eye, name, chinese in zip(EYES, ("Right eye", "Left eye"), ("右眼", "左眼"), strict=True):
        part = figure.part(f"PartEye{eye.letter}", name, chinese)
        box = Box(eye.x - 160, _Y - 180, eye.x + 160, _Y + 150)
        part.warp(eye.warp, "WarpHead", box, (5, 5), HEAD_KEYS, shifted(12, 5))
        _white(part, eye)
        add_iris(part, eye.letter, eye.warp, eye.x - eye.side * 5, _Y - 8)
        _lines(part, eye)


def _white(part: PartBuilder, eye: Eye) -> None:
    name = f"EyeWhite{eye.letter}"
    rest = eye.lids({})
    loop = np.concatenate([rest.upper, rest.lower[::-1]])
    p = part.figure.paint(name, Box.around(loop, margin=12))
    shade = ((0.0, SNOW_SHADE), (0.45, WHITE), (1.0, WHITE))
    p.fill(p.mask(loop), vertical(_Y - 110, _Y + 90, *shade))

    def move(_rest: Points, values: Values) -> Points:
        return _rings(eye.lids(values), eye).art

    part.mesh(name, eye.warp, 540, shape=_rings(rest, eye), keys=eye.lid_keys, move=move)


def _rings(lids: Lids, eye: Eye) -> Shape:
    """A mesh from lid to lid, and a ring about it to just past the rim."""
    upper, lower = lids.upper[::2], lids.lower[::2]
    loop = np.concatenate([upper, lower[-2:0:-1]])
    out = loop - np.array([[eye.x, _Y]])
    size = np.sqrt(out[:, 0] * out[:, 0] + out[:, 1] * out[:, 1])[:, None]
    n, last = len(loop), len(upper) - 1
    art = np.concatenate([loop, loop + out / np.maximum(size, 1.0) * 6])
    triangles: list[tuple[int, int, int]] = []
    for i in range(n):
        j = (i + 1) % n
        triangles += _quad(i, j, n + i, n + j)
    for i in range(last):
        # The lids meet in both corners, where a half is nothing.
        halves = _quad(i, i + 1, -i % n, n - i - 1)
        triangles += [half for half in halves if len(set(half)) == 3]
    return Shape(art, np.array(triangles, dtype=np.int64))


def _quad(a: int, b: int, c: int, d: int) -> list[tuple[int, int, int]]:
    return [(a, b, c), (b, d, c)]


def _lash_width(t: float) -> float:
    """Broad enough at the inner corner to cover the rim of the white, pointed at the wing."""
    if t < 0.7:
        return 1 + 8 * min(1.0, t / 0.14) + 14 * (t / 0.7) * (2 - t / 0.7)
    k = (1 - t) / 0.3
    return 23 * k * (2 - k)


def _lash(eye: Eye) -> Strokes:
    def strokes(values: Values) -> Sequence[Stroke]:
        upper = eye.lids(values).upper
        droop = 1 - min(1.0, eye.opened(values))
        out = np.array([eye.side, 1.0])
        corner = upper[-1]
        sad = max(0.0, -values.get("ParamEyeForm", 0.0))
        tip = corner + out * [32, -16 + 24 * droop + 8 * sad]
        sweep = np.concatenate([upper[:-6:2], [(upper[-5] + corner) / 2 + out * [7, 3], tip]])
        spike = [upper[-9], upper[-9] + out * [18, -9], upper[-9] + out * [34, -30 + 16 * droop]]
        return [
            Stroke(smooth(sweep), _lash_width),
            Stroke(upper[-7:], tapered(13, 0.1, 1.0, 0.0), each=3),
            Stroke(smooth(np.array(spike)), tapered(13, 0.05, 1.0, 0.0), each=3),
        ]

    return strokes


def _lines(part: PartBuilder, eye: Eye) -> None:
    def rim(values: Values) -> Sequence[Stroke]:
        return [Stroke(eye.lids(values).lower[4:-2], tapered(6.5, 0.6, 0.5, 0.0))]

    def crease(values: Values) -> Sequence[Stroke]:
        lift = np.array([0.0, -19.0])
        return [Stroke(eye.lids(values).upper[9:-6] + lift, tapered(5.0, 0.5, 0.5, 0.0))]

    def shade(values: Values) -> Sequence[Stroke]:
        drop = np.array([0.0, 12.0])
        return [Stroke(eye.lids(values).upper + drop, tapered(40, 0.4, 0.4, 0.0))]

    letter, keys = eye.letter, eye.lid_keys
    part.ribbons(
        f"LidShade{letter}",
        eye.warp,
        547,
        "StripShade",
        shade,
        segments=8,
        keys=keys,
        masks=OPENINGS,
    )
    part.ribbons(
        f"LowerLid{letter}",
        eye.warp,
        548,
        "StripInk",
        rim,
        segments=8,
        keys=keys,
        opacity=lambda values: 0.85 * min(1.0, eye.opened(values)),
    )
    part.ribbons(f"Crease{letter}", eye.warp, 549, "StripLine", crease, segments=8, keys=keys)
    part.ribbons(f"Lash{letter}", eye.warp, 550, "StripInk", _lash(eye), segments=16, keys=keys)
