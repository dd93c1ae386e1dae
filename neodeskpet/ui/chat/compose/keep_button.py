"""The button on a file that goes with a message: adds it to the knowledge base, once."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from neodeskpet.language import tr
from neodeskpet.ui.chat.compose.corner_button import CornerButton
from neodeskpet.ui.widgets.label import set_tooltip


class AddToKnowledgeButton(CornerButton):
    """Nothing is to be done with it after a press."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "plus")
        self._what = ""
        self._kept = False
        self.clicked.connect(self._mark)

    def set_target_name(self, what: str) -> None:
        """Say what it adds."""
        self._what = what
        words = tr("In the knowledge base") if self._kept else tr("Add to the knowledge base")
        self.setAccessibleName(f"{words}: {what}")
        set_tooltip(self, words)

    def _mark(self) -> None:
        self._kept = True
        self.setEnabled(False)
        self.set_target_name(self._what)
        self.set_icon_name("check")
