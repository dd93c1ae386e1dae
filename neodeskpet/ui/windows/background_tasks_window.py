"""The window of background tasks: progress of running ones, results of finished ones, and
cancelling. It works without an open chat.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Protocol

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QWidget

from neodeskpet.core.background_tasks import Task
from neodeskpet.core.blocks import ToolStatus
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.core.tool_result import shown_as_text
from neodeskpet.language import format_error, tr
from neodeskpet.ui.formatting import (
    format_duration,
    format_result,
    format_time,
    main_argument,
    printable,
    single_line,
    status_text,
)
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, code_font
from neodeskpet.ui.widgets.entry_list import EntryList, ListEntry
from neodeskpet.ui.widgets.labels import PlainLabel
from neodeskpet.ui.windows.side_window import RefreshOnShow, SideWindowLayout, muted_label
from neodeskpet.ui.windows.window_geometry import bring_to_front

TITLE = N_("Background tasks")
MIN_SIZE = (320, 360)
_MAX_SHOWN_CHARS = 20_000
"""Characters of a result that are shown; "Copy" copies all."""
_TICK_MS = 1_000
_SIGNS = {
    ToolStatus.RUNNING: "play",
    ToolStatus.SUCCESS: "check",
    ToolStatus.CANCELLED: "stop",
}


class BackgroundTasksPort(Protocol):
    """The tasks (`conversation.background_tasks`)."""

    def tasks(self) -> list[Task]: ...

    def task(self, task_id: str) -> Task | None: ...

    def subscribe(self, observer: Callable[[Task], object]) -> Callable[[], None]: ...

    async def cancel(self, task_id: str) -> Task | None: ...

    async def delete_ended(self) -> None: ...


class BackgroundTasksWindow(QWidget):
    """`title` returns the display name of a tool; `argument` returns the main argument of its
    calls. `background_prompts_requested`: the user wants to see the background prompts.
    """

    background_prompts_requested = Signal()

    def __init__(
        self,
        theme: Theme,
        tasks: BackgroundTasksPort,
        title: Callable[[str], str] = str,
        argument: Callable[[str], str | None] = lambda name: None,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__()
        self._tasks = tasks
        self._title = title
        self._argument = argument
        self._now = now
        self._work = TaskRunner("tasks", failed=self._fail)
        self.background_prompts_button = QPushButton()
        self._frame = SideWindowLayout(
            self, "tasks", TITLE, MIN_SIZE, [self.background_prompts_button]
        )
        self.clear_button = QPushButton()
        self.list = EntryList(theme)
        self.empty = muted_label(centred=True)
        self.about = PlainLabel()
        self.about.setWordWrap(True)
        self.output = QPlainTextEdit(readOnly=True)
        self.error_label = muted_label()
        self.cancel_button = QPushButton()
        self.copy_button = QPushButton()
        self._drawn = ""
        self._drawn_task: Task | None = None
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._show)
        self._unobserve = tasks.subscribe(lambda _task: self._show())
        self.clear_button.clicked.connect(
            lambda: self._work.start_once("clear", tasks.delete_ended)
        )
        self.background_prompts_button.clicked.connect(self.background_prompts_requested)
        self.cancel_button.clicked.connect(self._cancel)
        self.copy_button.clicked.connect(self._copy)
        self.list.chosen.connect(self._show_chosen)
        self.list.delete_requested.connect(lambda _task: self._cancel())
        self._lay_out()
        RefreshOnShow(self, read=self._show, gone=self._tick.stop)
        self.set_theme(theme)
        self.retranslate()
        self.resize(560, 520)

    def present(self) -> None:
        """Show the window in front."""
        bring_to_front(self)

    async def aclose(self) -> None:
        """Stop the window's tasks, timer and subscription."""
        self._unobserve()
        self._tick.stop()
        await self._work.aclose()

    def set_theme(self, theme: Theme) -> None:
        self._frame.set_theme(theme)
        self.list.set_theme(theme)
        self.list.setMinimumHeight(self.list.row_height + 2 * self.list.frameWidth())
        self.output.setFont(code_font(theme))

    def retranslate(self) -> None:
        self._frame.retranslate()
        self.list.setAccessibleName(tr(TITLE))
        self.background_prompts_button.setText(tr("Background prompts…"))
        self.clear_button.setText(tr("Clear finished tasks"))
        self.empty.setText(
            tr(
                "Nothing is running in the background. Long tasks can run here while we "
                "chat: ask me to do something in the background."
            )
        )
        self.output.setAccessibleName(tr("Output"))
        self.cancel_button.setText(tr("Cancel the task"))
        self.copy_button.setText(tr("Copy the output"))
        self._drawn_task = None  # its texts are in another language
        self._show()

    def _lay_out(self) -> None:
        frame = self._frame
        frame.add(self.list, 2)
        frame.add(self.empty, 1)
        frame.row(None, self.clear_button)
        frame.add(self.about)
        frame.add(self.output, 3)
        frame.add(self.error_label)
        frame.row(self.cancel_button, self.copy_button, None)
        self.error_label.hide()

    # Content

    def _show(self) -> None:
        if not self.isVisible():
            return  # it is loaded when it is shown
        tasks = self._tasks.tasks()
        self.list.show_entries_or_text([self._entry(task) for task in tasks], self.empty)
        for part in (
            self.clear_button,
            self.about,
            self.output,
            self.cancel_button,
            self.copy_button,
        ):
            part.setVisible(bool(tasks))
        self.clear_button.setEnabled(any(not task.running for task in tasks))
        self._show_chosen()
        if any(task.running for task in tasks):
            self._tick.start()
        else:
            self._tick.stop()

    def _show_chosen(self) -> None:
        task = self._chosen()
        if task is self._drawn_task and task is not None:
            return  # other tasks change many times a second; a long text isn't set again for that
        self._drawn_task = task
        self.cancel_button.setEnabled(task is not None and task.running)
        text = "" if task is None else _text(task)
        self.copy_button.setEnabled(bool(text) and task is not None and not task.running)
        self.about.setText("" if task is None else self._about(task))
        self.about.setVisible(bool(self.about.text()))
        if text != self._drawn:
            self._drawn = text
            self.output.setPlainText(_cut(text))

    def _entry(self, task: Task) -> ListEntry:
        call = task.call
        words = [status_text(call.status)]
        if task.running and call.progress is not None:
            words.append(tr("{count} %", count=str(round(call.progress * 100))))
        if call.started is not None:
            words.append(format_duration((call.ended or self._now()) - call.started))
        return ListEntry(
            task.id,
            self._title(call.name),
            single_line(self._about(task), 200),
            trailing=" · ".join(words),
            icon=_SIGNS.get(call.status, "warning"),
            needs_attention=call.status in (ToolStatus.ERROR, ToolStatus.INTERRUPTED),
            progress=(call.progress or 0.0) if task.running else None,
        )

    def _about(self, task: Task) -> str:
        """Return the main argument and the start time."""
        call = task.call
        words = main_argument(call, self._argument(call.name) or "")
        begun = format_time(call.started or 0.0, self._now())
        return f"{begun} · {single_line(words)}" if words else begun

    def _chosen(self) -> Task | None:
        return self._tasks.task(self.list.current_id())

    # Actions of the user

    def _cancel(self) -> None:
        task = self._chosen()
        if task is not None and task.running:
            self._work.start("cancel", partial(self._tasks.cancel, task.id))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._drawn)

    def _fail(self, error: KnownError) -> None:
        self.error_label.setText(format_error(error))
        self.error_label.show()


def _text(task: Task) -> str:
    """Return the result, or the progress text while it runs."""
    call = task.call
    if task.running:
        return printable(call.progress_text)
    if call.shown is not None and call.status is ToolStatus.SUCCESS:
        return printable(shown_as_text(call.shown))
    return format_result(call)


def _cut(text: str) -> str:
    if len(text) <= _MAX_SHOWN_CHARS:
        return text
    left_out = tr("{count} characters are left out here", count=f"{len(text) - _MAX_SHOWN_CHARS:,}")
    return f"{text[: _MAX_SHOWN_CHARS // 2]}\n[{left_out}]\n{text[-_MAX_SHOWN_CHARS // 2 :]}"
