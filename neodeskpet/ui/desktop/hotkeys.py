"""Global hotkeys: key combinations in the form of the settings, and the interface of the
backends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Flag, StrEnum, auto
from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance

from neodeskpet.core.i18n import N_

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
    """`symbol` is X11's keysym of the key, `name` its X11 name."""

    modifiers: Modifier
    symbol: int
    name: str

    @property
    def trigger(self) -> str:
        """Return the keys in the notation of the freedesktop.org shortcuts specification."""
        words = {"CTRL": Modifier.CTRL, "ALT": Modifier.ALT, "SHIFT": Modifier.SHIFT}
        held = [word for word, one in (words | {"LOGO": Modifier.META}).items() if one in self]
        return "+".join((*held, self.name))

    def __contains__(self, modifier: Modifier) -> bool:
        return modifier in self.modifiers


def parse_hotkey(text: str) -> HotKey | None:
    """Parse keys; return None for keys that must not be taken globally: unknown ones, and those
    used for typing.
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


class HotKeyProblem(StrEnum):
    """Why keys aren't registered; `PROBLEM_TEXTS` has the texts for the user."""

    TAKEN = "taken"
    UNSUPPORTED = "unfit"
    UNAVAILABLE = "nowhere"


PROBLEM_TEXTS = {
    HotKeyProblem.TAKEN: N_("Another program uses these keys."),
    HotKeyProblem.UNSUPPORTED: N_(
        "These keys can't be used: they must include Ctrl, Alt or Super."
    ),
    HotKeyProblem.UNAVAILABLE: N_("This desktop doesn't allow global hotkeys."),
}


class HotKeys(Protocol):
    """Signals: `pressed(id)` when keys were pressed, `rejected(id, HotKeyProblem)` if they can't be
    registered.
    """

    pressed: SignalInstance
    rejected: SignalInstance

    def set_hot_keys(self, wanted: Mapping[str, tuple[str, str]]) -> None:
        """Register these keys and no others: by id, the keys and a description in the user's
        language.
        """
        ...

    def close(self) -> None:
        """Release all keys."""
        ...


class NoHotKeys(QObject):
    """Rejects all keys."""

    pressed = Signal(str)
    rejected = Signal(str, str)

    def set_hot_keys(self, wanted: Mapping[str, tuple[str, str]]) -> None:
        for name in wanted:
            self.rejected.emit(name, HotKeyProblem.UNAVAILABLE)

    def close(self) -> None:
        """Do nothing."""


class HotKeyRegistry(Protocol):
    """The hotkey registry of the system. It calls `on_pressed(number)` when the keys of that number
    were pressed.
    """

    on_pressed: Callable[[int], None]

    def register(self, number: int, keys: HotKey) -> HotKeyProblem | None:
        """Register keys; return None on success."""
        ...

    def unregister(self, number: int) -> None: ...

    def close(self) -> None:
        """Release everything and stop reporting."""
        ...


class RegisteredHotKeys(QObject):
    """A `HotKeys` that owns its registry."""

    pressed = Signal(str)
    rejected = Signal(str, str)

    def __init__(self, register: HotKeyRegistry, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._register = register
        self._held: dict[int, str] = {}
        self._next = 1  # numbers aren't reused, so a late press isn't assigned to other keys
        register.on_pressed = self._hear

    def set_hot_keys(self, wanted: Mapping[str, tuple[str, str]]) -> None:
        self._let_go()
        for name, (text, _) in wanted.items():
            keys = parse_hotkey(text)
            refusal = HotKeyProblem.UNSUPPORTED
            if keys is not None:
                number, self._next = self._next, self._next + 1
                taken = self._register.register(number, keys)
                if taken is None:
                    self._held[number] = name
                    continue
                refusal = taken
            self.rejected.emit(name, refusal)

    def close(self) -> None:
        self._let_go()
        self._register.close()

    def _let_go(self) -> None:
        for number in self._held:
            self._register.unregister(number)
        self._held.clear()

    def _hear(self, number: int) -> None:
        if number in self._held:
            self.pressed.emit(self._held[number])
