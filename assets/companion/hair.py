"""The flame-like hair: a top lock that rises between the ears and a fringe of separate locks."""

from dataclasses import dataclass

import numpy as np

from companion.curves import even, placed, spline, tapered
from companion.figure import Figure, Move, PartBuilder, Values, still
from companion.ink import leaf, pen, silhouette, strokes, vertical
from companion.moc_model import Points
from companion.palette import GOLD, GOLD_DEEP, GOLD_LIGHT, INK, WHITE, Rgba
from companion.raster import Box, Mask, Painter
from companion.space import CX, HEAD_KEYS, head_turn, shifted
from companion.spine import Bend, Spine
from companion.worn import HATS, PREFIX, bare_of, shown_by

_SWAY = {"ParamHairFront": (-1.0, 0.0, 1.0)}
_ORIGIN = np.array([CX, 0.0])


@dataclass(frozen=True, slots=True)
class Lock:
    """One lock: its spine from root to tip relative to the figure's axis, and its shape."""

    spine: str
    size: float
    peak: float = 0.4
    root: float = 0.5

    @property
    def line(self) -> Points:
        """The spine in canvas pixels, (n, 2)."""
        return np.asarray(spline(self.spine) + _ORIGIN)

    @property
    def shape(self) -> Points:
        """The closed outline."""
        return leaf(self.line, self.size, self.peak, self.root)


_TOP = (
    Lock("-10,400 -78,362 -134,318 -176,236", 76, 0.36, 0.2),
    Lock("24,400 92,356 156,306 250,250", 78, 0.36, 0.2),
    Lock("0,410 -64,338 -80,258 -40,160", 116, 0.36, 0.2),
    Lock("10,430 52,320 48,226 148,104", 142, 0.36, 0.16),
)
_SIDE_LEFT = (
    Lock("20,326 -118,338 -232,408 -258,530", 100, 0.4, 0.1),
    Lock("20,322 -70,346 -178,424 -172,530", 118, 0.36, 0.1),
)
_SIDE_RIGHT = (
    Lock("0,324 118,334 226,396 264,508", 100, 0.4, 0.1),
    Lock("0,322 84,346 182,420 160,520", 118, 0.36, 0.1),
)
_MIDDLE = (
    Lock("10,320 12,390 34,450 22,524", 84, 0.4, 0.1),
    Lock("6,318 86,372 104,452 60,556", 108, 0.36, 0.1),
    Lock("12,312 -72,364 -92,470 -12,606", 136, 0.36, 0.1),
)


def add_hair(figure: Figure) -> None:
    """Add the locks under ``RotHead``: behind the ears' roots, and over the forehead."""
    hair = figure.part("PartHair", "Hair", "头发")
    top = Box(CX - 260, 20, CX + 320, 470)
    fringe = Box(CX - 300, 270, CX + 310, 640)
    hair.warp("WarpHairTop", "RotHead", top, (5, 5), HEAD_KEYS, shifted(60, 46))
    hair.warp("WarpFringe", "RotHead", fringe, (6, 6), HEAD_KEYS, head_turn(108, 84, 0.35))
    hair.warp("WarpFringeMiddle", "WarpFringe", fringe, (5, 5), HEAD_KEYS, shifted(12, 8))
    _top(hair)
    _fringe(hair, "FringeR", _SIDE_LEFT, "WarpFringe", 616)
    _fringe(hair, "FringeL", _SIDE_RIGHT, "WarpFringe", 617)
    _clip(hair)
    _fringe(hair, "FringeMiddle", _MIDDLE, "WarpFringeMiddle", 620)


def _top(hair: PartBuilder) -> None:
    p = _painted(hair.figure, "HairTop", _TOP, 80, 420)
    strokes(p, [spline("40,330 44,230 90,160") + _ORIGIN], 6, p.palette.hair.shade)
    axis = Spine(np.array([[CX, 420.0], [CX + 4, 280.0], [CX + 110, 110.0]]))

    def move(rest: Points, values: Values) -> Points:
        sway = values["ParamHairFluffy"]
        return axis.pose(rest, [Bend(sway * 12, 0.05, 0.6), Bend(sway * 22, 0.4, 1.0)])

    keys = {"ParamHairFluffy": (-1.0, 0.0, 1.0)}
    parent, box = "WarpHairTop", Box(CX - 260, 20, CX + 320, 470)
    for hat in HATS:
        keys_of_hat, bare = shown_by(hat), bare_of(hat)
        name = f"WarpUnder{hat.removeprefix(PREFIX)}"
        parent = hair.warp(name, parent, box, (1, 1), keys_of_hat, still, bare)
    hair.mesh("HairTop", parent, 615, cell=72, keys=keys, move=move)


def _fringe(hair: PartBuilder, name: str, locks: tuple[Lock, ...], warp: str, order: int) -> None:
    _painted(hair.figure, name, locks, 290, 590)
    hair.mesh(name, warp, order, cell=72, keys=_SWAY, move=_swung(locks))


def _swung(locks: tuple[Lock, ...]) -> Move:
    """The sway of a bunch of ``locks``, growing towards their tips."""
    axis = Spine(locks[-1].line)

    def move(rest: Points, values: Values) -> Points:
        sway = values["ParamHairFront"]
        return axis.pose(rest, [Bend(sway * 10, 0.1, 0.7), Bend(sway * 20, 0.4, 1.0)])

    return move


def _clip(hair: PartBuilder) -> None:
    """A golden crescent that holds the fringe on the left."""
    x, y = CX + 184.0, 428.0
    p = hair.figure.paint("Clip", Box(x - 52, y - 52, x + 52, y + 52), 1.25)
    moon = placed("14,-40! -28,-26 -38,12 -8,40 38,20! 10,20 -8,2 -4,-22", x, y)
    p.fill(p.blur(p.moved(p.mask(moon), 4, 7), 3), p.palette.hair.shade.fade(150))
    gold = vertical(y - 38, y + 38, (0.0, GOLD_LIGHT), (0.5, GOLD), (1.0, GOLD_DEEP))
    p.fill(p.stroke_mask(moon, even(13), closed=True), INK)
    p.fill(p.mask(moon), gold)
    p.fill(p.blur(p.stroke_mask(moon[8:26], tapered(5, 0.5, 0.5)), 1), WHITE.fade(220))
    hair.mesh("Clip", "WarpFringe", 622, cell=72, keys=_SWAY, move=_swung(_SIDE_RIGHT))


def _painted(
    figure: Figure, name: str, locks: tuple[Lock, ...], top: float, bottom: float
) -> Painter:
    p = figure.paint(name, Box.around(*[lock.shape for lock in locks], margin=10))
    shapes = [lock.shape for lock in locks]
    silhouette(p, shapes, p.palette.hair.light, 7.5)
    for i, lock in enumerate(locks):
        _paint_lock(p, lock, top, bottom)
        if i:
            _overlap(p, lock, p.mask(*shapes[:i]))
    return p


def _overlap(p: Painter, lock: Lock, behind: Mask) -> None:
    """A coloured line where ``lock`` lies on those ``behind`` it; ink is for the outline."""
    shape = lock.shape
    edge = p.stroke_mask(shape, pen(shape, 6.5), closed=True)
    p.fill(edge, p.palette.hair_line, clip=behind)


def _paint_lock(p: Painter, lock: Lock, top: float, bottom: float) -> None:
    mask = p.mask(lock.shape)
    shades = p.palette.hair
    rise = ((0.0, shades.glow), (0.5, shades.light), (1.0, shades.base))
    fall = ((0.0, shades.base), (0.35, shades.light), (0.75, shades.light), (1.0, shades.deep))
    upwards = float(lock.line[-1][1]) < float(lock.line[0][1])
    p.fill(mask, vertical(top, bottom, *(rise if upwards else fall)))
    p.shade(mask, shades.shade.fade(110), -13, -10, 5)
    p.shade(mask, shades.glow.fade(200), 7, 6, 3)
    _sheen(p, lock, mask)


def _sheen(p: Painter, lock: Lock, mask: Mask) -> None:
    """A thin streak of light along the lock."""
    n = len(lock.line)
    streak = lock.line[n // 4 : 3 * n // 4] + np.array([-lock.size * 0.13, 0.0])
    glow: Rgba = WHITE.fade(150)
    p.fill(p.blur(p.mask(leaf(streak, lock.size * 0.12, 0.5, 0.1)), 1), glow, clip=mask)
