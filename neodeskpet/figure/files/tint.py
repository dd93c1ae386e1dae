"""Changes the colours of the bundled figure in a copy of its folder: the copy gets the textures of
another palette, or the teal of hair, scarf and eyes gets another hue.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import PIL.Image

_FROM, _TO = 125 / 360, 225 / 360
"""The hues that are changed."""
_LEAST_SATURATION = 0.12


def tint_image(
    image: PIL.Image.Image, hue: float, saturation: float, light: float
) -> PIL.Image.Image:
    """Return `image` with the teal shifted by `hue` degrees; the others are factors. Slow: call it
    in a thread.
    """
    import numpy as np
    from PIL import Image

    source = image.convert("RGBA")
    alpha = source.getchannel("A")
    parts = np.asarray(source.convert("RGB").convert("HSV")).astype(np.float32) / 255
    own = (parts[..., 0] >= _FROM) & (parts[..., 0] <= _TO) & (parts[..., 1] > _LEAST_SATURATION)
    for channel, changed in enumerate(
        (
            (parts[..., 0] + hue / 360) % 1.0,
            parts[..., 1] * saturation,
            parts[..., 2] * light,
        )
    ):
        parts[..., channel] = np.where(own, np.clip(changed, 0, 1), parts[..., channel])
    made = Image.fromarray((parts * 255).round().astype(np.uint8), "HSV").convert("RGB")
    made.putalpha(alpha)
    return made


def tint_figure(source: Path, target: Path, hue: float, saturation: float, light: float) -> None:
    """Copy the folder of a Live2D figure to `target` with tinted textures. Slow: call it in a
    thread. Raises OSError.
    """
    from PIL import Image

    shutil.copytree(source, target)
    for texture in target.rglob("*.png"):
        with Image.open(texture) as image:
            made = tint_image(image, hue, saturation, light)
        made.save(texture)


def copy_with_textures(source: Path, target: Path, textures: Path) -> None:
    """Copy the folder of a Live2D figure to `target` with those of the folder `textures`, which
    have the same names, in place of its textures. Slow: call it in a thread. Raises OSError.
    """
    shutil.copytree(source, target)
    for own in target.rglob("*.png"):
        shutil.copyfile(textures / own.name, own)
