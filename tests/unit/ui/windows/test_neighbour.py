"""The places of the app's windows."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.ui.windows.window_events import OwnWindowsTracker, WindowFrame


def test_all_visible_windows_are_reported(qtbot: QtBot) -> None:
    first, second = QWidget(), QWidget()
    for number, window in enumerate((first, second)):
        qtbot.addWidget(window)
        window.setGeometry(100 + 300 * number, 100, 200, 150)
    tracker = OwnWindowsTracker()
    told: list[list[WindowFrame]] = []
    tracker.changed.connect(told.append)
    for window in (first, second, second):
        tracker.watch(window)

    def areas() -> list[object]:
        return [one.area for one in told[-1]] if told else []

    first.show()
    qtbot.waitUntil(lambda: areas() == [first.frameGeometry()])
    second.show()
    qtbot.waitUntil(lambda: areas() == [first.frameGeometry(), second.frameGeometry()])
    second.move(500, 300)
    qtbot.waitUntil(lambda: areas()[-1:] == [second.frameGeometry()])
    first.close()
    qtbot.waitUntil(lambda: areas() == [second.frameGeometry()])
    tracker.stop()
    second.close()


def test_a_dialog_is_reported_without_an_observer(qtbot: QtBot) -> None:
    window, dialog = QWidget(), QDialog()
    qtbot.addWidget(window)
    qtbot.addWidget(dialog)
    tracker = OwnWindowsTracker()
    tracker.watch(window)
    dialog.show()
    window.show()
    with qtbot.waitSignal(tracker.changed) as told:
        window.resize(222, 111)
    assert dialog.frameGeometry() in [one.area for one in told.args[0]]
