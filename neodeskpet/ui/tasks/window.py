"""The background tasks in a window: what runs and how far it is, what came of the others, and their
end before their time. It is there whether the chat is open or not.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Protocol

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QWidget

from neodeskpet.core.background.task import Task
from neodeskpet.core.blocks import ToolStatus
from neodeskpet.core.errors import KnownError
from neodeskpet.core.tool_result import shown_words
from neodeskpet.core.wording import N_
from neodeskpet.language import explain, tr
from neodeskpet.ui.chat.items.wording import (
    duration,
    main_argument,
    one_line,
    printable,
    result_text,
    status_word,
    time_words,
)
from neodeskpet.ui.notebook.entries import Entry, EntryList
from neodeskpet.ui.theme import Theme, code_font
from neodeskpet.ui.widgets.label import PlainLabel
from neodeskpet.ui.windows.frame import Frame, muted
from neodeskpet.ui.windows.place import bring_forward
from neodeskpet.ui.windows.presence import Presence
from neodeskpet.ui.work import Work

TITLE = N_("Background tasks")
LEAST = (320, 360)
_SHOWN = 20_000
"""Characters of a result that are drawn; "Copy" takes all."""
_TICK_MS = 1_000
_SIGNS = {
    ToolStatus.RUNNING: "play",
    ToolStatus.SUCCESS: "check",
    ToolStatus.CANCELLED: "stop",
}


class TasksPort(Protocol):
    """The tasks there are (`conversation.background.tasks`)."""

    def tasks(self) -> list[Task]: ...

    def task(self, task_id: str) -> Task | None: ...

    def observe(self, observer: Callable[[Task], object]) -> Callable[[], None]: ...

    async def cancel(self, task_id: str) -> Task | None: ...

    async def forget_ended(self) -> None: ...


class TasksWindow(QWidget):
    """`title` is what people call the tool of a name; `argument` names the argument that tells most
    of its call. `errands_wanted`: the person wants to see the errands.
    """

    errands_wanted = Signal()

    def __init__(
        self,
        theme: Theme,
        tasks: TasksPort,
        title: Callable[[str], str] = str,
        argument: Callable[[str], str | None] = lambda name: None,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__()
        self._tasks = tasks
        self._title = title
        self._argument = argument
        self._now = now
        self._work = Work("tasks", failed=self._fail)
        self.errands = QPushButton()
        self._frame = Frame(self, "tasks", TITLE, LEAST, [self.errands])
        self.clear = QPushButton()
        self.list = EntryList(theme)
        self.empty = muted(centred=True)
        self.about = PlainLabel()
        self.about.setWordWrap(True)
        self.shown = QPlainTextEdit(readOnly=True)
        self.trouble = muted()
        self.cancel = QPushButton()
        self.copy = QPushButton()
        self._drawn = ""
        self._drawn_task: Task | None = None
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._show)
        self._unobserve = tasks.observe(lambda _task: self._show())
        self.clear.clicked.connect(lambda: self._work.start_once("clear", tasks.forget_ended))
        self.errands.clicked.connect(self.errands_wanted)
        self.cancel.clicked.connect(self._cancel)
        self.copy.clicked.connect(self._copy)
        self.list.chosen.connect(self._show_chosen)
        self.list.dropped.connect(lambda _task: self._cancel())
        self._lay_out()
        Presence(self, read=self._show, gone=self._tick.stop)
        self.set_theme(theme)
        self.retranslate()
        self.resize(560, 520)

    def present(self) -> None:
        """Show the window in front."""
        bring_forward(self)

    async def finish(self) -> None:
        """Before the window goes."""
        self._unobserve()
        self._tick.stop()
        await self._work.close()

    def set_theme(self, theme: Theme) -> None:
        self._frame.set_theme(theme)
        self.list.set_theme(theme)
        self.shown.setFont(code_font(theme))

    def retranslate(self) -> None:
        self._frame.retranslate()
        self.list.setAccessibleName(tr(TITLE))
        self.errands.setText(tr("Errands…"))
        self.clear.setText(tr("Clear those that ended"))
        self.empty.setText(
            tr(
                "Nothing runs in the background. What may take minutes goes on here while we talk: "
                "ask me to do it in the background."
            )
        )
        self.shown.setAccessibleName(tr("Output"))
        self.cancel.setText(tr("Cancel the task"))
        self.copy.setText(tr("Copy the output"))
        self._drawn_task = None  # its words are in another language
        self._show()

    def _lay_out(self) -> None:
        frame = self._frame
        frame.add(self.list, 2)
        frame.add(self.empty, 1)
        frame.row(None, self.clear)
        frame.add(self.about)
        frame.add(self.shown, 3)
        frame.add(self.trouble)
        frame.row(self.cancel, self.copy, None)
        self.trouble.hide()

    # What there is

    def _show(self) -> None:
        if not self.isVisible():
            return  # it is read when it is shown
        tasks = self._tasks.tasks()
        self.list.show_or_say([self._entry(task) for task in tasks], self.empty)
        for part in (self.clear, self.about, self.shown, self.cancel, self.copy):
            part.setVisible(bool(tasks))
        self.clear.setEnabled(any(not task.running for task in tasks))
        self._show_chosen()
        if any(task.running for task in tasks):
            self._tick.start()
        else:
            self._tick.stop()

    def _show_chosen(self) -> None:
        task = self._chosen()
        if task is self._drawn_task and task is not None:
            return  # others go on many times a second; a long text is not read anew for that
        self._drawn_task = task
        self.cancel.setEnabled(task is not None and task.running)
        text = "" if task is None else _text(task)
        self.copy.setEnabled(bool(text) and task is not None and not task.running)
        self.about.setText("" if task is None else self._about(task))
        self.about.setVisible(bool(self.about.text()))
        if text != self._drawn:
            self._drawn = text
            self.shown.setPlainText(_cut(text))

    def _entry(self, task: Task) -> Entry:
        call = task.call
        words = [status_word(call.status)]
        if task.running and call.progress is not None:
            words.append(tr("{count} %", count=str(round(call.progress * 100))))
        if call.started is not None:
            words.append(duration((call.ended or self._now()) - call.started))
        return Entry(
            task.id,
            self._title(call.name),
            one_line(self._about(task), 200),
            end=" · ".join(words),
            sign=_SIGNS.get(call.status, "warning"),
            loud=call.status in (ToolStatus.ERROR, ToolStatus.INTERRUPTED),
            progress=(call.progress or 0.0) if task.running else None,
        )

    def _about(self, task: Task) -> str:
        """What was asked for, and when."""
        call = task.call
        words = main_argument(call, self._argument(call.name) or "")
        begun = time_words(call.started or 0.0, self._now())
        return f"{begun} · {one_line(words)}" if words else begun

    def _chosen(self) -> Task | None:
        return self._tasks.task(self.list.current_id())

    # What the person does

    def _cancel(self) -> None:
        task = self._chosen()
        if task is not None and task.running:
            self._work.start("cancel", partial(self._tasks.cancel, task.id))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._drawn)

    def _fail(self, error: KnownError) -> None:
        self.trouble.setText(explain(error))
        self.trouble.show()


def _text(task: Task) -> str:
    """What came of it; while it runs, what it says of its progress."""
    call = task.call
    if task.running:
        return printable(call.progress_text)
    if call.shown is not None and call.status is ToolStatus.SUCCESS:
        return printable(shown_words(call.shown))
    return result_text(call)


def _cut(text: str) -> str:
    if len(text) <= _SHOWN:
        return text
    left_out = tr("{count} characters are left out here", count=f"{len(text) - _SHOWN:,}")
    return f"{text[: _SHOWN // 2]}\n[{left_out}]\n{text[-_SHOWN // 2 :]}"
