"""Says that an import was interrupted, and what is to become of what came with it."""

from __future__ import annotations

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from neodeskpet.conversation.past.intake import ImportedMessages
from neodeskpet.language import count_conversations, count_messages, tr
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.label import PlainLabel

_MAX_NAME_CHARS = 28
"""Of an archive's name: a line breaks nowhere in it, and would make the window as wide."""


def shorten_name(name: str) -> str:
    half = _MAX_NAME_CHARS // 2
    return name if len(name) <= _MAX_NAME_CHARS else f"{name[:half]}…{name[1 - half :]}"


def interrupted_text(taken: ImportedMessages) -> str:
    return tr(
        "The import of “{name}” was interrupted. Until then {messages} in {conversations} came. "
        "Import it again to bring in the rest, or take it back.",
        name=shorten_name(taken.name),
        messages=count_messages(taken.count),
        conversations=count_conversations(len(taken.messages)),
    )


class InterruptedImportBar(QFrame):
    """Hidden until there is one. `take_back(Taken)` and `keep(Taken)`: what the person wants."""

    undo_requested = Signal(object)
    keep_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._taken: ImportedMessages | None = None
        self.message_label = PlainLabel()
        self.message_label.setWordWrap(True)
        self.undo_button, self.keep_button = QPushButton(), QPushButton()
        self.keep_button.setProperty("quiet", True)
        self.undo_button.clicked.connect(lambda: self._answer(self.undo_requested))
        self.keep_button.clicked.connect(lambda: self._answer(self.keep_requested))
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        for button in (self.keep_button, self.undo_button):
            buttons.addWidget(button)
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 8, 12, 8)
        box.setSpacing(6)
        box.addWidget(self.message_label)
        box.addLayout(buttons)
        self.set_theme(theme)
        self.retranslate()
        self.hide()

    def show_import(self, taken: ImportedMessages | None) -> None:
        """This one was interrupted; None hides it."""
        self._taken = taken
        for button in (self.undo_button, self.keep_button):
            button.setEnabled(True)
        self.retranslate()
        self.setVisible(taken is not None)

    def set_theme(self, theme: Theme) -> None:
        self.setStyleSheet(
            f"InterruptedBar {{ background: {theme.surface}; border: none;"
            f" border-bottom: 1px solid {theme.line}; }}"
        )

    def retranslate(self) -> None:
        self.message_label.setText(interrupted_text(self._taken) if self._taken is not None else "")
        self.undo_button.setText(tr("Take it back"))
        self.keep_button.setText(tr("Keep it"))

    def _answer(self, wanted: SignalInstance) -> None:
        for button in (self.undo_button, self.keep_button):
            button.setEnabled(False)
        wanted.emit(self._taken)
