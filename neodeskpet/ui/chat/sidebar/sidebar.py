"""The conversations at the left of the chat: open, new, search, rename in place, pin, delete."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QListView,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.core.records import ConversationInfo
from neodeskpet.language import tr
from neodeskpet.ui.chat.sidebar.conversations import ID, PINNED, Conversations
from neodeskpet.ui.chat.sidebar.rows import Rows
from neodeskpet.ui.find.results import ResultList, Results
from neodeskpet.ui.icons import icon
from neodeskpet.ui.label import ElidedLabel, PlainLabel
from neodeskpet.ui.search_field import SearchField
from neodeskpet.ui.theme import Theme, ui_font


class Sidebar(QFrame):
    """Signals: `opened(id)`, `new_requested()`, `renamed(id, title)`, `pin_requested(id, pinned)`,
    `delete_requested(id)` (after the person confirmed it), `closed()` (Esc).
    """

    opened = Signal(str)
    new_requested = Signal()
    renamed = Signal(str, str)
    pin_requested = Signal(str, bool)
    delete_requested = Signal(str)
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
        self.model = Conversations(self, now=now)
        self.model.renamed.connect(self.renamed)
        self.search = SearchField(theme)
        self.results = Results(self, now=now)
        self.found = ResultList(theme, self.results)
        self.found.left.connect(lambda: self.search.setFocus(Qt.FocusReason.OtherFocusReason))
        self._searched = False
        self.search.textChanged.connect(self.model.filter)
        self.new = QPushButton()
        self.new.clicked.connect(self.new_requested)
        self.list = _List()
        self.list.setModel(self.model)
        # After the list's own slot, which forgets the current row.
        self.model.modelReset.connect(self._list_changed)
        self._rows = Rows(theme, self.list)
        self._rows.pressed.connect(self._act)
        self.list.setItemDelegate(self._rows)
        self.list.chosen.connect(self._open)
        self.list.menu_wanted.connect(self._show_menu)
        self.list.delete_wanted.connect(lambda index: self._act("trash", str(index.data(ID))))
        self._nothing = PlainLabel()
        self._nothing.setProperty("muted", True)
        self._nothing.setWordWrap(True)
        self._behind = PlainLabel()
        self._behind.setProperty("muted", True)
        self._behind.setWordWrap(True)
        self._menu = QMenu(self)
        self.confirm = _DeleteBar(theme)
        self.confirm.confirmed.connect(self.delete_requested)
        self._lay_out()
        self.set_theme(theme)
        self.retranslate()
        self.show_results(searching=False)

    def show_infos(self, infos: Sequence[ConversationInfo]) -> None:
        """Show these conversations, in any order."""
        self.model.show_infos(infos)
        if self.confirm.conversation_id and not self.model.info(self.confirm.conversation_id):
            self.confirm.dismiss()

    def show_results(self, *, searching: bool, behind: bool = False) -> None:
        """What was found stands in the place of the list while words are looked for; `behind`: not
        all that was said has been taken into the index yet.
        """
        self._searched = searching
        self.list.setVisible(not searching)
        self.found.setVisible(searching and self.results.rowCount() > 0)
        self._behind.setVisible(searching and behind)
        self._list_changed()

    def set_current(self, conversation_id: str) -> None:
        """Mark the conversation that is open."""
        self._current = conversation_id
        self._mark()

    def rename(self, conversation_id: str) -> None:
        """Open the editor in the row of this conversation."""
        index = self.model.index_of(conversation_id)
        if index.isValid():
            self.list.scrollTo(index)
            self.list.edit(index)

    def rename_current(self) -> None:
        """The same for the conversation that is open, whatever the search hides."""
        if not self.model.index_of(self._current).isValid():
            self.search.clear()
        self.rename(self._current)

    def ask_delete(self, conversation_id: str) -> None:
        """Ask, at the foot of the list, whether to delete; nothing waits for the answer."""
        info = self.model.info(conversation_id)
        if info is not None:
            self.confirm.ask(conversation_id, info.title or tr("New conversation"))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._rows.theme = theme
        self.confirm.set_theme(theme)
        self.search.set_theme(theme)
        self.found.set_theme(theme)
        self.new.setIcon(icon("plus", QColor(theme.on_accent), 16))
        self.setStyleSheet(
            f"Sidebar {{ background: {theme.window}; border: none;"
            f" border-right: 1px solid {theme.line}; }}"
            "QPushButton { text-align: left; }"
        )
        self.list.viewport().update()

    def retranslate(self) -> None:
        self.search.set_words(tr("Search conversations"))
        self.new.setText(tr("New conversation"))
        self.list.setAccessibleName(tr("Conversations"))
        self.found.setAccessibleName(tr("What was found"))
        self._behind.setText(tr("Older conversations are still being taken into the index."))
        self.setAccessibleName(tr("Conversations"))
        self.confirm.retranslate()
        self._list_changed()

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
        box.addWidget(self.confirm)

    def _list_changed(self) -> None:
        shown = self.results if self._searched else self.model
        self._nothing.setVisible(shown.rowCount() == 0)
        self._nothing.setText(
            tr("Nothing was found.")
            if self.search.text().strip()
            else tr("Conversations stand here once you have begun one.")
        )
        self._mark()

    def _mark(self) -> None:
        self._rows.current_id = self._current
        index = self.model.index_of(self._current)
        if index.isValid():
            self.list.setCurrentIndex(index)
        self.list.viewport().update()

    def _open(self, index: QModelIndex) -> None:
        self.opened.emit(str(index.data(ID)))

    def _act(self, action: str, conversation_id: str) -> None:
        match action:
            case "pin":
                info = self.model.info(conversation_id)
                if info is not None:
                    self.pin_requested.emit(conversation_id, not info.pinned)
            case "edit":
                self.rename(conversation_id)
            case "trash":
                self.ask_delete(conversation_id)
            case _:
                self.opened.emit(conversation_id)

    def _show_menu(self, index: QModelIndex, place: QPoint) -> None:
        self._menu.clear()
        pinned = bool(index.data(PINNED))
        conversation_id = str(index.data(ID))
        for action, text in (
            ("open", tr("Open")),
            ("pin", tr("Unpin") if pinned else tr("Pin")),
            ("edit", tr("Rename")),
            ("trash", tr("Delete…")),
        ):
            entry = self._menu.addAction(text)
            entry.triggered.connect(lambda _=False, name=action: self._act(name, conversation_id))
        self._menu.popup(place)


class _List(QListView):
    """A list that tells keys and the wish for a menu; its rows are edited in place by F2."""

    chosen = Signal(QModelIndex)
    menu_wanted = Signal(QModelIndex, QPoint)
    delete_wanted = Signal(QModelIndex)

    def __init__(self) -> None:
        super().__init__()
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setUniformItemSizes(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._wish_menu)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        editing = self.state() == QAbstractItemView.State.EditingState
        if index.isValid() and not editing:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.chosen.emit(index)
                return
            if event.key() == Qt.Key.Key_Delete:
                self.delete_wanted.emit(index)
                return
        super().keyPressEvent(event)

    def _wish_menu(self, place: QPoint) -> None:
        index = self.indexAt(place)
        if not index.isValid():
            index = self.currentIndex()
            place = self.visualRect(index).center()
        if index.isValid():
            self.menu_wanted.emit(index, self.viewport().mapToGlobal(place))


class _DeleteBar(QFrame):
    """The question before a conversation goes. `confirmed(id)`; Esc or Keep lets it stay."""

    confirmed = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.conversation_id = ""
        self._title = ""
        self._name = ElidedLabel()
        self._text = PlainLabel()
        self._text.setWordWrap(True)
        self.delete = QPushButton()
        self.delete.setProperty("danger", True)
        self.delete.clicked.connect(self._confirm)
        self.keep = QPushButton()
        self.keep.clicked.connect(self.dismiss)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.delete)
        buttons.addWidget(self.keep)
        buttons.addStretch()
        box = QVBoxLayout(self)
        box.setContentsMargins(12, 12, 12, 12)
        box.setSpacing(8)
        box.addWidget(self._name)
        box.addWidget(self._text)
        box.addLayout(buttons)
        self.setProperty("card", True)
        self.set_theme(theme)
        self.hide()

    def ask(self, conversation_id: str, title: str) -> None:
        self.conversation_id = conversation_id
        self._title = title
        self.retranslate()
        self.show()
        self.keep.setFocus()

    def dismiss(self) -> None:
        self.conversation_id = ""
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self._name.setFont(ui_font(theme, bold=True))

    def retranslate(self) -> None:
        self._name.set_text(self._title)
        self._text.setText(tr("Delete this conversation? It can't be brought back."))
        self.delete.setText(tr("Delete"))
        self.keep.setText(tr("Keep"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def _confirm(self) -> None:
        conversation_id = self.conversation_id
        self.dismiss()
        self.confirmed.emit(conversation_id)
