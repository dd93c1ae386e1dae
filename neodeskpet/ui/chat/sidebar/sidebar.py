"""The list of conversations at the left of the chat: open, new, search, rename, pin, delete,
archive and move into folders, one or several at a time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLineEdit,
    QListView,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.core.blocks import ConversationInfo
from neodeskpet.language import tr
from neodeskpet.ui.chat.find.search_results import SearchResultList, SearchResultModel
from neodeskpet.ui.chat.sidebar.conversation_list_model import (
    FOLDER_ROLE,
    ID_ROLE,
    PINNED_ROLE,
    ConversationListModel,
    FolderHeader,
    Index,
)
from neodeskpet.ui.chat.sidebar.conversation_row import ConversationDelegate
from neodeskpet.ui.icons import icon
from neodeskpet.ui.theme import Theme, set_style_sheet, ui_font
from neodeskpet.ui.widgets.labels import PlainLabel, button_text
from neodeskpet.ui.widgets.search_field import SearchField
from neodeskpet.ui.widgets.undo_bar import UndoBar

_MAX_LENGTH = 60
_MANY_MESSAGES = 1000
"""Messages to index from which the progress is shown."""


class FolderNameField(QFrame):
    """A field for the name of a new folder, hidden until `open_for`. Enter emits `named(ids,
    name)`; Esc cancels.
    """

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
        """Ask for the name of a folder for these conversations."""
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


class Sidebar(QFrame):
    """Signals: `opened(id)`, `new_requested()`, `renamed(id, title)`, `pin_requested(id, pinned)`,
    `delete_requested(ids)`, `archive_requested(ids, away)`, `move_requested(ids, folder)`,
    `closed()` (Esc). `undo` offers to undo the last action.
    """

    opened = Signal(str)
    new_requested = Signal()
    renamed = Signal(str, str)
    pin_requested = Signal(str, bool)
    delete_requested = Signal(list)
    archive_requested = Signal(list, bool)
    move_requested = Signal(list, str)
    closed = Signal()

    def __init__(
        self,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._current = ""
        self.model = ConversationListModel(self, now=now)
        self.model.renamed.connect(self.renamed)
        self.search = SearchField(theme)
        self.results = SearchResultModel(self, now=now)
        self.found = SearchResultList(theme, self.results)
        self.found.focus_left.connect(lambda: self.search.setFocus(Qt.FocusReason.OtherFocusReason))
        self._searched = False
        self.search.textChanged.connect(self.model.set_filter)
        self.new = QPushButton()
        self.new.clicked.connect(self.new_requested)
        self.list = _ConversationListView()
        self.list.setModel(self.model)
        # After the list's own slot, which resets the current row.
        self.model.modelReset.connect(self._list_changed)
        self._rows = ConversationDelegate(theme, self.list)
        self._rows.pressed.connect(self._act)
        self.list.setItemDelegate(self._rows)
        self.list.chosen.connect(self._open)
        self.list.menu_requested.connect(self._show_menu)
        self.list.delete_requested.connect(lambda: self._act_on_chosen("trash"))
        self.list.archive_requested.connect(lambda: self._act_on_chosen("archive"))
        self.list.multi_selection_changed.connect(self._select_several)
        self.model.moved.connect(self.move_requested)
        self._nothing = PlainLabel()
        self._nothing.setProperty("muted", True)
        self._nothing.setWordWrap(True)
        self._progress: tuple[int, int] | None = None
        self._behind = PlainLabel()
        self._behind.setProperty("muted", True)
        self._behind.setWordWrap(True)
        self._menu = QMenu(self)
        self.undo = UndoBar(theme)
        self.naming = FolderNameField(theme)
        self.naming.named.connect(self.move_requested)
        self.archived_button = QPushButton()
        self.archived_button.setProperty("quiet", True)
        self.archived_button.clicked.connect(
            lambda: self.show_archived(not self.model.shows_archived)
        )
        self._lay_out()
        self.set_theme(theme)
        self.retranslate()
        self.show_results(searching=False)

    def set_conversations(self, infos: Sequence[ConversationInfo]) -> None:
        """Show these conversations, in any order."""
        self.model.set_conversations(infos)
        self._update_archive_button()

    def show_archived(self, archived: bool) -> None:
        """Show the archived conversations, or the others."""
        self.model.show_archived(archived)
        self._update_archive_button()
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _update_archive_button(self) -> None:
        """Update the button that switches between archived and other conversations."""
        if self.model.shows_archived and not self.model.archived_count:
            self.model.show_archived(False)  # the last one was unarchived
        self.archived_button.setVisible(bool(self.model.archived_count) and not self._searched)
        words = tr("Archived ({count})", count=str(self.model.archived_count))
        self.archived_button.setText(
            tr("Back to the conversations") if self.model.shows_archived else words
        )
        self._list_changed()

    def show_results(self, *, searching: bool, progress: tuple[int, int] | None = None) -> None:
        """Show search results in place of the list while `searching`; `progress`: how many of all
        messages are indexed, None when the index is complete.
        """
        self._searched = searching
        self.list.setVisible(not searching)
        self.found.setVisible(searching and self.results.rowCount() > 0)
        self._progress = progress
        self._behind.setText(self._progress_text())
        self._behind.setVisible(searching and progress is not None)
        self._update_archive_button()

    def _progress_text(self) -> str:
        done, total = self._progress or (0, 0)
        if total < _MANY_MESSAGES:
            return tr("Older conversations are still being indexed.")
        return tr(
            "Older conversations are still being indexed: {done} of {total} messages.",
            done=str(done),
            total=str(total),
        )

    def set_current(self, conversation_id: str) -> None:
        """Highlight the open conversation."""
        self._current = conversation_id
        self._mark()

    def rename(self, conversation_id: str) -> None:
        """Open the editor in the row of this conversation."""
        index = self.model.index_of(conversation_id)
        if index.isValid():
            self.list.scrollTo(index)
            self.list.edit(index)

    def rename_current(self) -> None:
        """Rename the open conversation, even if the search hides it."""
        if not self.model.index_of(self._current).isValid():
            self.search.clear()
        self.rename(self._current)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._rows.theme = theme
        self.undo.set_theme(theme)
        self.naming.set_theme(theme)
        self.search.set_theme(theme)
        self.found.set_theme(theme)
        self.new.setIcon(icon("plus", QColor(theme.on_accent), 16))
        set_style_sheet(
            self,
            f"Sidebar {{ background: {theme.window}; border: none;"
            f" border-right: 1px solid {theme.line}; }}"
            "QPushButton { text-align: left; }",
        )
        self.list.viewport().update()

    def retranslate(self) -> None:
        self.search.set_placeholder(tr("Search conversations"))
        self.new.setText(tr("New conversation"))
        self.list.setAccessibleName(tr("Conversations"))
        self.found.setAccessibleName(tr("Search results"))
        self._behind.setText(self._progress_text())
        self.setAccessibleName(tr("Conversations"))
        self.undo.retranslate()
        self.naming.retranslate()
        self._update_archive_button()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down and self.search.hasFocus():
            below = self.found if self.found.isVisible() else self.list
            below.setFocus(Qt.FocusReason.OtherFocusReason)
        elif event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.search.text():
            self.search.clear()
        else:
            self.closed.emit()

    def _lay_out(self) -> None:
        self.new.setProperty("primary", True)
        box = QVBoxLayout(self)
        box.setContentsMargins(12, 12, 12, 12)
        box.setSpacing(8)
        box.addWidget(self.new)
        box.addWidget(self.search)
        box.addWidget(self._nothing)
        box.addWidget(self._behind)
        box.addWidget(self.list, 1)
        box.addWidget(self.found, 1)
        box.addWidget(self.naming)
        box.addWidget(self.undo)
        box.addWidget(self.archived_button)

    def _list_changed(self) -> None:
        shown = self.results if self._searched else self.model
        self._nothing.setVisible(shown.rowCount() == 0)
        self._nothing.setText(
            tr("Nothing was found.")
            if self.search.text().strip()
            else tr("Your conversations appear here.")
        )
        self._mark()

    def _mark(self) -> None:
        self._rows.current_id = self._current
        index = self.model.index_of(self._current)
        if index.isValid():
            self.list.setCurrentIndex(index)
        self.list.viewport().update()

    def _open(self, index: QModelIndex) -> None:
        if index.data(FOLDER_ROLE):
            self.model.toggle_folder(str(index.data()))
            self.list.setCurrentIndex(self.model.index(index.row(), 0))
        else:
            self.opened.emit(str(index.data(ID_ROLE)))

    def _act(self, action: str, conversation_id: str) -> None:
        match action:
            case "pin":
                info = self.model.conversation(conversation_id)
                if info is not None:
                    self.pin_requested.emit(conversation_id, not info.pinned)
            case "edit":
                self.rename(conversation_id)
            case "trash":
                self.delete_requested.emit([conversation_id])
            case "folder":
                self.model.toggle_folder(conversation_id)
            case _:
                self.opened.emit(conversation_id)

    def _act_on_chosen(self, action: str) -> None:
        """Run this action for all selected rows."""
        ids = self.selected_ids()
        if not ids:
            return
        if action == "trash":
            self.delete_requested.emit(ids)
        elif action == "archive":
            self.archive_requested.emit(ids, not self.model.shows_archived)
        elif action == "new folder":
            self.naming.open_for(ids)

    def selected_ids(self) -> list[str]:
        """Return the ids of the selected conversations, in list order."""
        rows = sorted(self.list.selectionModel().selectedIndexes(), key=QModelIndex.row)
        found = [str(index.data(ID_ROLE)) for index in rows if index.data(ID_ROLE)]
        current = self.list.currentIndex().data(ID_ROLE)
        return found or ([str(current)] if current else [])

    def _select_several(self, several: bool) -> None:
        self._rows.multi_select = several
        self.list.viewport().update()

    def _show_menu(self, index: QModelIndex, place: QPoint) -> None:
        self._menu.clear()
        for choice in self._menu.findChildren(QMenu):
            choice.deleteLater()
        if index.data(FOLDER_ROLE):
            self._folder_menu(index)
        else:
            if str(index.data(ID_ROLE)) not in self.selected_ids():
                self.list.setCurrentIndex(index)
            self._row_menu(index)
        self._menu.popup(place)

    def _row_menu(self, index: QModelIndex) -> None:
        pinned = bool(index.data(PINNED_ROLE))
        conversation_id, ids = str(index.data(ID_ROLE)), self.selected_ids()
        alone = (
            ("open", tr("Open")),
            ("pin", tr("Unpin") if pinned else tr("Pin")),
            ("edit", tr("Rename")),
        )
        for action, text in alone if len(ids) == 1 else ():
            entry = self._menu.addAction(text)
            entry.triggered.connect(lambda _=False, name=action: self._act(name, conversation_id))
        if not self.model.shows_archived:
            self._menu.addMenu(self._folder_choice(ids))
        away = tr("Unarchive") if self.model.shows_archived else tr("Archive")
        for action, text in (("archive", away), ("trash", tr("Delete"))):
            entry = self._menu.addAction(text)
            entry.triggered.connect(lambda _=False, name=action: self._act_on_chosen(name))

    def _folder_choice(self, ids: list[str]) -> QMenu:
        menu = QMenu(tr("Move to folder"), self._menu)
        for name in self.model.folders():
            entry = menu.addAction(button_text(name))
            entry.triggered.connect(lambda _=False, to=name: self.move_requested.emit(ids, to))
        if any(info is not None and info.folder for info in map(self.model.conversation, ids)):
            menu.addAction(tr("No folder"), lambda: self.move_requested.emit(ids, ""))
        menu.addSeparator()
        menu.addAction(tr("New folder…"), lambda: self._act_on_chosen("new folder"))
        return menu

    def _folder_menu(self, index: QModelIndex) -> None:
        folder: FolderHeader = index.data(FOLDER_ROLE)
        opened = tr("Close the folder") if folder.is_open else tr("Open the folder")
        self._menu.addAction(opened, lambda: self.model.toggle_folder(folder.name))
        self._menu.addAction(tr("Rename"), lambda: self.list.edit(index))


class _ConversationListView(QListView):
    """A list with signals for keys and the context menu; F2 edits a row in place, Ctrl and Shift
    select several. `multi_selection_changed(bool)` tells whether several are selected.
    """

    chosen = Signal(QModelIndex)
    menu_requested = Signal(QModelIndex, QPoint)
    delete_requested = Signal()
    archive_requested = Signal()
    multi_selection_changed = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setDragDropOverwriteMode(True)  # drop onto rows, never between them
        self.setUniformItemSizes(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._request_menu)

    def setCurrentIndex(self, index: Index) -> None:
        """Select only this row, whatever keys are held down."""
        alone = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.selectionModel().setCurrentIndex(index, alone)

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        self.multi_selection_changed.emit(len(self.selectedIndexes()) > 1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        editing = self.state() == QAbstractItemView.State.EditingState
        if index.isValid() and not editing and self._take(event, index):
            return
        super().keyPressEvent(event)

    def _take(self, event: QKeyEvent, index: QModelIndex) -> bool:
        folder: FolderHeader | None = index.data(FOLDER_ROLE)
        key = event.key()
        enters = key in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        turns = Qt.Key.Key_Left if folder is not None and folder.is_open else Qt.Key.Key_Right
        if enters or (folder is not None and key == turns):
            self.chosen.emit(index)
        elif key == Qt.Key.Key_Delete:
            self.delete_requested.emit()
        elif key == Qt.Key.Key_E and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            self.archive_requested.emit()
        elif key == Qt.Key.Key_Escape and len(self.selectedIndexes()) > 1:
            self.setCurrentIndex(index)
        else:
            return False
        return True

    def _request_menu(self, place: QPoint) -> None:
        index = self.indexAt(place)
        if not index.isValid():
            index = self.currentIndex()
            place = self.visualRect(index).center()
        if index.isValid():
            self.menu_requested.emit(index, self.viewport().mapToGlobal(place))
