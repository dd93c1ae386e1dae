"""The colours of the character."""

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
CREAM_LIGHT = _hex("fff4e2")
CREAM = _hex("fde6c9")
CREAM_DEEP = _hex("f5cfa6")
CREAM_SHADE = _hex("d98f86")
WHITE = _hex("ffffff")
SNOW = _hex("fffdf8")
SNOW_SHADE = _hex("e3cbd6")
MINT = _hex("b9fbe9")
TEAL_LIGHT = _hex("79e6d8")
TEAL = _hex("4fcac4")
TEAL_DEEP = _hex("2fa3aa")
PAW = _hex("27899a")
TEAL_SHADE = _hex("22748d")
HAIR_LINE = _hex("1f5f7f")
BROW = _hex("1d3a66")
SCARF_LIGHT = _hex("3fb8b8")
SCARF = _hex("2a98a4")
SCARF_DEEP = _hex("1b7286")
SCARF_SHADE = _hex("1c4a72")
GOLD_LIGHT = _hex("fff0a8")
GOLD = _hex("ffca4d")
GOLD_DEEP = _hex("ea9a35")
EAR_LINE = _hex("d9a3a8")
PINK_LIGHT = _hex("ffd0c4")
PINK = _hex("ffada3")
PINK_DEEP = _hex("f0837f")
BLUSH = _hex("ff8b85")
IRIS_TOP = _hex("1c2459")
IRIS_MID = _hex("1f7f9e")
IRIS_LOW = _hex("7ff3dd")
PUPIL = _hex("17123a")
MOUTH_DARK = _hex("6b2147")
MOUTH = _hex("a83a56")
TONGUE = _hex("ff8e92")
TONGUE_LIGHT = _hex("ffb7b3")
TEAR = _hex("8fdcff")
TEAR_LIGHT = _hex("e6faff")
HEART = _hex("ff6f91")
GLOOM = _hex("5a55a8")
ANGER = _hex("f0575f")
