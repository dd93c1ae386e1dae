"""The line in which a new folder is named."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QVBoxLayout, QWidget

from neodeskpet.language import tr
from neodeskpet.ui.theme import Theme, ui_font
from neodeskpet.ui.widgets.label import PlainLabel

_MAX_LENGTH = 60


class FolderNameField(QFrame):
    """Hidden until it is asked for. `named(ids, name)` by Enter; Esc leaves it."""

    named = Signal(list, str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ids: list[str] = []
        self._before: QWidget | None = None
        self._head = PlainLabel()
        self.field = QLineEdit()
        self.field.setMaxLength(_MAX_LENGTH)
        self.field.returnPressed.connect(self._take)
        box = QVBoxLayout(self)
        box.setContentsMargins(12, 8, 12, 12)
        box.setSpacing(6)
        box.addWidget(self._head)
        box.addWidget(self.field)
        self.setProperty("card", True)
        self.set_theme(theme)
        self.retranslate()
        self.hide()

    def open_for(self, ids: list[str]) -> None:
        """How is the folder called into which these conversations go?"""
        self._ids = ids
        self._before = self.window().focusWidget()
        self.field.clear()
        self.show()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_theme(self, theme: Theme) -> None:
        self._head.setFont(ui_font(theme, bold=True))

    def retranslate(self) -> None:
        self._head.setText(tr("New folder"))
        self.field.setPlaceholderText(tr("Name of the folder"))
        self.field.setAccessibleName(tr("Name of the folder"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._leave()
        else:
            super().keyPressEvent(event)

    def _take(self) -> None:
        name = " ".join(self.field.text().split())
        ids = self._ids
        self._leave()
        if name and ids:
            self.named.emit(ids, name)

    def _leave(self) -> None:
        self.hide()
        if self._before is not None:
            self._before.setFocus(Qt.FocusReason.OtherFocusReason)
