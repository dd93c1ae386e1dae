"""The base of tiles that are chosen by a click, such as models and characters."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QAbstractButton

from neodeskpet.ui.theme import Theme, scale_to_font


class ChoiceTile(QAbstractButton):
    """A tile of `size` pixels at the default font. A click only requests the choice: the owner
    checks the tile when the choice is in effect. Subclasses paint it.
    """

    def __init__(self, theme: Theme, size: tuple[int, int]) -> None:
        super().__init__()
        self._theme = theme
        self._size = size
        self._hovered = False
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFixedSize(self.sizeHint())

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.setFixedSize(self.sizeHint())
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(*(scale_to_font(side, self._theme) for side in self._size))

    def nextCheckState(self) -> None:
        """Do nothing: the owner checks the tile."""

    def enterEvent(self, event: QEnterEvent) -> None:
        self._hovered = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = False
        self.update()
