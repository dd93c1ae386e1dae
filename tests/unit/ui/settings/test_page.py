"""A page made from the description of the settings; every change is saved at once."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from neodeskpet.core.errors import SettingsError
from neodeskpet.settings.settings_model import describe_sections
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.settings.field_controls import (
    SegmentedFieldControl,
    SliderControl,
    SwitchControl,
)
from neodeskpet.ui.settings.settings_page import SettingsPage
from neodeskpet.ui.theme import DARK, LIGHT
from neodeskpet.ui.widgets.labels import PlainLabel
from tests.unit.ui.settings.doubles import live_settings, section


@pytest.fixture
def store(tmp_path: Path) -> SettingsStore:
    return live_settings(tmp_path)


def page(qtbot: QtBot, store: SettingsStore, name: str) -> SettingsPage:
    made = SettingsPage(section(name), store, LIGHT)
    qtbot.addWidget(made)
    store.subscribe(lambda where, what, _: made.setting_changed(where, what))
    made.retranslate()
    made.set_theme(LIGHT)
    return made


def switch(made: SettingsPage, name: str) -> SwitchControl:
    control = made.fields[name].control
    assert isinstance(control, SwitchControl)
    return control


@pytest.mark.parametrize("name", [one.name for one in describe_sections()])
def test_every_section_becomes_a_page(qtbot: QtBot, store: SettingsStore, name: str) -> None:
    made = page(qtbot, store, name)
    shown = section(name).settings
    order = sorted(shown, key=lambda info: info.folded)  # the folded ones come last
    assert list(made.fields) == [info.name for info in order]
    assert made.heading.text() == section(name).title.replace("{name}", "Neo")
    for row in made.fields.values():
        assert row.title.text()


def test_nothing_appears_on_the_screen_by_itself(qtbot: QtBot, store: SettingsStore) -> None:
    for one in describe_sections():
        page(qtbot, store, one.name)
    assert [w for w in QApplication.topLevelWidgets() if w.isVisible()] == []


def test_a_change_is_saved_at_once(qtbot: QtBot, store: SettingsStore) -> None:
    made = page(qtbot, store, "figure")
    control = switch(made, "always_on_top")
    assert control.switch.isChecked()
    QTest.mouseClick(control.switch, Qt.MouseButton.LeftButton)
    assert store.settings.companion.always_on_top is False


def test_a_number_keeps_its_type(qtbot: QtBot, store: SettingsStore) -> None:
    made = page(qtbot, store, "appearance")
    control = made.fields["font_size"].control
    assert isinstance(control, SliderControl)
    QTest.keyClick(control.scale.slider, Qt.Key.Key_Right)
    assert store.settings.appearance.font_size == 15


def test_a_change_from_elsewhere_is_shown(qtbot: QtBot, store: SettingsStore) -> None:
    made = page(qtbot, store, "appearance")
    store.change("appearance", "theme", "dark")
    control = made.fields["theme"].control
    assert isinstance(control, SegmentedFieldControl)
    assert control.segments.value() == "dark"
    store.change("companion", "bubble", True)


def test_it_says_when_a_value_holds_for_this_run_only(qtbot: QtBot, tmp_path: Path) -> None:
    store = SettingsStore(
        tmp_path / "s.json", overrides={("appearance", "theme"): "dark"}, environ={}
    )
    made = page(qtbot, store, "appearance")
    outside = "Set from outside for this run"
    assert outside in made.fields["theme"].note.text()
    control = made.fields["theme"].control
    assert isinstance(control, SegmentedFieldControl)
    QTest.mouseClick(control.segments.button("light"), Qt.MouseButton.LeftButton)
    assert outside not in made.fields["theme"].note.text()


class Refusing:
    """Settings that can't be changed."""

    def __init__(self, store: SettingsStore) -> None:
        self._store = store
        self.value = store.value
        self.overridden = store.overridden
        self.reset = store.reset
        self.subscribe = store.subscribe

    def change(self, section: str, name: str, value: object) -> None:
        raise SettingsError("not that", file="settings.json")


def test_an_invalid_value_is_reported_below_the_control(qtbot: QtBot, store: SettingsStore) -> None:
    made = SettingsPage(section("figure"), Refusing(store), LIGHT)
    qtbot.addWidget(made)
    QTest.mouseClick(switch(made, "bubble").switch, Qt.MouseButton.LeftButton)
    assert "not that" in made.fields["bubble"].error_label.text()
    assert not made.fields["bubble"].error_label.isHidden()


class TestReset:
    def test_reset_needs_a_second_press(self, qtbot: QtBot, store: SettingsStore) -> None:
        store.change("companion", "bubble", False)
        made = page(qtbot, store, "figure")
        QTest.mouseClick(made.reset.ask, Qt.MouseButton.LeftButton)
        assert not store.settings.companion.bubble
        QTest.mouseClick(made.reset.sure, Qt.MouseButton.LeftButton)
        assert store.settings.companion.bubble
        assert switch(made, "bubble").switch.isChecked()

    def test_reset_can_be_cancelled(self, qtbot: QtBot, store: SettingsStore) -> None:
        store.change("companion", "bubble", False)
        made = page(qtbot, store, "figure")
        QTest.mouseClick(made.reset.ask, Qt.MouseButton.LeftButton)
        QTest.mouseClick(made.reset.keep, Qt.MouseButton.LeftButton)
        assert not store.settings.companion.bubble
        assert not made.reset.ask.isHidden()

    def test_reset_changes_only_this_page(self, qtbot: QtBot, store: SettingsStore) -> None:
        store.change("appearance", "theme", "dark")
        made = page(qtbot, store, "figure")
        made.reset.confirmed.emit()
        assert store.settings.appearance.theme == "dark"


def test_search_shows_the_matching_rows(qtbot: QtBot, store: SettingsStore) -> None:
    made = page(qtbot, store, "figure")
    assert made.reset.isHidden(), "nothing was changed"
    store.change("companion", "bubble", False)
    assert not made.reset.isHidden()
    assert made.search("opacity") == 1
    assert not made.fields["opacity"].isHidden()
    assert made.fields["bubble"].isHidden()
    assert made.reset.isHidden()
    assert made.search("zzz") == 0
    assert made.search("") == len(made.fields)
    assert not made.reset.isHidden()
    store.reset("companion", "bubble")
    assert made.reset.isHidden()


def test_narrow_and_dark(qtbot: QtBot, store: SettingsStore) -> None:
    made = page(qtbot, store, "figure")
    made.resize(300, 900)
    made.set_narrow(True)
    made.set_theme(DARK)
    assert made.minimumSizeHint().width() <= 300


def test_a_search_hides_texts_that_belong_to_no_row(qtbot: QtBot, store: SettingsStore) -> None:
    made = page(qtbot, store, "figure")
    notice, other = PlainLabel("Nothing is here yet."), PlainLabel("One is broken.")
    for one in (notice, other):
        made.add_notice(one)
    made.set_notice_visible(other, False)
    assert not notice.isHidden() and other.isHidden()
    made.search("a word")
    assert notice.isHidden()
    made.set_notice_visible(other, True)
    assert other.isHidden(), "a refresh during the search does not show it"
    made.search("")
    assert not notice.isHidden() and not other.isHidden()


def test_folded_settings_are_shown_by_more_and_by_a_search(
    qtbot: QtBot, store: SettingsStore
) -> None:
    made = page(qtbot, store, "figure")
    assert made.fields["gaze"].isHidden()
    made.search("pointer")
    assert not made.fields["gaze"].isHidden()
    made.search("")
    assert made.fields["gaze"].isHidden()
    assert made.fold is not None
    assert made.fold.accessibleName() == "More: Click-through, Look at the pointer"
    made.fold.click()
    assert not made.fields["gaze"].isHidden()


def test_a_card_resets_its_own_part_of_a_section(qtbot: QtBot, store: SettingsStore) -> None:
    store.change("companion", "scale", 2.0)
    store.change("companion", "fall", True)
    page(qtbot, store, "figure").reset.confirmed.emit()
    assert store.settings.companion.scale == 1.0
    assert store.settings.companion.fall
