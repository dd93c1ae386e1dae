"""Which of a texture's pictures nobody looks up, where the processor draws.

A figure that is shown small is drawn from the smaller pictures of its textures alone. There the
largest ones (16 MiB of one with 2048²) needn't be kept; they are loaded when it grows.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

_SECTIONS = 0x40
_COUNTS, _UV_BEGINS, _INDEX_BEGINS, _INDEX_COUNTS, _UVS, _INDICES = 0, 44, 45, 46, 78, 79
"""Of the section table: how much there is of all, and of meshes where on the textures they lie."""
_MESHES = 4
_MOST_MESHES = 10_000
_TRIANGLES = 8
"""So many of each mesh are measured: all of a mesh are drawn about as finely."""
_NEARER = 0.5
"""The nearer picture is looked up: the next one from half of the way to it."""


@dataclass(frozen=True, slots=True)
class TextureDensity:
    """How finely a figure is drawn: `density` is how much of a texture's side lies on a unit of the
    model where it is least, `height` how many units it is high.
    """

    density: float
    height: float

    @classmethod
    def of(cls, moc: bytes, points: Callable[[int], Sequence[float]]) -> Self | None:
        """Of a .moc3 whose mesh with a number has these `points` now (x, y, x, y …); None where
        it can't be told.
        """
        try:
            meshes = _Meshes(moc)
            found = [meshes.measured(number, points(number)) for number in range(meshes.number)]
        except (struct.error, IndexError, ValueError):
            return None
        seen = [one for one in found if one is not None]
        if not seen:
            return None
        high, low = max(one.high for one in seen), min(one.low for one in seen)
        return cls(min(one.density for one in seen), high - low)

    def unneeded_levels(self, side: float, pixels: float) -> int:
        """How many of the largest pictures of a texture of `side` texels aren't looked up when a
        unit is `pixels` wide.
        """
        texels = side * self.density / pixels
        return max(0, math.floor(math.log2(texels) + _NEARER)) if texels > 0 else 0

    def enough(self, side: float, unread: int) -> float:
        """How many pixels a unit may have at most without so many pictures."""
        return side * self.density / 2 ** (unread - _NEARER) if unread else math.inf


@dataclass(frozen=True, slots=True)
class _MeshDensity:
    density: float
    low: float
    high: float


class _Meshes:
    """Where on the textures the meshes lie. Raises struct.error."""

    def __init__(self, moc: bytes) -> None:
        self._moc = moc
        (self.number,) = self._read("I", self._section(_COUNTS) + 4 * _MESHES, 1)
        if self.number > _MOST_MESHES:
            raise ValueError
        self._uv_begins, self._begins, self._counts = (
            self._read("i", self._section(slot), self.number)
            for slot in (_UV_BEGINS, _INDEX_BEGINS, _INDEX_COUNTS)
        )
        self._uvs, self._indices = self._section(_UVS), self._section(_INDICES)

    def measured(self, number: int, points: Sequence[float]) -> _MeshDensity | None:
        """None for a mesh without an area, here or on its texture: what is folded up or of a
        single colour tells nothing.
        """
        if not points:
            return None
        uvs = self._read("f", self._uvs + 4 * self._uv_begins[number], len(points))
        texture = model = 0.0
        for corners in self._triangles(number):
            texture += _area(uvs, corners)
            model += _area(points, corners)
        if not (texture > 0 and model > 0):
            return None
        ys = points[1::2]
        return _MeshDensity(math.sqrt(texture / model), min(ys), max(ys))

    def _triangles(self, number: int) -> list[tuple[int, ...]]:
        """Some of them, from the whole mesh."""
        every = self._counts[number] // 3
        begin = self._indices + 2 * self._begins[number]
        return [
            self._read("H", begin + 6 * one, 3)
            for one in range(0, every, max(1, every // _TRIANGLES))
        ]

    def _section(self, slot: int) -> int:
        return int(self._read("I", _SECTIONS + 4 * slot, 1)[0])

    def _read(self, kind: str, at: int, number: int) -> tuple[int, ...]:
        return struct.unpack_from(f"<{number}{kind}", self._moc, at)


def _area(points: Sequence[float], corners: Sequence[int]) -> float:
    (x0, y0), (x1, y1), (x2, y2) = ((points[2 * one], points[2 * one + 1]) for one in corners)
    return abs((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)) / 2
