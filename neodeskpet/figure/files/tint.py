"""Changes the colours of the bundled figure in a copy of its folder: the copy gets the textures of
another palette, or the teal of hair, scarf and eyes gets another hue, or hair and scarf get the
user's colours.
"""

from __future__ import annotations

import colorsys
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import PIL.Image
    from numpy.typing import NDArray

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


@dataclass(frozen=True, slots=True)
class OwnColours:
    """The colours that the user chose, as #rrggbb: of hair, ear tips, tail tip and eyes, and of the
    scarf.
    """

    accent: str
    scarf: str


DEFAULT_COLOURS = OwnColours("#4fcac4", "#228a97")
"""Those of the bundled figure, from which the shades of others are calculated."""
REFERENCE_PALETTE = "sakura"
"""In this palette only the scarf is green, so it tells the scarf from the hair."""
_GREEN = (70 / 360, 170 / 360)


def recolour_image(
    image: PIL.Image.Image, reference: PIL.Image.Image, colours: OwnColours
) -> PIL.Image.Image:
    """Return `image` of the bundled figure (a texture or a drawing) in other colours. `reference`
    is the same in REFERENCE_PALETTE. Slow: call it in a thread.
    """
    import numpy as np
    from PIL import Image

    def parts_of(picture: PIL.Image.Image) -> NDArray[np.float32]:
        found = np.asarray(picture.convert("RGB").convert("HSV")).astype(np.float32)
        return (found / 255).astype(np.float32)

    parts, other = parts_of(image), parts_of(reference)
    teal = (parts[..., 0] >= _FROM) & (parts[..., 0] <= _TO) & (parts[..., 1] > _LEAST_SATURATION)
    green = (other[..., 0] >= _GREEN[0]) & (other[..., 0] <= _GREEN[1]) & (other[..., 1] > 0.08)
    made = parts.copy()
    for mask, wanted, usual in (
        (teal & ~green, colours.accent, DEFAULT_COLOURS.accent),
        (teal & green, colours.scarf, DEFAULT_COLOURS.scarf),
    ):
        if wanted == usual:
            continue
        hue, saturation, light = _hsv(wanted)
        own_hue, own_saturation, own_light = _hsv(usual)
        shifted = (parts[mask, 0] + hue - own_hue) % 1.0
        made[mask, 0] = shifted
        made[mask, 1] = np.clip(parts[mask, 1] * saturation / own_saturation, 0, 1)
        made[mask, 2] = np.clip(parts[mask, 2] * light / own_light, 0, 1)
    result = Image.fromarray((made * 255).round().astype(np.uint8), "HSV").convert("RGB")
    result.putalpha(image.convert("RGBA").getchannel("A"))
    return result


def recolour_figure(source: Path, target: Path, reference: Path, colours: OwnColours) -> None:
    """Copy the folder of the bundled figure to `target` in other colours. `reference` is the folder
    of the textures of REFERENCE_PALETTE. Slow: call it in a thread. Raises OSError.
    """
    from PIL import Image

    shutil.copytree(source, target)
    for texture in target.rglob("*.png"):
        with Image.open(texture) as image, Image.open(reference / texture.name) as other:
            made = recolour_image(image, other, colours)
        made.save(texture)


def _hsv(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return colorsys.rgb_to_hsv(red, green, blue)
