"""The rows of the sidebar: conversations, pinned first, newest first, filtered by title."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QDateTime,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from neodeskpet.core.records import ConversationInfo
from neodeskpet.language import language, tr
from neodeskpet.ui.label import tip

ID = Qt.ItemDataRole.UserRole
PINNED = Qt.ItemDataRole.UserRole + 1
WHEN = Qt.ItemDataRole.UserRole + 2
Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()


class Conversations(QAbstractListModel):
    """`renamed(id, title)` is told when the person edited a title in place; the row changes when
    the new list is shown.
    """

    renamed = Signal(str, str)

    def __init__(
        self, parent: QObject | None = None, *, now: Callable[[], float] = time.time
    ) -> None:
        super().__init__(parent)
        self._now = now
        self._all: tuple[ConversationInfo, ...] = ()
        self._shown: tuple[ConversationInfo, ...] = ()
        self._filter = ""

    def show_infos(self, infos: Sequence[ConversationInfo]) -> None:
        """Show this list. The list that is shown changes nothing: an editor stays open."""
        ordered = tuple(sorted(infos, key=lambda info: (not info.pinned, -info.updated)))
        if ordered != self._all:
            self._all = ordered
            self._choose()

    def filter(self, text: str) -> None:
        """Show only titles that contain every word of `text`."""
        self._filter = text
        self._choose()

    def info(self, conversation_id: str) -> ConversationInfo | None:
        return next((info for info in self._all if info.id == conversation_id), None)

    def index_of(self, conversation_id: str) -> QModelIndex:
        """The shown row of a conversation; an invalid index when it isn't shown."""
        for row, info in enumerate(self._shown):
            if info.id == conversation_id:
                return self.index(row, 0)
        return QModelIndex()

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not 0 <= index.row() < len(self._shown):
            return None
        info = self._shown[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return info.title or tr("New conversation")
            case Qt.ItemDataRole.EditRole:
                return info.title
            case Qt.ItemDataRole.AccessibleTextRole:
                title = info.title or tr("New conversation")
                return tr("{title}, pinned", title=title) if info.pinned else title
            case Qt.ItemDataRole.ToolTipRole:
                return tip(info.title)
            case _ if role == ID:
                return info.id
            case _ if role == PINNED:
                return info.pinned
            case _ if role == WHEN:
                return self._when(info.updated)
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        title = " ".join(str(value).split())
        if not 0 <= index.row() < len(self._shown):
            return False
        info = self._shown[index.row()]
        if not title or title == info.title:
            return False
        self.renamed.emit(info.id, title)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.isValid() else flags

    def _choose(self) -> None:
        words = self._filter.casefold().split()
        self.beginResetModel()
        self._shown = tuple(
            info for info in self._all if all(word in info.title.casefold() for word in words)
        )
        self.endResetModel()

    def _when(self, seconds: float) -> str:
        """Today the time, this year the day, else the date."""
        then = QDateTime.fromSecsSinceEpoch(int(seconds))
        today = QDateTime.fromSecsSinceEpoch(int(self._now()))
        if then.date() == today.date():
            return then.toString("HH:mm")
        if then.date().year() == today.date().year():
            return QLocale(language()).toString(then.date(), tr("MMM d"))
        return then.toString("yyyy-MM-dd")
