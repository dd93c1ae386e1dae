"""Hot keys of Windows and macOS, with doubles of their libraries."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QByteArray
from PySide6.QtGui import QGuiApplication

from neodeskpet.ui.desktop.hotkey_backends import (
    KEYS,
    WM_HOTKEY,
    HotKeyId,
    MacHotKeyRegistry,
    WindowsHotKeyRegistry,
    WindowsMessage,
    create_registry,
)
from neodeskpet.ui.desktop.hotkeys import (
    HotKeyProblem,
    HotKeyRegistry,
    RegisteredHotKeys,
    parse_hotkey,
)

_TAKEN_KEY = "Ctrl+Shift+T"


class Windows:
    """`user32`: another program has Ctrl+Shift+T, and the layout lacks "`"."""

    def __init__(self) -> None:
        self.held: dict[int, tuple[int, int]] = {}

    def RegisterHotKey(self, window: None, number: int, modifiers: int, key: int) -> int:
        if (modifiers & ~0x4000, key) == (2 | 4, ord("T")):
            return 0
        self.held[number] = (modifiers, key)
        return 1

    def UnregisterHotKey(self, window: None, number: int) -> int:
        return int(self.held.pop(number, None) is not None)

    def VkKeyScanW(self, sign: Any) -> int:
        return {",": 0x1BC, "-": 0xBD}.get(sign.value, -1)


def press(register: WindowsHotKeyRegistry, number: int, message: int = WM_HOTKEY) -> object:
    sent = WindowsMessage(None, message, number, 0, 0, 0, 0)
    return register.nativeEventFilter(QByteArray(b"windows_generic_MSG"), ctypes.addressof(sent))


def test_windows_registers_and_reports(qapp: QGuiApplication) -> None:
    user32 = Windows()
    register = WindowsHotKeyRegistry(user32)
    keys = RegisteredHotKeys(register)
    told: list[str] = []
    refused: list[tuple[str, str]] = []
    keys.pressed.connect(told.append)
    keys.rejected.connect(lambda name, why: refused.append((name, why)))
    wanted = {"say": "Ctrl+Alt+Space", "chat": "F9", "other": _TAKEN_KEY, "write": "A"}
    keys.set_hot_keys({name: (text, "") for name, text in wanted.items()})
    assert user32.held == {1: (0x4000 | 1 | 2, 0x20), 2: (0x4000, 0x78)}
    assert refused == [("other", HotKeyProblem.TAKEN), ("write", HotKeyProblem.UNSUPPORTED)]

    assert press(register, 2) == (False, 0)
    press(register, 2, WM_HOTKEY - 1)
    press(register, 7)
    assert register.nativeEventFilter(QByteArray(b"windows_dispatcher_MSG"), 0) == (False, 0)
    assert told == ["chat"]

    keys.set_hot_keys({"say": ("Meta+,", "")})
    assert list(user32.held.values()) == [(0x4000 | 8, 0xBC)]
    press(register, 2)
    assert told == ["chat"]
    keys.close()
    assert user32.held == {}


@pytest.mark.parametrize(
    ("text", "key"),
    [("Ctrl+7", 0x37), ("F24", 0x87), ("F25", None), ("Ctrl+`", None), ("Alt+-", 0xBD)],
)
def test_windows_knows_the_keys(qapp: QGuiApplication, text: str, key: int | None) -> None:
    user32 = Windows()
    register = WindowsHotKeyRegistry(user32)
    found = parse_hotkey(text)
    assert found is not None
    assert register.register(1, found) == (HotKeyProblem.UNSUPPORTED if key is None else None)
    assert [one for _, one in user32.held.values()] == ([] if key is None else [key])
    register.close()


class Mac:
    """Carbon: another program has Ctrl+Shift+T."""

    def __init__(self) -> None:
        self.handler: Any = None
        self.held: dict[int, tuple[int, int]] = {}
        self.owner = 0x4E65446F

    def GetApplicationEventTarget(self) -> int:
        return 5

    def InstallEventHandler(self, _target: int, handler: Any, *_rest: Any) -> int:
        self.handler = handler
        return 0

    def RemoveEventHandler(self, _handler: Any) -> None:
        self.handler = None

    def RegisterEventHotKey(
        self, code: int, modifiers: int, key: HotKeyId, _target: int, _options: int, made: Any
    ) -> int:
        if (modifiers, code) == (0x300, KEYS["t"]):
            return -9878
        made._obj.value = key.number
        self.held[key.number] = (modifiers, code)
        return 0

    def UnregisterEventHotKey(self, handle: ctypes.c_void_p) -> None:
        del self.held[handle.value or 0]

    def GetEventParameter(self, event: int, *rest: Any) -> int:
        if event == 99:
            return -1
        rest[-1]._obj.owner, rest[-1]._obj.number = self.owner, event
        return 0


def test_macos_registers_and_reports() -> None:
    carbon = Mac()
    keys = RegisteredHotKeys(MacHotKeyRegistry(carbon))
    told: list[str] = []
    refused: list[tuple[str, str]] = []
    keys.pressed.connect(told.append)
    keys.rejected.connect(lambda name, why: refused.append((name, why)))
    wanted = {"say": "Ctrl+Alt+Space", "other": _TAKEN_KEY, "far": "F21", "chat": "Meta+F9"}
    keys.set_hot_keys({name: (text, "") for name, text in wanted.items()})
    assert list(carbon.held.values()) == [(0x900, 0x31), (0x1000, 0x65)]
    assert refused == [("other", HotKeyProblem.TAKEN), ("far", HotKeyProblem.UNSUPPORTED)]

    say, chat = carbon.held
    assert carbon.handler(None, chat, None) == 0
    carbon.handler(None, 99, None)
    carbon.owner = 1
    carbon.handler(None, say, None)
    assert told == ["chat"]
    keys.close()
    assert carbon.held == {}
    assert carbon.handler is None


def test_every_key_code_is_one_key() -> None:
    assert len(set(KEYS.values())) == len(KEYS)
    assert set("abcdefghijklmnopqrstuvwxyz0123456789") <= set(KEYS)


def test_each_platform_has_its_register() -> None:
    register: HotKeyRegistry = MacHotKeyRegistry(Mac())
    assert create_registry("cocoa", {"cocoa": lambda: register}) is register
    assert create_registry("offscreen") is None
    assert create_registry("cocoa", {"cocoa": lambda: MacHotKeyRegistry(SimpleNamespace())}) is None
