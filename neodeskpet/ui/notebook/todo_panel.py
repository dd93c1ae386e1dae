"""The tab "To-dos": overdue, today, later, done; each with a checkbox."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QCheckBox, QLineEdit, QVBoxLayout, QWidget

from neodeskpet.core.i18n import InvalidValue
from neodeskpet.core.schedule.due import Due, Task, find_due, read_due
from neodeskpet.core.schedule.parsing.time_parser import LONGEST_TEXT, time_grammar
from neodeskpet.language import tr
from neodeskpet.notebook.appointment import LOCAL_ZONE
from neodeskpet.notebook.todos import MOST_TODO_CHARACTERS, Todo, TodoStore, urgency
from neodeskpet.tools.apps.app_windows import AppWindows
from neodeskpet.tools.apps.window_log import Actor
from neodeskpet.ui.formatting import due_words, format_time
from neodeskpet.ui.notebook.entry_forms import FormSheet
from neodeskpet.ui.notebook.item_marks import TODO, ItemMarks
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.entry_list import ListEntry
from neodeskpet.ui.widgets.labels import PlainLabel
from neodeskpet.ui.widgets.list_pane import ListPane
from neodeskpet.ui.widgets.undo_bar import UndoBar

_APP_ID = "todo"
STRUCK_SECONDS = 1.5
"""How long a ticked to-do stays in its place, struck through."""


class StruckTimer(QTimer):
    """Calls `show` when to-dos that were just ticked leave their places."""

    def __init__(self, parent: QObject, show: Callable[[], None]) -> None:
        super().__init__(parent, singleShot=True, interval=round(STRUCK_SECONDS * 1000) + 50)
        self.timeout.connect(show)

    def follow(self, todos: Sequence[Todo], now: float) -> None:
        """Start if one of these to-dos, which are shown, has to leave. `show` calls it again,
        because the timer may end too early.
        """
        if any(one.done is not None and is_open(one, now) for one in todos):
            self.start()


class TodoForm(QWidget):
    """The form: the text, and the due date in a field of its own or in the same sentence."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__()
        self._clock = clock
        self.sheet = FormSheet()
        self.text = QLineEdit()
        self.text.setMaxLength(MOST_TODO_CHARACTERS)
        self.due = QLineEdit()
        self.due.setMaxLength(LONGEST_TEXT)
        self.from_text = QCheckBox()
        """The checkbox for using the time in the sentence as the due date."""
        self.understood = PlainLabel()
        self.understood.setProperty("muted", True)
        self.understood.setWordWrap(True)
        self.todo: Todo | None = None
        self.sheet.add_field(self.text)
        self.sheet.add_unlabelled(self.from_text)
        self.sheet.add_field(self.due)
        self.sheet.add_unlabelled(self.understood)
        self.sheet.add_buttons()
        self.text.textChanged.connect(lambda _text: self._show_understood())
        self.due.textChanged.connect(lambda _text: self._show_understood())
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.sheet)
        self._show_understood()

    def edit(self, todo: Todo | None) -> None:
        """Show the form for a new to-do, or for this one."""
        self.todo = todo
        self.text.setText(todo.text if todo else "")
        self.due.setText(str(todo.due) if todo and todo.due else "")
        self.from_text.setChecked(todo is None)
        self.sheet.error_label.hide()
        self.text.setFocus()

    def read(self) -> tuple[str, str] | None:
        """Return text and due date ("" for none); None after showing an error."""
        text, due = self.text.text().strip(), self.due.text().strip()
        if not text:
            self.sheet.show_error(tr("Enter what is to be done."), self.text)
            return None
        if not due:
            task = self._task()
            taken = task.due is not None and self.from_text.isChecked()
            return (task.text, str(task.due)) if taken else (text, "")
        found = self._typed()
        if isinstance(found, InvalidValue):
            self.sheet.show_error(tr(found.text, **found.params), self.due)
            return None
        return text, str(found)

    def _task(self) -> Task:
        return find_due(self.text.text(), self._clock(), LOCAL_ZONE)

    def _typed(self) -> Due | InvalidValue:
        """Return the due date in its field. An unchanged one may be in the past."""
        typed = self.due.text().strip()
        if self.todo is not None and self.todo.due is not None and typed == str(self.todo.due):
            return self.todo.due
        try:
            return read_due(typed, self._clock(), LOCAL_ZONE)
        except InvalidValue as error:
            return error

    def _show_understood(self) -> None:
        """Show how the due date is understood, and which part of the sentence may be one."""
        typed, task = self._typed() if self.due.text().strip() else None, self._task()
        in_text = task.due if typed is None else None
        self.from_text.setVisible(in_text is not None)
        if in_text is not None:
            self.from_text.setText(tr("Due: {when}", when=due_words(in_text, self._clock())))
        said = due_words(typed, self._clock()) if isinstance(typed, Due) else ""
        if typed is None and task.fault is not None:
            said = tr(task.fault.text, **task.fault.params)
        self.understood.setText(said)
        self.understood.setVisible(bool(said))

    def retranslate(self) -> None:
        self.sheet.set_labels({self.text: tr("What"), self.due: tr("Due")})
        self.due.setPlaceholderText(tr("Friday 5 pm, tomorrow, 2026-12-04; optional"))
        self._show_understood()


class TodoPanelContent(QObject):
    """The list of to-dos. The user's changes are actions of the app `todo`, so that the history
    contains them. `undo` shows what can be undone.
    """

    def __init__(
        self,
        store: TodoStore,
        theme: Theme,
        apps: AppWindows,
        work: TaskRunner,
        undo: UndoBar,
        marks: ItemMarks,
        parent: QObject,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._apps = apps
        self._work = work
        self._undo = undo
        self._marks = marks
        self._clock = clock
        self._todos: list[Todo] = []
        self.form = TodoForm(clock)
        actions = (
            ("done", "check"),
            ("edit", "edit"),
            ("delete", "trash"),
            ("clear_done", "close"),
        )
        self.pane = ListPane(theme, actions, self.form)
        self.pane.update_action_labels()
        self.pane.add_requested.connect(lambda: self._write(None))
        self.pane.action_requested.connect(self._act)
        self.pane.list.opened.connect(partial(self._act, "edit"))
        self.pane.list.toggled.connect(partial(self._act, "done"))
        self.pane.list.delete_requested.connect(partial(self._act, "delete"))
        self.pane.list.chosen.connect(self._name_actions)
        self.form.sheet.saved.connect(self._save)
        self.form.sheet.cancelled.connect(self.pane.close_form)
        self._minute = QTimer(self, interval=60_000)  # due to-dos become overdue
        self._minute.timeout.connect(self.show_entries)
        self._minute.start()
        self._struck = StruckTimer(self, self.show_entries)

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return self._store.subscribe(observer)

    async def reload(self) -> None:
        await asyncio.to_thread(time_grammar)  # loading it takes longer than a key press may
        self._todos = await self._store.todos()
        self.show_entries()

    def retranslate(self) -> None:
        self.form.retranslate()
        self.pane.set_empty_button(tr("New to-do"))
        self.show_entries()

    def toggle(self, todo_id: str) -> None:
        """Tick the to-do of this id, or remove its tick."""
        self._act("done", todo_id)

    def edit(self, todo_id: str) -> None:
        """Open the form for the to-do of this id."""
        self.pane.list.select(todo_id)
        self._act("edit", todo_id)

    def delete(self, todo_id: str) -> None:
        self._act("delete", todo_id)

    def show_entries(self) -> None:
        now = self._clock()
        empty = tr("Nothing to do. Write “buy milk Friday” below, or tell the companion.")
        self.pane.show_entries(self._marks.marked(todo_sections(self._todos, now), TODO), empty)
        self._name_actions()
        self._struck.follow(self._todos, now)

    def _name_actions(self) -> None:
        chosen = self._chosen(self.pane.list.current_id())
        again = chosen is not None and chosen.done is not None
        words = {
            "done": tr("Not done") if again else tr("Done"),
            "edit": tr("Edit"),
            "delete": tr("Delete"),
            "clear_done": tr("Clear done"),
        }
        self.pane.set_texts(tr("To-dos"), words)
        some = any(one.done is not None for one in self._todos)
        self.pane.actions_of["clear_done"].setEnabled(some)

    def _chosen(self, todo_id: str) -> Todo | None:
        return next((one for one in self._todos if str(one.id) == todo_id), None)

    def _act(self, action: str, todo_id: str) -> None:
        todo = self._chosen(todo_id)
        if action == "clear_done":
            self._do(action)
        elif todo is None:
            return
        elif action == "edit":
            self._write(todo)
        elif action == "done":
            done = todo.done is None
            back = partial(self._do, "done", id=todo.id, done=not done)
            shown = todo.text[:60]
            said = tr("“{text}” is done.", text=shown)
            self._do(action, id=todo.id, done=done)
            self._undo.show_undo(said if done else tr("“{text}” is not done.", text=shown), back)
        else:
            self._do(action, id=todo.id)
            self._undo.show_undo(
                tr("“{text}” was deleted.", text=todo.text[:60]),
                lambda: self._work.start("restore", partial(self._store.restore, [todo.id])),
            )

    def _do(self, action: str, **params: object) -> None:
        act = partial(self._apps.caller.run_action, Actor.PERSON, _APP_ID, action, params)
        self._work.start(action, act)

    def _write(self, todo: Todo | None) -> None:
        self.pane.open_form()
        self.form.edit(todo)

    def _save(self) -> None:
        written, todo = self.form.read(), self.form.todo
        if written is None:
            return
        text, due = written
        if todo is None:
            self._do("add", text=text, due=due)
        elif todo.due is not None and due == str(todo.due):  # it may be in the past
            self._do("edit", id=todo.id, text=text)
        else:
            self._do("edit", id=todo.id, text=text, due=due)
        self.pane.close_form()


def todo_sections(todos: Sequence[Todo], now: float) -> list[ListEntry]:
    """Return the to-dos below headings; without headings if all are in "Later and someday"."""
    sections: dict[str, list[ListEntry]] = {}
    for todo in in_place(todos, now):
        sections.setdefault(_section(todo, now), []).append(todo_entry(todo, now))
    names = {
        "late": tr("Late"),
        "today": tr("Today"),
        "later": tr("Later and someday"),
        "done": tr("Done"),
    }
    shown: list[ListEntry] = []
    for section, name in names.items():
        entries = sections.get(section, [])
        if entries and len(sections) > 1:
            shown.append(ListEntry(f"section {section}", name, "", heading=True))
        shown += entries
    return shown


def in_place(todos: Sequence[Todo], now: float) -> list[Todo]:
    """Return the to-dos in their order; one that was just ticked keeps its place for a moment."""
    shown = [replace(one, done=None) if is_open(one, now) else one for one in todos]
    done = {one.id: one.done for one in todos}

    def order(todo: Todo) -> tuple[tuple[bool, datetime], int]:
        return urgency(todo), 0 if todo.done is not None else todo.id

    return [replace(one, done=done[one.id]) for one in sorted(shown, key=order)]


def is_open(todo: Todo, now: float) -> bool:
    """Return whether a to-do stands among those that are not done: one that was just ticked stays
    there for a moment.
    """
    return todo.done is None or 0 <= now - todo.done < STRUCK_SECONDS


def _section(todo: Todo, now: float) -> str:
    if not is_open(todo, now):
        return "done"
    if todo.due is None:
        return "later"
    today = datetime.fromtimestamp(now)
    if todo.due.is_over(today):
        return "late"
    return "today" if todo.due.day == today.date() else "later"


def todo_entry(todo: Todo, now: float) -> ListEntry:
    """Return a row with a checkbox, and the due date at its end."""
    if todo.done is not None:
        detail = "" if is_open(todo, now) else tr("Done: {when}", when=format_time(todo.done, now))
        return ListEntry(str(todo.id), todo.text, detail, tooltip=todo.text, checked=True)
    late = todo.due is not None and todo.due.is_over(datetime.fromtimestamp(now))
    end = "" if todo.due is None else due_words(todo.due, now)
    if late:
        end = tr("Overdue: {when}", when=end)
    return ListEntry(
        str(todo.id), todo.text, "", end, tooltip=todo.text, needs_attention=late, checked=False
    )
