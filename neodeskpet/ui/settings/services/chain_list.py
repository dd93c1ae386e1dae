"""A chain of models: an ordered list, changed with buttons or with the keyboard."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QToolButton, QVBoxLayout, QWidget

from neodeskpet.language import tr
from neodeskpet.ui.icons import icon
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.controls import ComboBox
from neodeskpet.ui.widgets.labels import PlainLabel, set_tooltip

_LINE = 36
_MOST_LINES = 8


class ChainList(QWidget):
    """Signals: `added(model)`, `removed(model)`, `moved(model, by)`. Alt+↑ and Alt+↓ move the
    selected model, Delete removes it.
    """

    added = Signal(str)
    removed = Signal(str)
    moved = Signal(str, int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._chain: tuple[str, ...] = ()
        self.list = _ChainListWidget()
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.none = PlainLabel()
        self.none.setWordWrap(True)
        self.none.setProperty("muted", True)
        self.up, self.down, self.out = QToolButton(), QToolButton(), QToolButton()
        self.add = ComboBox(theme)
        buttons = QVBoxLayout()
        buttons.setSpacing(4)
        for button in (self.up, self.down, self.out):
            buttons.addWidget(button)
        buttons.addStretch()
        self._buttons = QWidget()
        self._buttons.setLayout(buttons)
        buttons.setContentsMargins(0, 0, 0, 0)
        across = QHBoxLayout()
        across.setSpacing(8)
        across.addWidget(self.list, 1)
        across.addWidget(self._buttons)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(8)
        box.addLayout(across)
        box.addWidget(self.none)
        box.addWidget(self.add)
        self._connect()
        self.set_theme(theme)

    def show_chain(self, chain: Sequence[str], models: Sequence[str]) -> None:
        """Show the chain. Those of `models` that are not in it can be added."""
        chosen = self.chosen()
        self._chain = tuple(chain)
        self.list.clear()
        self.list.addItems(self._chain)
        if self._chain:
            at = self._chain.index(chosen) if chosen in self._chain else 0
            self.list.setCurrentRow(at)
        self.list.setFixedHeight(min(max(3, len(chain)), _MOST_LINES) * _LINE)
        self.list.setVisible(bool(chain))
        self._buttons.setVisible(bool(chain))
        self.none.setVisible(not chain)
        left = [name for name in models if name not in self._chain]
        self.add.set_options([("", tr("Add a model…")), *((name, name) for name in left)])
        self.add.set_value("")
        self.add.setEnabled(bool(left))
        self._enable()

    def chosen(self) -> str:
        """Return the selected model, "" for none."""
        row = self.list.currentRow()
        return self._chain[row] if 0 <= row < len(self._chain) else ""

    def set_theme(self, theme: Theme) -> None:
        self.add.set_theme(theme)
        text, faded = QColor(theme.text), QColor(theme.control_line)
        signs = ((self.up, "chevron-up"), (self.down, "chevron-down"), (self.out, "close"))
        for button, sign in signs:
            button.setIcon(icon(sign, text, 16, disabled=faded))
        self.list.setStyleSheet(
            f"QListWidget {{ background: {theme.surface}; border: 1px solid {theme.control_line};"
            f" border-radius: {theme.control_radius}px; }}"
            f"QListWidget:focus {{ border-color: {theme.accent}; }}"
        )

    def retranslate(self, title: str) -> None:
        self.list.setAccessibleName(title)
        self.none.setText(tr("Empty: the next harder chain answers, or any model."))
        self.add.setAccessibleName(tr("Add a model to {chain}", chain=title))
        for button, words in (
            (self.up, tr("Move the chosen model up")),
            (self.down, tr("Move the chosen model down")),
            (self.out, tr("Take the chosen model out")),
        ):
            button.setAccessibleName(words)
            set_tooltip(button, words)

    def _connect(self) -> None:
        self.list.currentRowChanged.connect(lambda _: self._enable())
        self.list.moved.connect(self._move)
        self.list.removed.connect(self._remove)
        self.up.clicked.connect(lambda: self._move(-1))
        self.down.clicked.connect(lambda: self._move(1))
        self.out.clicked.connect(self._remove)
        self.add.chosen.connect(self._add)

    def _enable(self) -> None:
        row = self.list.currentRow()
        self.up.setEnabled(row > 0)
        self.down.setEnabled(0 <= row < len(self._chain) - 1)
        self.out.setEnabled(row >= 0)

    def _move(self, by: int) -> None:
        if self.chosen():
            self.moved.emit(self.chosen(), by)

    def _remove(self) -> None:
        if self.chosen():
            self.removed.emit(self.chosen())

    def _add(self, name: str) -> None:
        if name:
            self.added.emit(name)


class _ChainListWidget(QListWidget):
    moved = Signal(int)
    removed = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is not None and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.moved.emit(step)
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removed.emit()
        else:
            super().keyPressEvent(event)
