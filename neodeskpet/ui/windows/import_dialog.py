"""The dialog that imports conversations of ChatGPT or Claude: it reads an archive, lists its
conversations and imports the selected ones.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QPushButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.conversation.import_chats.archive_reader import REFUSAL_REASONS
from neodeskpet.conversation.import_chats.chat_importer import (
    ChatImporter,
    ImportChoice,
    ImportedMessages,
    ImportPreview,
    ImportStore,
    interrupted_imports,
    last_import,
)
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import count_conversations, count_messages, format_error, tr, tr_count
from neodeskpet.ui.chat.notice_bars import interrupted_text, shorten_name
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.labels import PlainLabel, set_tooltip, tooltip_text
from neodeskpet.ui.widgets.search_field import SearchField
from neodeskpet.ui.windows.window_geometry import LeastSize

TITLE_COLUMN, DAY_COLUMN, COUNT_COLUMN = range(3)
_Index = QModelIndex | QPersistentModelIndex


class ImportChoiceModel(QAbstractTableModel):
    """Emits `chosen_changed()`. Conversations that exist already can't be selected; all others are
    selected at first.
    """

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
        """Show only titles that contain all these words."""
        self._words = words
        wanted = words.casefold().split()
        self.beginResetModel()
        self._shown = [
            one for one in self._all if all(word in one.title.casefold() for word in wanted)
        ]
        self.endResetModel()

    @property
    def chosen(self) -> list[ImportChoice]:
        """Return the selected conversations, including filtered-out ones."""
        return [one for one in self._all if one.id in self._chosen]

    def set_all_chosen(self, wanted: bool) -> None:
        """Select all shown conversations, or none of them."""
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
        return tr("already here")
    new = tr("{count} new", count=str(one.new))
    return new if one.exists else str(one.count)


UndoImport = Callable[[ImportedMessages], Coroutine[Any, Any, None]]

_MAX_NAMED = 3
"""Number of skipped items named in the text; the tooltip names more."""
_IN_TIP = 40
_STEPS = 1000


class ImportDialog(QDialog):
    """Emits `imported(ImportedMessages)` after an import, also after a stopped one; `back` undoes
    it. Closing the dialog stops its work.
    """

    imported = Signal(object)

    def __init__(
        self, theme: Theme, store: ImportStore, path: Path, back: UndoImport, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._back = back
        self._last: ImportedMessages | None = None
        self._interrupted = False
        self.setObjectName("past")
        LeastSize(self, (420, 380))
        self.resize(640, 560)
        self._path = path
        self._intake = ChatImporter(store, path)
        self._work = TaskRunner("past", failed=self._fail, changed=self._show_state)
        self._looked = False
        self._failed = False
        self.heading = PlainLabel()
        self.heading.setProperty("heading", True)
        self.summary_label = _muted_line()
        self.interrupted_label = PlainLabel()
        self.interrupted_label.setWordWrap(True)
        self.omitted_label = _muted_line()
        self.field = SearchField(theme)
        self.select_all_button, self.select_none_button = QPushButton(), QPushButton()
        self.choices = ImportChoiceModel(self)
        self.list = QTreeView()
        self.progress = QProgressBar()
        self.progress.setRange(0, _STEPS)
        self.progress.setTextVisible(False)
        self.status_label = _muted_line()
        self.import_button, self.stop_button, self.undo_button = (
            QPushButton(),
            QPushButton(),
            QPushButton(),
        )
        self._connect()
        self._lay_out()
        self.list.setStyleSheet(  # check boxes are drawn on this background
            f"QTreeView {{ background: {theme.surface}; border: 1px solid {theme.line};"
            f" border-radius: {theme.control_radius}px; padding: 4px; }}"
            f"QTreeView::item:disabled {{ color: {theme.muted}; }}"
            f"QHeaderView {{ background: {theme.surface}; }}"
            f"QHeaderView::section {{ background: {theme.surface}; color: {theme.muted};"
            f" border: none; border-bottom: 1px solid {theme.line}; padding: 4px 8px; }}"
        )
        self.retranslate()

    def start(self) -> None:
        """Start reading the archive."""
        self._work.start("look", self._look)

    async def aclose(self) -> None:
        """Stop the dialog's tasks."""
        await self._work.aclose()
        await self._intake.aclose()

    def retranslate(self) -> None:
        self.setWindowTitle(tr("Import chats"))
        self.heading.setText(tr("Import chats"))
        self.field.set_placeholder(tr("Search in the titles"))
        self.select_all_button.setText(tr("Select all"))
        self.select_none_button.setText(tr("Select none"))
        self.list.setAccessibleName(tr("Conversations"))
        self._show_state()

    # Helpers

    def _connect(self) -> None:
        self.list.setModel(self.choices)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        header = self.list.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(TITLE_COLUMN, QHeaderView.ResizeMode.Stretch)
        for column in (DAY_COLUMN, COUNT_COLUMN):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, 120)
        self.choices.chosen_changed.connect(self._show_state)
        self.field.textChanged.connect(self.choices.set_filter)
        self.select_all_button.clicked.connect(lambda: self.choices.set_all_chosen(True))
        self.select_none_button.clicked.connect(lambda: self.choices.set_all_chosen(False))
        self.import_button.clicked.connect(lambda: self._work.start_once("take", self._take))
        self.import_button.setProperty("primary", True)
        self.stop_button.clicked.connect(self.reject)
        self.undo_button.setProperty("quiet", True)
        self.undo_button.clicked.connect(lambda: self._work.start_once("back", self._take_back))
        self.finished.connect(self._work.cancel_all)
        for button in (
            self.select_all_button,
            self.select_none_button,
            self.stop_button,
            self.undo_button,
        ):
            button.setAutoDefault(False)

    def _lay_out(self) -> None:
        tools = QHBoxLayout()
        tools.addWidget(self.field, 1)
        tools.addWidget(self.select_all_button)
        tools.addWidget(self.select_none_button)
        below = QHBoxLayout()
        below.addWidget(self.undo_button)
        below.addWidget(self.status_label, 1)
        below.addWidget(self.stop_button)
        below.addWidget(self.import_button)
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 14, 16, 14)
        box.setSpacing(10)
        box.addWidget(self.heading)
        box.addWidget(self.summary_label)
        box.addWidget(self.interrupted_label)
        box.addLayout(tools)
        box.addWidget(self.list, 1)
        box.addWidget(self.omitted_label)
        box.addWidget(self.progress)
        box.addLayout(below)

    async def _look(self) -> None:
        before = await interrupted_imports(self._store)
        self._interrupted = bool(before)
        self._last = before[0] if before else await last_import(self._store)
        self._show_state()
        preview = await self._intake.preview_archive(self._show_preview)
        self._looked = True
        self.choices.set_choices(preview.choices)
        self._show_preview(preview)
        self._show_state()

    async def _take(self) -> None:
        wanted = [one.id for one in self.choices.chosen]
        try:
            await self._intake.import_conversations(wanted, self._show_taken)
        finally:
            if self._intake.imported.messages:
                self._last, self._interrupted = self._intake.imported, False
                self.imported.emit(self._intake.imported)
        self.accept()

    async def _take_back(self) -> None:
        """Undo the last or the interrupted import, and read the archive again."""
        last, self._last = self._last, None
        if last is not None:
            await self._back(last)
        await self._intake.aclose()
        self._intake = ChatImporter(self._store, self._path)
        self._looked = False
        self._show_state()
        await self._look()

    def _show_preview(self, preview: ImportPreview) -> None:
        self.progress.setValue(round(preview.progress * _STEPS))
        self.summary_label.setText(_preview_text(preview))
        lines = [
            tr(
                "{name}: {text}",
                name=one.item,
                text=tr(REFUSAL_REASONS.get(one.reason, one.reason)),
            )
            for one in preview.skipped
        ]
        kinds = ", ".join(f"{kind} ({count})" for kind, count in preview.unknown.items())
        said = _omitted_text(lines)
        if kinds:
            said = " ".join(
                (said, tr("Unknown types, imported as text only: {kinds}", kinds=kinds))
            )
        self.omitted_label.setText(said.strip())
        set_tooltip(self.omitted_label, "\n".join(lines[:_IN_TIP]))
        self.omitted_label.setVisible(bool(said))

    def _show_taken(self, taken: ImportedMessages) -> None:
        self.progress.setValue(round(taken.progress * _STEPS))
        self.status_label.setText(
            tr_count(N_("{count} message so far"), N_("{count} messages so far"), taken.count)
        )

    def _show_state(self) -> None:
        busy = self._work.busy()
        chosen = len(self.choices.chosen)
        free = self._looked and not busy
        for part in (self.field, self.select_all_button, self.select_none_button, self.list):
            part.setEnabled(free)
        self.import_button.setEnabled(free and chosen > 0)
        self.import_button.setText(
            tr_count(N_("Import {count} conversation"), N_("Import {count} conversations"), chosen)
        )
        self.import_button.setVisible(self._looked)
        self.undo_button.setVisible(free and self._last is not None)
        self.undo_button.setText(
            tr("Undo the import") if self._interrupted else tr("Undo the last import")
        )
        going_on = self._work.busy("take")
        if self._interrupted and self._last is not None and not going_on:
            self.interrupted_label.setText(interrupted_text(self._last))
            self.interrupted_label.show()
        else:
            self.interrupted_label.hide()
        if self._last is not None:
            tip = tr_count(
                N_("{name}: {count} message"),
                N_("{name}: {count} messages"),
                self._last.count,
                name=self._last.name,
            )
            set_tooltip(self.undo_button, tip)
        self.progress.setVisible(busy)
        self.stop_button.setText(tr("Stop") if busy else tr("Close"))
        if self._failed:
            return
        if busy and not self._looked:
            self.status_label.setText(tr("Reading the archive…"))
        elif free:
            self.status_label.setText("" if chosen else tr("Nothing new is selected."))

    def _fail(self, error: KnownError) -> None:
        self._failed = True
        self.status_label.setText(format_error(error))


def _preview_text(preview: ImportPreview) -> str:
    said = tr(
        "{name}: {conversations}, {messages}; new: {new}",
        name=shorten_name(preview.name),
        conversations=count_conversations(len(preview.choices)),
        messages=count_messages(preview.messages),
        new=str(len(preview.new)),
    )
    if preview.time_span is None:
        return said
    first, last = (datetime.fromtimestamp(at).strftime("%Y-%m-%d") for at in preview.time_span)
    return f"{said}\n{first} – {last}"


def _omitted_text(lines: list[str]) -> str:
    if not lines:
        return ""
    named = "; ".join(lines[:_MAX_NAMED]) + (" …" if len(lines) > _MAX_NAMED else "")
    return tr("{count} skipped: {named}", count=str(len(lines)), named=named)


def _muted_line() -> QLabel:
    label = PlainLabel()
    label.setProperty("muted", True)
    label.setWordWrap(True)
    return label
