"""Thumbnails of sprite figures (figures made of pictures), like those that
`live2d/model_renderer.py` draws of Live2D models. No GL, no Qt.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from neodeskpet.figure.sprites.sprite_figure import Animation, read_sprite_figure, rest_animation

if TYPE_CHECKING:
    from PIL import Image

SIDE = 480
"""The largest width and height of a picture, pixels."""


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """A picture and what it shows."""

    name: str
    picture: Image.Image


class SpriteThumbnails:
    """Draws the converted figure in `folder`. Raises ModelFileError, and OSError for its sheets."""

    def __init__(self, folder: Path) -> None:
        from PIL import Image  # the app imports this module but draws no pictures

        self._body = read_sprite_figure(folder)
        self._sheets: list[Image.Image] = []
        for name in self._body.sheets:
            with Image.open(folder / name, formats=("PNG", "WEBP")) as sheet:
                self._sheets.append(sheet.convert("RGBA"))

    def picture(self, height: int) -> Image.Image:
        """Return the figure at rest, at most SIDE pixels high and wide; premultiplied."""
        rest = self._body.animations[rest_animation(self._body.animations)]
        return self._shoot(rest.frames[0].cel, height)

    def expressions(self, height: int) -> Iterator[Thumbnail]:
        """Yield a picture of every expression."""
        for face, name in self._body.faces.items():
            yield Thumbnail(face, self._middle(self._body.animations[name], height))

    def motions(self, height: int) -> Iterator[Thumbnail]:
        """Yield a picture of the middle of every animation."""
        for name in self._body.acts:
            yield Thumbnail(name, self._middle(self._body.animations[name], height))

    def _middle(self, animation: Animation, height: int) -> Image.Image:
        return self._shoot(animation.frames[len(animation.frames) // 2].cel, height)

    def _shoot(self, number: int, height: int) -> Image.Image:
        from PIL import Image

        body = self._body
        cel = body.cels[number]
        canvas = Image.new("RGBA", body.canvas)
        box = (cel.left, cel.top, cel.left + cel.width, cel.top + cel.height)
        canvas.paste(self._sheets[cel.sheet].crop(box), (cel.x, cel.y))
        wide, high = body.canvas
        scale = min(min(height, SIDE) / high, SIDE / wide)
        size = (max(1, round(wide * scale)), max(1, round(high * scale)))
        how = Image.Resampling.BILINEAR if body.smooth else Image.Resampling.NEAREST
        return canvas.convert("RGBa").resize(size, how)
