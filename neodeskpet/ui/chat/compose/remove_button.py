"""The button on what goes with the next message that takes it away."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from neodeskpet.language import tr
from neodeskpet.ui.chat.compose.corner_button import CornerButton
from neodeskpet.ui.widgets.label import set_tooltip


class RemoveButton(CornerButton):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "close")

    def set_target_name(self, what: str) -> None:
        """Say what it takes away."""
        self.setAccessibleName(tr("Remove {name}", name=what))
        set_tooltip(self, tr("Remove"))
