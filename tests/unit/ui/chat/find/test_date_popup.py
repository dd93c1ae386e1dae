"""Days as people type them."""

from __future__ import annotations

from datetime import date

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.find.date_popup import DatePopup, parse_day
from neodeskpet.ui.theme import DARK, LIGHT, Theme

TODAY = date(2026, 11, 23)


@pytest.mark.parametrize(
    ("typed", "day"),
    [
        ("2026-11-03", date(2026, 11, 3)),
        (" 2025/1/9 ", date(2025, 1, 9)),
        ("3.11.2026", date(2026, 11, 3)),
        ("2026年3月4日", date(2026, 3, 4)),
        ("yesterday", date(2026, 11, 22)),
        ("昨天", date(2026, 11, 22)),
        ("2026-02-31", None),
        ("soup", None),
        ("", None),
    ],
)
def test_days(typed: str, day: date | None) -> None:
    assert parse_day(typed, TODAY) == day


def test_it_is_styled_when_it_is_visible(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)

    def seen(first: Theme, then: Theme, last: Theme) -> QImage:
        popup = DatePopup(first, window)
        popup.set_theme(then)
        popup.open(QPoint(600, 20), [TODAY], TODAY)
        popup.set_theme(last)
        popup.calendar.setFocus()
        picture = popup.grab().toImage()
        popup.hide()
        return picture

    dark = seen(DARK, DARK, DARK)
    assert seen(LIGHT, DARK, DARK) == dark == seen(LIGHT, LIGHT, DARK)
    assert seen(DARK, DARK, LIGHT) != dark
