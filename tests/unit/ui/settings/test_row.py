"""A row: title, control, note, error."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.ui.settings.settings_row import CardFrame, SettingsRow
from neodeskpet.ui.theme import DARK, LIGHT
from neodeskpet.ui.widgets.controls import ComboBox, LabeledSlider, Switch, TextEntry


def row(qtbot: QtBot) -> SettingsRow:
    made = SettingsRow(LIGHT, QLineEdit(), stack="opacity\n透明")
    qtbot.addWidget(made)
    made.resize(500, 60)
    return made


def test_an_error_is_shown_and_removed(qtbot: QtBot) -> None:
    made = row(qtbot)
    made.set_error("No.")
    assert not made.error_label.isHidden()
    assert made.controls[0].property("wrong") is True
    made.set_error("")
    assert made.error_label.isHidden()
    assert made.controls[0].property("wrong") is False


def test_the_note_and_the_error_describe_the_controls(qtbot: QtBot) -> None:
    field, button = TextEntry(), QPushButton("Choose…")
    button.setAccessibleDescription("Its own.")
    made = SettingsRow(LIGHT, field, button)
    qtbot.addWidget(made)
    made.set_texts("Folder", "Files of it can be read.")
    assert field.accessibleDescription() == "Files of it can be read."
    made.set_error("There is no such folder.")
    assert field.accessibleDescription() == "There is no such folder. Files of it can be read."
    made.set_error("")
    made.set_note("")
    assert field.accessibleDescription() == ""
    assert button.accessibleDescription() == "Its own."


def test_a_field_inside_a_control_is_marked_as_wrong(qtbot: QtBot) -> None:
    field = TextEntry()
    outside = QWidget()
    QVBoxLayout(outside).addWidget(field)
    made = SettingsRow(LIGHT, outside)
    qtbot.addWidget(made)
    made.set_error("No.")
    assert field.property("wrong") is True
    made.set_error("")
    assert field.property("wrong") is False


def test_has_a_note_only_if_there_is_one(qtbot: QtBot) -> None:
    made = row(qtbot)
    made.set_texts("Opacity")
    assert made.note.isHidden()
    made.set_texts("Opacity", "How much shines through.")
    assert not made.note.isHidden()
    made.set_note("")
    assert made.note.isHidden()


def test_it_is_shown_if_it_is_found_and_useful(qtbot: QtBot) -> None:
    made = row(qtbot)
    assert made.search("透明")
    assert not made.search("zzz")
    assert made.isHidden()
    assert made.search("")
    made.set_relevant(False)
    assert made.isHidden()
    assert not made.search("opacity")
    made.set_relevant(True)
    assert not made.isHidden()


def shown(qtbot: QtBot, made: SettingsRow, width: int) -> SettingsRow:
    qtbot.addWidget(made)
    made.resize(width, 60)
    made.show()
    return made


@pytest.mark.parametrize(
    ("make", "width"),
    [(lambda: ComboBox(LIGHT), 200), (lambda: LabeledSlider(0, 1, 0.1), 200), (TextEntry, 282)],
    ids=["list", "slider", "text"],
)
def test_controls_are_at_the_right_with_the_width_of_their_kind(
    qtbot: QtBot, make: Callable[[], QWidget], width: int
) -> None:
    control = make()
    made = shown(qtbot, SettingsRow(LIGHT, control), 608)
    assert not made.is_stacked
    assert control.width() == width
    assert control.mapTo(made, control.rect().topRight()).x() == 607


def test_a_switch_is_at_the_right(qtbot: QtBot) -> None:
    switch = Switch(LIGHT)
    made = shown(qtbot, SettingsRow(LIGHT, switch), 608)
    assert switch.mapTo(made, switch.rect().topRight()).x() == 607


def test_a_control_without_room_is_below_title_and_note(qtbot: QtBot) -> None:
    field = TextEntry()
    made = SettingsRow(LIGHT, field)
    made.set_texts("Address", "The base URL of the service.")
    shown(qtbot, made, 608)
    qtbot.waitUntil(lambda: not made.is_stacked)
    made.resize(400, 120)
    assert made.is_stacked
    qtbot.waitUntil(lambda: field.mapTo(made, QPoint()).y() > made.note.geometry().bottom())
    assert field.width() == 400
    made.resize(608, 120)
    assert not made.is_stacked
    made.set_narrow(True)
    assert made.is_stacked
    made.set_narrow(False)
    made.set_theme(LIGHT.sized(28))
    assert made.is_stacked, "large text needs more room"
    made.set_theme(DARK)
    assert not made.is_stacked


def test_a_wide_control_has_a_line_of_its_own(qtbot: QtBot) -> None:
    field = QLineEdit()
    made = shown(qtbot, SettingsRow(LIGHT, field, wide=True), 900)
    assert made.is_stacked and field.width() == 900


def test_a_button_below_the_title_is_not_stretched(qtbot: QtBot) -> None:
    button = QPushButton("Go")
    made = shown(qtbot, SettingsRow(LIGHT, button), 500)
    made.set_narrow(True)
    qtbot.waitUntil(lambda: button.mapTo(made, QPoint()).x() == 0)
    assert button.width() == button.sizeHint().width()


def test_a_row_of_a_card_has_the_height_of_the_design(qtbot: QtBot) -> None:
    card = CardFrame(LIGHT)
    made = SettingsRow(LIGHT, Switch(LIGHT))
    made.join_card(card)
    made.set_texts("Snacks")
    assert made.minimumHeight() == 44
    made.set_note("Take one from the menu.")
    assert made.minimumHeight() == 52
    made.set_theme(LIGHT.sized(28))
    assert made.minimumHeight() == 104


def test_a_search_finds_what_a_row_shows(qtbot: QtBot) -> None:
    row = SettingsRow(LIGHT, QPushButton("Choose a folder…"), stack="figure")
    qtbot.addWidget(row)
    row.set_texts("Walk around", "Only on this screen.")
    for query in ("walk", "this screen", "choose a folder", "figure WALK"):
        assert row.search(query), query
    assert not row.search("run")
