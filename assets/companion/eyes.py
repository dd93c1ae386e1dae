"""The eyes: whites shaped by the lids, irises clipped to them, lashes as line art."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from companion.curves import ellipse, spline, tapered
from companion.figure import STRIP, Figure, PartBuilder, Shape, Stroke, Values
from companion.ink import vertical
from companion.moc_model import Points
from companion.palette import (
    INK_DEEP,
    IRIS_LOW,
    IRIS_MID,
    IRIS_TOP,
    MINT,
    PUPIL,
    SNOW_SHADE,
    WHITE,
)
from companion.raster import Box, Painter, Radial
from companion.space import CX, HEAD_KEYS, shifted

_X, _Y = 166.0, 694.0
_HALF = 90.0
_SAMPLES = 24
_THREE = (-1.0, 0.0, 1.0)
_REST = {"open": 1.0, "smile": 0.0, "form": 0.0}


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
        return CX + self.side * _X

    @property
    def lid_keys(self) -> dict[str, tuple[float, ...]]:
        return {
            f"ParamEye{self.letter}Open": (0.0, 1.0, 1.3),
            f"ParamEye{self.letter}Smile": (0.0, 1.0),
            "ParamEyeForm": _THREE,
        }

    def lids(self, values: Values) -> Lids:
        """The lids at ``values``, which may lack parameters at their defaults."""
        opened = values.get(f"ParamEye{self.letter}Open", 1.0)
        smile = values.get(f"ParamEye{self.letter}Smile", 0.0)
        return self.placed(opened, smile, values.get("ParamEyeForm", 0.0))

    def placed(self, opened: float, smile: float, form: float) -> Lids:
        """Lids from how far they open, smile (lower lid up) and slant (-1 sad, 1 angry)."""
        t = np.arange(_SAMPLES + 1) / _SAMPLES
        s = 2 * t - 1
        dome = np.sqrt(np.maximum(0.0, 1 - s * s))
        full = dome * (0.75 + 0.25 * dome)
        arc = 1 - s * s
        top = -116 * full + (8 - 10 * t) + form * (30 * (1 - t) if form > 0 else 34 * t) * (
            1 if form > 0 else -1
        ) * dome * 1.2
        low = 94 * full * (1 - 0.1 * s) - smile * 62 * arc
        shut = (34 + 20 * arc) * (1 - smile) + (44 - 66 * arc) * smile
        shut = shut - 6 * t
        upper = shut + (top - shut) * opened
        lower = shut + (low - shut) * min(1.0, opened)
        x = self.x + self.side * s * (_HALF + 4 * max(0.0, opened - 1))
        return Lids(np.stack([x, _Y + upper], axis=1), np.stack([x, _Y + lower], axis=1))


def add_eyes(figure: Figure) -> None:
    """Add both eyes under ``WarpHead``."""
    for letter, side, name, chinese in (("R", -1, "Right eye", "右眼"), ("L", 1, "Left eye", "左眼")):
        part = figure.part(f"PartEye{letter}", name, chinese)
        eye = Eye(letter, side)
        box = Box(eye.x - 150, _Y - 170, eye.x + 150, _Y + 150)
        part.warp(f"WarpEye{letter}", "WarpHead", box, (5, 5), HEAD_KEYS, shifted(14, 6))
        _white(part, eye)
        _iris(part, eye)
        _lines(part, eye)


def _white(part: PartBuilder, eye: Eye) -> None:
    name = f"EyeWhite{eye.letter}"
    rest = eye.placed(1.0, 0.0, 0.0)
    loop = np.concatenate([rest.upper, rest.lower[::-1]])
    p = part.figure.paint(name, Box.around(loop, margin=12))
    mask = p.mask(loop)
    p.fill(mask, vertical(_Y - 110, _Y + 90, (0.0, SNOW_SHADE), (0.42, WHITE), (1.0, WHITE)))
    shape = _rings(rest, eye)
    part.mesh(
        name,
        f"WarpEye{eye.letter}",
        540,
        shape=shape,
        keys=eye.lid_keys,
        move=lambda _rest, v: _rings(eye.lids(v), eye).art,
    )


def _rings(lids: Lids, eye: Eye) -> Shape:
    """A mesh of rings from the middle line of the eye out to just past its rim."""
    upper, lower = lids.upper[::2], lids.lower[::2]
    middle = (upper + lower) / 2
    loop = np.concatenate([upper, lower[-2:0:-1]])
    core = np.concatenate([middle, middle[-2:0:-1]])
    out = loop - np.array([[eye.x, _Y]])
    size = np.sqrt(out[:, 0] * out[:, 0] + out[:, 1] * out[:, 1])[:, None]
    rest = [core + (loop - core) * k for k in (0.45, 0.85, 1.0)]
    n = len(loop)
    art = np.concatenate([core[: len(upper)], *rest, loop + out / np.maximum(size, 1.0) * 6])
    inner = [min(i, n - i) if i >= len(upper) else i for i in range(n)]
    triangles: list[tuple[int, int, int]] = []
    base = len(upper)
    for i in range(n):
        j = (i + 1) % n
        triangles += _quad(inner[i], inner[j], base + i, base + j)
        for ring in range(3):
            a, b = base + ring * n, base + (ring + 1) * n
            triangles += _quad(a + i, a + j, b + i, b + j)
    return Shape(art, np.array(triangles, dtype=np.int64))


def _quad(a: int, b: int, c: int, d: int) -> list[tuple[int, int, int]]:
    return [(a, b, c), (b, d, c)]


def _iris(part: PartBuilder, eye: Eye) -> None:
    x, y = eye.x - eye.side * 6, _Y - 4
    gaze = {"ParamEyeBallX": _THREE, "ParamEyeBallY": _THREE}
    warp = f"WarpIris{eye.letter}"
    part.warp(
        warp,
        f"WarpEye{eye.letter}",
        Box(x - 110, y - 120, x + 110, y + 120),
        (3, 3),
        gaze,
        lambda rest, v: rest + np.array([[v["ParamEyeBallX"] * 26, -v["ParamEyeBallY"] * 22]]),
    )
    p = part.figure.paint(f"Iris{eye.letter}", Box(x - 84, y - 104, x + 84, y + 104), detail=1.25)
    _paint_iris(p, x, y)
    masks = [f"EyeWhite{eye.letter}"]
    size = {"ParamEyeBallForm": _THREE}
    part.mesh(
        f"Iris{eye.letter}",
        warp,
        542,
        cell=30,
        keys=size,
        masks=masks,
        move=lambda rest, v: np.array([[x, y]])
        + (rest - np.array([[x, y]])) * (1 + 0.22 * v["ParamEyeBallForm"]),
    )
    shine = f"Shine{eye.letter}"
    p = part.figure.paint(shine, Box(x - 70, y - 80, x + 70, y + 80), detail=1.25)
    p.fill(p.mask(ellipse(x - 24, y - 40, 24, 28)), WHITE)
    p.fill(p.mask(ellipse(x + 27, y + 34, 12, 13)), WHITE.fade(235))
    p.fill(p.mask(ellipse(x + 34, y - 22, 6, 6)), WHITE.fade(210))
    part.mesh(shine, warp, 546, cell=40, masks=masks)


def _paint_iris(p: Painter, x: float, y: float) -> None:
    rim = p.mask(ellipse(x, y, 75, 97))
    p.fill(rim, INK_DEEP)
    inner = p.mask(ellipse(x, y + 2, 67, 89))
    p.fill(inner, vertical(y - 90, y + 90, (0.0, IRIS_TOP), (0.5, IRIS_MID), (1.0, IRIS_LOW)))
    glow = Radial((x, y + 62), 58, 52, ((0.0, MINT.fade(255)), (0.5, IRIS_LOW.fade(170)), (1.0, IRIS_LOW.fade(0))))
    p.fill(inner, glow)
    p.fill(p.mask(ellipse(x, y - 4, 32, 46)), PUPIL)


def strip(figure: Figure, name: str, top, bottom=None) -> None:  # type: ignore[no-untyped-def]
    """Paint the strip that ribbons of one colour stretch along their lines."""
    p = figure.paint(name, STRIP)
    band = np.array([(-9.0, 4.0), (60.0, 4.0), (60.0, 28.0), (-9.0, 28.0)])
    p.fill(p.blur(p.mask(band), 1), vertical(4, 28, (0.0, top), (1.0, bottom or top)))


def _lines(part: PartBuilder, eye: Eye) -> None:
    warp = f"WarpEye{eye.letter}"
    side = eye.side

    def lash(values: Values) -> Sequence[Stroke]:
        upper = eye.lids(values).upper
        opened = values.get(f"ParamEye{eye.letter}Open", 1.0)
        end = upper[-1]
        out = end + np.array([side * 22.0, -16.0 + 6 * (1 - min(1.0, opened))])
        line = np.concatenate([upper[:-1], [end], [out]])
        flick = np.array([upper[-4], upper[-3] + [side * 14.0, -8.0], upper[-3] + [side * 26.0, -28.0 + 14 * (1 - min(1.0, opened))]])
        return [
            Stroke(line, tapered(20, 0.55, 0.28, 2.0)),
            Stroke(flick, tapered(11, 0.1, 1.0, 0.5)),
        ]

    def rim(values: Values) -> Sequence[Stroke]:
        lower = eye.lids(values).lower
        return [Stroke(lower[3:-1], tapered(6.5, 0.5, 0.5, 1.0))]

    def crease(values: Values) -> Sequence[Stroke]:
        upper = eye.lids(values).upper
        return [Stroke(upper[5:-5] + [0.0, -24.0], tapered(5.5, 0.5, 0.5, 0.5))]

    keys = eye.lid_keys
    part.ribbons(f"LowerLid{eye.letter}", warp, 548, "StripInk", rim, {}, 10, keys, opacity=lambda v: min(1.0, v[f"ParamEye{eye.letter}Open"]) * 0.85)
    part.ribbons(f"Crease{eye.letter}", warp, 549, "StripLine", crease, {}, 10, keys, opacity=lambda v: 0.75)
    part.ribbons(f"Lash{eye.letter}", warp, 550, "StripInk", lash, {}, 20, keys)
    brow(part, eye)


def brow(part: PartBuilder, eye: Eye) -> None:
    """Add the brow of ``eye``."""
    letter, side = eye.letter, eye.side
    warp = f"WarpBrow{letter}"
    box = Box(eye.x - 130, 480, eye.x + 130, 640)
    part.warp(
        warp, "WarpHead", box, (3, 3),
        {f"ParamBrow{letter}X": _THREE, f"ParamBrow{letter}Y": _THREE},
        lambda rest, v: rest + np.array([[v[f"ParamBrow{letter}X"] * 16 * side, -v[f"ParamBrow{letter}Y"] * 26]]),
    )

    def lines(values: Values) -> Sequence[Stroke]:
        angle = values.get(f"ParamBrow{letter}Angle", 0.0)
        form = values.get(f"ParamBrow{letter}Form", 0.0)
        t = np.arange(13) / 12
        s = 2 * t - 1
        y = 556 - 12 * (1 - s * s) * (1 + 1.2 * form) + angle * s * -26 + 3 * s
        x = eye.x + side * (s * 48 + 4)
        return [Stroke(np.stack([x, y], axis=1), tapered(14, 0.35, 0.8, 4.0))]

    keys = {f"ParamBrow{letter}Angle": _THREE, f"ParamBrow{letter}Form": _THREE}
    part.ribbons(f"Brow{letter}", warp, 640, "StripBrow", lines, {}, 10, keys)
