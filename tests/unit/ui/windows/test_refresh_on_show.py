"""A window reloads its content when it becomes visible."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from neodeskpet.ui.windows.side_window import RefreshOnShow


def test_it_is_loaded_when_shown_and_left_step_by_step(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    field = QLineEdit("words")
    QVBoxLayout(window).addWidget(field)
    heard: list[str] = []

    def back() -> bool:
        left = bool(field.text())
        field.clear()
        return left

    RefreshOnShow(
        window, read=lambda: heard.append("read"), gone=lambda: heard.append("gone"), back=back
    )
    with qtbot.waitExposed(window):
        window.show()
    assert heard
    assert set(heard) == {"read"}
    QTest.keyClick(field, Qt.Key.Key_A)
    assert field.text() == "wordsa"
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert (field.text(), window.isVisible()) == ("", True)
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert not window.isVisible()
    assert heard[-1] == "gone"


def test_by_default_it_only_closes(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    RefreshOnShow(window)
    with qtbot.waitExposed(window):
        window.show()
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isVisible()
