"""Changes the colours of the bundled figure in a copy of its folder: the copy gets the textures of
another palette, or the teal of hair, scarf and eyes gets another hue, or hair and scarf get the
user's colours.
"""

from __future__ import annotations

import colorsys
import hashlib
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import PIL.Image
    from numpy.typing import NDArray

LIVE2D_SUFFIX = ".model3.json"
_FROM, _TO = 125 / 360, 225 / 360
"""The hues that are changed."""
_LEAST_SATURATION = 0.12


def tint_image(
    image: PIL.Image.Image, hue: float, saturation: float, light: float
) -> PIL.Image.Image:
    """Return `image` with the teal shifted by `hue` degrees; the others are factors. Slow: call it
    in a thread.
    """
    parts = _hsv_parts(image)
    _shift(parts, _is_teal(parts), hue / 360, saturation, light)
    return _picture(parts, image)


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


def name_copy(source: Path, target: Path, name: str) -> None:
    """Name the copy of the bundled figure `source`: the name of the file is that of the figure. Add
    its licence. Raises OSError.
    """
    shutil.copyfile(source.parent / "LICENSE", target / "LICENSE")
    for model in list(target.glob(f"*{LIVE2D_SUFFIX}")):
        model.rename(model.with_name(f"{name}{LIVE2D_SUFFIX}"))


def hash_of_files(files: Iterable[Path]) -> str:
    """Return a hash of the contents of these files. Slow. Raises OSError."""
    found = hashlib.sha256()
    for file in sorted(files):
        found.update(file.read_bytes())
    return found.hexdigest()[:32]


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
    parts, other = _hsv_parts(image), _hsv_parts(reference)
    teal = _is_teal(parts)
    green = (other[..., 0] >= _GREEN[0]) & (other[..., 0] <= _GREEN[1]) & (other[..., 1] > 0.08)
    for mask, wanted, usual in (
        (teal & ~green, colours.accent, DEFAULT_COLOURS.accent),
        (teal & green, colours.scarf, DEFAULT_COLOURS.scarf),
    ):
        if wanted == usual:
            continue
        hue, saturation, light = _hsv(wanted)
        own_hue, own_saturation, own_light = _hsv(usual)
        _shift(parts, mask, hue - own_hue, saturation / own_saturation, light / own_light)
    return _picture(parts, image)


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


def _hsv_parts(image: PIL.Image.Image) -> NDArray[np.float32]:
    """Return hue, saturation and value of each pixel, from 0 to 1."""
    import numpy as np

    return np.asarray(image.convert("RGB").convert("HSV")).astype(np.float32) / np.float32(255)


def _is_teal(parts: NDArray[np.float32]) -> NDArray[np.bool_]:
    hue, saturation = parts[..., 0], parts[..., 1]
    return (hue >= _FROM) & (hue <= _TO) & (saturation > _LEAST_SATURATION)


def _shift(
    parts: NDArray[np.float32],
    mask: NDArray[np.bool_],
    hue: float,
    saturation: float,
    light: float,
) -> None:
    """Shift the hue of these pixels by a share of the circle, and scale the others."""
    import numpy as np

    parts[mask, 0] = (parts[mask, 0] + hue) % 1.0
    parts[mask, 1] = np.clip(parts[mask, 1] * saturation, 0, 1)
    parts[mask, 2] = np.clip(parts[mask, 2] * light, 0, 1)


def _picture(parts: NDArray[np.float32], image: PIL.Image.Image) -> PIL.Image.Image:
    """Return a picture of these pixels with the transparency of `image`."""
    import numpy as np
    from PIL import Image

    made = Image.fromarray((parts * 255).round().astype(np.uint8), "HSV").convert("RGB")
    made.putalpha(image.convert("RGBA").getchannel("A"))
    return made
