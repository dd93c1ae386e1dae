"""The small round button in the corner of what goes with the next message: it takes it away."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QToolButton, QWidget

from neodeskpet.language import tr
from neodeskpet.ui.icons import icon
from neodeskpet.ui.label import set_tip
from neodeskpet.ui.theme import Theme

SIDE = 20
"""Logical pixels of its width and height."""
SIGN = 12


class RemoveButton(QToolButton):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(SIDE, SIDE)
        self.setIconSize(QSize(SIGN, SIGN))

    def set_theme(self, theme: Theme) -> None:
        self.setIcon(icon("close", QColor(theme.text), SIGN))
        self.setStyleSheet(
            f"QToolButton {{ background: {theme.surface}; border: 1px solid {theme.control_line};"
            f" border-radius: {SIDE // 2}px; padding: 0; min-height: 0; min-width: 0; }}"
            f"QToolButton:hover {{ background: {theme.hover}; }}"
            f"QToolButton:focus {{ border: 2px solid {theme.accent}; }}"
        )

    def name(self, what: str) -> None:
        """Say what it takes away."""
        self.setAccessibleName(tr("Remove {name}", name=what))
        set_tip(self, tr("Remove"))
