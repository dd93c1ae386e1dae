"""The cursor stops blinking when nobody writes."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.composer.message_field import CaretBlinkTimer


@pytest.fixture(autouse=True)
def blinking(qapp: QApplication) -> Iterator[None]:
    beat = QApplication.cursorFlashTime()
    QApplication.setCursorFlashTime(900)
    yield
    QApplication.setCursorFlashTime(beat)


def test_it_stops_a_while_after_the_last_key_and_blinks_again(qtbot: QtBot) -> None:
    parent = QObject()
    caret = CaretBlinkTimer(parent, still_ms=1)
    assert QApplication.cursorFlashTime() == 900
    caret.restart()
    qtbot.waitUntil(lambda: QApplication.cursorFlashTime() == 0)
    caret.restart()
    assert QApplication.cursorFlashTime() == 900


def test_two_fields_share_one_timer(qtbot: QtBot) -> None:
    parent = QObject()
    one, other = CaretBlinkTimer(parent, still_ms=1), CaretBlinkTimer(parent, still_ms=1)
    one.restart()
    other.restart()
    qtbot.waitUntil(lambda: QApplication.cursorFlashTime() == 0)
    late = CaretBlinkTimer(parent, still_ms=100_000)
    late.restart()
    assert QApplication.cursorFlashTime() == 900
