"""The figure being built: painted pieces, deformers and meshes, all in canvas pixels.

Each body part's module receives a ``Figure`` and adds to it. Every deformer rests undistorted, so
converting a canvas point into its parent's space needs only that parent's rest frame.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from companion.curves import Width, normals, resample
from companion.moc_model import Points
from companion.palette import TIDE, Palette
from companion.raster import Box, Painter

VIEW = Box(-150.0, -120.0, 1450.0, 1640.0)
"""What the model shows, in canvas pixels: the figure with room to hop, stretch and wag."""

Values: TypeAlias = Mapping[str, float]
"""Parameter values at which a form is drawn."""
Keys: TypeAlias = Mapping[str, tuple[float, ...]]
Move: TypeAlias = Callable[[Points, Values], Points]
"""Where (n, 2) rest points lie at given values."""
Scalar: TypeAlias = Callable[[Values], float]


@dataclass(frozen=True, slots=True)
class WarpSpec:
    """A grid over ``box`` whose points follow ``move``."""

    id: str
    part: str
    parent: str | None
    box: Box
    rows: int
    cols: int
    keys: Keys
    move: Move
    opacity: Scalar


@dataclass(frozen=True, slots=True)
class RotationSpec:
    """A turn about ``pivot``; ``shift`` moves the pivot."""

    id: str
    part: str
    parent: str | None
    pivot: tuple[float, float]
    keys: Keys
    angle: Scalar
    shift: Callable[[Values], tuple[float, float]]
    scale: Scalar
    opacity: Scalar


@dataclass(frozen=True, slots=True)
class Shape:
    """A triangulation; ``art`` (n, 2) is where each vertex lies on its painted piece."""

    art: Points
    triangles: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class MeshSpec:
    """A mesh showing ``piece``; ``place`` gives its vertices in canvas pixels."""

    id: str
    part: str
    parent: str | None
    piece: str
    shape: Shape
    keys: Keys
    place: Callable[[Values], Points]
    opacity: Scalar
    order: Scalar
    masks: tuple[str, ...]
    blend: int
    outside: bool = False


@dataclass(frozen=True, slots=True)
class Stroke:
    """One ribbon: a line in canvas pixels with its width; of a short one only every ``each``-th
    segment ends in points of its own.
    """

    line: Points
    width: Width
    each: int = 1


Strokes: TypeAlias = Callable[[Values], Sequence[Stroke]]

STRIP = Box(0, 0, 16, 48)
"""The painted strip that ribbons of one colour show: nothing above, then the brink, then ink."""
BRINK = (16.0, 24.0)
"""Between these rows of the strip the ink begins: all of an edge's softness."""
_BEYOND = 3.0
"""So many rows farther lie a ribbon's points: coarser pictures of the texture are alike there."""
_RIM = 3.5
"""Canvas pixels to either side of a ribbon's edge at which they are. What fades between them is
about a pixel of the screen where the figure is 340 high: its edge is paint there, and no row of
triangles' teeth.
"""


def still(rest: Points, _values: Values) -> Points:
    """A ``Move`` that does nothing."""
    return rest


def always(value: float) -> Scalar:
    """A ``Scalar`` of one value."""
    return lambda _values: value


def _one(_values: Values) -> float:
    return 1.0


def _unmoved(_values: Values) -> tuple[float, float]:
    return (0.0, 0.0)


class Figure:
    """Collects the pieces, deformers and meshes of the whole character. Its pieces are painted in
    the colours of ``palette``.
    """

    def __init__(self, scale: float = 1.0, palette: Palette = TIDE) -> None:
        self.palette = palette
        self._scale = scale
        self.painters: dict[str, Painter] = {}
        self.second: set[str] = set()
        self.deformers: list[WarpSpec | RotationSpec] = []
        self.meshes: list[MeshSpec] = []
        self.parts: dict[str, tuple[str, str]] = {}

    def paint(self, piece: str, box: Box, detail: float = 1.0, *, second: bool = False) -> Painter:
        """A new painter for ``piece``; ``detail`` is its own texels per canvas pixel. What is
        seldom seen lies on the ``second`` texture.
        """
        if piece in self.painters:
            raise ValueError(f"{piece}: painted twice")
        if second:
            self.second.add(piece)
        self.painters[piece] = Painter(box, self._scale * detail, self.palette)
        return self.painters[piece]

    def part(self, part: str, english: str, chinese: str) -> "PartBuilder":
        """A new part to which deformers and meshes can be added."""
        self.parts[part] = (english, chinese)
        return PartBuilder(self, part)


class PartBuilder:
    """Adds deformers and meshes to one part of a figure."""

    def __init__(self, figure: Figure, part: str) -> None:
        self.figure = figure
        self._part = part

    def warp(
        self,
        name: str,
        parent: str | None,
        box: Box,
        grid: tuple[int, int],
        keys: Keys,
        move: Move,
        opacity: Scalar = _one,
    ) -> str:
        """Add a warp of ``grid`` (rows, columns) cells; returns its name.

        ``opacity`` is that of all it carries.
        """
        spec = WarpSpec(name, self._part, parent, box, grid[0], grid[1], keys, move, opacity)
        self.figure.deformers.append(spec)
        return name

    def rotation(
        self,
        name: str,
        parent: str | None,
        pivot: tuple[float, float],
        keys: Keys,
        angle: Scalar,
        shift: Callable[[Values], tuple[float, float]] = _unmoved,
        scale: Scalar = _one,
        opacity: Scalar = _one,
    ) -> str:
        """Add a rotation about ``pivot``, ``angle`` in degrees clockwise; returns its name.

        ``opacity`` is that of all it carries.
        """
        spec = RotationSpec(name, self._part, parent, pivot, keys, angle, shift, scale, opacity)
        self.figure.deformers.append(spec)
        return name

    def mesh(
        self,
        name: str,
        parent: str | None,
        order: float | Scalar,
        cell: float = 48.0,
        piece: str | None = None,
        keys: Keys | None = None,
        move: Move = still,
        opacity: Scalar = _one,
        masks: Sequence[str] = (),
        blend: int = 0,
        outside: bool = False,
        shape: Shape | None = None,
        offset: tuple[float, float] = (0.0, 0.0),
    ) -> str:
        """Add a mesh over a painted piece (of the same name unless given), moved by ``offset``.
        It is seen inside its ``masks``, or only ``outside`` of them.
        """
        source = piece or name
        if shape is None:
            self.figure.painters[source].trim()
        outline = shape or grid_shape(self.figure.painters[source], cell)
        rest = outline.art + np.array([offset])
        spec = MeshSpec(
            name,
            self._part,
            parent,
            source,
            outline,
            keys or {},
            lambda values: move(rest, values),
            opacity,
            order if callable(order) else always(order),
            tuple(masks),
            blend,
            outside,
        )
        self.figure.meshes.append(spec)
        return name

    def ribbons(
        self,
        name: str,
        parent: str | None,
        order: float | Scalar,
        piece: str,
        strokes: Strokes,
        segments: int = 12,
        keys: Keys | None = None,
        opacity: Scalar = _one,
        masks: Sequence[str] = (),
    ) -> str:
        """Add line art that stays crisp however it bends: one ribbon along each stroke."""
        kept = [_kept(segments, stroke) for stroke in strokes({})]
        spec = MeshSpec(
            name,
            self._part,
            parent,
            piece,
            _ribbon_shape([len(points) - 1 for points in kept]),
            keys or {},
            lambda values: np.concatenate([_ribbon(s, segments) for s in strokes(values)]),
            opacity,
            order if callable(order) else always(order),
            tuple(masks),
            0,
        )
        self.figure.meshes.append(spec)
        return name


_MARGIN = 4
"""Texels about what is painted that belong to it: smaller pictures of the texture mix them in."""


def grid_shape(painter: Painter, cell: float) -> Shape:
    """Square cells of about ``cell`` canvas pixels, those over empty texels left out."""
    box = painter.box
    cols = max(2, round(box.width / cell))
    rows = max(2, round(box.height / cell))
    xs = box.left + box.width * np.arange(cols + 1) / cols
    ys = box.top + box.height * np.arange(rows + 1) / rows
    alpha = np.asarray(painter.image.getchannel("A"))
    col_at = np.floor((xs - box.left) * painter.scale).astype(int)
    row_at = np.floor((ys - box.top) * painter.scale).astype(int)
    index: dict[tuple[int, int], int] = {}
    triangles: list[tuple[int, ...]] = []
    for r in range(rows):
        for c in range(cols):
            begin = np.maximum(0, np.array([row_at[r], col_at[c]]) - _MARGIN)
            window = alpha[begin[0] : row_at[r + 1] + _MARGIN, begin[1] : col_at[c + 1] + _MARGIN]
            seen = np.argwhere(window) + begin
            a, b, d, e = (r, c), (r, c + 1), (r + 1, c), (r + 1, c + 1)
            # Alternating diagonals bend alike to the left and to the right; by an outline the
            # other one is better if a half without paint can be left out for it.
            cuts = [((a, b, e), (a, e, d)), ((a, b, d), (b, e, d))]
            if (r + c) % 2:
                cuts.reverse()
            if window.all() and row_at[r] < row_at[r + 1] and col_at[c] < col_at[c + 1]:
                kept = list(cuts[0])  # most cells are in the middle of paint
            else:
                shown = [
                    [half for half in cut if _shows(half, seen, row_at, col_at)] for cut in cuts
                ]
                kept = min(shown, key=len)
            for one, two, three in kept:
                indices = (index.setdefault(corner, len(index)) for corner in (one, two, three))
                triangles.append(tuple(indices))
    art = np.array([(xs[c], ys[r]) for r, c in index])
    return Shape(art, np.array(triangles, dtype=np.int64))


def _shows(
    corners: Sequence[tuple[int, int]],
    seen: NDArray[np.int64],
    row_at: NDArray[np.int64],
    col_at: NDArray[np.int64],
) -> bool:
    """Whether any of the texels ``seen`` lies in this triangle, or close by."""
    if not len(seen):
        return False
    points = np.array([(row_at[r], col_at[c]) for r, c in corners], dtype=float)
    within = np.ones(len(seen), dtype=bool)
    for begin, end in zip(points, np.roll(points, -1, axis=0), strict=True):
        normal = np.array([begin[1] - end[1], end[0] - begin[0]])
        normal /= np.hypot(*normal)
        if (points.mean(axis=0) - begin) @ normal < 0:
            normal = -normal
        within &= (seen - begin) @ normal >= -_MARGIN
    return bool(within.any())


def _kept(segments: int, stroke: Stroke) -> list[int]:
    """Which points of a line of so many segments its ribbon has; both tips keep theirs, in which
    they fade.
    """
    inner = range(1, segments, stroke.each)
    return [0, *inner, *([segments - 1] if inner[-1] < segments - 1 else []), segments]


def _ribbon_shape(segments: Sequence[int]) -> Shape:
    """All ribbons of a mesh, of which each has so many segments."""
    shapes = [_one_ribbon(number) for number in segments]
    begins = np.cumsum([0] + [len(one.art) for one in shapes])
    triangles = [one.triangles + begin for one, begin in zip(shapes, begins, strict=False)]
    return Shape(np.concatenate([one.art for one in shapes]), np.concatenate(triangles))


def _one_ribbon(segments: int) -> Shape:
    """Four rows of points: beyond the ink, where it is whole, and the same on the other side.

    All show one column of the strip: it is of one colour, and stretched along a line it would be
    looked up in a picture too coarse for its edges.
    """
    n = segments + 1
    nothing, whole = BRINK[0] - _BEYOND, BRINK[1] + _BEYOND
    rows = [nothing, whole, whole, nothing]
    middle = (STRIP.left + STRIP.right) / 2
    one = np.concatenate([np.tile([[middle, row]], (n, 1)) for row in rows])
    # Both tips fade as well: a point of whole ink would be seen as a dot.
    one[0::n, 1] = one[segments::n, 1] = nothing
    corners = [k * n + i for k in range(len(rows) - 1) for i in range(segments)]
    quads = [(a, a + 1, a + n, a + n + 1) for a in corners]
    triangles = np.array([t for a, b, c, d in quads for t in ((a, b, c), (b, d, c))])
    return Shape(one, triangles.astype(np.int64))


def _ribbon(stroke: Stroke, segments: int) -> Points:
    kept = _kept(segments, stroke)
    line = resample(stroke.line, segments + 1)
    ts = np.arange(segments + 1)[kept] / segments
    half = np.array([stroke.width(float(t)) / 2 for t in ts])[:, None]
    # A line thinner than its rims fades from its middle on, and has the same weight.
    whole, gone = np.maximum(half - _RIM, 0.0), np.minimum(half + _RIM, half * 2)
    line, side = line[kept], normals(line)[kept]
    return np.concatenate([line + side * k for k in (gone, whole, -whole, -gone)])
