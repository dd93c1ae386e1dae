"""Paints vector shapes into RGBA images, the same on every machine.

Shapes are filled at several times the resolution with integer corners and averaged down; gradients
use only exactly rounded operations; layers are composed by Pillow's integer arithmetic.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from companion.curves import Width, normals
from companion.moc_model import Points
from companion.palette import TIDE, Palette, Rgba

Mask: TypeAlias = Image.Image
"""An 8-bit coverage image of a painter's size."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in canvas pixels."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """Canvas pixels from left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Canvas pixels from top to bottom."""
        return self.bottom - self.top

    def grown(self, margin: float) -> "Box":
        """This box with ``margin`` more on every side."""
        return Box(self.left - margin, self.top - margin, self.right + margin, self.bottom + margin)

    @staticmethod
    def around(*shapes: Points, margin: float = 0.0) -> "Box":
        """The whole-pixel box around ``shapes``."""
        low = np.min([shape.min(axis=0) for shape in shapes], axis=0) - margin
        high = np.max([shape.max(axis=0) for shape in shapes], axis=0) + margin
        x0, y0 = np.floor(low)
        x1, y1 = np.ceil(high)
        return Box(float(x0), float(y0), float(x1), float(y1))


Stop: TypeAlias = tuple[float, Rgba]


@dataclass(frozen=True, slots=True)
class Linear:
    """A gradient from ``start`` to ``end``, both canvas pixels."""

    start: tuple[float, float]
    end: tuple[float, float]
    stops: tuple[Stop, ...]


@dataclass(frozen=True, slots=True)
class Radial:
    """A gradient from ``centre`` outwards to an ellipse of radii ``rx``, ``ry``."""

    centre: tuple[float, float]
    rx: float
    ry: float
    stops: tuple[Stop, ...]


Paint: TypeAlias = Rgba | Linear | Radial


class Painter:
    """An image of ``box`` at ``scale`` texels per canvas pixel, painted layer by layer in the
    colours of ``palette``.
    """

    def __init__(
        self, box: Box, scale: float = 1.0, palette: Palette = TIDE, oversample: int = 6
    ) -> None:
        self.box = box
        self.scale = scale
        self.palette = palette
        self._oversample = oversample
        self.size = (round(box.width * scale), round(box.height * scale))
        self.image = Image.new("RGBA", self.size, (0, 0, 0, 0))

    def mask(self, *shapes: Points) -> Mask:
        """The coverage of the union of closed ``shapes``."""
        big, draw = self._big()
        for shape in shapes:
            draw.polygon(self._corners(shape), fill=255)
        return big.reduce(self._oversample)

    def stroke_mask(self, line: Points, width: Width, closed: bool = False) -> Mask:
        """The coverage of a pen stroke along ``line``, round at joints and ends."""
        big, draw = self._big()
        path = np.concatenate([line, line[:1]]) if closed else line
        ts = np.arange(len(path)) / (len(path) - 1)
        half = np.array([width(float(t)) / 2 for t in ts])
        side = normals(path) * half[:, None]
        left, right = self._grid(path + side), self._grid(path - side)
        centres = self._grid(path)
        radii = half * self.scale * self._oversample
        for i in range(len(path) - 1):
            quad = [*map(tuple, left[i : i + 2]), *map(tuple, right[i : i + 2][::-1])]
            draw.polygon([(int(x), int(y)) for x, y in quad], fill=255)
        for (x, y), r in zip(centres.tolist(), radii.tolist(), strict=True):
            if r >= 1:
                reach = round(r)
                draw.ellipse((x - reach, y - reach, x + reach, y + reach), fill=255)
        return big.reduce(self._oversample)

    def fill(self, mask: Mask, paint: Paint, clip: Mask | None = None) -> None:
        """Lay ``paint`` over the image where ``mask`` (and ``clip``) cover it."""
        cover = ImageChops.multiply(mask, clip) if clip else mask
        self.image.alpha_composite(self._layer(paint, cover))

    def blur(self, mask: Mask, radius: float) -> Mask:
        """``mask`` softened over ``radius`` canvas pixels."""
        return mask.filter(ImageFilter.GaussianBlur(radius * self.scale))

    def moved(self, mask: Mask, dx: float, dy: float) -> Mask:
        """``mask`` shifted by canvas pixels, empty where nothing moved in."""
        out = Image.new("L", mask.size, 0)
        out.paste(mask, (round(dx * self.scale), round(dy * self.scale)))
        return out

    def shade(self, mask: Mask, paint: Paint, dx: float, dy: float, soft: float) -> None:
        """Tint the rim of ``mask`` that ``mask`` moved by (dx, dy) leaves free."""
        rest = ImageChops.invert(self.blur(self.moved(mask, dx, dy), soft))
        self.fill(rest, paint, clip=mask)

    def erase(self, mask: Mask) -> None:
        """Cut ``mask`` out of the image."""
        alpha = ImageChops.multiply(self.image.getchannel("A"), ImageChops.invert(mask))
        self.image.putalpha(alpha)

    def trim(self) -> None:
        """Cut off empty margins but for two texels; painting must be over."""
        found = self.image.getbbox()
        if found is None:
            raise ValueError("nothing painted")
        left, top = max(0, found[0] - 2), max(0, found[1] - 2)
        right = min(self.size[0], found[2] + 2)
        bottom = min(self.size[1], found[3] + 2)
        self.image = self.image.crop((left, top, right, bottom))
        self.size = self.image.size
        x, y = self.box.left + left / self.scale, self.box.top + top / self.scale
        self.box = Box(x, y, x + self.size[0] / self.scale, y + self.size[1] / self.scale)

    def _big(self) -> tuple[Image.Image, ImageDraw.ImageDraw]:
        size = (self.size[0] * self._oversample, self.size[1] * self._oversample)
        big = Image.new("L", size, 0)
        return big, ImageDraw.Draw(big)

    def _grid(self, shape: Points) -> Points:
        origin = np.array([self.box.left, self.box.top])
        return np.asarray(np.floor((shape - origin) * (self.scale * self._oversample) + 0.5))

    def _corners(self, shape: Points) -> Sequence[tuple[int, int]]:
        return [(int(x), int(y)) for x, y in self._grid(shape).tolist()]

    def _layer(self, paint: Paint, cover: Mask) -> Image.Image:
        if isinstance(paint, Rgba):
            layer = Image.new("RGBA", self.size, (paint.r, paint.g, paint.b, 255))
            alpha = (
                cover if paint.a == 255 else cover.point([i * paint.a // 255 for i in range(256)])
            )
            layer.putalpha(alpha)
            return layer
        colours = _ramp(self._position(paint), paint.stops)
        if colours.shape[1] == 1:
            colours = np.repeat(colours, self.size[0], axis=1)
        layer = Image.fromarray(colours)
        layer.putalpha(ImageChops.multiply(layer.getchannel("A"), cover))
        return layer

    def _position(self, paint: Linear | Radial) -> Points:
        """How far along the gradient each texel lies, (height, width or 1 if all alike)."""
        x = (np.arange(self.size[0]) + 0.5) / self.scale + self.box.left
        y = ((np.arange(self.size[1]) + 0.5) / self.scale + self.box.top)[:, None]
        if isinstance(paint, Radial):
            u = (x - paint.centre[0]) / paint.rx
            v = (y - paint.centre[1]) / paint.ry
            return np.asarray(np.sqrt(u * u + v * v))
        if paint.start[0] == paint.end[0]:
            return np.asarray((y - paint.start[1]) / (paint.end[1] - paint.start[1]))
        dx, dy = paint.end[0] - paint.start[0], paint.end[1] - paint.start[1]
        along = (x - paint.start[0]) * dx + (y - paint.start[1]) * dy
        return np.asarray(along / (dx * dx + dy * dy))


def _ramp(
    position: Points, stops: tuple[Stop, ...]
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Colours at ``position``, (height, width, 4); smooth-stepped between stops."""
    out = np.empty((*position.shape, 4))
    out[:] = stops[0][1].channels()
    for (at, colour), (until, following) in pairwise(stops):
        t = np.clip((position - at) / (until - at), 0.0, 1.0)[..., None]
        # Later spans overwrite from their start on; before it t is 0 and keeps what is there.
        mixed = np.array(colour.channels()) * (1 - t) + np.array(following.channels()) * t
        out = np.where((position >= at)[..., None], mixed, out)
    return np.floor(out + 0.5).astype(np.uint8)
