"""Roles and states that Qt doesn't report by itself. Over D-Bus: `test_accessible_tour.py`."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleActionInterface
from PySide6.QtWidgets import QButtonGroup, QPushButton, QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.ui.theme import LIGHT
from neodeskpet.ui.widgets.accessible import (
    describe,
    install_roles,
    mark_as_choice,
    mark_as_fold,
    mark_as_tabs,
    set_accessible_role,
)
from neodeskpet.ui.widgets.controls import ComboBox, SegmentedControl

Role = QAccessible.Role


class PlainWindow(QWidget):
    """A window of the app."""


def role_of(widget: QWidget) -> QAccessible.Role:
    install_roles()
    return QAccessible.queryAccessibleInterface(widget).role()


def test_a_window_of_a_plain_widget_is_a_window(qtbot: QtBot) -> None:
    window, dialog = PlainWindow(), PlainWindow(None, Qt.WindowType.Tool)
    part = PlainWindow(window)
    for widget in (window, dialog):
        qtbot.addWidget(widget)
    assert role_of(window) is Role.Window
    assert role_of(dialog) is Role.Dialog
    assert role_of(part) is Role.Client


def test_a_widget_that_gets_a_parent_later_is_no_window(qtbot: QtBot) -> None:
    window, part = PlainWindow(), PlainWindow()
    qtbot.addWidget(window)
    assert role_of(part) is Role.Window
    part.setParent(window)
    assert role_of(part) is Role.Client


def test_a_fold_is_a_button_that_can_be_expanded(qtbot: QtBot) -> None:
    fold = QPushButton("More && less", checkable=True)
    qtbot.addWidget(fold)
    mark_as_fold(fold)
    assert role_of(fold) is Role.Button
    face = QAccessible.queryAccessibleInterface(fold)
    assert face.text(QAccessible.Text.Name) == "More & less"
    assert face.state().collapsed
    assert face.state().expandable
    face.actionInterface().doAction(QAccessibleActionInterface.pressAction())
    assert fold.isChecked()
    assert face.state().expanded
    fold.setAccessibleName("More")
    assert face.text(QAccessible.Text.Name) == "More"


def test_tabs_and_choices(qtbot: QtBot) -> None:
    window, group = QWidget(), QButtonGroup()
    qtbot.addWidget(window)
    tab = QToolButton(window, text="Today", checkable=True)
    group.addButton(tab)
    mark_as_tabs(group)
    tile = QPushButton("Neo", window, checkable=True)
    mark_as_choice(tile)
    assert role_of(tab) is Role.PageTab
    assert not QAccessible.queryAccessibleInterface(tab).state().selected
    tab.setChecked(True)
    assert QAccessible.queryAccessibleInterface(tab).state().selected
    assert role_of(tile) is Role.RadioButton
    tile.setChecked(True)
    assert QAccessible.queryAccessibleInterface(tile).state().checked
    named = QWidget(window)
    set_accessible_role(named, Role.Grouping)
    assert role_of(named) is Role.Grouping


def test_segments_are_radio_buttons(qtbot: QtBot) -> None:
    segments = SegmentedControl([("a", "A"), ("b", "B")])
    qtbot.addWidget(segments)
    assert role_of(segments.button("a")) is Role.RadioButton


def test_a_list_of_choices_has_a_label_beside_it(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    combo = ComboBox(LIGHT)
    combo.setAccessibleName("Language")
    combo.set_options([("en", "English")])
    QVBoxLayout(window).addWidget(combo)
    labels = [
        other.text(QAccessible.Text.Name)
        for other, kind in QAccessible.queryAccessibleInterface(combo).relations()
        if kind & QAccessible.RelationFlag.Label
    ]
    assert labels == ["Language"]


def test_a_description_reaches_the_parts_that_take_the_focus(qtbot: QtBot) -> None:
    segments = SegmentedControl([("a", "A"), ("b", "B")])
    qtbot.addWidget(segments)
    describe(segments, "Explains both.")
    described = [segments.button(value).accessibleDescription() for value in ("a", "b")]
    assert described == ["Explains both."] * 2
    assert segments.accessibleDescription() == ""
