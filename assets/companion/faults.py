"""Faults of a drawn pose, found in plain data: a raster of what is seen, and points of meshes.

A raster (height, width) holds one of the kinds below for each pixel. It is made by drawing the
model with its inks black and the rest of every mesh in the colour of its kind.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from companion.moc_model import Points

NOTHING, INK, LIMB, TRUNK, OTHER, TAIL = range(6)
"""Beside the figure; line, or the soft rim of two colours; arms; trunk; the rest; tail and legs."""

Raster: TypeAlias = NDArray[np.uint8]
Bits: TypeAlias = NDArray[np.bool_]

_SURE = 158
"""Of 255: with more of a colour a pixel is of that kind."""


def classified(pixels: NDArray[np.uint8]) -> Raster:
    """The raster of a picture (height, width, 4), its colours premultiplied.

    Arms are red in it, the trunk green, tail and legs yellow, the rest blue.
    """
    red, green, blue = (pixels[..., channel] > _SURE for channel in range(3))
    out = np.full(pixels.shape[:2], INK, dtype=np.uint8)
    out[red] = LIMB
    out[green] = TRUNK
    out[blue] = OTHER
    out[red & green] = TAIL
    out[pixels[..., 3] < 128] = NOTHING
    return out


def open_edge(raster: Raster) -> int:
    """How many pixels of limbs meet something else with no line between."""
    limb = raster == LIMB
    near = _grown(limb, 2)
    other = (raster != LIMB) & (raster != INK)
    # A line is never thinner than two pixels; a missing one leaves a rim of mixed colour, of one.
    touching = near & other
    return int(touching.sum())


def bare_neck(raster: Raster) -> int:
    """Pixels of the trunk that are seen above a line of the figure's other parts: a bare neck."""
    trunk = raster == TRUNK
    if not trunk.any():
        return 0
    seen = components(trunk)
    return sum(one.area for one in seen if one.area >= _SPECK and one.bottom < _chest(raster))


def _chest(raster: Raster) -> float:
    """The row at which a standing figure's chest begins, from its top and its bottom."""
    rows = np.flatnonzero((raster != NOTHING).any(axis=1))
    return float(rows[0] + (rows[-1] - rows[0]) * _NECK_ENDS)


_NECK_ENDS = 0.66
_SPECK = 4
_HOLE = 12
_FAINT = 40
_RIM = 6
"""Pixels from a room's rim to the colour beyond its line."""


@dataclass(frozen=True, slots=True)
class Component:
    """Pixels that hang together, by their sides.

    ``open`` when they meet the picture's edge, ``marked`` when some are among those looked for.
    """

    area: int
    bottom: int
    open: bool
    marked: bool = False


def holes(raster: Raster, beside: Bits | None = None) -> int:
    """Pixels of holes in the figure.

    Where an arm, a leg or the tail is on the rim it isn't a hole but room beside it, and where
    pixels of ``beside`` are.
    """
    limbs = (raster == LIMB) | (raster == TAIL)
    free = _grown(limbs if beside is None else limbs | beside, _RIM)
    closed = [one for one in components(raster == NOTHING, free) if not one.open]
    return sum(one.area for one in closed if one.area >= _HOLE and not one.marked)


def seen_through(opacity: NDArray[np.uint8]) -> int:
    """Pixels of a part that is neither there nor gone; a part's own soft rim isn't counted."""
    faint = (opacity > _FAINT) & (opacity < 255 - _FAINT)
    inner = faint[1:-1, 1:-1].copy()
    for rows, columns in ((0, 1), (2, 1), (1, 0), (1, 2)):
        height, width = faint.shape
        inner &= faint[rows : height - 2 + rows, columns : width - 2 + columns]
    return int(inner.sum())


def covered(sign: NDArray[np.uint8], by: NDArray[np.uint8]) -> int:
    """Pixels of one thing that lie on another; both are opacities."""
    return int(((sign > 127) & (by > 127)).sum())


def flattened(rest: Points, points: Points) -> float:
    """How flat a mesh is drawn, or how narrow: 1 is its shape at rest, 0 a line."""
    before, after = np.ptp(rest, axis=0), np.ptp(points, axis=0)
    share = float(after[1] * before[0] / max(after[0] * before[1], 1e-9))
    return min(share, 1 / max(share, 1e-9))


def outside(points: Points, outline: Points) -> int:
    """How many of ``points`` don't lie within the closed ``outline``."""
    x, y = points[:, :1], points[:, 1:]
    after = np.roll(outline, -1, axis=0)
    above = (outline[None, :, 1] > y) != (after[None, :, 1] > y)
    rise = np.where(after[:, 1] == outline[:, 1], 1.0, after[:, 1] - outline[:, 1])
    meets = outline[:, 0] + (after[:, 0] - outline[:, 0]) * (y - outline[:, 1]) / rise
    return int((((above & (x < meets)).sum(axis=1) % 2) == 0).sum())


def cut_off(raster: Raster) -> int:
    """How many pixels of the figure lie on the picture's edges, which cut them off."""
    edges = (raster[0], raster[-1], raster[:, 0], raster[:, -1])
    return sum(int((edge != NOTHING).sum()) for edge in edges)


def components(bits: Bits, marks: Bits | None = None) -> list[Component]:
    """What hangs together among the set ``bits``; ``marks`` are the pixels looked for."""
    edges = np.diff(np.pad(bits, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, starts = np.nonzero(edges == 1)
    ends = np.nonzero(edges == -1)[1]
    runs = list(zip(rows.tolist(), starts.tolist(), ends.tolist(), strict=True))
    parent = list(range(len(runs)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    above = 0
    for i, (row, start, end) in enumerate(runs):
        while above < i and runs[above][0] < row - 1:
            above += 1
        j = above
        while j < i and runs[j][0] == row - 1 and runs[j][1] < end:
            if runs[j][2] > start:
                parent[root(j)] = root(i)
            j += 1
    marked = [False] * len(runs)
    if marks is not None:
        before = np.pad(np.cumsum(marks, axis=1, dtype=np.int32), ((0, 0), (1, 0)))
        marked = (before[rows, ends] > before[rows, starts]).tolist()
    return _gathered(bits.shape, runs, [root(i) for i in range(len(runs))], marked)


def _gathered(
    shape: tuple[int, ...],
    runs: Sequence[tuple[int, int, int]],
    roots: Sequence[int],
    marks: Sequence[bool],
) -> list[Component]:
    height, width = shape
    found: dict[int, Component] = {}
    for (row, start, end), key, mark in zip(runs, roots, marks, strict=True):
        last = found.get(key, Component(0, 0, False))
        meets = row in (0, height - 1) or start == 0 or end == width
        area, bottom = last.area + end - start, max(last.bottom, row)
        found[key] = Component(area, bottom, last.open or meets, last.marked or mark)
    return list(found.values())


def _grown(bits: Bits, times: int) -> Bits:
    out = bits
    for _ in range(times):
        before, out = out, out.copy()
        out[1:] |= before[:-1]
        out[:-1] |= before[1:]
        out[:, 1:] |= before[:, :-1]
        out[:, :-1] |= before[:, 1:]
    return out


@dataclass(frozen=True, slots=True)
class Held:
    """Points that go along with the triangles of a mesh in which they lie."""

    corners: NDArray[np.int64]
    """(n, 3)."""
    weights: NDArray[np.float64]
    """(n, 3)."""

    def at(self, points: Points) -> Points:
        """(n, 2): where they lie when the mesh's vertices lie at ``points``."""
        return np.asarray((points[self.corners] * self.weights[..., None]).sum(axis=1))


def held(rest: Points, triangles: NDArray[np.int64], where: Points) -> Held:
    """The points ``where`` of a mesh at rest."""
    return Held(*_held(rest, triangles, where))


@dataclass(frozen=True, slots=True)
class Stations:
    """Pairs of points on both rims of a limb from root to tip, held by triangles of its mesh."""

    corners: NDArray[np.int64]
    """(2, n, 3): left rim, right rim."""
    weights: NDArray[np.float64]
    """(2, n, 3)."""
    widths: NDArray[np.float64]
    """(n,): at rest."""

    def rims(self, points: Points) -> NDArray[np.float64]:
        """(2, n, 2): where both rims lie when the mesh's vertices lie at ``points``."""
        return np.asarray((points[self.corners] * self.weights[..., None]).sum(axis=2))


def stations(rest: Points, triangles: NDArray[np.int64], left: Points, right: Points) -> Stations:
    """Where the rims ``left`` and ``right`` lie in a mesh at rest."""
    held = [_held(rest, triangles, rim) for rim in (left, right)]
    step = right - left
    widths = np.sqrt(step[:, 0] * step[:, 0] + step[:, 1] * step[:, 1])
    return Stations(np.stack([c for c, _ in held]), np.stack([w for _, w in held]), widths)


def _held(
    rest: Points, triangles: NDArray[np.int64], where: Points
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    a, b, c = (rest[triangles[:, k]] for k in range(3))
    area = _cross(b - a, c - a)
    corners, weights = [], []
    for point in where:
        shares = np.stack(
            [_cross(c - b, point - b), _cross(a - c, point - c), _cross(b - a, point - a)], axis=1
        )
        shares = shares / area[:, None]
        best = int(np.argmax(shares.min(axis=1)))
        corners.append(triangles[best])
        weights.append(shares[best])
    return np.stack(corners), np.stack(weights)


def _cross(u: Points, v: Points) -> NDArray[np.float64]:
    return np.asarray(u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0])


def thinnest(held: Stations, points: Points) -> float:
    """The narrowest part of a limb as a share of its width at rest."""
    left, right = held.rims(points)
    step = right - left
    width = np.sqrt(step[:, 0] * step[:, 0] + step[:, 1] * step[:, 1])
    return float((width / held.widths).min())


def pinched(held: Stations, points: Points) -> float:
    """The shortest step along a rim as a share of its middle's: 0 is a corner, less a fold."""
    rims = held.rims(points)
    middle = rims.mean(axis=0)
    along = middle[1:] - middle[:-1]
    size = np.maximum(np.sqrt(along[:, 0] * along[:, 0] + along[:, 1] * along[:, 1]), 1e-6)
    steps = rims[:, 1:] - rims[:, :-1]
    forward = (steps * along[None]).sum(axis=2) / (size * size)[None]
    return float(forward.min())


def leap(before: Points, after: Points) -> float:
    """How much farther than its mesh the wildest vertex moved, in pixels."""
    step = after - before
    own = step - np.median(step, axis=0)
    return float(np.sqrt((own * own).sum(axis=1)).max())
