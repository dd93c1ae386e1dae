"""Packs painted pieces into one square texture and bleeds their colours past their edges."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

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

    def uv(self, piece: str, where: Points) -> Points:
        """Texture coordinates 0..1 (v = 0 at the top) of canvas points on ``piece``."""
        slot = self.slots[piece]
        texels = (where - np.array([slot.box.left, slot.box.top])) * slot.scale
        return np.asarray((texels + np.array([slot.x, slot.y])) / self.image.width)


def pack(painters: Mapping[str, Painter], size: int) -> Atlas:
    """Lay out all pieces in a ``size``² texture; ``ValueError`` if they do not fit."""
    padding = round(_PADDING * max(1.0, min(p.scale for p in painters.values())))
    skyline = _Skyline(size)
    slots: dict[str, Slot] = {}
    image = Image.new("RGBA", (size, size), (0, 0, 0, 0))
    # Tallest first; the name decides ties, so that the layout never depends on chance.
    order = sorted(painters, key=lambda name: (-painters[name].size[1], name))
    for name in order:
        painter = painters[name]
        width, height = painter.size
        x, y = skyline.place(width + 2 * padding, height + 2 * padding, name)
        slots[name] = Slot(painter.box, x + padding, y + padding, painter.scale)
        image.paste(_bled(painter.image, padding), (x, y))
    return Atlas(image, slots)


class _Skyline:
    """Bottom-left packing under a skyline of (x, y, width) steps."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._steps: list[tuple[int, int, int]] = [(0, 0, size)]

    def place(self, width: int, height: int, name: str) -> tuple[int, int]:
        spots = [self._spot(i, width) for i in range(len(self._steps))]
        fitting = [s for s in spots if s is not None and s[0] + height <= self._size]
        if not fitting:
            raise ValueError(f"{name}: no room left in the {self._size} texture")
        y, x = min(fitting)
        self._raise(x, y + height, width)
        return x, y

    def _spot(self, index: int, width: int) -> tuple[int, int] | None:
        x = self._steps[index][0]
        if x + width > self._size:
            return None
        inside = [s for s in self._steps if s[0] < x + width and s[0] + s[2] > x]
        return max(s[1] for s in inside), x

    def _raise(self, x: int, y: int, width: int) -> None:
        steps: list[tuple[int, int, int]] = []
        for left, top, wide in self._steps:
            right = left + wide
            if left < x:
                steps.append((left, top, min(right, x) - left))
            if right > x + width:
                begin = max(left, x + width)
                steps.append((begin, top, right - begin))
        steps.append((x, y, width))
        self._steps = sorted(steps)


def _bled(image: Image.Image, padding: int) -> Image.Image:
    """``image`` with a border, the colour of its edge carried ``padding`` texels outwards."""
    source = np.asarray(image, dtype=np.int32)
    texels = np.pad(source, ((padding, padding), (padding, padding), (0, 0)))
    known = texels[..., 3] > 0
    colour = texels[..., :3] * known[..., None]
    for _ in range(padding):
        colour, known = _spread(colour, known)
    out = np.concatenate([colour, texels[..., 3:]], axis=2).astype(np.uint8)
    return Image.fromarray(out, "RGBA")


def _spread(
    colour: NDArray[np.int32], known: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """One step: unknown texels take the mean of their known neighbours."""
    total = np.zeros_like(colour)
    count = np.zeros(known.shape, dtype=np.int32)
    for axis, by in ((0, 1), (0, -1), (1, 1), (1, -1)):
        total += np.roll(colour, by, axis=axis)
        count += np.roll(known, by, axis=axis)
    fresh = ~known & (count > 0)
    mean = total // np.maximum(count, 1)[..., None]
    return np.where(fresh[..., None], mean, colour).astype(np.int32), known | fresh
