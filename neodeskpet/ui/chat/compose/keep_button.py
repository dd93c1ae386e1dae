"""The round button on a file that goes with a message: adds it to the knowledge base, once."""

from __future__ import annotations

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from neodeskpet.language import tr
from neodeskpet.ui.chat.compose.remove_button import SIGN, RemoveButton
from neodeskpet.ui.icons import icon
from neodeskpet.ui.label import set_tip
from neodeskpet.ui.theme import Theme


class KeepButton(RemoveButton):
    """It looks like the one that takes away. Nothing is to be done with it after a press."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme: Theme | None = None
        self._what = ""
        self._kept = False
        self.clicked.connect(self._mark)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._theme = theme
        self.setIcon(icon("check" if self._kept else "plus", QColor(theme.text), SIGN))

    def name(self, what: str) -> None:
        """Say what it adds."""
        self._what = what
        words = tr("In the knowledge base") if self._kept else tr("Add to the knowledge base")
        self.setAccessibleName(f"{words}: {what}")
        set_tip(self, words)

    def _mark(self) -> None:
        self._kept = True
        self.setEnabled(False)
        self.name(self._what)
        if self._theme is not None:
            self.set_theme(self._theme)
