"""Keys of a real X server, pressed as a keyboard presses them (XTest)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from neodeskpet.ui.desktop.hotkey_backends import create_hot_keys
from neodeskpet.ui.desktop.hotkeys import HotKeyProblem, HotKeys
from neodeskpet.ui.desktop.hotkeys_x11 import X11HotKeys, open_x11
from tests.support.keyboard import ALT, CONTROL, F9, NUM_LOCK, SPACE, Keyboard


@pytest.fixture
def keyboard(qapp: QGuiApplication) -> Iterator[Keyboard]:
    if QGuiApplication.platformName() != "xcb":
        pytest.skip("no X server")
    try:
        made = Keyboard()
    except OSError:
        pytest.skip("no XTest")
    yield made
    made.close()


@pytest.fixture
def keys(keyboard: Keyboard) -> Iterator[X11HotKeys]:
    x11 = open_x11()
    assert x11 is not None
    made = X11HotKeys(x11)
    yield made
    made.close()


def refusals(keys: HotKeys) -> list[tuple[str, str]]:
    told: list[tuple[str, str]] = []
    keys.rejected.connect(lambda name, why: told.append((name, why)))
    return told


def test_keys_are_reported_until_they_are_released_again(
    keyboard: Keyboard, keys: X11HotKeys, qtbot: QtBot
) -> None:
    told: list[str] = []
    keys.pressed.connect(told.append)
    refused = refusals(keys)
    keys.set_hot_keys({"say": ("Ctrl+Alt+Space", ""), "chat": ("F9", ""), "write": ("A", "")})
    assert refused == [("write", HotKeyProblem.UNSUPPORTED)]
    keyboard.press(CONTROL, ALT, SPACE)
    keyboard.press(SPACE)
    keyboard.press(F9)
    qtbot.waitUntil(lambda: told == ["say", "chat"])
    keyboard.press(NUM_LOCK)
    keyboard.press(CONTROL, ALT, SPACE)
    keyboard.press(NUM_LOCK)
    qtbot.waitUntil(lambda: told == ["say", "chat", "say"])
    keys.set_hot_keys({"chat": ("F9", "")})
    keyboard.press(CONTROL, ALT, SPACE)
    keyboard.press(F9)
    qtbot.waitUntil(lambda: told == ["say", "chat", "say", "chat"])


def test_a_key_of_another_program_is_refused_until_it_ends(
    keyboard: Keyboard, keys: X11HotKeys
) -> None:
    x11 = open_x11()
    assert x11 is not None
    other = X11HotKeys(x11)
    assert refusals(other) == []
    other.set_hot_keys({"theirs": ("Ctrl+Alt+Space", "")})
    refused = refusals(keys)
    wanted = {"mine": ("Ctrl+Alt+Space", ""), "twice": ("F9", ""), "again": ("F9", "")}
    keys.set_hot_keys(wanted)
    assert refused == [("mine", HotKeyProblem.TAKEN), ("again", HotKeyProblem.TAKEN)]
    other.close()
    other.close()
    other.set_hot_keys({"late": ("F9", "")})
    refused.clear()
    keys.set_hot_keys({"mine": ("Ctrl+Alt+Space", "")})
    assert refused == []


def test_each_desktop_has_its_method(
    keyboard: Keyboard, monkeypatch: pytest.MonkeyPatch, qapp: QGuiApplication
) -> None:
    found = create_hot_keys(qapp)
    assert type(found).__name__ == "X11HotKeys"
    found.close()
    monkeypatch.setenv("XDG_SESSION_TYPE", "wayland")
    found = create_hot_keys(qapp)
    assert type(found).__name__ == "PortalHotKeys"
    found.close()
    monkeypatch.delenv("XDG_SESSION_TYPE")
    monkeypatch.setenv("DISPLAY", ":4711")
    found = create_hot_keys(qapp)
    told = refusals(found)
    found.set_hot_keys({"say": ("F9", "")})
    found.close()
    assert told == [("say", HotKeyProblem.UNAVAILABLE)]
