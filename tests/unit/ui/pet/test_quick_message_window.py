"""The quick message line: the pill says what Enter will do, and Enter does that."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.ui.pet.quick_message_window import QuickMessageWindow, SpokenTimer
from neodeskpet.ui.theme import LIGHT, scale_to_font


class Line:
    def __init__(self, window: QuickMessageWindow) -> None:
        self.window, self.field = window, window.composer.field
        self.events: list[tuple[object, ...]] = []
        window.submitted.connect(lambda text, _files: self.events.append(("message", text)))
        window.timer_requested.connect(lambda timer: self.events.append(("timer", timer.label)))
        window.chat_requested.connect(lambda: self.events.append(("chat",)))
        window.menu_requested.connect(lambda: self.events.append(("menu",)))

    def press(self, key: Qt.Key, *, control: bool = False) -> None:
        held = Qt.KeyboardModifier.ControlModifier if control else Qt.KeyboardModifier.NoModifier
        QTest.keyClick(self.field, key, held)

    def write(self, text: str) -> None:
        self.window.present()
        self.window.composer.insert(text)


@pytest.fixture
def line(qtbot: QtBot) -> Iterator[Line]:
    def read(text: str) -> SpokenTimer | None:
        return SpokenTimer(0.0, "tea") if text.startswith("tea") else None

    window = QuickMessageWindow(LIGHT, read, lambda _due: "16:15")
    qtbot.addWidget(window)
    yield Line(window)
    window.hide()


def test_the_pill_says_what_enter_does(line: Line) -> None:
    line.window.present()
    assert not line.window.pill.isVisible()
    line.write("tea in 5 minutes")
    assert line.window.pill.text() == "Timer 16:15"
    assert "Timer 16:15" in line.field.accessibleDescription()
    line.press(Qt.Key.Key_Return)
    assert line.events == [("timer", "tea")]
    assert not line.window.isVisible() and line.field.text() == ""
    line.write("hello")
    assert line.window.pill.text() == "Message"
    line.press(Qt.Key.Key_Return)
    assert line.events[1:] == [("message", "hello")]


def test_tab_makes_it_a_message(line: Line) -> None:
    line.write("tea in 5 minutes")
    line.press(Qt.Key.Key_Tab)
    assert line.window.pill.text() == "Message"
    line.press(Qt.Key.Key_Return)
    line.write("tea in 5 minutes")
    assert line.window.pill.text() == "Timer 16:15", "each line is read again"
    line.press(Qt.Key.Key_Tab)
    line.press(Qt.Key.Key_Tab)
    line.press(Qt.Key.Key_Return)
    assert line.events == [("message", "tea in 5 minutes"), ("timer", "tea")]


def test_ctrl_enter_opens_the_chat_with_it(line: Line) -> None:
    line.write("hello")
    line.press(Qt.Key.Key_Return, control=True)
    assert line.events == [("message", "hello"), ("chat",)]


def test_down_opens_the_menu_and_escape_keeps_the_draft(line: Line) -> None:
    line.window.present()
    line.press(Qt.Key.Key_Down)
    assert line.events == [("menu",)]
    line.write("not yet")
    line.press(Qt.Key.Key_Down)
    assert line.events == [("menu",)], "in a text the key moves the cursor"
    line.press(Qt.Key.Key_Escape)
    assert not line.window.isVisible() and line.field.text() == "not yet"


def test_nothing_covers_the_round_corners_of_its_frame(line: Line) -> None:
    line.window.present()
    picture = line.window.grab().toImage()
    scale = picture.devicePixelRatio()
    ink = QColor(LIGHT.ink)
    radius = scale_to_font(44, LIGHT) // 2
    inner = radius - LIGHT.ink_width / 2
    for angle in (200, 225, 250):
        x = radius + inner * math.cos(math.radians(angle))
        y = radius + inner * math.sin(math.radians(angle))
        pixel = picture.pixelColor(int(x * scale), int(y * scale))
        assert pixel.lightness() - ink.lightness() < 40, (angle, pixel.name())


def test_a_long_text_has_a_margin_above_and_below(line: Line, qtbot: QtBot) -> None:
    window, field = line.window, line.field
    room = window.screen().geometry()
    window.size_changed.connect(lambda: window.resize(window.preferred_size(room)))
    line.write("please tell me what is on my calendar for the whole of next week, and also today")
    qtbot.waitUntil(lambda: field.height() >= 2 * field.fontMetrics().height())
    qtbot.waitUntil(lambda: window.height() > field.height() + 16)
    top = field.mapTo(window, QPoint()).y()
    assert min(top, window.height() - top - field.height()) >= 8
    line.field.clear()
    qtbot.waitUntil(lambda: window.height() == scale_to_font(44, LIGHT))
