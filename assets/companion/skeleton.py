"""Where a point that a deformer carries lies at given parameter values.

It computes what the library computes from the built model: forms are interpolated between the keys
of their parameters, a warp moves a point with the corners of its cell, and a rotation turns with
the warps above it without being stretched by them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from companion.figure import Keys, RotationSpec, Values, WarpSpec
from companion.moc_model import Points

_PROBE = 0.1
"""The share of a warp's height over which the library measures how far the warp is turned."""

Point = tuple[float, float]


class Blend:
    """A function of parameter values, known at the keys and interpolated between them."""

    def __init__(self, keys: Keys, value: Callable[[Values], NDArray[np.float64]]) -> None:
        self.names = tuple(keys)
        self._keys = [keys[name] for name in self.names]
        shape = [len(one) for one in self._keys]
        forms = [
            value(dict(zip(self.names, at, strict=True)))
            for at in product(*(keys[name] for name in self.names))
        ]
        self._forms = np.array(forms).reshape(*shape, *np.shape(forms[0]))

    def at(self, values: Values) -> NDArray[np.float64]:
        """The value between the keys that surround ``values``."""
        found = self._forms
        for name, keys in zip(self.names, self._keys, strict=True):
            value = min(max(values[name], keys[0]), keys[-1])
            below = max(0, min(int(np.searchsorted(keys, value)) - 1, len(keys) - 2))
            t = (value - keys[below]) / (keys[below + 1] - keys[below])
            found = found[below] * (1 - t) + found[below + 1] * t
        return found


@dataclass(frozen=True, slots=True)
class _Warp:
    spec: WarpSpec
    grid: Blend


@dataclass(frozen=True, slots=True)
class _Rotation:
    spec: RotationSpec
    form: Blend
    """(origin x, origin y, angle in degrees, scale)."""


class Skeleton:
    """The deformers of a figure."""

    def __init__(self, specs: Sequence[WarpSpec | RotationSpec]) -> None:
        self._specs = {spec.id: spec for spec in specs}
        self._built: dict[str, _Warp | _Rotation] = {}

    def place(self, deformer: str | None, point: Point, values: Values) -> Point:
        """Where ``point``, at rest in canvas pixels and carried by ``deformer``, lies."""
        if deformer is None:
            return point
        bone = self._bone(deformer)
        if isinstance(bone, _Warp):
            return self.place(bone.spec.parent, _warped(bone, point, values), values)
        origin, degrees, scale = self.frame(deformer, values)
        away = (point[0] - bone.spec.pivot[0], point[1] - bone.spec.pivot[1])
        return placed_in((origin, degrees, scale), away)

    def frame(self, rotation: str, values: Values) -> tuple[Point, float, float]:
        """Where the origin of ``rotation`` lies, how far it is turned, and its scale."""
        bone = self._bone(rotation)
        if not isinstance(bone, _Rotation):
            raise TypeError(f"{rotation} is no rotation")
        x, y, angle, scale = (float(one) for one in bone.form.at(values))
        parent = bone.spec.parent
        origin = self.place(parent, (x, y), values)
        if parent is None:
            return origin, angle, scale
        above = self._bone(parent)
        if isinstance(above, _Rotation):
            _, turned, larger = self.frame(parent, values)
            return origin, angle + turned, scale * larger
        step = _PROBE * above.spec.box.height
        up = self.place(parent, (x, y - step), values)
        turned = float(np.degrees(np.arctan2(up[0] - origin[0], origin[1] - up[1])))
        return origin, angle + turned, scale * self._scale(parent, values)

    def _scale(self, deformer: str | None, values: Values) -> float:
        """The scale of the rotations above."""
        while deformer is not None:
            bone = self._bone(deformer)
            if isinstance(bone, _Rotation):
                return self.frame(deformer, values)[2]
            deformer = bone.spec.parent
        return 1.0

    def _bone(self, name: str) -> _Warp | _Rotation:
        if name not in self._built:
            spec = self._specs[name]
            if isinstance(spec, WarpSpec):
                self._built[name] = _Warp(spec, _grid(spec))
            else:
                self._built[name] = _Rotation(spec, _form(spec))
        return self._built[name]


def placed_in(frame: tuple[Point, float, float], away: Point) -> Point:
    """Where a point lies that is ``away`` from the origin of a turned and scaled frame."""
    (x, y), degrees, scale = frame
    turn = np.radians(degrees)
    c, s = float(np.cos(turn)) * scale, float(np.sin(turn)) * scale
    return (x + c * away[0] - s * away[1], y + s * away[0] + c * away[1])


def _grid(spec: WarpSpec) -> Blend:
    box = spec.box
    xs = box.left + box.width * np.arange(spec.cols + 1) / spec.cols
    ys = box.top + box.height * np.arange(spec.rows + 1) / spec.rows
    rest: Points = np.array([(x, y) for y in ys for x in xs])
    shape = (spec.rows + 1, spec.cols + 1, 2)
    return Blend(spec.keys, lambda values: spec.move(rest, values).reshape(shape))


def _form(spec: RotationSpec) -> Blend:
    def form(values: Mapping[str, float]) -> NDArray[np.float64]:
        x, y = spec.shift(values)
        turn = (spec.angle(values), spec.scale(values))
        return np.array([spec.pivot[0] + x, spec.pivot[1] + y, *turn])

    return Blend(spec.keys, form)


def _warped(bone: _Warp, point: Point, values: Values) -> Point:
    """``point`` moved with the four corners of its cell."""
    spec, grid = bone.spec, bone.grid.at(values)
    u = (point[0] - spec.box.left) / spec.box.width * spec.cols
    v = (point[1] - spec.box.top) / spec.box.height * spec.rows
    col = max(0, min(int(u), spec.cols - 1))
    row = max(0, min(int(v), spec.rows - 1))
    u, v = u - col, v - row
    top = grid[row, col] * (1 - u) + grid[row, col + 1] * u
    bottom = grid[row + 1, col] * (1 - u) + grid[row + 1, col + 1] * u
    x, y = top * (1 - v) + bottom * v
    return float(x), float(y)
