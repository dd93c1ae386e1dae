"""Keys as the settings write them ("Ctrl+Alt+Space"), read for those who grab them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag, auto

_NAMED = {
    "Space": (0x20, "space"),
    "Backspace": (0xFF08, "BackSpace"),
    "Tab": (0xFF09, "Tab"),
    "Return": (0xFF0D, "Return"),
    "Pause": (0xFF13, "Pause"),
    "Esc": (0xFF1B, "Escape"),
    "Home": (0xFF50, "Home"),
    "Left": (0xFF51, "Left"),
    "Up": (0xFF52, "Up"),
    "Right": (0xFF53, "Right"),
    "Down": (0xFF54, "Down"),
    "PgUp": (0xFF55, "Prior"),
    "PgDown": (0xFF56, "Next"),
    "End": (0xFF57, "End"),
    "Print": (0xFF61, "Print"),
    "Ins": (0xFF63, "Insert"),
    "Del": (0xFFFF, "Delete"),
}
_SIGNS = {
    ",": "comma",
    ".": "period",
    "/": "slash",
    ";": "semicolon",
    "'": "apostrophe",
    "-": "minus",
    "=": "equal",
    "[": "bracketleft",
    "]": "bracketright",
    "`": "grave",
    "\\": "backslash",
}
_F1 = 0xFFBE
_LAST_F = 35


class Modifier(Flag):
    SHIFT = auto()
    CTRL = auto()
    ALT = auto()
    META = auto()


_MODIFIERS = {
    "Shift": Modifier.SHIFT,
    "Ctrl": Modifier.CTRL,
    "Alt": Modifier.ALT,
    "Meta": Modifier.META,
}


@dataclass(frozen=True, slots=True)
class HotKey:
    """`symbol` is X11's number of the key, `name` its name there."""

    modifiers: Modifier
    symbol: int
    name: str

    @property
    def trigger(self) -> str:
        """As the specification of shortcuts at freedesktop.org writes it."""
        words = {"CTRL": Modifier.CTRL, "ALT": Modifier.ALT, "SHIFT": Modifier.SHIFT}
        held = [word for word, one in (words | {"LOGO": Modifier.META}).items() if one in self]
        return "+".join((*held, self.name))

    def __contains__(self, modifier: Modifier) -> bool:
        return modifier in self.modifiers


def parse_hotkey(text: str) -> HotKey | None:
    """None for keys that nobody may take from all programs at once: unknown ones, and those with
    which people write.
    """
    *held, last = text.split("+")
    modifiers = Modifier(0)
    for word in held:
        if word not in _MODIFIERS:
            return None
        modifiers |= _MODIFIERS[word]
    found = _find(last)
    if found is None:
        return None
    symbol, name = found
    writes = not modifiers & ~Modifier.SHIFT and not name.startswith("F")
    return None if writes else HotKey(modifiers, symbol, name)


def _find(key: str) -> tuple[int, str] | None:
    if key in _NAMED:
        return _NAMED[key]
    if key in _SIGNS:
        return ord(key), _SIGNS[key]
    if len(key) == 1 and key.isascii() and key.isalnum():
        return ord(key.lower()), key.lower()
    if key[:1] == "F" and key[1:].isdecimal() and 1 <= int(key[1:]) <= _LAST_F:
        return _F1 + int(key[1:]) - 1, key
    return None
