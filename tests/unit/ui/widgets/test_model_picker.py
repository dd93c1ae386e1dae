"""The list of models under the pill."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from neodeskpet.ui.theme import LIGHT
from neodeskpet.ui.widgets.model_picker import ModelField, ModelPicker, ModelRow

ROWS = [
    ModelRow("", "Default model", "large", is_current=True),
    *(ModelRow(f"model-{number}", f"model-{number}", "Cloud") for number in range(20)),
]


@pytest.fixture
def anchor(qtbot: QtBot) -> QPushButton:
    made = QPushButton("here")
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
def picker(anchor: QPushButton) -> ModelPicker:
    return ModelPicker(LIGHT, anchor)


def test_a_click_chooses_once(picker: ModelPicker, anchor: QPushButton) -> None:
    told: list[tuple[str, bool]] = []
    picker.chosen.connect(lambda name, for_all: told.append((name, for_all)))
    picker.open_under(anchor, ROWS, outside=False)
    picker.for_all.click()
    row = picker.list.visualItemRect(picker.list.item(2)).center()
    QTest.mouseClick(picker.list.viewport(), Qt.MouseButton.LeftButton, pos=row)
    assert told == [("model-1", True)]
    assert picker.isHidden()


def test_it_can_be_used_by_keyboard(picker: ModelPicker, anchor: QPushButton) -> None:
    told: list[str] = []
    picker.chosen.connect(lambda name, for_all: told.append(name))
    picker.open_under(anchor, ROWS, outside=False)
    for key in (Qt.Key.Key_PageDown, Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Return):
        QTest.keyClick(picker.search, key)
    assert told == ["model-6"]

    picker.open_under(anchor, ROWS, outside=False)
    QTest.keyClicks(picker.search, "cloud 19")
    assert picker.row_texts() == ["model-19"]
    QTest.keyClicks(picker.search, "x")
    assert picker.row_texts() == []
    assert picker.none.isVisible()
    QTest.keyClick(picker.search, Qt.Key.Key_Return)
    assert picker.isVisible()
    QTest.keyClick(picker.search, Qt.Key.Key_Escape)
    assert picker.isHidden()


def test_it_says_why_there_is_nothing_to_choose(picker: ModelPicker, anchor: QPushButton) -> None:
    told: list[str] = []
    picker.settings_requested.connect(lambda: told.append("settings"))
    picker.open_under(anchor, ROWS[:1], outside=True)
    assert picker.note.isVisible()
    assert not picker.list.isEnabled()
    picker.services.click()
    assert told == ["settings"]
    assert picker.isHidden()


def test_it_stays_on_the_screen(picker: ModelPicker, anchor: QPushButton) -> None:
    room = anchor.screen().availableGeometry()
    anchor.move(room.bottomRight())
    picker.open_under(anchor, ROWS, outside=False)
    assert room.contains(picker.geometry())


class TestField:
    @pytest.fixture
    def field(self, qtbot: QtBot) -> ModelField:
        made = ModelField(LIGHT)
        qtbot.addWidget(made)
        made.resize(200, 34)
        made.set_name("Model")
        made.show()
        return made

    def test_the_keyboard_opens_the_list_and_a_typed_name_is_used(self, field: ModelField) -> None:
        told: list[str] = []
        field.chosen.connect(told.append)
        field.set_rows(ROWS, "21 models.")
        QTest.keyClick(field, Qt.Key.Key_Space)
        picker = field.picker
        assert picker is not None
        assert picker.isVisible()
        assert picker.services.isHidden()
        assert picker.for_all.isHidden()
        assert picker.note.text() == "21 models."
        QTest.keyClicks(picker.search, "my own")
        assert picker.row_texts() == ["Use “my own”"]
        QTest.keyClick(picker.search, Qt.Key.Key_Return)
        assert told == ["my own"]
        assert picker.isHidden()

    def test_rows_that_come_late_are_shown_under_the_same_search(self, field: ModelField) -> None:
        field.opened.connect(lambda: field.set_rows([], "Asking…"))
        field.click()
        picker = field.picker
        assert picker is not None
        picker.search.setText("model-7")
        field.set_rows(ROWS)
        assert picker.row_texts() == ["model-7"]
        assert picker.note.isHidden()
        picker.hide()

    def test_it_shows_the_value_and_announces_it_to_screen_readers(self, field: ModelField) -> None:
        field.set_rows(ROWS)
        field.set_value("model-3")
        assert (field.value(), field.text()) == ("model-3", "model-3")
        assert field.accessibleName() == "Model: model-3"
        field.set_value("")
        assert field.accessibleName() == "Model: Default model"
        field.set_value("x", "a & b")
        assert field.text() == "a && b"
        field.set_theme(LIGHT)
