"""Liveliness: one choice for four switches."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.ui.desktop.activity_detector import AvailableSenses
from neodeskpet.ui.settings.proactive_page import LivelinessRow, ProactivePage
from neodeskpet.ui.theme import LIGHT
from tests.unit.ui.settings.doubles import live_settings, section


def test_a_preset_sets_its_switches_and_a_mix_is_custom(qtbot: QtBot, tmp_path: Path) -> None:
    store = live_settings(tmp_path)
    row = LivelinessRow(store, LIGHT)
    qtbot.addWidget(row)
    store.subscribe(lambda section, name, _value: row.setting_changed(section, name))
    assert row.choice.value() == "normal"
    QTest.mouseClick(row.choice.button("calm"), Qt.MouseButton.LeftButton)
    assert not store.settings.pastimes.days
    assert not store.settings.companion.welcome_back
    QTest.mouseClick(row.choice.button("lively"), Qt.MouseButton.LeftButton)
    assert store.settings.companion.walk
    assert store.settings.pastimes.music
    store.change("pastimes", "music", False)
    assert row.choice.value() == ""
    assert row.note.text().startswith("Custom")
    store.change("companion", "walk", False)
    assert row.choice.value() == "normal"


def test_the_quiet_hours_are_one_row_with_two_times(qtbot: QtBot, tmp_path: Path) -> None:
    store = live_settings(tmp_path)
    senses = AvailableSenses(idle=True, fullscreen=True, call=True, shared=True)
    page = ProactivePage(section("initiative"), store, senses, LIGHT)
    qtbot.addWidget(page)
    store.subscribe(lambda section, name, _value: page.setting_changed(section, name))
    row = page.quiet_hours
    assert page.fields["quiet_from"] is page.fields["quiet_to"] is row
    assert [one.title.text() for one in page.rows].count("Quiet hours") == 1
    assert (row.control.choice.currentText(), row.last.choice.currentText()) == ("22:00", "8:00")
    row.last.choice.setFocus()
    QTest.keyClick(row.last.choice, Qt.Key.Key_Down)
    QTest.keyClick(row.control.choice, Qt.Key.Key_Up)
    settings = store.settings.initiative
    assert (settings.quiet_from, settings.quiet_to) == (21, 9)
    store.reset("initiative", "quiet_to")
    assert row.last.choice.currentText() == "8:00"
    assert row.last.choice.accessibleName() == "Quiet hours: until"
