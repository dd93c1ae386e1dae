"""Windows: RegisterHotKey. Presses come as messages of this thread, which Qt shows to filters.

Never run there so far (docs/other-systems.md).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QAbstractNativeEventFilter, QByteArray, QCoreApplication

from neodeskpet.ui.hotkeys.keys import HotKey, Modifier
from neodeskpet.ui.hotkeys.port import HotKeyProblem

WM_HOTKEY = 0x0312  # WM_HOTKEY
_NO_REPEAT = 0x4000
_WINDOWS_MODIFIERS = {Modifier.ALT: 1, Modifier.CTRL: 2, Modifier.SHIFT: 4, Modifier.META: 8}
_WINDOWS_KEYS: Mapping[str, int] = {
    "space": 0x20,
    "BackSpace": 0x08,
    "Tab": 0x09,
    "Return": 0x0D,
    "Pause": 0x13,
    "Escape": 0x1B,
    "Prior": 0x21,
    "Next": 0x22,
    "End": 0x23,
    "Home": 0x24,
    "Left": 0x25,
    "Up": 0x26,
    "Right": 0x27,
    "Down": 0x28,
    "Print": 0x2C,
    "Insert": 0x2D,
    "Delete": 0x2E,
} | {f"F{number}": 0x6F + number for number in range(1, 25)}
"""Virtual keys by X11's names."""


class WindowsMessage(ctypes.Structure):
    """MSG, as far as it is read here."""

    _fields_ = (
        *(("window", ctypes.c_void_p), ("message", ctypes.c_uint), ("number", ctypes.c_size_t)),
        *(("detail", ctypes.c_ssize_t), ("time", ctypes.c_uint32), ("x", ctypes.c_int32)),
        ("y", ctypes.c_int32),
    )


class WindowsHotKeyRegistry(QAbstractNativeEventFilter):
    """A `HotKeyRegistry`. Raises AttributeError on another system. One for a program, made on the
    window's thread.
    """

    def __init__(self, user32: Any = None) -> None:
        super().__init__()
        libraries: Any = vars(ctypes).get("windll")
        self._user32 = user32 if user32 is not None else libraries.user32
        self.on_pressed: Callable[[int], None] = lambda _number: None
        application = QCoreApplication.instance()
        if application is not None:
            application.installNativeEventFilter(self)

    def register(self, number: int, keys: HotKey) -> HotKeyProblem | None:
        key = self._key(keys)
        if key is None:
            return HotKeyProblem.UNSUPPORTED
        held = sum(bit for modifier, bit in _WINDOWS_MODIFIERS.items() if modifier in keys)
        done = self._user32.RegisterHotKey(None, number, held | _NO_REPEAT, key)
        return None if done else HotKeyProblem.TAKEN

    def unregister(self, number: int) -> None:
        self._user32.UnregisterHotKey(None, number)

    def close(self) -> None:
        application = QCoreApplication.instance()
        if application is not None:
            application.removeNativeEventFilter(self)

    def nativeEventFilter(
        self, kind: QByteArray | bytes | bytearray | memoryview, message: int
    ) -> object:
        if kind == b"windows_generic_MSG":
            found = WindowsMessage.from_address(int(message))
            if found.message == WM_HOTKEY:
                self.on_pressed(int(found.number))
        return False, 0

    def _key(self, keys: HotKey) -> int | None:
        if keys.name in _WINDOWS_KEYS:
            return _WINDOWS_KEYS[keys.name]
        if keys.name.startswith("F") and len(keys.name) > 1:
            return None  # there is no F25
        if keys.name.isalnum() and len(keys.name) == 1:
            return ord(keys.name.upper())
        found = int(self._user32.VkKeyScanW(ctypes.c_wchar(chr(keys.symbol)))) & 0xFFFF
        return None if found == 0xFFFF else found & 0xFF  # where the person's layout has the sign
