"""The windows of this app among those of the desktop."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

FLOATING_FLAGS = (
    Qt.WindowType.Tool
    | Qt.WindowType.FramelessWindowHint
    | Qt.WindowType.WindowStaysOnTopHint
    | Qt.WindowType.NoDropShadowWindowHint
    | Qt.WindowType.WindowDoesNotAcceptFocus
)
"""What lies over the desktop and never takes the keyboard."""


def own_window_ids(*, frameless: bool = False) -> set[int]:
    """Qt's numbers of those that are to be seen; with `frameless` only of the ones that no window
    manager frames: the companions, and what lies there for a moment.
    """
    return {
        int(window.winId())
        for window in QGuiApplication.topLevelWindows()
        if window.isVisible()
        and (not frameless or window.flags() & Qt.WindowType.FramelessWindowHint)
    }
