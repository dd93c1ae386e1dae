"""Packs painted pieces into two textures and bleeds their colours past their edges."""

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from companion.figure import Figure
from companion.moc_model import Points
from companion.raster import Box, Painter

_PADDING = 8
"""Texels around each piece, at scale 1, so that minified textures do not mix neighbours."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a piece lies: its canvas ``box`` and the texel of its top left corner."""

    box: Box
    x: int
    y: int
    scale: float


@dataclass(frozen=True, slots=True)
class Atlas:
    """The texture and where each piece is in it."""

    image: Image.Image
    slots: Mapping[str, Slot]

    def save(self, file: Path) -> None:
        """Write the texture as a PNG (RGBA) without filters: a tenth larger than with them, and the
        figure's library reads it some 26 ms sooner at every start.
        """
        width, height = self.image.size
        data, row = self.image.tobytes(), 4 * width
        plain = b"".join(b"\0" + data[at : at + row] for at in range(0, len(data), row))
        header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
        parts = ((b"IHDR", header), (b"IDAT", zlib.compress(plain, 9)), (b"IEND", b""))
        file.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts))

    def uv(self, piece: str, where: Points) -> Points:
        """Texture coordinates 0..1 (v = 0 at the top) of canvas points on ``piece``."""
        slot = self.slots[piece]
        texels = (where - np.array([slot.box.left, slot.box.top])) * slot.scale
        return np.asarray((texels + np.array([slot.x, slot.y])) / np.array(self.image.size))


Atlases: TypeAlias = tuple[Atlas, Atlas]
"""Both textures of a figure: the body's, and that of props and worn parts, half as high."""


def pack_both(figure: Figure, size: int) -> Atlases:
    """Lay out the pieces of ``figure`` in a ``size``² texture and one half as high;
    ``ValueError`` if they do not fit.
    """
    first = {name: p for name, p in figure.painters.items() if name not in figure.second}
    second = {name: p for name, p in figure.painters.items() if name in figure.second}
    return pack(first, size), pack(second, size, size // 2)


def pack(painters: Mapping[str, Painter], width: int, height: int | None = None) -> Atlas:
    """Lay out all pieces in a texture, square unless it has a ``height`` of its own;
    ``ValueError`` if they do not fit.
    """
    whole = (width, height or width)
    padding = round(_PADDING * max(1.0, min(p.scale for p in painters.values())))
    space = _FreeSpace(*whole)
    slots: dict[str, Slot] = {}
    image = Image.new("RGBA", whole, (0, 0, 0, 0))
    # Largest first; the name decides ties, so that the layout never depends on chance.
    order = sorted(painters, key=lambda name: (-max(painters[name].size), name))
    for name in order:
        painter = painters[name]
        wide, high = painter.size
        x, y = space.take(wide + 2 * padding, high + 2 * padding, name)
        slots[name] = Slot(painter.box, x + padding, y + padding, painter.scale)
        image.paste(_bled(painter.image, padding), (x, y))
    return Atlas(image, slots)


class _FreeSpace:
    """The maximal free rectangles (left, top, right, bottom) of the texture."""

    def __init__(self, width: int, height: int) -> None:
        self._width = width
        self._free: list[tuple[int, int, int, int]] = [(0, 0, width, height)]

    def take(self, width: int, height: int, name: str) -> tuple[int, int]:
        """The corner of the free rectangle that the piece fits most snugly."""
        fits = [
            (min(r - x - width, b - y - height), y, x)
            for x, y, r, b in self._free
            if r - x >= width and b - y >= height
        ]
        if not fits:
            raise ValueError(f"{name}: no room left in the {self._width} texture")
        _, y, x = min(fits)
        self._cut(x, y, x + width, y + height)
        return x, y

    def _cut(self, left: int, top: int, right: int, bottom: int) -> None:
        rest: list[tuple[int, int, int, int]] = []
        for x, y, r, b in self._free:
            if left >= r or right <= x or top >= b or bottom <= y:
                rest.append((x, y, r, b))
                continue
            pieces = ((x, y, left, b), (right, y, r, b), (x, y, r, top), (x, bottom, r, b))
            rest += [p for p in pieces if p[0] < p[2] and p[1] < p[3]]
        unique = sorted(set(rest))
        self._free = [p for p in unique if not any(q != p and _holds(q, p) for q in unique)]


def _holds(outer: tuple[int, int, int, int], inner: tuple[int, int, int, int]) -> bool:
    return (
        outer[0] <= inner[0]
        and outer[1] <= inner[1]
        and outer[2] >= inner[2]
        and outer[3] >= inner[3]
    )


def _bled(image: Image.Image, padding: int) -> Image.Image:
    """``image`` with a border, the colour of its edge carried ``padding`` texels outwards."""
    source = np.asarray(image)
    texels = np.pad(source, ((padding, padding), (padding, padding), (0, 0)))
    known = (texels[..., 3] > 0).astype(np.uint16)
    # Colours of unknown texels stay 0, so that sums need no mask.
    state = np.dstack([texels[..., :3] * known[..., None], known]).astype(np.uint16)
    for _ in range(padding):
        _spread(state)
    out = np.dstack([state[..., :3].astype(np.uint8), texels[..., 3]])
    return Image.fromarray(out)


def _spread(state: NDArray[np.uint16]) -> None:
    """One step: unknown texels of ``state`` (r, g, b, known) take their known neighbours' mean."""
    total = np.zeros_like(state)
    total[1:] += state[:-1]
    total[:-1] += state[1:]
    total[:, 1:] += state[:, :-1]
    total[:, :-1] += state[:, 1:]
    rows, columns = np.nonzero((state[..., 3] == 0) & (total[..., 3] > 0))
    fresh = total[rows, columns]
    state[rows, columns, :3] = fresh[:, :3] // fresh[:, 3:]
    state[rows, columns, 3] = 1


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)
