"""The small round button in a corner of what goes with the next message."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QToolButton, QWidget

from neodeskpet.ui.icons import icon
from neodeskpet.ui.theme import Theme

CORNER_SIZE = 20
"""Logical pixels of its width and height."""
_ICON_SIZE = 12


class CornerButton(QToolButton):
    """Shows the icon of the name `sign`."""

    def __init__(self, parent: QWidget, sign: str) -> None:
        super().__init__(parent)
        self._sign = sign
        self._theme: Theme | None = None
        self.setFixedSize(CORNER_SIZE, CORNER_SIZE)
        self.setIconSize(QSize(_ICON_SIZE, _ICON_SIZE))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.setStyleSheet(
            f"QToolButton {{ background: {theme.surface}; border: 1px solid {theme.control_line};"
            f" border-radius: {CORNER_SIZE // 2}px; padding: 0; min-height: 0; min-width: 0; }}"
            f"QToolButton:hover {{ background: {theme.hover}; }}"
            f"QToolButton:focus {{ border: 2px solid {theme.accent}; }}"
        )
        self._draw()

    def set_icon_name(self, sign: str) -> None:
        """Show this icon from now on."""
        self._sign = sign
        self._draw()

    def _draw(self) -> None:
        if self._theme is not None:
            self.setIcon(icon(self._sign, QColor(self._theme.text), _ICON_SIZE))
