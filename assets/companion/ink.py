"""The drawing hand: contours that swell towards the shadow side, tapered strokes, soft shading."""

from collections.abc import Sequence

import numpy as np

from companion.curves import Width, normals, tapered, tube
from companion.moc_model import Points
from companion.palette import INK, Rgba
from companion.raster import Linear, Mask, Paint, Painter

LINE = 8.0
"""Mean width of the outer contour in canvas pixels."""


def pen(line: Points, size: float = LINE, closed: bool = True) -> Width:
    """Widths along ``line``: thicker where the shape faces down and right, away from the light."""
    side = normals(line, closed)
    x, y = line[:, 0], line[:, 1]
    area = float(np.cumsum(x * np.roll(y, -1) - y * np.roll(x, -1))[-1])
    outward = side if area > 0 else -side
    facing = outward[:, 0] * 0.45 + outward[:, 1] * 0.85
    # Averaged along the line, so that corners do not make the pen jump.
    for _ in range(3):
        facing = (np.roll(facing, 1) + facing * 2 + np.roll(facing, -1)) / 4
    n = len(line)

    def width(t: float) -> float:
        at = facing[round(t * (n - 1)) % n]
        return size * (0.95 + 0.28 * float(at))

    return width


def contour(painter: Painter, shape: Points, size: float = LINE, paint: Paint = INK) -> None:
    """Ink the closed outline of ``shape``."""
    painter.fill(painter.stroke_mask(shape, pen(shape, size), closed=True), paint)


def silhouette(
    painter: Painter, shapes: Sequence[Points], paint: Paint, size: float = LINE
) -> Mask:
    """Fill the union of ``shapes`` and ink only its outer edge; returns the union."""
    for shape in shapes:
        edge = painter.stroke_mask(shape, pen(shape, size * 1.7), closed=True)
        painter.fill(edge, INK)
    union = painter.mask(*shapes)
    painter.fill(union, paint)
    return union


def strokes(
    painter: Painter,
    lines: Sequence[Points],
    size: float,
    paint: Paint = INK,
    clip: Mask | None = None,
    head: float = 0.25,
) -> None:
    """Tapered pen strokes, each starting thick at its first point."""
    for line in lines:
        painter.fill(painter.stroke_mask(line, tapered(size, head, 1.0, 1.0)), paint, clip)


def volume(
    painter: Painter,
    mask: Mask,
    reach: float = 26.0,
    shade: Rgba | None = None,
    light: Rgba | None = None,
) -> None:
    """Give a filled shape roundness: shade along lower right, light along upper left. The default
    colours are those of the fur.
    """
    fur = painter.palette.fur
    shade, light = shade or fur.shade, light or fur.glow
    soft = reach * 0.55
    painter.shade(mask, shade.fade(120), -reach * 0.7, -reach, soft)
    painter.shade(mask, light.fade(130), reach * 0.35, reach * 0.5, soft * 0.7)


def vertical(top: float, bottom: float, *stops: tuple[float, Rgba]) -> Linear:
    """A gradient straight down from ``top`` to ``bottom``."""
    return Linear((0.0, top), (0.0, bottom), stops)


def leaf(spine: Points, size: float, peak: float = 0.35, root: float = 0.25) -> Points:
    """A lock or tuft: ``root`` of its ``size`` wide at first, all of it at ``peak``, then a tip."""

    def width(t: float) -> float:
        if t < peak:
            k = t / peak
            return size * (root + (1 - root) * k * (2 - k))
        k = (1 - t) / (1 - peak)
        return size * k * (2 - k)

    return tube(spine, width)
