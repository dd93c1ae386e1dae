"""The colours of the character: those of every palette, and the palettes.

A palette changes only the texture, so all palettes share one ``.moc3``.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rgba:
    """An 8-bit colour, not premultiplied."""

    r: int
    g: int
    b: int
    a: int = 255

    def channels(self) -> tuple[int, int, int, int]:
        """The four channels, 0..255."""
        return (self.r, self.g, self.b, self.a)

    def fade(self, alpha: int) -> "Rgba":
        """The same colour at another alpha."""
        return Rgba(self.r, self.g, self.b, alpha)


def _hex(text: str) -> Rgba:
    return Rgba(int(text[0:2], 16), int(text[2:4], 16), int(text[4:6], 16))


INK = _hex("3b2a5c")
INK_DEEP = _hex("261b45")
INK_SOFT = _hex("8d6482")
WHITE = _hex("ffffff")
SNOW_SHADE = _hex("e3cbd6")
GOLD_LIGHT = _hex("fff0a8")
GOLD = _hex("ffca4d")
GOLD_DEEP = _hex("ea9a35")
EAR_LINE = _hex("d9a3a8")
PINK_LIGHT = _hex("ffd0c4")
PINK = _hex("ffada3")
PINK_DEEP = _hex("f0837f")
BLUSH = _hex("ff8b85")
PUPIL = _hex("17123a")
MOUTH_DARK = _hex("6b2147")
MOUTH = _hex("a83a56")
TONGUE = _hex("ff8e92")
TONGUE_LIGHT = _hex("ffb7b3")
TEAR = _hex("8fdcff")
TEAR_LIGHT = _hex("e6faff")
TEAR_LINE = _hex("2a98a4")
HEART = _hex("ff6f91")
GLOOM = _hex("5a55a8")
ANGER = _hex("f0575f")
PANEL = _hex("1b7286")
PANEL_DEEP = _hex("1c4a72")
RED_LIGHT = _hex("ff9a8a")
RED = _hex("e8505b")
RED_DEEP = _hex("b02a4a")
NIGHT_LIGHT = _hex("7a66c9")
NIGHT = _hex("503f9a")
NIGHT_DEEP = _hex("33266b")
STRAW_LIGHT = _hex("fff0b8")
STRAW = _hex("f0cf7a")
STRAW_DEEP = _hex("c58f45")
PETAL = _hex("ffd9e6")
PETAL_DEEP = _hex("f294b4")
LEAF_LIGHT = _hex("b5dd8a")
LEAF = _hex("6fb364")
LEAF_DEEP = _hex("3f7f55")
GREY_LIGHT = _hex("f4f1fb")
GREY = _hex("c9c3de")
GREY_DEEP = _hex("8f86b3")


@dataclass(frozen=True, slots=True)
class Shades:
    """The colours of one part, from its highlight to its shadow."""

    glow: Rgba
    light: Rgba
    base: Rgba
    deep: Rgba
    shade: Rgba


@dataclass(frozen=True, slots=True)
class Iris:
    """The colours of the iris from top to bottom, and of its reflex."""

    top: Rgba
    middle: Rgba
    low: Rgba
    glow: Rgba


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours that differ between palettes. Ear tips, foxfires and the lines of the light panel
    have the colours of the hair. ``trim`` is the colour of the hem and stripes of the scarf.
    """

    fur: Shades
    hair: Shades
    hair_line: Rgba
    brow: Rgba
    tail_tip: Shades
    paw: Shades
    scarf: Shades
    trim: Rgba
    iris: Iris


def _shades(text: str) -> Shades:
    """The shades of five colours in hexadecimal, separated by spaces."""
    glow, light, base, deep, shade = map(_hex, text.split())
    return Shades(glow, light, base, deep, shade)


def _iris(text: str) -> Iris:
    """The iris of four colours in hexadecimal, separated by spaces."""
    top, middle, low, glow = map(_hex, text.split())
    return Iris(top, middle, low, glow)


_CREAM = _shades("fffdf8 fff4e2 fde6c9 f5cfa6 d98f86")

TIDE = Palette(
    fur=_CREAM,
    hair=_shades("b9fbe9 79e6d8 4fcac4 2fa3aa 22748d"),
    hair_line=_hex("1f5f7f"),
    brow=_hex("1d3a66"),
    tail_tip=_shades("b9fbe9 79e6d8 4fcac4 2fa3aa 22748d"),
    paw=_shades("a899e6 6a58b8 503c94 3b2b74 281c55"),
    scarf=_shades("b9fbe9 33a9ab 228a97 186a7f 1c4a72"),
    trim=_hex("fff4e2"),
    iris=_iris("1c2459 1f7f9e 7ff3dd b9fbe9"),
)

EMBER = Palette(
    fur=_CREAM,
    hair=_shades("ffe3a3 ffb35c f58a36 dd6426 a8412b"),
    hair_line=_hex("8f3a2c"),
    brow=_hex("5c2a2c"),
    tail_tip=_shades("fffdf2 fff0c2 ffdc8c f7bd62 d9823f"),
    paw=_shades("b5707a 7c3a46 5f2a38 4a1f2e 35162a"),
    scarf=_shades("b5d9ff 5590d1 376fb4 2a5594 263b70"),
    trim=_hex("fff4e2"),
    iris=_iris("4a1c2c a8501f ffc861 ffe8ab"),
)

SAKURA = Palette(
    fur=_shades("fffdfc fff5f2 fde8e4 f6cfcd d98f9c"),
    hair=_shades("ffeaf0 ffc4d6 fa9fbd e87ba3 b9527f"),
    hair_line=_hex("a34873"),
    brow=_hex("6b2a55"),
    tail_tip=_shades("fff7fa ffdce7 fdbdd0 f39cb9 c9688f"),
    paw=_shades("e08fb2 b85b86 984470 7d345d 5a2450"),
    scarf=_shades("e3f5cf a6cf94 7cb278 5c9464 3f6b57"),
    trim=_hex("fff6ee"),
    iris=_iris("4a1f5c a8478f ffb3cf ffe3ee"),
)

MIDNIGHT = Palette(
    fur=_shades("fcfcff f0effa dfdcf0 c6c0e2 8f84bb"),
    hair=_shades("b6b8ff 7b7ee0 5557bf 3f3f9b 2b2a70"),
    hair_line=_hex("2a2763"),
    brow=_hex("221f52"),
    tail_tip=_shades("f1f3ff ccd2ff a9b2f7 858edf 5a5fb4"),
    paw=_shades("7b78c4 4b4a96 35347a 282762 1b1a45"),
    scarf=_shades("fff1bd f5cf6c e0ad43 c1862f 8a5a35"),
    trim=_hex("fff8e6"),
    iris=_iris("2a1d5c 8a6a3a ffd76b fff1bd"),
)

SNOW = Palette(
    fur=_shades("ffffff fbfdff eff5fb d6e4f1 9fb4d3"),
    hair=_shades("f4fbff d3e9fb aed2f0 85b1dc 5a83b8"),
    hair_line=_hex("4b74a8"),
    brow=_hex("3a5580"),
    tail_tip=_shades("ffffff e3f1fd c3def5 9cc2e6 6c93c4"),
    paw=_shades("9fbbdb 7090b8 54749f 436087 31476c"),
    scarf=_shades("ffb9b3 e8636a cc3f4f a52c45 6f2142"),
    trim=_hex("ffffff"),
    iris=_iris("1c3566 2f7cc4 a8e0ff e3f6ff"),
)

MATCHA = Palette(
    fur=_CREAM,
    hair=_shades("eaf6b8 c3de7f 9cc25c 779f47 547a42"),
    hair_line=_hex("4b6e3d"),
    brow=_hex("3a4f2c"),
    tail_tip=_shades("fafde3 e6f2b4 cfe28c b0c96a 7d9a4b"),
    paw=_shades("8aa56a 587848 42603a 334d31 243726"),
    scarf=_shades("ffc9bf d0707a ad4c5d 8a374c 5f263f"),
    trim=_hex("fff4e2"),
    iris=_iris("263a2c 5f8a3a d3ee7a f3fbc8"),
)

PALETTES: Mapping[str, Palette] = {
    "tide": TIDE,
    "ember": EMBER,
    "sakura": SAKURA,
    "midnight": MIDNIGHT,
    "snow": SNOW,
    "matcha": MATCHA,
}
"""All palettes by name, the one of Neo first."""
