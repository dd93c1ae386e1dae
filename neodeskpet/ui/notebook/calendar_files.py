"""Calendar files in the window "Today": the page that shows what a file would add, and the dialogs
that choose files.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr, tr_count
from neodeskpet.notebook.ics_exchange import IcsExchange, IcsPreview
from neodeskpet.ui.dialog_folders import DialogFolders, FolderKind
from neodeskpet.ui.formatting import due_words
from neodeskpet.ui.icons import icon
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, scale_to_font
from neodeskpet.ui.widgets.controls import local_files
from neodeskpet.ui.widgets.entry_list import EntryList, ListEntry
from neodeskpet.ui.widgets.labels import PlainLabel, set_tooltip
from neodeskpet.ui.widgets.undo_bar import UndoBar

SUFFIX = ".ics"
_SHOWN = 200
"""The largest number of listed entries of each section."""


class CalendarFilesPage(QWidget):
    """Shows what a file would add before the import. `shown` requests this page, `closed` the
    previous one; `action_done` reports an import with a text.
    """

    shown = Signal()
    closed = Signal()
    action_done = Signal(str, str)

    def __init__(
        self, theme: Theme, exchange: IcsExchange, undo: UndoBar, clock: Callable[[], float]
    ) -> None:
        super().__init__()
        self._theme = theme
        self._exchange = exchange
        self._undo = undo
        self._clock = clock
        self._folders = DialogFolders(self)
        self._preview: IcsPreview | None = None
        self._dialog: QFileDialog | None = None
        self._work = TaskRunner("calendar files", failed=self._fail)
        self.menu_button = QToolButton()
        self.menu_button.setProperty("quiet", True)
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self.menu_button)
        self.import_action = self.menu.addAction("", self.ask_for_file)
        self.export_action = self.menu.addAction("", self.ask_where)
        self.menu_button.setMenu(self.menu)
        self.heading = PlainLabel()
        self.heading.setProperty("heading", True)
        self.heading.setWordWrap(True)
        self.summary = PlainLabel()
        self.summary.setProperty("muted", True)
        self.summary.setWordWrap(True)
        self.list = EntryList(theme)
        self.add_button, self.cancel_button = QPushButton(), QPushButton()
        self.add_button.setProperty("primary", True)
        self.add_button.clicked.connect(self._press_add)
        self.cancel_button.clicked.connect(self.leave)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.cancel_button)
        buttons.addWidget(self.add_button)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(8)
        box.addWidget(self.heading)
        box.addWidget(self.summary)
        box.addWidget(self.list, 1)
        box.addLayout(buttons)
        self.set_theme(theme)
        self.retranslate()

    async def aclose(self) -> None:
        """Call before the window is deleted."""
        await self._work.aclose()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.list.set_theme(theme)
        side = scale_to_font(16, theme)
        self.menu_button.setIcon(icon("more", QColor(theme.text), side))

    def retranslate(self) -> None:
        name = tr("Import and export")
        self.menu_button.setAccessibleName(name)
        set_tooltip(self.menu_button, name)
        self.import_action.setText(tr("Import calendar…"))
        self.export_action.setText(tr("Export calendar…"))
        self.cancel_button.setText(tr("Cancel"))
        self.list.setAccessibleName(tr("Entries of the file"))
        self._show()

    # Files

    def ask_for_file(self) -> None:
        """Let the user choose a file to import."""
        start = str(self._folders.start_folder(FolderKind.DOCUMENTS))
        dialog = self._open_dialog(QFileDialog(self, tr("Import calendar"), start))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._chosen)
        dialog.open()

    def ask_where(self) -> None:
        """Let the user choose where the calendar is written."""
        start = str(self._folders.start_folder(FolderKind.DOCUMENTS) / f"neodeskpet{SUFFIX}")
        dialog = self._open_dialog(QFileDialog(self, tr("Export calendar"), start))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(SUFFIX.removeprefix("."))
        dialog.fileSelected.connect(lambda path: self.export_to(Path(path)))
        dialog.open()

    def _open_dialog(self, dialog: QFileDialog) -> QFileDialog:
        dialog.setNameFilter(f"{tr('Calendar files')} (*{SUFFIX})")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._dialog = dialog
        return dialog

    def _chosen(self, path: str) -> None:
        self._folders.remember(FolderKind.DOCUMENTS, Path(path))
        self.open_file(Path(path))

    def open_file(self, path: Path) -> None:
        """Read the file and show what it would add."""
        self._preview = None
        self._show()
        self.shown.emit()
        self._work.replace("read", partial(self._read, path))

    async def _read(self, path: Path) -> None:
        self._preview = await self._exchange.preview(path)
        self._show()
        (self.add_button if self._preview.new else self.cancel_button).setFocus()

    def export_to(self, path: Path) -> None:
        """Write the calendar to this file."""
        self._folders.remember(FolderKind.DOCUMENTS, path)
        self._work.start("export", partial(self._export, path))

    async def _export(self, path: Path) -> None:
        try:
            count = await self._exchange.export(path)
        except OSError:
            self._undo.show_text(tr("The file could not be written."))
            return
        written = tr_count(
            N_("1 entry exported to “{name}”."),
            N_("{count} entries exported to “{name}”."),
            count,
            name=path.name,
        )
        self._undo.show_text(written)

    # The page

    def leave(self) -> None:
        """Add nothing, and go back."""
        self._work.cancel_task("read")
        self._preview = None
        self.closed.emit()

    def _press_add(self) -> None:
        if self._preview is not None and self._preview.new:
            self._work.start_once("add", partial(self._add, self._preview))

    async def _add(self, preview: IcsPreview) -> None:
        added = await self._exchange.add(preview)
        count = len(added.appointments) + len(added.todos)
        said = tr_count(
            N_("1 entry added from “{name}”."),
            N_("{count} entries added from “{name}”."),
            count,
            name=preview.name,
        )
        self.action_done.emit(N_("Import"), said)
        self.leave()
        self._undo.show_undo(
            said, lambda: self._work.start("undo", partial(self._exchange.undo_import, added))
        )

    def _show(self) -> None:
        found = self._preview
        self.add_button.setVisible(found is None or found.new > 0)
        self.add_button.setEnabled(found is not None)
        if found is None:
            self.heading.setText(tr("Import calendar"))
            self.summary.setText(tr("Reading the file…"))
            self.add_button.setText(tr("Add"))
            self.list.show_entries([])
            return
        self.heading.setText(found.name)
        self.summary.setText(preview_summary(found))
        self.add_button.setText(tr_count(N_("Add 1 entry"), N_("Add {count} entries"), found.new))
        self.list.show_entries(preview_entries(found, self._clock()))

    def _fail(self, error: KnownError) -> None:
        self._undo.show_text(format_error(error))
        self.leave()


def preview_summary(found: IcsPreview) -> str:
    """Return `12 new · 4 already there · 2 over · 1 can't be read`, and what an import does."""
    counts = (
        (found.new, N_("1 new entry"), N_("{count} new entries")),
        (found.known, N_("1 already there"), N_("{count} already there")),
        (found.content.over, N_("1 over, left out"), N_("{count} over, left out")),
        (
            len(found.content.problems),
            N_("1 can't be imported"),
            N_("{count} can't be imported"),
        ),
    )
    line = " · ".join(tr_count(one, many, count) for count, one, many in counts if count)
    if not line:
        return tr("The file has no appointments and no to-dos.")
    rings = tr("Appointments ring when they start, all-day ones at 9:00.")
    return f"{line}\n{rings}" if found.content.appointments else line


def preview_entries(found: IcsPreview, now: float) -> list[ListEntry]:
    """Return the new entries, and those that can't be imported with the reasons, below headings."""
    content = found.content
    problems = [
        ListEntry(
            f"problem {number}",
            one.title or tr("An entry without a title"),
            tr(one.reason.text, **one.reason.params),
            icon="warning",
        )
        for number, one in enumerate(content.problems)
    ]
    appointments = [
        ListEntry(one.uid, one.title, " · ".join(filter(None, (one.said, one.zone))), icon="bell")
        for one in content.appointments
    ]
    todos = [
        ListEntry(one.uid, one.text, "", due_words(one.due, now) if one.due else "", icon="check")
        for one in content.todos
    ]
    shown: list[ListEntry] = []
    for key, title, entries in (
        ("problems", tr("Can't be imported"), problems),
        ("appointments", tr("Appointments"), appointments),
        ("todos", tr("To-dos"), todos),
    ):
        if entries:
            shown.append(ListEntry(f"section {key}", title, "", heading=True))
            shown += entries[:_SHOWN]
            more = len(entries) - _SHOWN
            if more > 0:
                shown.append(ListEntry(f"more {key}", tr("and {count} more", count=str(more)), ""))
    return shown


def calendar_files(mime: QMimeData) -> list[Path]:
    """Return the calendar files among dragged data."""
    return [path for path in local_files(mime) if path.suffix.lower() == SUFFIX]
