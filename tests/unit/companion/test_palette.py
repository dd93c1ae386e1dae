"""Each palette's texture is built from source. Its paws, scarf and tail tip can be told apart."""

from __future__ import annotations

import colorsys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from companion.atlas import pack_both
from companion.character import draw
from companion.figure import Figure
from companion.palette import PALETTES, Rgba
from PIL import Image

from neodeskpet.figure.files.tint import PALETTE_COLOURS

COMPANION = Path(__file__).parents[3] / "assets/companion"
PARTS = {
    "paw": (("ArmL", 810, 1330), ("FootL", 720, 1556), ("CurlPawR", 444, 1528)),
    "scarf": (("Scarf", 640, 1052), ("ScarfShort", 564, 1125), ("CurlScarf", 550, 1515)),
    "tail tip": (("Tail", 1176, 1000), ("CurlTail", 620, 1466)),
}
"""Places of the character that show the colour of a part: a piece and a point on the canvas."""
REACH = 18


@pytest.fixture(scope="module", params=list(PALETTES))
def painted(request: pytest.FixtureRequest) -> tuple[str, Figure]:
    return request.param, draw(1.0, PALETTES[request.param])


def textures_of(name: str) -> list[Path]:
    folder = COMPANION / ("neo/neo.2048" if name == "tide" else f"palettes/{name}")
    return sorted(folder.iterdir())


def test_the_textures_are_built_from_source_and_small(painted: tuple[str, Figure]) -> None:
    name, figure = painted
    files = textures_of(name)
    assert 1_000_000 < sum(file.stat().st_size for file in files) < 2_000_000
    for file, atlas in zip(files, pack_both(figure, 2048), strict=True):
        with Image.open(file) as kept:
            assert np.array_equal(np.asarray(atlas.image), np.asarray(kept))


def test_paws_scarf_and_tail_tip_can_be_told_apart(painted: tuple[str, Figure]) -> None:
    name, figure = painted
    for one, other in combinations(PARTS, 2):
        for here in PARTS[one]:
            for there in PARTS[other]:
                left, right = seen(figure, *here), seen(figure, *there)
                hue, lightness = difference(left, right)
                assert hue >= 60 or lightness >= 25, (name, here, left, there, right)


def seen(figure: Figure, piece: str, x: float, y: float) -> tuple[int, int, int]:
    """The median colour around a point of the canvas."""
    painter = figure.painters[piece]
    column = round((x - painter.box.left) * painter.scale)
    row = round((y - painter.box.top) * painter.scale)
    around = np.asarray(painter.image)[
        max(0, row - REACH) : row + REACH, max(0, column - REACH) : column + REACH
    ].reshape(-1, 4)
    opaque = around[around[:, 3] == 255]
    assert len(opaque) > REACH * REACH, f"{piece} isn't painted there"
    red, green, blue = np.median(opaque[:, :3], axis=0)
    return int(red), int(green), int(blue)


def difference(one: tuple[int, int, int], other: tuple[int, int, int]) -> tuple[float, float]:
    """The difference in hue (degrees) and in lightness (L*)."""
    hues = [colorsys.rgb_to_hsv(*(c / 255 for c in colour))[0] * 360 for colour in (one, other)]
    turn = abs(hues[0] - hues[1]) % 360
    return min(turn, 360 - turn), abs(lightness(one) - lightness(other))


def lightness(colour: tuple[int, int, int]) -> float:
    """L* of a colour in sRGB."""
    red, green, blue = (linear(channel / 255) for channel in colour)
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return 116 * float(luminance ** (1 / 3)) - 16 if luminance > 0.008856 else 903.3 * luminance


def linear(channel: float) -> float:
    """A channel of sRGB without its gamma."""
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)


def test_the_rule_finds_teal_on_teal() -> None:
    hue, light = difference((0x2F, 0xA3, 0xAA), (0x2A, 0x98, 0xA4))
    assert hue < 60 and light < 25


def test_the_app_knows_the_colours_of_every_palette() -> None:
    found = {name: (_hex(one.hair.base), _hex(one.scarf.base)) for name, one in PALETTES.items()}
    known = {name or "tide": (one.accent, one.scarf) for name, one in PALETTE_COLOURS.items()}
    assert known == found


def _hex(colour: Rgba) -> str:
    return f"#{colour.r:02x}{colour.g:02x}{colour.b:02x}"
