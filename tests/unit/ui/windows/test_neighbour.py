"""Where the foremost of several windows is."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.ui.windows.window_events import ForegroundWindowTracker


def test_the_one_in_front_counts_and_then_the_other(qtbot: QtBot) -> None:
    first, second = QWidget(), QWidget()
    for number, window in enumerate((first, second)):
        qtbot.addWidget(window)
        window.setGeometry(100 + 300 * number, 100, 200, 150)
    neighbour = ForegroundWindowTracker(first)
    told: list[QRect] = []
    neighbour.moved.connect(told.append)
    neighbour.watch(second)
    neighbour.watch(second)
    first.show()
    qtbot.waitUntil(lambda: told[-1:] == [first.frameGeometry()])
    second.show()
    QApplication.sendEvent(second, QEvent(QEvent.Type.WindowActivate))
    qtbot.waitUntil(lambda: told[-1] == second.frameGeometry())
    second.close()
    qtbot.waitUntil(lambda: told[-1] == first.frameGeometry())
    first.close()
    qtbot.waitUntil(lambda: told[-1].isEmpty())
