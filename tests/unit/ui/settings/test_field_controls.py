"""Each kind of control shows a value and reports a change in the setting's type."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from neodeskpet.settings.setting_fields import ControlKind, SettingInfo
from neodeskpet.ui.settings.field_controls import (
    CONTROLS,
    ComboBoxControl,
    FieldControl,
    FolderControl,
    HotKeyControl,
    SegmentedFieldControl,
    SliderControl,
    SwitchControl,
    TextControl,
)
from neodeskpet.ui.theme import DARK, LIGHT

CHOICES = (("a", "Alpha"), ("b", "Beta"))


def control(qtbot: QtBot, kind: ControlKind) -> FieldControl:
    info = SettingInfo(
        "s", "n", "A title", "", kind, None, CHOICES, 0, 10, 1, "px", "https://example.com", ()
    )
    made = CONTROLS[kind](info, LIGHT)
    qtbot.addWidget(made)
    made.retranslate("A title")
    made.set_theme(DARK)
    made.show()
    return made


def told_by(made: FieldControl) -> list[object]:
    told: list[object] = []
    made.edited.connect(told.append)
    return told


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (ControlKind.SWITCH, True),
        (ControlKind.CHOICE, "b"),
        (ControlKind.SEGMENTS, "b"),
        (ControlKind.SCALE, 4),
        (ControlKind.TEXT, "text"),
        (ControlKind.FOLDER, "/tmp"),
        (ControlKind.KEYS, "Ctrl+Alt+Space"),
    ],
)
def test_showing_a_value_reports_nothing(qtbot: QtBot, kind: ControlKind, value: object) -> None:
    made = control(qtbot, kind)
    told = told_by(made)
    made.show_value(value)
    assert told == []


def test_every_kind_has_a_control() -> None:
    assert set(CONTROLS) == set(ControlKind) - {ControlKind.HIDDEN}


def test_switch(qtbot: QtBot) -> None:
    made = control(qtbot, ControlKind.SWITCH)
    assert isinstance(made, SwitchControl)
    told = told_by(made)
    made.show_value(True)
    QTest.mouseClick(made.switch, Qt.MouseButton.LeftButton)
    assert told == [False]
    assert made.switch.accessibleName() == "A title"


def test_choice(qtbot: QtBot) -> None:
    made = control(qtbot, ControlKind.CHOICE)
    assert isinstance(made, ComboBoxControl)
    told = told_by(made)
    made.show_value("a")
    assert made.choice.currentText() == "Alpha"
    QTest.keyClick(made.choice, Qt.Key.Key_Down)
    assert told == ["b"]


def test_segments(qtbot: QtBot) -> None:
    made = control(qtbot, ControlKind.SEGMENTS)
    assert isinstance(made, SegmentedFieldControl)
    told = told_by(made)
    made.show_value("a")
    QTest.mouseClick(made.segments.button("b"), Qt.MouseButton.LeftButton)
    assert told == ["b"]


def test_scale(qtbot: QtBot) -> None:
    made = control(qtbot, ControlKind.SCALE)
    assert isinstance(made, SliderControl)
    told = told_by(made)
    made.show_value(4)
    QTest.keyClick(made.scale.slider, Qt.Key.Key_Right)
    assert told == [5.0]


def test_text(qtbot: QtBot) -> None:
    made = control(qtbot, ControlKind.TEXT)
    assert isinstance(made, TextControl)
    told = told_by(made)
    made.show_value(None)
    assert made.entry.placeholderText() == "https://example.com"
    QTest.keyClicks(made.entry, "abc")
    QTest.keyClick(made.entry, Qt.Key.Key_Return)
    assert told == ["abc"]


def test_folder_is_chosen_without_blocking(qtbot: QtBot, tmp_path: Path) -> None:
    made = control(qtbot, ControlKind.FOLDER)
    assert isinstance(made, FolderControl)
    told = told_by(made)
    made.show_value(str(tmp_path))
    QTest.mouseClick(made.button, Qt.MouseButton.LeftButton)
    dialog = made.findChild(QFileDialog)
    assert dialog is not None
    assert told == []
    dialog.fileSelected.emit("/models/mimi")
    dialog.close()
    assert told == ["/models/mimi"]
    assert made.entry.value() == "/models/mimi"


def test_keys_are_set_and_removed(qtbot: QtBot) -> None:
    made = control(qtbot, ControlKind.KEYS)
    assert isinstance(made, HotKeyControl)
    told = told_by(made)
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    QTest.keyClick(made.entry, Qt.Key.Key_Space, both)
    made.entry.editingFinished.emit()
    assert told == ["Ctrl+Alt+Space"]
    made.show_value("Ctrl+Alt+Space")
    made.entry.editingFinished.emit()
    assert told == ["Ctrl+Alt+Space"]
    QTest.mouseClick(made.button, Qt.MouseButton.LeftButton)
    assert told == ["Ctrl+Alt+Space", ""]
    assert made.button.accessibleName() == "Remove A title"
