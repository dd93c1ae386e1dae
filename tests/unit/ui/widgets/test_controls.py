"""Controls report each action of the user once, and report nothing when a value is set."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.ui.theme import DARK, LIGHT, Theme
from neodeskpet.ui.widgets.controls import (
    ComboBox,
    LabeledSlider,
    SegmentedControl,
    Switch,
    TextEntry,
    controls_sheet,
)

LEFT = Qt.MouseButton.LeftButton


def wheel(widget: QWidget) -> None:
    middle = QPointF(widget.rect().center())
    event = QWheelEvent(
        middle,
        widget.mapToGlobal(middle),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)


def focus(widget: QWidget, qtbot: QtBot) -> None:
    widget.window().activateWindow()
    widget.setFocus()
    qtbot.waitUntil(widget.hasFocus)


class TestSwitch:
    def test_click_and_space_toggle(self, qtbot: QtBot) -> None:
        switch = Switch(LIGHT)
        qtbot.addWidget(switch)
        told: list[bool] = []
        switch.toggled.connect(told.append)
        QTest.mouseClick(switch, LEFT)
        QTest.keyClick(switch, Qt.Key.Key_Space)
        assert told == [True, False]

    @pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
    def test_on_and_off_look_different(self, qtbot: QtBot, theme: Theme) -> None:
        switch = Switch(LIGHT)
        qtbot.addWidget(switch)
        switch.set_theme(theme)
        off = switch.grab().toImage()
        switch.setChecked(True)
        on = switch.grab().toImage()
        assert on != off
        switch.setEnabled(False)
        assert switch.grab().toImage() != on


class TestSegments:
    CHOICES = (("native", "native"), ("text", "text"), ("auto", "auto"))

    def test_a_press_is_reported(self, qtbot: QtBot) -> None:
        segments = SegmentedControl(self.CHOICES)
        qtbot.addWidget(segments)
        told: list[str] = []
        segments.chosen.connect(told.append)
        segments.set_value("auto")
        QTest.mouseClick(segments.button("text"), LEFT)
        assert told == ["text"]
        assert segments.value() == "text"

    def test_the_arrow_keys_move_through_them(self, qtbot: QtBot) -> None:
        segments = SegmentedControl(self.CHOICES)
        qtbot.addWidget(segments)
        segments.show()
        told: list[str] = []
        segments.chosen.connect(told.append)
        segments.set_value("native")
        with qtbot.waitActive(segments):
            segments.activateWindow()
        segments.button("native").setFocus()
        QTest.keyClick(segments.button("native"), Qt.Key.Key_Right)
        assert segments.value() == "text"
        assert told == ["text"]

    def test_an_unknown_value_is_ignored(self, qtbot: QtBot) -> None:
        segments = SegmentedControl(self.CHOICES)
        qtbot.addWidget(segments)
        segments.set_value("auto")
        segments.set_value("telepathy")
        assert segments.value() == "auto"

    def test_names_and_texts(self, qtbot: QtBot) -> None:
        segments = SegmentedControl(self.CHOICES)
        qtbot.addWidget(segments)
        segments.set_options((("native", "原生"), ("text", "文本"), ("auto", "自动")))
        segments.set_name("工具模式")
        assert segments.button("text").accessibleName() == "工具模式: 文本"


class TestChoice:
    CHOICES = (("a", "Alpha"), ("b", "Beta"))

    def test_a_choice_is_reported(self, qtbot: QtBot) -> None:
        choice = ComboBox(LIGHT)
        qtbot.addWidget(choice)
        choice.set_options(self.CHOICES)
        told: list[str] = []
        choice.chosen.connect(told.append)
        choice.set_value("a")
        QTest.keyClick(choice, Qt.Key.Key_Down)
        assert told == ["b"]
        assert choice.value() == "b"

    def test_a_new_list_keeps_the_value(self, qtbot: QtBot) -> None:
        choice = ComboBox(LIGHT)
        qtbot.addWidget(choice)
        choice.set_options(self.CHOICES)
        choice.set_value("b")
        choice.set_options((("b", "贝塔"), ("c", "伽马")))
        assert choice.value() == "b"
        assert choice.currentText() == "贝塔"

    def test_an_unknown_value_shows_nothing(self, qtbot: QtBot) -> None:
        choice = ComboBox(LIGHT)
        qtbot.addWidget(choice)
        choice.set_options(self.CHOICES)
        choice.set_value("zzz")
        assert choice.value() == ""

    def test_a_long_value_shows_its_beginning(self, qtbot: QtBot) -> None:
        choice = ComboBox(LIGHT, editable=True)
        qtbot.addWidget(choice)
        choice.set_value("a-model-with-a-really-long-name-2026-11-preview")
        edit = choice.lineEdit()
        assert edit is not None and edit.cursorPosition() == 0

    def test_a_changed_text_is_reported_when_the_field_is_left(self, qtbot: QtBot) -> None:
        choice = ComboBox(LIGHT, editable=True)
        qtbot.addWidget(choice)
        choice.set_options(self.CHOICES)
        told: list[str] = []
        choice.typed.connect(told.append)
        edit = choice.lineEdit()
        assert edit is not None
        edit.clear()
        QTest.keyClicks(edit, "my-model")
        QTest.keyClick(edit, Qt.Key.Key_Return)
        assert told == ["my-model"]
        choice.set_options((("c", "c"),))
        assert choice.value() == "my-model"

    def test_a_changed_text_is_reported_after_a_pause(self, qtbot: QtBot) -> None:
        choice = ComboBox(LIGHT, editable=True)
        qtbot.addWidget(choice)
        with qtbot.waitSignal(choice.typed) as typed:
            edit = choice.lineEdit()
            assert edit is not None
            QTest.keyClicks(edit, "x")
        assert typed.args == ["x"]

    def test_the_wheel_changes_nothing(self, qtbot: QtBot) -> None:
        choice = ComboBox(LIGHT)
        qtbot.addWidget(choice)
        choice.set_options(self.CHOICES)
        choice.set_value("a")
        choice.show()
        wheel(choice)
        assert choice.value() == "a"
        focus(choice, qtbot)
        wheel(choice)
        assert choice.value() == "a"

    def test_its_arrow_has_the_colour_of_the_theme(self, qtbot: QtBot) -> None:
        choice = ComboBox(LIGHT)
        qtbot.addWidget(choice)
        before = choice.grab().toImage()
        choice.set_theme(DARK)
        assert choice.grab().toImage() != before


class TestEntry:
    def test_enter_is_reported_once(self, qtbot: QtBot) -> None:
        entry = TextEntry()
        qtbot.addWidget(entry)
        told: list[str] = []
        entry.typed.connect(told.append)
        QTest.keyClicks(entry, "  abc ")
        QTest.keyClick(entry, Qt.Key.Key_Return)
        QTest.keyClick(entry, Qt.Key.Key_Return)
        assert told == ["abc"]

    def test_a_change_is_reported_after_a_pause(self, qtbot: QtBot) -> None:
        entry = TextEntry()
        qtbot.addWidget(entry)
        with qtbot.waitSignal(entry.typed) as typed:
            QTest.keyClicks(entry, "y")
        assert typed.args == ["y"]

    def test_setting_is_not_reported(self, qtbot: QtBot) -> None:
        entry = TextEntry()
        qtbot.addWidget(entry)
        told: list[str] = []
        entry.typed.connect(told.append)
        entry.set_value("set")
        QTest.keyClick(entry, Qt.Key.Key_Return)
        assert told == []
        assert entry.value() == "set"

    def test_text_that_is_being_written_stays(self, qtbot: QtBot) -> None:
        entry = TextEntry()
        qtbot.addWidget(entry)
        told: list[str] = []
        entry.typed.connect(told.append)
        QTest.keyClicks(entry, "ab")
        entry.refresh("a")
        assert entry.text() == "ab"
        QTest.keyClick(entry, Qt.Key.Key_Return)
        assert told == ["ab"]


class TestScale:
    def test_it_shows_its_value_with_the_unit(self, qtbot: QtBot) -> None:
        scale = LabeledSlider(10, 28, 1, unit="px")
        qtbot.addWidget(scale)
        scale.set_value(14)
        assert scale.value() == 14
        assert _text(scale) == "14 px"

    def test_a_fraction_shows_as_percent(self, qtbot: QtBot) -> None:
        scale = LabeledSlider(0.2, 1.0, 0.05, unit="%")
        qtbot.addWidget(scale)
        scale.set_value(0.35)
        assert scale.value() == 0.35
        assert _text(scale) == "35 %"

    def test_its_values_are_multiples_of_the_step_from_the_minimum(self, qtbot: QtBot) -> None:
        scale = LabeledSlider(5, 7200, 30, unit="s")
        qtbot.addWidget(scale)
        for value in (600, 7200, 5):
            scale.set_value(value)
            assert scale.value() == value
            assert _text(scale) == f"{value} s"

    def test_a_large_number_is_written_out(self, qtbot: QtBot) -> None:
        scale = LabeledSlider(100_000, 50_000_000, 1_000_000)
        qtbot.addWidget(scale)
        scale.set_value(3_000_000)
        assert _text(scale) == "3,000,000"

    def test_moving_is_reported_and_setting_is_not(self, qtbot: QtBot) -> None:
        scale = LabeledSlider(0, 10, 2)
        qtbot.addWidget(scale)
        told: list[float] = []
        scale.moved.connect(told.append)
        scale.set_value(4)
        QTest.keyClick(scale.slider, Qt.Key.Key_Right)
        assert told == [6.0]

    def test_the_wheel_changes_nothing(self, qtbot: QtBot) -> None:
        scale = LabeledSlider(0, 10, 1)
        qtbot.addWidget(scale)
        scale.set_value(5)
        scale.show()
        wheel(scale.slider)
        assert scale.value() == 5
        focus(scale.slider, qtbot)
        wheel(scale.slider)
        assert scale.value() == 5

    def test_it_has_an_accessible_name(self, qtbot: QtBot) -> None:
        scale = LabeledSlider(0, 10, 1)
        qtbot.addWidget(scale)
        scale.set_name("Size")
        assert scale.slider.accessibleName() == "Size"


def _text(scale: LabeledSlider) -> str:
    label = scale.findChild(QLabel)
    assert label is not None
    return label.text()


def test_the_style_sheet_uses_the_colours_of_the_theme() -> None:
    assert DARK.accent in controls_sheet(DARK)
    assert LIGHT.accent not in controls_sheet(DARK)
