"""Adds colour under the transparent edges of Cubism 2 textures.

Those textures were made for viewers that premultiply at load time; the library filters them
unchanged, so the black or white under transparent texels appears as seams in the face. Spreading
each edge's colour outwards (alpha stays) removes the seams.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from PIL import Image

_MOST_PIXELS = 4096 * 4096
"""Larger textures, which didn't exist at that time, are skipped: the work would need gigabytes."""
_LEVELS = 5
"""Colour spreads 2 ** _LEVELS texels: enough for the smallest visible mipmap."""


def bleed_edges(picture: Image.Image) -> Image.Image:
    """Return the picture with colour under transparent pixels; visible pixels don't change."""
    whole = picture.convert("RGBA")
    alpha = whole.getchannel("A")
    # Averages weighted by alpha, coarse ones first, so that the nearest colour remains.
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
    """Write `source` (a PNG) with spread edges to `target`, a very large one unchanged. Raises
    OSError.
    """
    with Image.open(source, formats=("PNG",)) as picture:
        if picture.width * picture.height <= _MOST_PIXELS:
            bleed_edges(picture).save(target, format="PNG", compress_level=1)
            return
    shutil.copyfile(source, target)


def _anything(alpha: Image.Image) -> Image.Image:
    return alpha.point([0] + [255] * 255)
