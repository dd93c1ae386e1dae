"""Tools for background tasks."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from neodeskpet.core.background_tasks import (
    Task,
    TaskCancelled,
    TaskProgressed,
    start_task,
    update_task,
)
from neodeskpet.core.blocks import ToolStatus
from neodeskpet.core.errors import InvalidArguments, ToolFailed, ToolFault
from neodeskpet.core.tool_result import ShownTable, ShownText, ToolResult
from neodeskpet.core.turn.signals import ToolFinished
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from neodeskpet.tools.builtin.background_task import task_tools


class Tasks:
    """A `tools.builtin.background_task.Tasks` with these tasks; `told` names those that the model
    has read.
    """

    def __init__(self, *tasks: Task) -> None:
        self.known = {task.id: task for task in tasks}
        self.told: list[str] = []

    def tasks(self) -> list[Task]:
        return list(self.known.values())

    def task(self, task_id: str) -> Task | None:
        return self.known.get(task_id)

    async def cancel(self, task_id: str) -> Task | None:
        self.known[task_id] = update_task(self.known[task_id], TaskCancelled(), 3)
        return self.known[task_id]

    async def mark_reported(self, task_id: str) -> None:
        self.told.append(task_id)


def running(number: int = 1) -> Task:
    task = start_task("c", "shell.run", {"command": "make"}, '{"command": "make"}', 1, foreign=True)
    return replace(task, id=f"t{number}")


def done(number: int = 2) -> Task:
    result = ToolResult("x" * 9_000, {"exit_code": 0}, ShownText("made"))
    return update_task(running(number), ToolFinished(0, ToolStatus.SUCCESS, result), 2)


def failed(number: int = 3) -> Task:
    error = ToolFailed("no make")
    finished = ToolFinished(0, ToolStatus.ERROR, ToolResult(str(error)), ToolFault.of(error))
    return update_task(running(number), finished, 2)


def call(tasks: Tasks, name: str, **arguments: object) -> ToolResult:
    toolbox = Toolbox(AppTools(task_tools(tasks)))
    return asyncio.run(toolbox.offer().run(name, arguments, lambda fraction, text: None))


def test_the_tools_are_offered_once_there_is_a_task() -> None:
    assert not Toolbox(AppTools(task_tools(Tasks()))).specs()
    names = [spec.name for spec in Toolbox(AppTools(task_tools(Tasks(running())))).specs()]
    assert names == ["task.list", "task.result", "task.cancel"]


def test_running_and_ended_tasks_are_listed() -> None:
    half = update_task(running(), TaskProgressed(0.5, "half"), 2)
    result = call(Tasks(half, done(), failed()), "task.list")
    assert isinstance(result.shown, ShownTable)
    assert [(row[0], row[3]) for row in result.shown.rows] == [
        ("t1", "running, 50 %: half"),
        ("t2", "success"),
        ("t3", "error"),
    ]
    assert "shell.run" in result.text


def test_a_result_is_given_completely_and_counts_as_read() -> None:
    tasks = Tasks(running(), done(), failed())
    result = call(tasks, "task.result", id=" t2 ")
    assert result.text == "success\n" + "x" * 9_000
    assert (result.data, result.shown) == ({"exit_code": 0}, ShownText("made"))
    assert "no make" in call(tasks, "task.result", id="t3").text
    assert call(tasks, "task.result", id="t1").text.startswith("It still runs (running).")
    assert tasks.told == ["t2", "t3"]


def test_a_task_is_cancelled() -> None:
    tasks = Tasks(running(), done())
    assert call(tasks, "task.cancel", id="t1").text == "It was cancelled."
    assert tasks.known["t1"].call.status is ToolStatus.CANCELLED
    assert call(tasks, "task.cancel", id="t2").text == "It had ended: success."


@pytest.mark.parametrize("name", ["task.result", "task.cancel"])
def test_an_unknown_task_is_answered_with_the_existing_ones(name: str) -> None:
    with pytest.raises(InvalidArguments, match=r"no task t9; there are: t1\."):
        call(Tasks(running()), name, id="t9")
