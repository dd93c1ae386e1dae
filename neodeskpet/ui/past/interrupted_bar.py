"""Says that an import was interrupted, and what is to become of what came with it."""

from __future__ import annotations

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from neodeskpet.conversation.past.intake import Taken
from neodeskpet.language import count_conversations, count_messages, tr
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.label import PlainLabel

_LETTERS = 28
"""Of an archive's name: a line breaks nowhere in it, and would make the window as wide."""


def in_short(name: str) -> str:
    half = _LETTERS // 2
    return name if len(name) <= _LETTERS else f"{name[:half]}…{name[1 - half :]}"


def told_interrupted(taken: Taken) -> str:
    return tr(
        "The import of “{name}” was interrupted. Until then {messages} in {conversations} came. "
        "Import it again to bring in the rest, or take it back.",
        name=in_short(taken.name),
        messages=count_messages(taken.count),
        conversations=count_conversations(len(taken.messages)),
    )


class InterruptedBar(QFrame):
    """Hidden until there is one. `take_back(Taken)` and `keep(Taken)`: what the person wants."""

    take_back = Signal(object)
    keep = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._taken: Taken | None = None
        self.text = PlainLabel()
        self.text.setWordWrap(True)
        self.back, self.kept = QPushButton(), QPushButton()
        self.kept.setProperty("quiet", True)
        self.back.clicked.connect(lambda: self._answer(self.take_back))
        self.kept.clicked.connect(lambda: self._answer(self.keep))
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        for button in (self.kept, self.back):
            buttons.addWidget(button)
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 8, 12, 8)
        box.setSpacing(6)
        box.addWidget(self.text)
        box.addLayout(buttons)
        self.set_theme(theme)
        self.retranslate()
        self.hide()

    def tell(self, taken: Taken | None) -> None:
        """This one was interrupted; None hides it."""
        self._taken = taken
        for button in (self.back, self.kept):
            button.setEnabled(True)
        self.retranslate()
        self.setVisible(taken is not None)

    def set_theme(self, theme: Theme) -> None:
        self.setStyleSheet(
            f"InterruptedBar {{ background: {theme.surface}; border: none;"
            f" border-bottom: 1px solid {theme.line}; }}"
        )

    def retranslate(self) -> None:
        self.text.setText(told_interrupted(self._taken) if self._taken is not None else "")
        self.back.setText(tr("Take it back"))
        self.kept.setText(tr("Keep it"))

    def _answer(self, wanted: SignalInstance) -> None:
        for button in (self.back, self.kept):
            button.setEnabled(False)
        wanted.emit(self._taken)
