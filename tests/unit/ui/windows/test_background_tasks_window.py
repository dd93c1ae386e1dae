"""The window of the background tasks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.core.background_tasks import (
    Task,
    TaskCancelled,
    TaskProgressed,
    TaskSignal,
    start_task,
    update_task,
)
from neodeskpet.core.blocks import ToolStatus
from neodeskpet.core.errors import StoreError
from neodeskpet.core.tool_result import ShownTerminal, ToolResult
from neodeskpet.core.turn.signals import ToolFinished
from neodeskpet.platform.observers import Observers
from neodeskpet.ui.theme import LIGHT
from neodeskpet.ui.windows.background_tasks_window import BackgroundTasksWindow


class Tasks:
    """A `BackgroundTasksPort`; `move` changes one of them."""

    def __init__(self, *tasks: Task) -> None:
        self.known = {task.id: task for task in tasks}
        self.changed: Observers[[Task]] = Observers()

    def tasks(self) -> list[Task]:
        return list(reversed(self.known.values()))

    def task(self, task_id: str) -> Task | None:
        return self.known.get(task_id)

    def subscribe(self, observer: Callable[[Task], object]) -> Callable[[], None]:
        return self.changed.subscribe(observer)

    async def cancel(self, task_id: str) -> Task | None:
        return self.move(task_id, TaskCancelled())

    async def delete_ended(self) -> None:
        raise StoreError("The disk is full.")

    def move(self, task_id: str, signal: TaskSignal) -> Task:
        task = self.known[task_id] = update_task(self.known[task_id], signal, 70)
        self.changed.notify(task)
        return task


def task(number: int) -> Task:
    arguments = {"command": f"make {number}"}
    started = start_task("c", "shell.run", arguments, "{}", 10.0 * number, foreign=True)
    return replace(started, id=f"t{number}")


def opened(qtbot: QtBot, tasks: Tasks) -> BackgroundTasksWindow:
    window = BackgroundTasksWindow(LIGHT, tasks, lambda name: f"<{name}>", now=lambda: 100.0)
    qtbot.addWidget(window)
    window.present()
    return window


def test_without_tasks_it_explains_itself(qtbot: QtBot) -> None:
    window = opened(qtbot, Tasks())
    assert window.empty.isVisible()
    assert not window.list.isVisible()
    assert not window.clear_button.isEnabled()


def test_running_tasks_show_progress_and_ended_ones_their_output(qtbot: QtBot) -> None:
    tasks = Tasks(task(1), task(2))
    window = opened(qtbot, tasks)
    tasks.move("t2", TaskProgressed(0.42, "line 42\x1b"))
    newest, older = window.list.entries()
    assert (newest.title, newest.trailing, newest.progress) == (
        "<shell.run>",
        "running · 42 % · 1 min 20 s",
        0.42,
    )
    assert newest.detail.endswith("make 2")
    assert older.trailing == "running · 1 min 30 s"
    window.list.select("t2")
    assert window.output.toPlainText() == "line 42"
    assert not window.copy_button.isEnabled()
    window.set_theme(LIGHT.sized(28))
    window.resize(window.minimumSize())
    row = window.list.visualItemRect(window.list.item(1))
    qtbot.waitUntil(lambda: window.list.viewport().height() >= row.height())

    shown = ShownTerminal("a\u202eb" + "x" * 30_000, "make 2", 0)
    tasks.move("t2", ToolFinished(0, ToolStatus.SUCCESS, ToolResult("a", None, shown)))
    assert window.list.entries()[0].trailing == "done · 50 s"
    text = window.output.toPlainText()
    assert text.startswith("$ make 2\na\\u202eb")
    assert "characters are left out here" in text
    window.copy_button.click()
    assert len(QGuiApplication.clipboard().text()) > 30_000
    assert not window.cancel_button.isEnabled()


def test_a_failed_one_has_its_reason(qtbot: QtBot) -> None:
    tasks = Tasks(task(1))
    window = opened(qtbot, tasks)
    tasks.move("t1", ToolFinished(0, ToolStatus.ERROR, ToolResult("no make")))
    (entry,) = window.list.entries()
    assert (entry.trailing, entry.needs_attention) == ("failed · 1 min 0 s", True)
    assert window.output.toPlainText() == "no make"


def test_it_is_loaded_again_when_it_is_shown(qtbot: QtBot) -> None:
    tasks = Tasks(task(1))
    window = opened(qtbot, tasks)
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isVisible()
    tasks.move("t1", TaskCancelled())
    assert window.list.entries()[0].trailing.startswith("running")
    window.present()
    assert window.list.entries()[0].trailing.startswith("cancelled")
