"""The list of notes: the pinned first, then the newest; with a search. In a wide window the
selected note is beside the list.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from neodeskpet.language import tr
from neodeskpet.notebook.notes import Note, NoteStore
from neodeskpet.ui.formatting import format_time
from neodeskpet.ui.notebook.entry_forms import NoteForm
from neodeskpet.ui.notebook.item_marks import NOTE, ItemMarks
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.entry_list import ListEntry
from neodeskpet.ui.widgets.labels import PlainLabel
from neodeskpet.ui.widgets.list_pane import ListPane
from neodeskpet.ui.widgets.undo_bar import UndoBar

MAX_SHOWN = 300
"""The largest number of listed notes; the search finds older ones."""
_ACTIONS = (("edit", "edit"), ("pin", "pin"), ("delete", "trash"))


class NoteView(QWidget):
    """The text of one note, with its date and tags. `edit_requested()`: the button, or a double
    click on the text.
    """

    edit_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.detail = PlainLabel()
        self.detail.setProperty("muted", True)
        self.detail.setWordWrap(True)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.viewport().installEventFilter(self)
        self.edit = QPushButton()
        self.edit.clicked.connect(self.edit_requested)
        line = QHBoxLayout()
        line.addWidget(self.detail, 1)
        line.addWidget(self.edit)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(8)
        box.addLayout(line)
        box.addWidget(self.text, 1)

    def show_note(self, note: Note | None, now: float) -> None:
        """Show a note; None: no note is selected."""
        text = "" if note is None else note.text
        if self.text.toPlainText() != text:  # otherwise the selection would be lost
            self.text.setPlainText(text)
        self.detail.setText(tr("No note is selected.") if note is None else _detail(note, now))
        self.edit.setEnabled(note is not None)

    def retranslate(self) -> None:
        self.edit.setText(tr("Edit"))
        self.edit.setAccessibleName(tr("Edit the note"))
        self.text.setAccessibleName(tr("Note"))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.MouseButtonDblClick and self.edit.isEnabled():
            self.edit_requested.emit()
            return True
        return super().eventFilter(watched, event)


class NotesPanel(QObject):
    """Shows and changes `notes`. `action_done` reports an action of the user and its object."""

    action_done = Signal(str, str)

    def __init__(
        self,
        theme: Theme,
        notes: NoteStore,
        work: TaskRunner,
        undo: UndoBar,
        marks: ItemMarks,
        parent: QObject,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(parent)
        self._store = notes
        self._work = work
        self._undo = undo
        self._marks = marks
        self._clock = clock
        self._notes: list[Note] = []
        self.form = NoteForm()
        self.pane = ListPane(theme, _ACTIONS, self.form, searched=True)
        self.view = NoteView()
        self.view.edit_requested.connect(lambda: self._act("edit", self.pane.list.current_id()))
        self.pane.set_detail(self.view)
        self.pane.search.textChanged.connect(lambda: self._work.replace("notes", self.reload))
        self.pane.add_requested.connect(lambda: self._write(None))
        self.pane.action_requested.connect(self._act)
        self.pane.list.opened.connect(partial(self._act, "edit"))
        self.pane.list.delete_requested.connect(partial(self._act, "delete"))
        self.pane.list.chosen.connect(self._name_pin)
        self.form.sheet.saved.connect(self._save)
        self.form.sheet.cancelled.connect(self.pane.close_form)

    async def reload(self) -> None:
        """Read and show the notes. Raises StoreError."""
        self._notes = await self._store.search(self.pane.search.text().split(), MAX_SHOWN)
        self.show_entries()

    def show_entries(self) -> None:
        now = self._clock()
        searched = bool(self.pane.search.text().strip())
        self.pane.show_entries(
            self._marks.marked([_entry(note, now) for note in self._notes], NOTE),
            tr("No note contains these words.")
            if searched
            else tr("No notes. Say “note: the umbrella is in the hall” in the chat, or press Add."),
        )
        self.pane.note.setText(
            tr("The newest {count} are shown; a search finds the others.", count=str(MAX_SHOWN))
        )
        self.pane.note.setVisible(len(self._notes) == MAX_SHOWN)
        self._name_pin()

    def retranslate(self) -> None:
        self.form.retranslate()
        self.view.retranslate()
        self.pane.set_empty_button(tr("New note"))
        self.pane.search.set_placeholder(tr("Search notes"))
        words = {"edit": tr("Edit"), "delete": tr("Delete")}
        self.pane.set_texts(tr("Notes"), words)
        self._name_pin()
        self.show_entries()

    def _name_pin(self) -> None:
        note = self._chosen(self.pane.list.current_id())
        words = tr("Unpin") if note is not None and note.pinned else tr("Pin")
        self.pane.set_texts(tr("Notes"), {"pin": words})
        self.view.show_note(note, self._clock())

    def _chosen(self, note_id: str) -> Note | None:
        return next((note for note in self._notes if str(note.id) == note_id), None)

    def _act(self, action: str, note_id: str) -> None:
        note = self._chosen(note_id)
        if note is None:
            return
        if action == "edit":
            self._write(note)
        elif action == "pin":
            pin = partial(self._store.update, note.id, pinned=not note.pinned)
            self._work.start("pin", pin)
            self.action_done.emit("edit", _title(note))
        else:
            self._work.start("delete", partial(self._delete, note))

    async def _delete(self, note: Note) -> None:
        if await self._store.delete(note.id) is None:
            return
        self.action_done.emit("delete", _title(note))
        restore = partial(self._store.restore, note.id)
        said = tr("“{text}” was deleted.", text=_title(note)[:60])
        self._undo.show_undo(said, lambda: self._work.start("undo", restore))

    def _write(self, note: Note | None) -> None:
        self.pane.open_form()
        self.form.edit(note)

    def _save(self) -> None:
        found = self.form.parse()
        if found is not None:
            self._work.start_once("save", partial(self._keep, self.form.note, *found))

    async def _keep(self, note: Note | None, text: str, tags: list[str]) -> None:
        number, kept = self.pane.opened, None
        if note is not None:
            kept = await self._store.update(note.id, text=text, tags=tags)
        self.action_done.emit("add" if kept is None else "edit", " ".join(text.split()))
        if kept is None:
            kept = await self._store.add(text, tags)
        self.pane.search.clear()
        await self.reload()
        self.pane.list.select(str(kept.id))
        self.pane.finish_form(number)


def _title(note: Note) -> str:
    return " ".join(note.text.split())[:300]


def _entry(note: Note, now: float) -> ListEntry:
    sign = "pinned" if note.pinned else ""
    title, detail = _title(note), _detail(note, now)
    return ListEntry(str(note.id), title, detail, icon=sign, tooltip=note.text[:2000])


def _detail(note: Note, now: float) -> str:
    """Return the date and the tags."""
    tags = " ".join(f"#{tag}" for tag in note.tags)
    return " · ".join(filter(None, (format_time(note.created, now), tags)))
