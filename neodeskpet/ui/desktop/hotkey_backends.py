"""Chooses the backend of global hotkeys for this desktop, and registers them on Windows and macOS
(both untested so far, see docs/other-systems.md).
"""

from __future__ import annotations

import ctypes
import logging
from collections.abc import Callable, Mapping
from ctypes import POINTER, byref, c_int32, c_uint32, c_void_p
from typing import Any

from PySide6.QtCore import QAbstractNativeEventFilter, QByteArray, QCoreApplication, QObject
from PySide6.QtGui import QGuiApplication

from neodeskpet.ui.desktop.hotkeys import (
    HotKey,
    HotKeyProblem,
    HotKeyRegistry,
    HotKeys,
    Modifier,
    NoHotKeys,
    RegisteredHotKeys,
)
from neodeskpet.ui.desktop.hotkeys_portal import PortalHotKeys
from neodeskpet.ui.desktop.hotkeys_x11 import X11HotKeys, open_x11
from neodeskpet.ui.desktop.session import is_wayland

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
"""Virtual key codes by X11 key names."""


class WindowsMessage(ctypes.Structure):
    """The used part of MSG."""

    _fields_ = (
        ("window", ctypes.c_void_p),
        ("message", ctypes.c_uint),
        ("number", ctypes.c_size_t),
        ("detail", ctypes.c_ssize_t),
        ("time", ctypes.c_uint32),
        ("x", ctypes.c_int32),
        ("y", ctypes.c_int32),
    )


class WindowsHotKeyRegistry(QAbstractNativeEventFilter):
    """A `HotKeyRegistry`. Raises AttributeError on other systems. One per program, created in the
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
            return None  # F25 doesn't exist
        if keys.name.isalnum() and len(keys.name) == 1:
            return ord(keys.name.upper())
        found = int(self._user32.VkKeyScanW(ctypes.c_wchar(chr(keys.symbol)))) & 0xFFFF
        # The key of the character in the user's layout.
        return None if found == 0xFFFF else found & 0xFF


_PATH = "/System/Library/Frameworks/Carbon.framework/Carbon"
_KEYBOARD, _PRESSED = 0x6B657962, 5  # 'keyb', kEventHotKeyPressed
_DIRECT, _NUMBERED = 0x2D2D2D2D, 0x686B6964  # '----', 'hkid'
_OURS = 0x4E65446F  # 'NeDo'
_MAC_MODIFIERS = {
    Modifier.CTRL: 0x0100,
    Modifier.SHIFT: 0x0200,
    Modifier.ALT: 0x0800,
    Modifier.META: 0x1000,
}
_ROWS = {
    0x00: "asdfhgzxcv",
    0x0B: "bqweryt123465",
    0x18: ("equal", "9", "7", "minus", "8", "0", "bracketright", "o", "u", "bracketleft"),
    0x22: ("i", "p", "Return", "l", "j", "apostrophe", "k", "semicolon", "backslash", "comma"),
    0x2C: ("slash", "n", "m", "period", "Tab", "space", "grave", "BackSpace"),
    0x73: ("Home", "Prior", "Delete", "F4", "End", "F2", "Next", "F1"),
    0x7B: ("Left", "Right", "Down", "Up"),
}
_LONE = {
    "Escape": 0x35,
    "F17": 0x40,
    "F18": 0x4F,
    "F19": 0x50,
    "F20": 0x5A,
    "F5": 0x60,
    "F6": 0x61,
    "F7": 0x62,
    "F3": 0x63,
    "F8": 0x64,
    "F9": 0x65,
    "F11": 0x67,
    "F13": 0x69,
    "F16": 0x6A,
    "F14": 0x6B,
    "F10": 0x6D,
    "F12": 0x6F,
    "F15": 0x71,
    "Insert": 0x72,
}
KEYS: Mapping[str, int] = _LONE | {
    name: first + at for first, row in _ROWS.items() for at, name in enumerate(row)
}
"""Positions on the keyboard (of the US layout), by X11 key names."""


class _EventType(ctypes.Structure):
    _fields_ = (("kind", c_uint32), ("event", c_uint32))


class HotKeyId(ctypes.Structure):
    """EventHotKeyID."""

    _fields_ = (("owner", c_uint32), ("number", c_uint32))


_Handler = ctypes.CFUNCTYPE(c_int32, c_void_p, c_void_p, c_void_p)


class MacHotKeyRegistry:
    """A `HotKeyRegistry`. Raises OSError on other systems."""

    def __init__(self, library: Any = None) -> None:
        self._carbon = library if library is not None else _typed(ctypes.CDLL(_PATH))
        self._handles: dict[int, c_void_p] = {}
        self.on_pressed: Callable[[int], None] = lambda _number: None
        self._target = self._carbon.GetApplicationEventTarget()
        self._handler = _Handler(self._tell)  # keeps the only reference
        self._installed = c_void_p()
        kind = _EventType(_KEYBOARD, _PRESSED)
        self._carbon.InstallEventHandler(
            self._target, self._handler, 1, byref(kind), None, byref(self._installed)
        )

    def register(self, number: int, keys: HotKey) -> HotKeyProblem | None:
        code = KEYS.get(keys.name)
        if code is None:
            return HotKeyProblem.UNSUPPORTED
        held = sum(bit for modifier, bit in _MAC_MODIFIERS.items() if modifier in keys)
        handle = c_void_p()
        failed = self._carbon.RegisterEventHotKey(
            code, held, HotKeyId(_OURS, number), self._target, 0, byref(handle)
        )
        if failed:
            return HotKeyProblem.TAKEN
        self._handles[number] = handle
        return None

    def unregister(self, number: int) -> None:
        handle = self._handles.pop(number, None)
        if handle is not None:
            self._carbon.UnregisterEventHotKey(handle)

    def close(self) -> None:
        self._carbon.RemoveEventHandler(self._installed)

    def _tell(self, _next: int, event: int, _data: int) -> int:
        found = HotKeyId()
        failed = self._carbon.GetEventParameter(
            event, _DIRECT, _NUMBERED, None, ctypes.sizeof(found), None, byref(found)
        )
        if not failed and found.owner == _OURS:
            self.on_pressed(int(found.number))
        return 0


def _typed(carbon: Any) -> Any:  # pragma: no cover - the library only exists on macOS
    """Declare the types of the used functions: pointers don't fit into the default type
    of ctypes.
    """
    carbon.GetApplicationEventTarget.restype = c_void_p
    carbon.InstallEventHandler.argtypes = (
        c_void_p,
        _Handler,
        ctypes.c_ulong,
        POINTER(_EventType),
        c_void_p,
        POINTER(c_void_p),
    )
    carbon.RegisterEventHotKey.argtypes = (
        c_uint32,
        c_uint32,
        HotKeyId,
        c_void_p,
        c_uint32,
        POINTER(c_void_p),
    )
    carbon.GetEventParameter.argtypes = (
        c_void_p,
        c_uint32,
        c_uint32,
        c_void_p,
        ctypes.c_ulong,
        c_void_p,
        POINTER(HotKeyId),
    )
    carbon.UnregisterEventHotKey.argtypes = carbon.RemoveEventHandler.argtypes = (c_void_p,)
    return carbon


_log = logging.getLogger(__name__)

REGISTRIES: Mapping[str, Callable[[], HotKeyRegistry]] = {
    "windows": WindowsHotKeyRegistry,
    "cocoa": MacHotKeyRegistry,
}


def create_hot_keys(parent: QObject) -> HotKeys:
    platform = QGuiApplication.platformName()
    if platform in ("xcb", "wayland") and is_wayland():
        return PortalHotKeys(parent)  # X11 grabs don't get keys of native windows there
    x11 = open_x11() if platform == "xcb" else None
    if x11 is not None:
        return X11HotKeys(x11, parent)
    register = create_registry(platform)
    return RegisteredHotKeys(register, parent) if register is not None else NoHotKeys(parent)


def create_registry(
    platform: str, makers: Mapping[str, Callable[[], HotKeyRegistry]] = REGISTRIES
) -> HotKeyRegistry | None:
    """Return the registry for `platform` (Qt's name); None if keys aren't registered one by one."""
    maker = makers.get(platform)
    try:
        return maker() if maker is not None else None
    except (OSError, AttributeError) as error:
        _log.info("No hotkeys here: %s", error)
        return None
