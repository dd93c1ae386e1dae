"""A chain of models: an ordered list, changed by dragging, with buttons or with the keyboard."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QDropEvent, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QToolButton, QVBoxLayout, QWidget

from neodeskpet.language import tr
from neodeskpet.ui.icons import icon
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.labels import PlainLabel, set_tooltip
from neodeskpet.ui.widgets.model_picker import ModelField, ModelRow

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
        self.add = ModelField(theme)
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

    def show_chain(self, chain: Sequence[str], models: Sequence[ModelRow]) -> None:
        """Show the chain. Those of `models` that are not in it can be added, and so can a name that
        is typed.
        """
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
        self.add.set_rows([row for row in models if row.name not in self._chain])
        self.add.set_value("", tr("Add a model…"))
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
        self.add.set_name(tr("Add a model to {chain}", chain=title))
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
        self.list.dropped.connect(self._drop)
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

    def _drop(self, row: int, target: int) -> None:
        self.moved.emit(self._chain[row], target - row)

    def _remove(self) -> None:
        if self.chosen():
            self.removed.emit(self.chosen())

    def _add(self, name: str) -> None:
        if name:
            self.added.emit(name)


class _ChainListWidget(QListWidget):
    """Signals: `moved(by)`, `removed()`, and `dropped(row, target)`: the row was dragged to the
    place of another one.
    """

    moved = Signal(int)
    removed = Signal()
    dropped = Signal(int, int)

    def __init__(self) -> None:
        super().__init__()
        self.setDragDropMode(QListWidget.DragDropMode.InternalMove)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)

    def dropEvent(self, event: QDropEvent) -> None:
        """Report the wanted order instead of moving the row: the owner shows the stored chain."""
        row = self.currentRow()
        target = self.drop_target(row, event.position().toPoint())
        event.setDropAction(Qt.DropAction.IgnoreAction)
        event.accept()
        if 0 <= row != target:
            # Later: the list must not be changed while the drag still runs.
            QTimer.singleShot(0, self, lambda: self.dropped.emit(row, target))

    def drop_target(self, row: int, position: QPoint) -> int:
        """Return the row that the dragged `row` gets when it is dropped at `position`."""
        index = self.indexAt(position)
        if not index.isValid():
            return self.count() - 1
        below = position.y() > self.visualRect(index).center().y()
        place = index.row() + below
        return place - 1 if place > row else place

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is not None and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.moved.emit(step)
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removed.emit()
        else:
            super().keyPressEvent(event)
