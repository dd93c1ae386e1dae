"""Plane curves in canvas pixels (x right, y down): splines, strips along them, and mirrors.

Only +, -, *, / and square roots are used where a result reaches a file, so that every machine
computes the same digits.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from companion.moc_model import Points

Width: TypeAlias = Callable[[float], float]
"""Width in pixels of a stroke at 0..1 of its length."""

_STEPS = 14


def points(text: str) -> Points:
    """``"x,y x,y"`` as an (n, 2) array."""
    return np.array([[float(v) for v in token.split(",")] for token in text.split()])


def spline(text: str, closed: bool = False, tension: float = 0.5) -> Points:
    """A smooth curve through ``"x,y x,y! ..."``; ``!`` marks a sharp corner.

    Returns an (n, 2) polyline. A closed curve does not repeat its first point.
    """
    tokens = text.split()
    corners = [token.endswith("!") for token in tokens]
    knots = points(" ".join(token.rstrip("!") for token in tokens))
    return smooth(knots, corners, closed, tension)


def placed(text: str, x: float, y: float, size: float = 1.0, closed: bool = True) -> Points:
    """The spline ``text``, drawn around 0,0, scaled by ``size`` and moved to (x, y)."""
    return np.asarray(spline(text, closed) * size + np.array([x, y]))


def smooth(
    knots: Points, corners: list[bool] | None = None, closed: bool = False, tension: float = 0.5
) -> Points:
    """A cubic through ``knots``, its tangents limited by the shorter neighbour to avoid loops."""
    n = len(knots)
    sharp = corners or [False] * n
    last = n if closed else n - 1
    out: list[Points] = []
    ts = np.arange(_STEPS)[:, None] / _STEPS
    for i in range(last):
        a, b = knots[i], knots[(i + 1) % n]
        span = _length(b - a)
        from_a = _tangent(knots, sharp, i, closed) * span
        from_b = _tangent(knots, sharp, (i + 1) % n, closed) * span
        if sharp[i] or (not closed and i == 0):
            from_a = (b - a) * 2 * tension - from_b * 0.25
        if sharp[(i + 1) % n] or (not closed and i == last - 1):
            from_b = (b - a) * 2 * tension - from_a * 0.25
        h1 = 2 * ts * ts * ts - 3 * ts * ts + 1
        h2 = ts * ts * ts - 2 * ts * ts + ts
        h3 = 3 * ts * ts - 2 * ts * ts * ts
        h4 = ts * ts * ts - ts * ts
        out.append(h1 * a + h2 * from_a + h3 * b + h4 * from_b)
    if not closed:
        out.append(knots[-1:])
    return np.concatenate(out)


def _length(vector: Points) -> float:
    return float(np.sqrt(vector[0] * vector[0] + vector[1] * vector[1]))


def _tangent(knots: Points, sharp: list[bool], i: int, closed: bool) -> Points:
    n = len(knots)
    if sharp[i] or (not closed and i in (0, n - 1)):
        return np.zeros(2)
    before = knots[i] - knots[i - 1]
    after = knots[(i + 1) % n] - knots[i]
    d0, d1 = max(_length(before), 1e-6), max(_length(after), 1e-6)
    # Weighted by the other side's length: the direction of a circle through the three points.
    along = before / d0 * d1 + after / d1 * d0
    size = _length(along)
    unit: Points = along / size if size > 1e-9 else np.zeros(2)
    return unit


def resample(line: Points, count: int, closed: bool = False) -> Points:
    """``count`` points at equal distances along ``line``."""
    path = np.concatenate([line, line[:1]]) if closed else line
    step = path[1:] - path[:-1]
    lengths = np.sqrt(step[:, 0] * step[:, 0] + step[:, 1] * step[:, 1])
    at = np.concatenate([[0.0], np.cumsum(lengths)])
    ends = count if closed else count - 1
    wanted = np.arange(count) * (at[-1] / ends)
    return np.stack([np.interp(wanted, at, path[:, 0]), np.interp(wanted, at, path[:, 1])], axis=1)


def normals(line: Points, closed: bool = False) -> Points:
    """Unit normals to the left of travel on screen (right-hand turn of the tangent), (n, 2)."""
    if closed:
        tangent = np.roll(line, -1, axis=0) - np.roll(line, 1, axis=0)
    else:
        ends = np.concatenate([line[:1], line, line[-1:]])
        tangent = ends[2:] - ends[:-2]
    size = np.sqrt(tangent[:, 0] * tangent[:, 0] + tangent[:, 1] * tangent[:, 1])
    size = np.maximum(size, 1e-9)[:, None]
    unit = tangent / size
    return np.stack([unit[:, 1], -unit[:, 0]], axis=1)


def tube(spine: Points, width: Width) -> Points:
    """The closed outline of a shape ``width(t)`` wide along ``spine``."""
    ts = np.arange(len(spine)) / (len(spine) - 1)
    half = np.array([width(float(t)) / 2 for t in ts])[:, None]
    side = normals(spine) * half
    return np.concatenate([spine + side, (spine - side)[::-1]])


def mirror(line: Points, x: float) -> Points:
    """``line`` mirrored about the vertical at ``x``."""
    out = line.copy()
    out[:, 0] = 2 * x - out[:, 0]
    return out


def ellipse(x: float, y: float, rx: float, ry: float, count: int = 72) -> Points:
    """A closed ellipse."""
    angle = np.arange(count) * (2 * np.pi / count)
    ring = np.stack([x + rx * np.cos(angle), y + ry * np.sin(angle)], axis=1)
    # Rounded: sine and cosine may differ in the last bit between machines.
    return np.asarray(np.round(ring, 4))


def tapered(peak: float, head: float = 0.3, tail: float = 1.0, floor: float = 0.0) -> Width:
    """A pen stroke: swells over ``head`` of its length, thins out over ``tail``."""

    def width(t: float) -> float:
        rise = min(1.0, t / head) if head > 0 else 1.0
        fall = min(1.0, (1 - t) / tail) if tail > 0 else 1.0
        ease = (1 - (1 - rise) * (1 - rise)) * (1 - (1 - fall) * (1 - fall))
        return floor + (peak - floor) * ease

    return width


def even(size: float) -> Width:
    """A stroke of one width."""
    return lambda _t: size
