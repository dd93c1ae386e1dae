"""The person's panel of the to-dos."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from neodeskpet.apps.apps import Apps
from neodeskpet.apps.record import Actor
from neodeskpet.language import tr
from neodeskpet.todos.book import LONGEST, Todo, TodoBook
from neodeskpet.ui.chat.items.wording import time_words
from neodeskpet.ui.notebook.entries import Entry
from neodeskpet.ui.notebook.form import Sheet
from neodeskpet.ui.notebook.pane import Pane
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.work import Work

_APP = "todo"


class TodoForm(QWidget):
    """What is to be done."""

    def __init__(self) -> None:
        super().__init__()
        self.sheet = Sheet()
        self.text = QLineEdit()
        self.text.setMaxLength(LONGEST)
        self.todo: Todo | None = None
        self.sheet.add_field(self.text)
        self.sheet.add_buttons()
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.sheet)

    def begin(self, todo: Todo | None) -> None:
        """Write a new one, or this one anew."""
        self.todo = todo
        self.text.setText(todo.text if todo else "")
        self.sheet.wrong.hide()
        self.text.setFocus()

    def retranslate(self) -> None:
        self.sheet.set_words({self.text: tr("What")})


class TodoBody(QObject):
    """A `PanelBody`. What the person does is done by the app's own actions, in their name."""

    def __init__(
        self,
        book: TodoBook,
        theme: Theme,
        apps: Apps,
        work: Work,
        parent: QObject,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(parent)
        self._book = book
        self._apps = apps
        self._work = work
        self._clock = clock
        self._todos: list[Todo] = []
        self.form = TodoForm()
        actions = (
            ("done", "check"),
            ("edit", "edit"),
            ("delete", "trash"),
            ("clear_done", "close"),
        )
        self.pane = Pane(theme, actions, self.form)
        self.pane.name_actions()
        self.pane.add_requested.connect(lambda: self._write(None))
        self.pane.acted.connect(self._act)
        self.pane.list.opened.connect(partial(self._act, "done"))
        self.pane.list.dropped.connect(partial(self._act, "delete"))
        self.pane.list.chosen.connect(self._name_actions)
        self.form.sheet.saved.connect(self._save)
        self.form.sheet.left.connect(self.pane.close_form)

    def observe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return self._book.observe(observer)

    async def read(self) -> None:
        self._todos = await self._book.todos()
        self._show()

    def retranslate(self) -> None:
        self.form.retranslate()
        self._show()

    def _show(self) -> None:
        now = self._clock()
        empty = tr("Nothing to be done. Press Add, or tell the companion.")
        self.pane.show_entries([_entry(one, now) for one in self._todos], empty)
        self._name_actions()

    def _name_actions(self) -> None:
        chosen = self._chosen(self.pane.list.current_id())
        again = chosen is not None and chosen.done is not None
        words = {
            "done": tr("Not done") if again else tr("Done"),
            "edit": tr("Edit"),
            "delete": tr("Delete"),
            "clear_done": tr("Clear done"),
        }
        self.pane.set_words(tr("To-dos"), words)
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
            self._do(action, id=todo.id, done=todo.done is None)
        else:
            self._do(action, id=todo.id)

    def _do(self, action: str, **params: object) -> None:
        act = partial(self._apps.caller.do, Actor.PERSON, _APP, action, params)
        self._work.start(action, act)

    def _write(self, todo: Todo | None) -> None:
        self.pane.open_form()
        self.form.begin(todo)

    def _save(self) -> None:
        text, todo = self.form.text.text().strip(), self.form.todo
        if not text:
            self.form.sheet.complain(tr("There is nothing to do yet."), self.form.text)
            return
        if todo is None:
            self._do("add", text=text)
        else:
            self._do("edit", id=todo.id, text=text)
        self.pane.close_form()


def _entry(todo: Todo, now: float) -> Entry:
    if todo.done is None:
        return Entry(str(todo.id), todo.text, time_words(todo.created, now), whole=todo.text)
    detail = tr("Done: {when}", when=time_words(todo.done, now))
    return Entry(str(todo.id), todo.text, detail, sign="check", whole=todo.text)
