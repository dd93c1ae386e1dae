"""Several listeners share the one event filter of a window."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.ui.windows.window_events import WindowEvents


def test_there_is_one_for_each_window(qtbot: QtBot) -> None:
    one, two = QWidget(), QWidget()
    qtbot.addWidget(one)
    qtbot.addWidget(two)
    events = WindowEvents.for_window(one)
    assert WindowEvents.for_window(one) is events
    assert WindowEvents.for_window(two) is not events


def test_each_gets_its_kinds_until_it_ends(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    shown: list[QEvent.Type] = []
    both: list[QEvent.Type] = []
    events = WindowEvents.for_window(window)
    events.subscribe([QEvent.Type.Show], lambda event: shown.append(event.type()))
    end = events.subscribe(
        [QEvent.Type.Show, QEvent.Type.Hide], lambda event: both.append(event.type())
    )
    window.show()
    window.hide()
    end()
    end()
    window.show()
    assert shown == [QEvent.Type.Show, QEvent.Type.Show]
    assert both == [QEvent.Type.Show, QEvent.Type.Hide]


def test_the_last_listener_is_called_first_and_may_consume_the_event(qtbot: QtBot) -> None:
    window = QLineEdit()
    qtbot.addWidget(window)
    asked: list[str] = []
    keeps = False

    def second(event: QEvent) -> bool:
        asked.append("second")
        return keeps

    events = WindowEvents.for_window(window)
    events.subscribe([QEvent.Type.KeyPress], lambda event: asked.append("first"))
    events.subscribe([QEvent.Type.KeyPress], second)
    QTest.keyClick(window, Qt.Key.Key_A)
    assert asked == ["second", "first"]
    keeps = True
    QTest.keyClick(window, Qt.Key.Key_B)
    assert asked == ["second", "first", "second"]
    assert window.text() == "a"


def test_a_listener_that_leaves_during_an_event_affects_no_other(qtbot: QtBot) -> None:
    told: list[str] = []
    widget = QWidget()
    qtbot.addWidget(widget)
    events = WindowEvents.for_window(widget)
    events.subscribe([QEvent.Type.Show], lambda event: told.append("stays"))

    def leave(event: QEvent) -> None:
        told.append("leaves")
        end()

    end = events.subscribe([QEvent.Type.Show], leave)
    widget.show()
    widget.hide()
    widget.show()
    assert told == ["leaves", "stays", "stays"]
