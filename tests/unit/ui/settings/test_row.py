"""A row: title, control, note, error."""

from PySide6.QtWidgets import QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.ui.settings.settings_row import TITLE_WIDTH, SettingsRow
from neodeskpet.ui.theme import DARK, LIGHT
from neodeskpet.ui.widgets.controls import TextEntry


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


def test_in_a_narrow_window_the_title_is_above(qtbot: QtBot) -> None:
    made = row(qtbot)
    made.show()
    control = made.controls[0]
    assert made.title.width() == TITLE_WIDTH
    assert control.x() >= TITLE_WIDTH
    made.set_narrow(True)
    qtbot.waitUntil(lambda: control.x() == 0)
    made.set_narrow(False)
    qtbot.waitUntil(lambda: control.x() >= TITLE_WIDTH)
    made.set_theme(DARK)


def test_without_a_stretch_the_last_control_is_at_the_right(qtbot: QtBot) -> None:
    one, other = QLineEdit(), QLineEdit()
    for control in (one, other):
        control.setFixedWidth(50)
    made = SettingsRow(LIGHT, one, other, stretch=None)
    qtbot.addWidget(made)
    made.resize(500, 60)
    made.show()
    assert other.geometry().right() >= 498
    assert one.x() < 200


def test_a_search_finds_what_a_row_shows(qtbot: QtBot) -> None:
    row = SettingsRow(LIGHT, QPushButton("Choose a folder…"), stack="figure")
    qtbot.addWidget(row)
    row.set_texts("Walk around", "Only on this screen.")
    for query in ("walk", "this screen", "choose a folder", "figure WALK"):
        assert row.search(query), query
    assert not row.search("run")
