"""Signs of mood around the head: hearts, sparkles, notes, tears, sweat and the like."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from companion.curves import ellipse, even, mirror, placed, spline, tapered
from companion.figure import Figure, Move, PartBuilder, Scalar, Values
from companion.ink import contour, vertical
from companion.iris import heart, star
from companion.moc_model import Points
from companion.palette import (
    ANGER,
    GLOOM,
    GOLD,
    GOLD_LIGHT,
    HEART,
    INK,
    PINK_LIGHT,
    TEAR,
    TEAR_LIGHT,
    TEAR_LINE,
    WHITE,
    Rgba,
)
from companion.raster import Box, Painter, Radial
from companion.space import CX, HEAD_KEYS, rotated, shifted

_FLOAT = {"ParamFloat": (-1.0, 0.0, 1.0)}
_HOME, _HIDDEN = (CX, 640.0), 0.02
"""Where a sign is that isn't seen, and up to which share of it: those who measure how far a figure
reaches count it as well, and a window is no larger than it has to be.
"""


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
    area = Box(CX - 560, 30, CX + 640, 1320)
    part.warp("WarpSigns", "RotHead", area, (3, 3), HEAD_KEYS, shifted(24, 16))
    floor = Box(CX - 660, 1080, CX - 300, 1580)
    # Not with the trunk, which is pressed flat when it crouches, and a flame with it.
    part.warp("WarpWisps", "WarpRoot", floor, (2, 2), _FLOAT, _circling)
    for sign in _SIGNS:
        # Smaller copies show the drawing of the first and largest of their kind.
        model = next(other for other in _SIGNS if other.draw is sign.draw)
        _add_sign(part, sign, model)
    for side, letter in ((-1, "R"), (1, "L")):
        _add_tears(part, side, letter)
    _add_gloom(part)


def _add_sign(part: PartBuilder, sign: Sign, model: Sign) -> None:
    x, y, reach = sign.x, sign.y, sign.reach
    box = Box(x - reach - 12, y - reach - 12, x + reach + 12, y + reach + 12)
    parent = "WarpWisps" if sign.draw is _draw_wisp else "WarpSigns"
    # A motion that acts too much for it takes back what a face shows.
    least = (-1.0,) if sign.parameter in WITHHELD else ()
    warp = part.warp(f"Warp{sign.name}", parent, box.grown(10), (2, 2), _FLOAT, _drifting(sign))
    if sign is model:
        sign.draw(part.figure.paint(sign.name, box, 0.8), x, y)
    part.mesh(
        sign.name,
        warp,
        820,
        piece=model.name,
        cell=model.reach,
        keys={sign.parameter: (*least, 0.0, _HIDDEN, 0.6, 1.0)},
        move=_popping(sign, model),
        opacity=lambda values: min(1.0, max(0.0, values[sign.parameter]) / 0.6),
    )


def _circling(rest: Points, values: Values) -> Points:
    """The foxfires sway together, across their own rise and fall."""
    return np.asarray(rest + np.array([[12 * values["ParamFloat"], 0.0]]))


def _drifting(sign: Sign) -> Move:
    def move(rest: Points, values: Values) -> Points:
        phase = values["ParamFloat"] * sign.drift
        turned = rotated(rest, (sign.x, sign.y), phase * 0.45)
        return np.asarray(turned + np.array([[0.0, -phase]]))

    return move


def _popping(sign: Sign, model: Sign) -> Move:
    """Grows out of nothing, a little too far, and settles."""

    def move(rest: Points, values: Values) -> Points:
        shown = max(0.0, values[sign.parameter])
        size = 0.3 + 0.82 * shown / 0.6 if shown <= 0.6 else 1.0
        size *= sign.reach / model.reach
        offset = (rest - np.array([[model.x, model.y]])) * size
        where = (sign.x, sign.y) if shown else _HOME
        return np.asarray(offset + np.array([where]))

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
    p.fill(
        p.blur(p.mask(ellipse(x - size * 0.4, y - size * 0.45, size * 0.2, size * 0.14)), 1), WHITE
    )


def _draw_star(p: Painter, x: float, y: float) -> None:
    size = p.box.width / 2 - 20
    _inked(p, star(x, y, size), WHITE, GOLD, 5.0)


def _draw_note(p: Painter, x: float, y: float) -> None:
    k = (p.box.width / 2 - 12) / 82
    head = rotated(ellipse(x - 14 * k, y + 34 * k, 23 * k, 17 * k), (x - 14 * k, y + 34 * k), -22)
    flag = placed("2,34! 2,-52! 20,-30 44,-16 38,16! 34,-4 13,-14! 13,34!", x, y, k)
    for shape in (flag, head):
        p.fill(p.stroke_mask(shape, even(15), closed=True), WHITE)
    for shape in (flag, head):
        p.fill(p.stroke_mask(shape, even(7), closed=True), INK)
    p.fill(
        p.mask(flag, head),
        vertical(y - 50 * k, y + 50 * k, (0.0, p.palette.hair.glow), (1.0, p.palette.scarf.base)),
    )


def _pen_sign(p: Painter, lines: Sequence[Points], wide: float, colour: Rgba) -> None:
    """Broad strokes with an ink rim: the letters among the signs."""
    for extra, paint in ((20.0, WHITE), (12.0, INK), (0.0, colour)):
        for line in lines:
            p.fill(p.stroke_mask(line, even(wide + extra)), paint)


def _draw_question(p: Painter, x: float, y: float) -> None:
    k = (p.box.width / 2 - 12) / 88
    hook = placed("-30,-30 -20,-56 8,-62 30,-42 22,-14 2,6 0,26", x, y, k, closed=False)
    dot = np.array([(x, y + 58 * k), (x, y + 59 * k)])
    _pen_sign(p, [hook, dot], 17 * k, GOLD)


def _draw_surprise(p: Painter, x: float, y: float) -> None:
    k = (p.box.width / 2 - 12) / 86
    mark = placed("8,-56 2,-10 -2,16", x, y, k, closed=False)
    dot = np.array([(x - 6 * k, y + 52 * k), (x - 6 * k, y + 53 * k)])
    _pen_sign(p, [mark, dot], 22 * k, GOLD_LIGHT)


def _draw_zed(p: Painter, x: float, y: float) -> None:
    k = (p.box.width / 2 - 12) * 0.62
    corners = np.array([(x - k, y - k), (x + k, y - k), (x - k, y + k), (x + k, y + k)])
    # Three strokes: one line would spike where it turns back.
    _pen_sign(p, [corners[i : i + 2] for i in range(3)], k * 0.36, p.palette.hair.light)


def _draw_anger(p: Painter, x: float, y: float) -> None:
    k = (p.box.width / 2 - 12) / 70
    lines = []
    for turn in (0, 90, 180, 270):
        bow = placed("12,-46 14,-14 46,-12", x, y, k, closed=False)
        lines.append(rotated(bow, (x, y), turn))
    _pen_sign(p, lines, 10 * k, ANGER)


def _draw_sweat(p: Painter, x: float, y: float) -> None:
    k = (p.box.width / 2 - 12) / 74
    drop = placed("10,-62! 30,-8 28,34 0,52 -28,32 -22,-10", x, y, k)
    _inked(p, drop, TEAR_LIGHT, TEAR, 5.5)
    p.fill(p.mask(ellipse(x - 9 * k, y + 18 * k, 6 * k, 12 * k)), WHITE)


def _draw_wisp(p: Painter, x: float, y: float) -> None:
    """Foxfire: a small flame with a face."""
    k = (p.box.width / 2 - 12) / 100
    flame = placed(
        "14,-78! 8,-44 34,-18 42,14 30,46 0,58 -32,46 -44,14 -36,-14! -26,-4 -20,-8 -16,-36 -2,-60",
        x,
        y,
        k,
    )
    shades = p.palette.hair
    halo = ((0.0, shades.glow.fade(210)), (0.5, shades.light.fade(90)), (1.0, shades.light.fade(0)))
    p.fill(p.mask(ellipse(x, y, 98 * k, 98 * k)), Radial((x, y), 98 * k, 98 * k, halo))
    p.fill(
        p.mask(flame),
        vertical(
            y - 78 * k, y + 58 * k, (0.0, shades.base), (0.6, shades.light), (1.0, shades.glow)
        ),
    )
    core = placed("6,-30! 4,-10 22,10 20,34 0,44 -22,34 -22,12 -8,-6", x, y + 4 * k, k)
    p.fill(p.blur(p.mask(core), 2), WHITE.fade(235))
    contour(p, flame, 5.5 * k, p.palette.hair_line)
    for side in (-1, 1):
        p.fill(p.mask(ellipse(x + side * 13 * k, y + 16 * k, 4.5 * k, 6.5 * k)), INK)
        p.fill(p.mask(ellipse(x + side * 24 * k, y + 27 * k, 6 * k, 3.5 * k)), PINK_LIGHT)
    smile = placed("-5,25 0,29 5,25", x, y, k, closed=False)
    p.fill(p.stroke_mask(smile, even(3 * k)), INK)


_SIGNS = (
    Sign("WispBig", "ParamWisp", CX - 410, 1432, 150, 20, _draw_wisp),
    Sign("WispSmall", "ParamWisp", CX - 590, 1290, 100, -24, _draw_wisp),
    Sign("HeartBig", "ParamHeart", CX + 500, 470, 92, 16, _draw_heart),
    Sign("HeartSmall", "ParamHeart", CX + 556, 340, 62, -22, _draw_heart),
    Sign("HeartLeft", "ParamHeart", CX - 486, 500, 74, 20, _draw_heart),
    Sign("SparkleBig", "ParamSparkle", CX + 548, 236, 98, 10, _draw_star),
    Sign("SparkleSmall", "ParamSparkle", CX + 476, 596, 64, -14, _draw_star),
    Sign("SparkleLeft", "ParamSparkle", CX - 462, 644, 74, 12, _draw_star),
    Sign("Note", "ParamNote", CX + 480, 270, 104, 16, _draw_note),
    Sign("Question", "ParamQuestion", CX + 480, 220, 118, 12, _draw_question),
    Sign("Surprise", "ParamSurprise", CX + 484, 236, 118, 10, _draw_surprise),
    Sign("ZedBig", "ParamSleepZ", CX + 612, 214, 84, 10, _draw_zed),
    Sign("ZedMiddle", "ParamSleepZ", CX + 658, 100, 66, -12, _draw_zed),
    Sign("ZedSmall", "ParamSleepZ", CX + 690, 4, 48, 14, _draw_zed),
    Sign("Anger", "ParamAnger", CX + 478, 450, 96, 7, _draw_anger),
    Sign("Sweat", "ParamSweat", CX + 420, 500, 96, -8, _draw_sweat),
)
WITHHELD = ("ParamSleepZ", "ParamSurprise", "ParamSweat")
"""Signs that a motion can hide (-1) from a face that adds them."""
SIGNS = tuple((sign.name, sign.parameter) for sign in _SIGNS)
"""The mesh of each sign, and what shows it."""


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
        cell=80,
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
    contour(p, stream, 4.5, TEAR_LINE)

    def run(rest: Points, values: Values) -> Points:
        down = max(0.0, (values["ParamTear"] - 0.4) / 0.6)
        out = rest.copy()
        out[:, 1] = 784 + (rest[:, 1] - 784) * (0.2 + 0.8 * down)
        return out

    _add_running(part, side, letter)
    flow: Scalar = lambda values: max(0.0, (values["ParamTear"] - 0.4) / 0.6)  # noqa: E731
    keys = {"ParamTear": (0.0, 0.4, 1.0)}
    part.mesh(f"TearStream{letter}", "WarpHead", 554, cell=80, keys=keys, move=run, opacity=flow)


def _add_running(part: PartBuilder, side: int, letter: str) -> None:
    """A bright drop that runs down the stream, again and again."""
    x = CX + side * 198.0
    drop = spline(f"{x},{790} {x + 13},{824} {x},{842} {x - 13},{824}", closed=True)
    p = part.figure.paint(f"TearDrop{letter}", Box.around(drop, margin=8), 0.7)
    p.fill(p.mask(drop), WHITE)

    def fall(rest: Points, values: Values) -> Points:
        down = values["ParamTearFlow"]
        return np.asarray(rest + np.array([[side * 14 * down, 96 * down]]))

    def shown(values: Values) -> float:
        crying = max(0.0, (values["ParamTear"] - 0.4) / 0.6)
        return crying if 0.2 <= values["ParamTearFlow"] <= 0.8 else 0.0

    keys = {"ParamTear": (0.0, 0.4, 1.0), "ParamTearFlow": (0.0, 0.2, 0.8, 1.0)}
    name = f"TearDrop{letter}"
    part.mesh(name, "WarpHead", 555, cell=80, keys=keys, move=fall, opacity=shown)


def _add_gloom(part: PartBuilder) -> None:
    """A cold shadow over forehead and eyes, well within the outline of the face."""
    p = part.figure.paint("Gloom", Box(CX - 360, 470, CX + 360, 720), detail=0.7, second=True)
    shade = vertical(470, 720, (0.0, GLOOM.fade(75)), (1.0, GLOOM.fade(0)))
    p.fill(p.blur(p.mask(ellipse(CX, 560, 320, 150)), 16), shade)
    part.mesh(
        "Gloom",
        "WarpHead",
        612,
        cell=90,
        keys={"ParamGloom": (0.0, 1.0)},
        opacity=lambda values: values["ParamGloom"],
    )
