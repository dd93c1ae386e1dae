"""Changes the colours of the bundled figure in a copy of its folder: the copy gets the textures of
another palette, or the teal of hair, scarf and eyes gets another hue, or hair and scarf get the
user's colours.
"""

from __future__ import annotations

import colorsys
import filecmp
import hashlib
import shutil
from collections.abc import Iterable, Mapping
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
PALETTE_COLOURS: Mapping[str, OwnColours] = {
    "": DEFAULT_COLOURS,
    "ember": OwnColours("#f58a36", "#376fb4"),
    "sakura": OwnColours("#fa9fbd", "#7cb278"),
    "midnight": OwnColours("#5557bf", "#e0ad43"),
    "snow": OwnColours("#aed2f0", "#cc3f4f"),
    "matcha": OwnColours("#9cc25c", "#ad4c5d"),
}
"""Those of each palette; "" is the bundled figure's."""
SCARF_PALETTE = "sakura"
"""In this palette only the scarf is green, so it tells the scarf from the hair."""
TAIL_PALETTE = "midnight"
"""In this palette the tail tip is much paler than the hair, although both are blue."""
_GREEN = (70 / 360, 170 / 360)
_BLUE = (215 / 360, 250 / 360)
_PALER = 0.68
"""The saturation of the tail tip in TAIL_PALETTE is at most this share of the usual one, that of
the hair at least.
"""
_SAME = 4 / 255


@dataclass(frozen=True, slots=True)
class PaletteVariants:
    """The same picture of the bundled figure (a texture or a drawing): as it is, in SCARF_PALETTE,
    in TAIL_PALETTE, and in the `own` palette of the figure that gets other colours.
    """

    usual: PIL.Image.Image
    scarf: PIL.Image.Image
    tail: PIL.Image.Image
    own: PIL.Image.Image


def recolour_image(pictures: PaletteVariants, palette: str, colours: OwnColours) -> PIL.Image.Image:
    """Return `pictures.own` in other colours. `palette` is the name of its palette, "" for the
    usual one; with any other palette the tail tip keeps its colour. Slow: call it in a thread.
    """
    usual, scarf = _hsv_parts(pictures.usual), _hsv_parts(pictures.scarf)
    teal = _is_teal(usual) & _differ(pictures.usual, pictures.scarf)
    green = (scarf[..., 0] >= _GREEN[0]) & (scarf[..., 0] <= _GREEN[1]) & (scarf[..., 1] > 0.08)
    hair = teal & ~green
    if palette:
        hair &= ~_is_tail(usual, _hsv_parts(pictures.tail))
    made, before = _hsv_parts(pictures.own), PALETTE_COLOURS[palette]
    for mask, wanted, shown, original in (
        (hair, colours.accent, before.accent, DEFAULT_COLOURS.accent),
        (teal & green, colours.scarf, before.scarf, DEFAULT_COLOURS.scarf),
    ):
        if wanted == shown:
            continue
        hue, saturation, light = _hsv(wanted)
        own_hue, own_saturation, own_light = _hsv(original)
        made[mask] = usual[mask]
        _shift(made, mask, hue - own_hue, saturation / own_saturation, light / own_light)
    return _picture(made, pictures.own)


def recolour_figure(
    source: Path, target: Path, palettes: Path, palette: str, colours: OwnColours
) -> None:
    """Copy the folder of the bundled figure to `target`, in the palette of that name with other
    colours. `palettes` holds the folders of textures. Slow: call it in a thread. Raises OSError.
    """
    shutil.copytree(source, target)
    for texture in target.rglob("*.png"):
        own = palettes / palette / texture.name if palette else texture
        files = (
            texture,
            palettes / SCARF_PALETTE / texture.name,
            palettes / TAIL_PALETTE / texture.name if palette else texture,
            own,
        )
        recolour_file(files, palette, colours).save(texture)


def recolour_file(
    files: tuple[Path, Path, Path, Path], palette: str, colours: OwnColours
) -> PIL.Image.Image:
    """Return what `recolour_image` makes of the files of these PaletteVariants. Slow. Raises
    OSError.
    """
    return recolour_image(PaletteVariants(*map(_loaded, files)), palette, colours)


def palette_of(folder: Path, palettes: Path) -> str:
    """Return the name of the palette whose textures a figure has; "" if it has none of them. Slow.
    Raises OSError.
    """
    for texture in folder.rglob("*.png"):
        for name in PALETTE_COLOURS:
            other = palettes / name / texture.name
            if name and other.is_file() and filecmp.cmp(texture, other, shallow=False):
                return name
    return ""


def _loaded(file: Path) -> PIL.Image.Image:
    from PIL import Image

    with Image.open(file) as image:
        return image.convert("RGBA")


def _differ(one: PIL.Image.Image, other: PIL.Image.Image) -> NDArray[np.bool_]:
    """Return where the colours depend on the palette: those of tears and signs don't."""
    import numpy as np

    a, b = (np.asarray(each.convert("RGB")).astype(np.float32) / 255 for each in (one, other))
    differs: NDArray[np.bool_] = np.abs(a - b).max(axis=-1) > _SAME
    return differs


def _is_tail(usual: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return where the tail tip is, by the picture in TAIL_PALETTE."""
    blue = (other[..., 0] >= _BLUE[0]) & (other[..., 0] <= _BLUE[1])
    return blue & (other[..., 1] < usual[..., 1] * _PALER)


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
