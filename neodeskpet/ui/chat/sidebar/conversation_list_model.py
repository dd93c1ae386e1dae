"""The rows of the sidebar: pinned conversations first, then folders, then the rest, newest first,
filtered by title. Archived conversations have a list of their own.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QDateTime,
    QLocale,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QPixmap

from neodeskpet.core.blocks import ConversationInfo
from neodeskpet.language import language, tr
from neodeskpet.ui.widgets.labels import tooltip_text

ID_ROLE = Qt.ItemDataRole.UserRole
PINNED_ROLE = Qt.ItemDataRole.UserRole + 1
DATE_ROLE = Qt.ItemDataRole.UserRole + 2
FOLDER_ROLE = Qt.ItemDataRole.UserRole + 3
"""The `FolderHeader` of a row; None for a conversation."""
INDENT_ROLE = Qt.ItemDataRole.UserRole + 4
FACE_ROLE = Qt.ItemDataRole.UserRole + 5
"""The face (QPixmap) of the further companion that speaks there; None for the first companion."""
Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()
_MIME = "application/x-neodeskpet-conversations"


@dataclass(frozen=True, slots=True)
class FolderHeader:
    """The header of a folder: its name, the number of conversations, and whether it is open."""

    name: str
    count: int
    is_open: bool


class ConversationListModel(QAbstractListModel):
    """Signals: `renamed(id, title)` after a title was edited in place, `moved(ids, folder)` after
    conversations were dropped onto a folder. The rows change when the new list is set.
    """

    renamed = Signal(str, str)
    moved = Signal(list, str)

    def __init__(
        self, parent: QObject | None = None, *, now: Callable[[], float] = time.time
    ) -> None:
        super().__init__(parent)
        self._now = now
        self._all: tuple[ConversationInfo, ...] = ()
        self._shown: tuple[ConversationInfo | FolderHeader, ...] = ()
        self._filter = ""
        self._closed: set[str] = set()
        self._archived = False
        self.face_of: Callable[[str], QPixmap | None] = lambda _conversation_id: None
        """Returns what `FACE_ROLE` is for the conversation with this id."""

    def set_conversations(self, infos: Sequence[ConversationInfo]) -> None:
        """Show this list. An unchanged list leaves an open editor alone."""
        ordered = tuple(sorted(infos, key=lambda info: (not info.pinned, -info.updated)))
        if ordered != self._all:
            self._all = ordered
            self._choose()

    def set_filter(self, text: str) -> None:
        """Show only titles that contain every word of `text`."""
        self._filter = text
        self._choose()

    @property
    def shows_archived(self) -> bool:
        """Whether the archived conversations are shown."""
        return self._archived

    def show_archived(self, archived: bool) -> None:
        """Show the archived conversations, or the others."""
        self._archived = archived
        self._choose()

    @property
    def archived_count(self) -> int:
        """Return the number of archived conversations."""
        return sum(info.archived for info in self._all)

    def folders(self) -> list[str]:
        """Return the names of all folders, sorted."""
        return sorted({info.folder for info in self._all if info.folder}, key=str.casefold)

    def toggle_folder(self, folder: str) -> None:
        """Open or close a folder."""
        self._closed ^= {folder}
        self._choose()

    def conversation(self, conversation_id: str) -> ConversationInfo | None:
        return next((info for info in self._all if info.id == conversation_id), None)

    def index_of(self, conversation_id: str) -> QModelIndex:
        """Return the shown row of a conversation; an invalid index if it isn't shown."""
        for row, info in enumerate(self._shown):
            if isinstance(info, ConversationInfo) and info.id == conversation_id:
                return self.index(row, 0)
        return QModelIndex()

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not 0 <= index.row() < len(self._shown):
            return None
        row = self._shown[index.row()]
        return self._of_folder(row, role) if isinstance(row, FolderHeader) else self._of(row, role)

    def _of_folder(self, folder: FolderHeader, role: int) -> Any:
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return folder.name
            case Qt.ItemDataRole.ToolTipRole:
                return tooltip_text(folder.name)
            case Qt.ItemDataRole.AccessibleTextRole:
                count = str(folder.count)
                if folder.is_open:
                    return tr("Folder {name}, {count}, open", name=folder.name, count=count)
                return tr("Folder {name}, {count}, closed", name=folder.name, count=count)
            case _ if role == FOLDER_ROLE:
                return folder
        return None

    def _of(self, info: ConversationInfo, role: int) -> Any:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return info.title or tr("New conversation")
            case Qt.ItemDataRole.EditRole:
                return info.title
            case Qt.ItemDataRole.AccessibleTextRole:
                title = info.title or tr("New conversation")
                return tr("{title}, pinned", title=title) if info.pinned else title
            case Qt.ItemDataRole.ToolTipRole:
                return tooltip_text(info.title)
            case _ if role == ID_ROLE:
                return info.id
            case _ if role == PINNED_ROLE:
                return info.pinned
            case _ if role == DATE_ROLE:
                return self._when(info.updated)
            case _ if role == INDENT_ROLE:
                return bool(info.folder) and not self._archived
            case _ if role == FACE_ROLE:
                return self.face_of(info.id)
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        title = " ".join(str(value).split())
        if not 0 <= index.row() < len(self._shown):
            return False
        info = self._shown[index.row()]
        if isinstance(info, FolderHeader):
            return self._rename_folder(info, title)
        if not title or title == info.title:
            return False
        self.renamed.emit(info.id, title)
        return True

    def _rename_folder(self, folder: FolderHeader, name: str) -> bool:
        if not name or name == folder.name:
            return False
        self.moved.emit([info.id for info in self._all if info.folder == folder.name], name)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        if not index.isValid():
            return flags | Qt.ItemFlag.ItemIsDropEnabled
        flags |= Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsDropEnabled
        return flags if index.data(FOLDER_ROLE) else flags | Qt.ItemFlag.ItemIsDragEnabled

    # Drag and drop

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        ids = [str(index.data(ID_ROLE)) for index in indexes if index.data(ID_ROLE)]
        data = QMimeData()
        data.setData(_MIME, json.dumps(ids).encode())
        return data

    def canDropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        return data.hasFormat(_MIME) and not self._archived

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        """Move the conversations into the folder they were dropped on or into, else out of any
        folder.
        """
        if not self.canDropMimeData(data, action, row, column, parent):
            return False
        known = {info.id for info in self._all}
        ids = [one for one in json.loads(bytes(data.data(_MIME).data())) if one in known]
        at = parent.row() if parent.isValid() else row
        over = self._shown[at] if 0 <= at < len(self._shown) else None
        folder = over.name if isinstance(over, FolderHeader) else over.folder if over else ""
        moving = [one for one in ids if (info := self.conversation(one)) and info.folder != folder]
        if moving:
            self.moved.emit(moving, folder)
        return False  # the view must not remove rows itself

    def _choose(self) -> None:
        words = self._filter.casefold().split()
        fitting = [
            info
            for info in self._all
            if info.archived == self._archived
            and all(word in info.title.casefold() for word in words)
        ]
        self.beginResetModel()
        self._shown = tuple(fitting if self._archived or words else self._in_folders(fitting))
        self.endResetModel()

    def _in_folders(
        self, infos: Sequence[ConversationInfo]
    ) -> Iterator[ConversationInfo | FolderHeader]:
        loose = [info for info in infos if not info.folder]
        yield from (info for info in loose if info.pinned)
        for name in self.folders():
            inside = [info for info in infos if info.folder == name]
            if inside:
                opened = name not in self._closed
                yield FolderHeader(name, len(inside), opened)
                yield from inside if opened else ()
        yield from (info for info in loose if not info.pinned)

    def _when(self, seconds: float) -> str:
        """Return the time for today, the day for this year, else the date."""
        then = QDateTime.fromSecsSinceEpoch(int(seconds))
        today = QDateTime.fromSecsSinceEpoch(int(self._now()))
        if then.date() == today.date():
            return then.toString("HH:mm")
        if then.date().year() == today.date().year():
            return QLocale(language()).toString(then.date(), tr("d MMM"))
        return then.toString("yyyy-MM-dd")
