"""Colour under the transparent edge of a Cubism 2 texture.

Those textures were made for viewers that premultiply when they load; the library filters them as
they are, so the black or white under transparent texels shows as seams in the face. Spreading each
edge's colour outwards (alpha stays) removes them.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from PIL import Image

_MOST_PIXELS = 4096 * 4096
"""Of larger ones, which that time didn't know, the work would take gigabytes."""
_LEVELS = 5
"""Colour reaches 2 ** _LEVELS texels far: enough for the smallest mipmap that is ever seen."""


def bleed_edges(picture: Image.Image) -> Image.Image:
    """The same picture with colour under what is transparent; what is to be seen is unchanged."""
    whole = picture.convert("RGBA")
    alpha = whole.getchannel("A")
    # Averages weighted by alpha, coarse ones first, so that the nearest colour is on top.
    weighted = whole.convert("RGBa")
    ground = Image.new("RGBA", whole.size)
    for level in range(_LEVELS, 0, -1):
        coarse = weighted.reduce(2**level).convert("RGBA")
        spread = coarse.resize(whole.size, Image.Resampling.NEAREST)
        ground.paste(spread, mask=_anything(spread.getchannel("A")))
    ground.paste(whole, mask=_anything(alpha))
    ground.putalpha(alpha)
    return ground


def copy_with_bled_edges(source: Path, target: Path) -> None:
    """Write `source` (a PNG) bled to `target`, a very large one as it is. Raises OSError."""
    with Image.open(source, formats=("PNG",)) as picture:
        if picture.width * picture.height <= _MOST_PIXELS:
            bleed_edges(picture).save(target, format="PNG", compress_level=1)
            return
    shutil.copyfile(source, target)


def _anything(alpha: Image.Image) -> Image.Image:
    return alpha.point([0] + [255] * 255)
