"""Says all the time that safe mode is on, what that means, and how to leave it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from neodeskpet.language import tr
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.label import PlainLabel


class SafeModeBar(QFrame):
    """Hidden until safe mode is on. `left()`: the person wants to start as usual."""

    exit_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = PlainLabel()
        self.text.setWordWrap(True)
        self.exit_button = QPushButton()
        self.exit_button.clicked.connect(self.exit_requested)
        line = QHBoxLayout(self)
        line.setContentsMargins(16, 8, 12, 8)
        line.setSpacing(12)
        line.addWidget(self.text, 1)
        line.addWidget(self.exit_button, 0, Qt.AlignmentFlag.AlignVCenter)
        self.set_theme(theme)
        self.retranslate()
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self.setStyleSheet(
            f"SafeBar {{ background: {theme.surface}; border: none;"
            f" border-bottom: 1px solid {theme.line}; }}"
        )

    def retranslate(self) -> None:
        self.text.setText(
            tr("Safe mode: no figure, and the offline helper answers. Nothing was changed.")
        )
        self.exit_button.setText(tr("Start as usual"))
