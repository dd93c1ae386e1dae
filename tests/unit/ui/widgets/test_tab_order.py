"""The Tab key goes through widgets in the order in which they are read."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from neodeskpet.ui.widgets.tab_order import FocusReveal, cycle_focus, order_tabs, tab_stops


def window_of(qtbot: QtBot) -> tuple[QWidget, QVBoxLayout]:
    window = QWidget()
    qtbot.addWidget(window)
    return window, QVBoxLayout(window)


def names(window: QWidget) -> list[str]:
    return [stop.text() for stop in tab_stops(window) if isinstance(stop, QPushButton)]


def test_a_row_that_is_created_later_has_its_place(qtbot: QtBot) -> None:
    window, box = window_of(qtbot)
    box.addWidget(QPushButton("one"))
    box.addWidget(QPushButton("three"))
    row = QHBoxLayout()
    for text in ("two", "two and a half"):
        row.addWidget(QPushButton(text))
    box.insertLayout(1, row)
    window.show()
    assert names(window) == ["one", "two", "two and a half", "three"]
    order_tabs(window)
    seen = []
    for _ in range(4):
        QTest.keyClick(window.focusWidget() or window, Qt.Key.Key_Tab)
        focused = window.focusWidget()
        assert isinstance(focused, QPushButton)
        seen.append(focused.text())
    assert seen == names(window)


def test_a_grid_is_read_by_rows(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    grid = QGridLayout(window)
    for text, row, column in (("c", 1, 0), ("b", 0, 1), ("a", 0, 0)):
        grid.addWidget(QPushButton(text), row, column)
    window.show()
    assert names(window) == ["a", "b", "c"]


def test_what_covers_a_part_comes_before_it(qtbot: QtBot) -> None:
    window, box = window_of(qtbot)
    for text in ("head", "body", "foot"):
        button = QPushButton(text)
        button.setFixedSize(100, 40)
        box.addWidget(button)
    window.show()
    over = QPushButton("over", window)
    body = box.itemAt(1).geometry()
    over.setGeometry(body.x() + 50, body.y() + 5, 20, 20)
    over.show()
    assert names(window) == ["head", "over", "body", "foot"]


def test_hidden_parts_are_left_out_and_the_focus_goes_round(qtbot: QtBot) -> None:
    window, box = window_of(qtbot)
    buttons = [QPushButton(text) for text in ("one", "two", "three")]
    for button in buttons:
        box.addWidget(button)
    buttons[1].hide()
    window.show()
    buttons[0].setFocus()
    assert cycle_focus(window, forwards=False)
    assert window.focusWidget() is buttons[2]
    assert cycle_focus(window, forwards=True)
    assert window.focusWidget() is buttons[0]
    empty = QWidget(window)
    assert not cycle_focus(empty, forwards=True)


def test_what_gets_the_focus_is_scrolled_into_view(qtbot: QtBot, qapp: QApplication) -> None:
    reveal = FocusReveal(qapp)
    window, box = window_of(qtbot)
    first, area, inside = QPushButton("first"), QScrollArea(), QWidget()
    column = QVBoxLayout(inside)
    far = QPushButton("far")
    column.addSpacing(2000)
    column.addWidget(far)
    area.setWidget(inside)
    box.addWidget(first)
    box.addWidget(area)
    window.resize(300, 200)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    first.setFocus()
    assert far.visibleRegion().isEmpty()
    far.setFocus()
    assert not far.visibleRegion().isEmpty()
    qtbot.wait(20)
    column.insertSpacing(0, 3000)
    inside.resize(inside.sizeHint())
    column.activate()
    assert not far.visibleRegion().isEmpty(), "it follows the layout"
    first.setFocus()
    area.verticalScrollBar().setValue(0)
    inside.resize(inside.width(), inside.height() + 500)
    assert far.visibleRegion().isEmpty(), "the focus is elsewhere: the user scrolls"
    reveal.deleteLater()
