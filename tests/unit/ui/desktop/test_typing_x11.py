"""Keys of a real X server, pressed as a keyboard presses them (XTest)."""

from __future__ import annotations

from PySide6.QtGui import QCursor, QGuiApplication
from pytestqt.qtbot import QtBot

from neodeskpet.ui.desktop.keystrokes import X11KeystrokeCounter, create_keystroke_counter
from tests.support.keyboard import CONTROL, F9, SPACE, Keyboard


def test_keys_are_counted_while_it_listens_and_clicks_are_not(qtbot: QtBot) -> None:
    keystrokes, heard = X11KeystrokeCounter({}), list[int]()
    assert keystrokes.start(heard.append)
    assert keystrokes.start(heard.append), "it listens already"
    keyboard = Keyboard()
    keyboard.press(SPACE)
    keyboard.press(CONTROL, F9)
    qtbot.waitUntil(lambda: sum(heard) == 3)
    QCursor.setPos(40, 40)
    QCursor.setPos(90, 40)
    keyboard.press(SPACE)
    qtbot.waitUntil(lambda: sum(heard) == 4)
    keystrokes.stop()
    keystrokes.stop()
    keyboard.press(SPACE)
    again = list[int]()
    assert keystrokes.start(again.append)
    keyboard.press(SPACE)
    qtbot.waitUntil(lambda: sum(again) == 1)
    keystrokes.stop()
    keyboard.close()
    assert sum(heard) == 4


def test_it_listens_only_on_x11(qtbot: QtBot) -> None:
    assert not X11KeystrokeCounter({"XDG_SESSION_TYPE": "wayland"}).start(lambda count: None)
    assert isinstance(create_keystroke_counter(QGuiApplication.platformName()), X11KeystrokeCounter)
    assert not create_keystroke_counter("wayland").start(lambda count: None)
