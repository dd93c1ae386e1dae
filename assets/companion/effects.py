"""Signs of mood around the head: hearts, sparkles, notes, tears, sweat and the like."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from companion.curves import ellipse, even, mirror, spline, tapered
from companion.figure import Figure, Move, PartBuilder, Scalar, Values
from companion.ink import contour, vertical
from companion.iris import heart, star
from companion.moc_model import Points
from companion.palette import (
    ANGER,
    GOLD,
    GOLD_LIGHT,
    HEART,
    INK,
    INK_DEEP,
    MINT,
    PINK_LIGHT,
    SCARF,
    TEAL_LIGHT,
    TEAR,
    TEAR_LIGHT,
    WHITE,
    Rgba,
)
from companion.raster import Box, Painter
from companion.space import CX, HEAD_KEYS, rotated, shifted

_FLOAT = {"ParamFloat": (-1.0, 0.0, 1.0)}


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign that pops up at (x, y) with ``parameter`` and floats up and down by ``drift``."""

    name: str
    parameter: str
    x: float
    y: float
    reach: float
    drift: float
    draw: Callable[[Painter, float, float], None]


def add_effects(figure: Figure) -> None:
    """Add all signs under ``RotHead`` and the tears under ``WarpHead``."""
    part = figure.part("PartEffects", "Signs of mood", "情绪符号")
    area = Box(CX - 560, 30, CX + 640, 760)
    part.warp("WarpSigns", "RotHead", area, (3, 3), HEAD_KEYS, shifted(24, 16))
    for sign in _SIGNS:
        _add_sign(part, sign)
    for side, letter in ((-1, "R"), (1, "L")):
        _add_tears(part, side, letter)
    _add_gloom(part)


def _add_sign(part: PartBuilder, sign: Sign) -> None:
    x, y, reach = sign.x, sign.y, sign.reach
    box = Box(x - reach - 12, y - reach - 12, x + reach + 12, y + reach + 12)
    warp = part.warp(
        f"Warp{sign.name}", "WarpSigns", box.grown(10), (2, 2), _FLOAT, _drifting(sign)
    )
    sign.draw(part.figure.paint(sign.name, box), x, y)
    part.mesh(
        sign.name,
        warp,
        820,
        cell=reach,
        keys={sign.parameter: (0.0, 0.6, 1.0)},
        move=_popping(sign),
        opacity=lambda values: min(1.0, values[sign.parameter] / 0.6),
    )


def _drifting(sign: Sign) -> Move:
    def move(rest: Points, values: Values) -> Points:
        phase = values["ParamFloat"] * sign.drift
        turned = rotated(rest, (sign.x, sign.y), phase * 0.45)
        return turned + np.array([[0.0, -phase]])

    return move


def _popping(sign: Sign) -> Move:
    """Grows out of nothing, a little too far, and settles."""

    def move(rest: Points, values: Values) -> Points:
        shown = values[sign.parameter]
        size = 0.3 + 0.82 * shown / 0.6 if shown <= 0.6 else 1.0
        middle = np.array([[sign.x, sign.y]])
        return np.asarray(middle + (rest - middle) * size)

    return move


def _inked(p: Painter, shape: Points, top: Rgba, bottom: Rgba, size: float = 6.5) -> None:
    low, high = float(shape[:, 1].min()), float(shape[:, 1].max())
    # A white rim keeps signs readable on any desktop.
    p.fill(p.stroke_mask(shape, even(size + 9), closed=True), WHITE)
    p.fill(p.mask(shape), vertical(low, high, (0.0, top), (1.0, bottom)))
    contour(p, shape, size)


def _draw_heart(p: Painter, x: float, y: float) -> None:
    size = p.box.width / 2 - 24
    _inked(p, rotated(heart(x, y, size), (x, y), 14), PINK_LIGHT, HEART)
    p.fill(p.blur(p.mask(ellipse(x - size * 0.4, y - size * 0.45, size * 0.2, size * 0.14)), 1), WHITE)


def _draw_star(p: Painter, x: float, y: float) -> None:
    size = p.box.width / 2 - 20
    _inked(p, star(x, y, size), WHITE, GOLD, 5.0)


def _draw_note(p: Painter, x: float, y: float) -> None:
    head = rotated(ellipse(x - 14, y + 34, 23, 17), (x - 14, y + 34), -22)
    flag = spline(
        f"{x + 2},{y + 34}! {x + 2},{y - 52}! {x + 20},{y - 30} {x + 44},{y - 16} {x + 38},{y + 16}! "
        f"{x + 34},{y - 4} {x + 13},{y - 14}! {x + 13},{y + 34}!",
        closed=True,
    )
    for shape in (flag, head):
        p.fill(p.stroke_mask(shape, even(15), closed=True), WHITE)
    for shape in (flag, head):
        p.fill(p.stroke_mask(shape, even(7), closed=True), INK)
    p.fill(p.mask(flag, head), vertical(y - 50, y + 50, (0.0, MINT), (1.0, SCARF)))


def _pen_sign(p: Painter, lines: Sequence[Points], wide: float, colour: Rgba) -> None:
    """Broad strokes with an ink rim: the letters among the signs."""
    for extra, paint in ((20.0, WHITE), (12.0, INK), (0.0, colour)):
        for line in lines:
            p.fill(p.stroke_mask(line, even(wide + extra)), paint)


def _draw_question(p: Painter, x: float, y: float) -> None:
    hook = spline(f"{x - 30},{y - 30} {x - 20},{y - 56} {x + 8},{y - 62} {x + 30},{y - 42} {x + 22},{y - 14} {x + 2},{y + 6} {x},{y + 26}")
    dot = np.array([(x, y + 58), (x, y + 59)])
    _pen_sign(p, [hook, dot], 15, GOLD)


def _draw_surprise(p: Painter, x: float, y: float) -> None:
    mark = spline(f"{x + 8},{y - 56} {x + 2},{y - 10} {x - 2},{y + 16}")
    dot = np.array([(x - 6, y + 52), (x - 6, y + 53)])
    _pen_sign(p, [mark, dot], 18, GOLD_LIGHT)


def _draw_zed(p: Painter, x: float, y: float) -> None:
    k = (p.box.width / 2 - 12) * 0.62
    line = np.array([(x - k, y - k), (x + k, y - k), (x - k, y + k), (x + k, y + k)])
    _pen_sign(p, [line], k * 0.26, TEAL_LIGHT)


def _draw_anger(p: Painter, x: float, y: float) -> None:
    lines = []
    for turn in (0, 90, 180, 270):
        bow = spline(f"{x + 12},{y - 46} {x + 14},{y - 14} {x + 46},{y - 12}")
        lines.append(rotated(bow, (x, y), turn))
    _pen_sign(p, lines, 9, ANGER)


def _draw_sweat(p: Painter, x: float, y: float) -> None:
    drop = spline(
        f"{x + 10},{y - 62}! {x + 30},{y - 8} {x + 28},{y + 34} {x},{y + 52} {x - 28},{y + 32} {x - 22},{y - 10}",
        closed=True,
    )
    _inked(p, drop, TEAR_LIGHT, TEAR, 5.5)
    p.fill(p.mask(ellipse(x - 9, y + 18, 6, 12)), WHITE)


_SIGNS = (
    Sign("HeartBig", "ParamHeart", CX + 420, 330, 74, 16, _draw_heart),
    Sign("HeartSmall", "ParamHeart", CX + 520, 236, 50, -22, _draw_heart),
    Sign("HeartLeft", "ParamHeart", CX - 446, 360, 54, 20, _draw_heart),
    Sign("SparkleBig", "ParamSparkle", CX + 424, 400, 72, 10, _draw_star),
    Sign("SparkleSmall", "ParamSparkle", CX + 500, 306, 46, -14, _draw_star),
    Sign("SparkleLeft", "ParamSparkle", CX - 452, 470, 52, 12, _draw_star),
    Sign("Note", "ParamNote", CX + 440, 300, 82, 16, _draw_note),
    Sign("Question", "ParamQuestion", CX + 440, 250, 92, 12, _draw_question),
    Sign("Surprise", "ParamSurprise", CX + 440, 270, 92, 10, _draw_surprise),
    Sign("ZedBig", "ParamSleepZ", CX + 410, 380, 62, 10, _draw_zed),
    Sign("ZedMiddle", "ParamSleepZ", CX + 488, 282, 50, -12, _draw_zed),
    Sign("ZedSmall", "ParamSleepZ", CX + 544, 204, 38, 14, _draw_zed),
    Sign("Anger", "ParamAnger", CX + 330, 400, 76, 7, _draw_anger),
    Sign("Sweat", "ParamSweat", CX + 384, 520, 74, -8, _draw_sweat),
)


def _add_tears(part: PartBuilder, side: int, letter: str) -> None:
    """Water standing in the eye, and the stream that runs down the cheek."""
    x, y = CX + side * 168, 704.0
    pool = spline(
        f"{x - 78},{y + 42} {x - 40},{y + 58} {x},{y + 62} {x + 40},{y + 58} {x + 78},{y + 42} "
        f"{x + 50},{y + 88} {x},{y + 100} {x - 50},{y + 88}",
        closed=True,
    )
    p = part.figure.paint(f"TearPool{letter}", Box.around(pool, margin=10))
    p.fill(p.mask(pool), vertical(y + 40, y + 100, (0.0, TEAR_LIGHT.fade(170)), (1.0, TEAR)))
    for dx in (-44.0, 30.0):
        p.fill(p.mask(ellipse(x + dx, y + 74, 13, 8)), WHITE)
    part.mesh(
        f"TearPool{letter}",
        f"WarpEye{letter}",
        556,
        cell=40,
        keys={"ParamTear": (0.0, 0.3, 1.0)},
        opacity=lambda values: min(1.0, values["ParamTear"] / 0.3),
    )
    stream = spline("24,786! 70,782! 92,850 96,930! 60,944 30,936! 34,860", closed=True)
    stream = stream + np.array([CX + 130, 0.0])
    stream = stream if side > 0 else mirror(stream, CX)
    p = part.figure.paint(f"TearStream{letter}", Box.around(stream, margin=10))
    p.fill(p.mask(stream), vertical(780, 944, (0.0, TEAR), (0.5, TEAR_LIGHT), (1.0, TEAR)))
    shine = spline("52,800 64,860 66,916") + np.array([CX + 130, 0.0])
    shine = shine if side > 0 else mirror(shine, CX)
    p.fill(p.stroke_mask(shine, tapered(13, 0.4)), WHITE)
    contour(p, stream, 4.5, SCARF)

    def run(rest: Points, values: Values) -> Points:
        down = max(0.0, (values["ParamTear"] - 0.4) / 0.6)
        out = rest.copy()
        out[:, 1] = 784 + (rest[:, 1] - 784) * (0.2 + 0.8 * down)
        return out

    flow: Scalar = lambda values: max(0.0, (values["ParamTear"] - 0.4) / 0.6)  # noqa: E731
    keys = {"ParamTear": (0.0, 0.4, 1.0)}
    part.mesh(f"TearStream{letter}", "WarpHead", 554, cell=40, keys=keys, move=run, opacity=flow)


def _add_gloom(part: PartBuilder) -> None:
    """A cold shadow over forehead and eyes."""
    p = part.figure.paint("Gloom", Box(CX - 360, 470, CX + 360, 720), detail=0.4)
    shade = vertical(470, 720, (0.0, INK_DEEP.fade(120)), (1.0, INK_DEEP.fade(0)))
    p.fill(p.blur(p.mask(ellipse(CX, 560, 320, 150)), 16), shade)
    part.mesh(
        "Gloom",
        "WarpHead",
        612,
        cell=90,
        keys={"ParamGloom": (0.0, 1.0)},
        opacity=lambda values: values["ParamGloom"],
    )
