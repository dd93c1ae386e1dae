"""Liveliness: one choice for four switches."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.ui.settings.proactive_page import LivelinessRow
from neodeskpet.ui.theme import LIGHT
from tests.unit.ui.settings.doubles import live_settings


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
