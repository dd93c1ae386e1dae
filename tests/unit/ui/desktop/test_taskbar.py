from __future__ import annotations

from PySide6.QtGui import QGuiApplication, QWindow
from pytestqt.qtbot import QtBot

from neodeskpet.ui.desktop.desktop_windows import skip_taskbar


def test_the_window_manager_is_asked_on_x11(qtbot: QtBot) -> None:
    window = QWindow()
    window.show()
    assert skip_taskbar(window) is (QGuiApplication.platformName() == "xcb")
    window.close()
