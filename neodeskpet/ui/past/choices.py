"""The conversations of an archive as a list from which some are chosen."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from neodeskpet.conversation.past.intake import ImportChoice
from neodeskpet.language import tr
from neodeskpet.ui.widgets.label import tooltip_text

TITLE_COLUMN, DAY_COLUMN, COUNT_COLUMN = range(3)
_Index = QModelIndex | QPersistentModelIndex


class ImportChoiceModel(QAbstractTableModel):
    """`chosen_changed()`. What is here already can't be chosen; all else is from the beginning."""

    chosen_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: list[ImportChoice] = []
        self._shown: list[ImportChoice] = []
        self._chosen: set[str] = set()
        self._words = ""

    def set_choices(self, choices: Sequence[ImportChoice]) -> None:
        """Show these, the latest first."""
        self._all = sorted(choices, key=lambda one: -one.last)
        self._chosen = {one.id for one in choices if one.new}
        self.set_filter(self._words)
        self.chosen_changed.emit()

    def set_filter(self, words: str) -> None:
        """Only those whose titles have these words in them."""
        self._words = words
        wanted = words.casefold().split()
        self.beginResetModel()
        self._shown = [
            one for one in self._all if all(word in one.title.casefold() for word in wanted)
        ]
        self.endResetModel()

    @property
    def chosen(self) -> list[ImportChoice]:
        """Those that are wanted, shown or not."""
        return [one for one in self._all if one.id in self._chosen]

    def set_all_chosen(self, wanted: bool) -> None:
        """All that are shown, or none of them."""
        ids = {one.id for one in self._shown if one.new}
        self._chosen = self._chosen | ids if wanted else self._chosen - ids
        if self._shown:
            last = self.index(len(self._shown) - 1, TITLE_COLUMN)
            self.dataChanged.emit(self.index(0, TITLE_COLUMN), last)
        self.chosen_changed.emit()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 3

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if role != Qt.ItemDataRole.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        return (tr("Conversation"), tr("Day"), tr("Messages"))[section]

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        one = self._shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return _cell_text(one, index.column())
        if role == Qt.ItemDataRole.CheckStateRole and index.column() == TITLE_COLUMN:
            on = one.id in self._chosen
            return Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == TITLE_COLUMN:
            return tooltip_text(one.title)
        return None

    def setData(self, index: _Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        one = self._shown[index.row()]
        if role != Qt.ItemDataRole.CheckStateRole or not one.new:
            return False
        on = Qt.CheckState(value) == Qt.CheckState.Checked
        self._chosen = self._chosen | {one.id} if on else self._chosen - {one.id}
        self.dataChanged.emit(index, index)
        self.chosen_changed.emit()
        return True

    def flags(self, index: _Index) -> Qt.ItemFlag:
        if not self._shown[index.row()].new:
            return Qt.ItemFlag.ItemIsSelectable
        usual = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return usual | Qt.ItemFlag.ItemIsUserCheckable if index.column() == TITLE_COLUMN else usual


def _cell_text(one: ImportChoice, column: int) -> str:
    if column == TITLE_COLUMN:
        return " ".join(one.title.split()) or tr("Conversation")
    if column == DAY_COLUMN:
        return datetime.fromtimestamp(one.first).strftime("%Y-%m-%d")
    if not one.new:
        return tr("here already")
    new = tr("{count} new", count=str(one.new))
    return new if one.exists else str(one.count)
