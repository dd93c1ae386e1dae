"""Clicks beside the figure fall through to what lies below.

`setMask` would clip visibly, and be late: the alpha under the pointer is read instead.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QCursor, QWindow

from neodeskpet.ui.pet.surface import Pixels, device_size

_POLL_SECONDS = 0.1
_OPAQUE = 24


class ClickThrough:
    """Decides whether its window takes input."""

    def __init__(self, window: QWindow) -> None:
        self._window = window
        self._always = False
        self._over = False
        self._polled = 0.0
        self._covered = QRect()
        self._let_through()

    def set_always(self, on: bool) -> None:
        """Clicks fall through the figure too."""
        self._always = on
        self._let_through()

    def set_covered(self, covered: QRect) -> None:
        """Where another window of ours lies below, it gets the clicks (global coordinates)."""
        self._covered = QRect(covered)

    def feel(self, pixels: Pixels, now: float) -> None:
        """Read what was just drawn under the pointer (GL is current; a few times a second)."""
        if now - self._polled < _POLL_SECONDS:
            return
        self._polled = now
        pointer = QCursor.pos()
        local = pointer - self._window.position()
        inside = QRect(QPoint(), self._window.size()).contains(local)
        over = inside and not self._covered.contains(pointer)
        if over:
            ratio = self._window.devicePixelRatio()
            _, height = device_size(self._window)
            x, y = int(local.x() * ratio), int(local.y() * ratio)
            over = pixels.alpha(x, y, height) >= _OPAQUE
        if over is not self._over:
            self._over = over
            self._let_through()

    def _let_through(self) -> None:
        through = self._always or not self._over
        self._window.setFlag(Qt.WindowType.WindowTransparentForInput, through)
