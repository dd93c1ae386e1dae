"""A large picture."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from neodeskpet.ui.chat.message_pictures import PictureWindow
from neodeskpet.ui.theme import LIGHT


@pytest.fixture
def owner(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


def shown(owner: QWidget, width: int, height: int) -> PictureWindow:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("#00FF00"))
    window = PictureWindow(image, LIGHT, owner, name="cat.png", words="a cat")
    window.show()
    return window


def test_it_has_the_size_of_the_picture_but_fits_the_screen(owner: QWidget) -> None:
    small, large = shown(owner, 300, 200), shown(owner, 9000, 300)
    assert (small.width(), small.height()) == (300, 200)
    assert large.width() <= large.screen().availableGeometry().width()
    assert large.picture_rect().width() == large.width()
    tiny = shown(owner, 10, 10)
    assert tiny.picture_rect().width() == 10
    assert tiny.grab().toImage().pixelColor(tiny.rect().center()).name() == "#00ff00"
    assert (tiny.windowTitle(), tiny.accessibleDescription()) == ("cat.png", "a cat")


@pytest.mark.parametrize("key", [Qt.Key.Key_Escape, Qt.Key.Key_Space])
def test_a_key_closes_it(qtbot: QtBot, owner: QWidget, key: Qt.Key) -> None:
    window = shown(owner, 300, 200)
    QTest.keyClick(window, key)
    qtbot.waitUntil(lambda: not isValid(window))
