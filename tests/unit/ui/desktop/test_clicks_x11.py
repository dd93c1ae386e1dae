"""Clicks of a real X server (XTest)."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from neodeskpet.ui.desktop.keystrokes import X11KeystrokeCounter, create_click_counter
from tests.support.keyboard import SPACE, Keyboard


def test_clicks_are_counted_and_keys_are_not(qtbot: QtBot) -> None:
    clicks, heard = create_click_counter(QGuiApplication.platformName()), list[int]()
    assert isinstance(clicks, X11KeystrokeCounter)
    assert clicks.start(heard.append)
    keyboard = Keyboard()
    keyboard.press(SPACE)
    keyboard.click()
    qtbot.waitUntil(lambda: sum(heard) == 1)
    clicks.stop()
    keyboard.close()


def test_there_are_none_elsewhere() -> None:
    assert not create_click_counter("wayland").start(lambda count: None)
