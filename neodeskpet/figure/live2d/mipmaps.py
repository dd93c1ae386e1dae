"""Creates the mipmaps of a texture without GL for software rendering, and decides which of the
largest ones a small figure does not need.
"""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from neodeskpet.figure.live2d.gl_functions import gl_function_address

_SECTIONS = 0x40
_COUNTS, _TEXTURES = 0, 41
_UV_BEGINS, _INDEX_BEGINS, _INDEX_COUNTS, _UVS, _INDICES = 44, 45, 46, 78, 79
"""Slots of the section table: the counts, and where the meshes lie on their textures."""
_MESHES = 4
_MOST_MESHES = 10_000
_TRIANGLES = 8
"""The number of triangles of each mesh that are measured: all triangles of a mesh have a similar
scale.
"""
_NEARER = 0.5
"""The nearer level is used: the next one from halfway to it."""


@dataclass(frozen=True, slots=True)
class TextureDensity:
    """The resolution in which a figure is drawn: `densities` are for each texture the smallest
    share of its side for a unit of the model, `height` the figure's height in units.
    """

    densities: Mapping[int, float]
    height: float

    @classmethod
    def of(cls, moc: bytes, points: Callable[[int], Sequence[float]]) -> Self | None:
        """Measure a .moc3 whose mesh of a number has these `points` now (x, y, x, y …); None if it
        can't be measured.
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
        densities: dict[int, float] = {}
        for one in seen:
            densities[one.texture] = min(one.density, densities.get(one.texture, math.inf))
        return cls(densities, high - low)

    def unneeded_levels(self, texture: int, side: float, pixels: float) -> int:
        """Return how many of the largest levels of a texture of `side` texels aren't used when a
        unit is `pixels` wide.
        """
        texels = side * self.densities.get(texture, 0.0) / pixels
        return max(0, math.floor(math.log2(texels) + _NEARER)) if texels > 0 else 0

    def enough(self, texture: int, side: float, unread: int) -> float:
        """Return the largest width of a unit in pixels for which this many levels aren't used."""
        return side * self.densities[texture] / 2 ** (unread - _NEARER) if unread else math.inf


@dataclass(frozen=True, slots=True)
class _MeshDensity:
    texture: int
    density: float
    low: float
    high: float


class _Meshes:
    """The texture coordinates of the meshes. Raises struct.error."""

    def __init__(self, moc: bytes) -> None:
        self._moc = moc
        (self.number,) = self._read("I", self._section(_COUNTS) + 4 * _MESHES, 1)
        if self.number > _MOST_MESHES:
            raise ValueError
        self._textures, self._uv_begins, self._begins, self._counts = (
            self._read("i", self._section(slot), self.number)
            for slot in (_TEXTURES, _UV_BEGINS, _INDEX_BEGINS, _INDEX_COUNTS)
        )
        self._uvs, self._indices = self._section(_UVS), self._section(_INDICES)

    def measured(self, number: int, points: Sequence[float]) -> _MeshDensity | None:
        """Measure a mesh; None for one without an area in the model or on its texture, such as a
        folded one or one with a single colour.
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
        return _MeshDensity(self._textures[number], math.sqrt(texture / model), min(ys), max(ys))

    def _triangles(self, number: int) -> list[tuple[int, ...]]:
        """Return some triangles, distributed over the mesh."""
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


_WIDTH, _HEIGHT, _FORMAT = 0x1000, 0x1001, 0x1003
_RGBA, _BYTES = 0x1908, 0x1401
_MOST = 4096 * 4096
"""Larger textures would take some hundred megabytes for a moment."""
_FROM_WHOLE = 3
"""The number of levels that are made from the whole picture: Qt rounds down, and visible levels
would become darker otherwise.
"""
_name, _number, _address = ctypes.c_uint, ctypes.c_int, ctypes.c_void_p
_Make = ctypes.CFUNCTYPE(None, _name)
_Ask = ctypes.CFUNCTYPE(None, _name, _number, _name, _address)
_Read = ctypes.CFUNCTYPE(None, _name, _number, _name, _name, _address)
_Write = ctypes.CFUNCTYPE(None, _name, *([_number] * 5), _name, _name, _address)


def mipmap_chain(
    data: bytes | memoryview, width: int, height: int
) -> Iterator[tuple[int, int, bytes]]:
    """Return the smaller levels of a picture of `width` × `height` pixels of four bytes, each half
    as wide and high as the one before, down to a single pixel: their sizes and bytes.
    """
    # Each byte separately, as GL does it: Qt doesn't change premultiplied colours.
    form = QImage.Format.Format_RGBA8888_Premultiplied
    source = QImage(data, width, height, 4 * width, form)
    level = 0
    while width > 1 or height > 1:
        width, height, level = max(1, width // 2), max(1, height // 2), level + 1
        image = source.scaled(
            width,
            height,
            Qt.AspectRatioMode.IgnoreAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
        if level >= _FROM_WHOLE:
            source = image
        yield width, height, bytes(image.constBits())


def all_levels_needed(width: int, height: int) -> int:
    """Return 0: all levels of a texture are needed."""
    return 0


@contextmanager
def cpu_mipmaps(
    library: Any, unread: Callable[[int, int], int] = all_levels_needed
) -> Iterator[None]:
    """Create the smaller levels of the textures that the library loads inside the `with` block on
    the processor. The largest levels are omitted, as many as `unread` returns for a width and a
    height: the next one is then the texture; the result is the same if none of them would be used.
    """
    making, loading = (
        gl_function_address(library, "GenerateMipmap"),
        gl_function_address(library, "TexImage2D"),
    )
    ask = _Ask(gl_function_address(library, "GetTexLevelParameteriv").value or 0)
    read = _Read(gl_function_address(library, "GetTexImage").value or 0)
    write = _Write(loading.value or 0)
    kept, kept_loading = making.value, loading.value
    made = False
    make_there = _Make(kept or 0)

    def level_parameter(target: int, what: int) -> int:
        answer = ctypes.c_int()
        ask(target, 0, what, ctypes.addressof(answer))
        return answer.value

    def load(target: int, level: int, form: int, width: int, height: int, *rest: Any) -> None:
        nonlocal made
        *kind, address = rest
        left_out = 0
        if address and kind == [0, _RGBA, _BYTES] and 0 < width * height <= _MOST:
            left_out = min(unread(width, height), min(width, height).bit_length() - 1)
        if not left_out:
            write(target, level, form, width, height, *rest)
            return
        data = (ctypes.c_char * (4 * width * height)).from_address(address)
        below = islice(mipmap_chain(memoryview(data), width, height), left_out - 1, None)
        # The largest comes last: by then Mesa has allocated all levels and needn't do it twice.
        for smaller, (wide, high, half) in reversed(list(enumerate(below))):
            write(target, smaller, form, wide, high, *kind, half)
        made = True

    def make(target: int) -> None:
        nonlocal made
        if made:
            made = False
            return
        width, height, form = (level_parameter(target, what) for what in (_WIDTH, _HEIGHT, _FORMAT))
        if not 0 < width * height <= _MOST:
            make_there(target)
            return
        data = ctypes.create_string_buffer(4 * width * height)
        read(target, 0, _RGBA, _BYTES, ctypes.addressof(data))
        for level, (wide, high, half) in enumerate(
            mipmap_chain(memoryview(data), width, height), 1
        ):
            write(target, level, form, wide, high, 0, _RGBA, _BYTES, half)

    calls = _Make(make), _Write(load)
    making.value, loading.value = (ctypes.cast(one, ctypes.c_void_p).value for one in calls)
    try:
        yield
    finally:
        making.value, loading.value = kept, kept_loading
