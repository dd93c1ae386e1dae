"""The table of days: keys, names for screen readers, month and week."""

from __future__ import annotations

from datetime import date

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.ui.notebook.month_view import DayLine, MonthView, first_shown
from neodeskpet.ui.theme import DARK, LIGHT

TODAY = date(2026, 11, 27)


@pytest.fixture
def view(qtbot: QtBot) -> MonthView:
    view = MonthView(LIGHT)
    qtbot.addWidget(view)
    lines = [
        DayLine("Dentist", "17:30"),
        DayLine("Buy milk", todo=True),
        DayLine("Tea"),
        DayLine("x"),
    ]
    view.show_lines({TODAY: lines}, TODAY)
    view.go_to(TODAY)
    view.retranslate()
    view.resize(700, 500)
    view.show()
    return view


@pytest.mark.parametrize(
    ("key", "day"),
    [
        (Qt.Key.Key_Left, date(2026, 11, 26)),
        (Qt.Key.Key_Right, date(2026, 11, 28)),
        (Qt.Key.Key_Up, date(2026, 11, 20)),
        (Qt.Key.Key_Down, date(2026, 12, 4)),
        (Qt.Key.Key_PageUp, date(2026, 10, 27)),
        (Qt.Key.Key_PageDown, date(2026, 12, 27)),
    ],
)
def test_keys_move_the_day(view: MonthView, key: Qt.Key, day: date) -> None:
    QTest.keyClick(view, key)
    assert view.day == day
    QTest.keyClick(view, Qt.Key.Key_T)
    assert view.day == TODAY


def test_the_last_day_of_a_month_stays_in_the_next_one(view: MonthView) -> None:
    view.go_to(date(2027, 1, 31))
    view.step(1)
    assert view.day == date(2027, 2, 28)


def test_a_week_has_one_row(view: MonthView) -> None:
    assert (view.first, view.last) == (date(2026, 10, 26), date(2026, 12, 6))
    assert view.heading() == "November 2026"
    view.set_week(True)
    assert (view.first, view.last) == (date(2026, 11, 23), date(2026, 11, 29))
    QTest.keyClick(view, Qt.Key.Key_PageDown)
    assert view.day == date(2026, 12, 4)


def test_a_screen_reader_gets_the_day_and_its_entries(view: MonthView) -> None:
    item = view.currentItem()
    told = str(item.data(Qt.ItemDataRole.AccessibleTextRole))
    assert "27" in told and "17:30 Dentist" in told and "Buy milk" in told
    assert view.accessibleName() == "November 2026"


def test_a_click_and_enter_are_reported(view: MonthView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.opened) as opened:
        QTest.keyClick(view, Qt.Key.Key_Return)
    assert opened.args == [TODAY]
    place = view.visualItemRect(view.item(0, 0)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert view.day == date(2026, 10, 26)


def test_it_is_painted_narrow_and_dark(view: MonthView) -> None:
    wide = view.grab().toImage()
    view.set_theme(DARK)
    view.resize(300, 300)
    assert not view.grab().toImage().isNull()
    assert wide.width() != 300


def test_a_month_begins_with_the_monday_before() -> None:
    assert first_shown(date(2026, 11, 27), week=False) == date(2026, 10, 26)
    assert first_shown(date(2026, 6, 10), week=False) == date(2026, 6, 1)
