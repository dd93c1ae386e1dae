"""Tools for background tasks: list them, get a result, cancel one."""

from __future__ import annotations

from typing import Annotated, Protocol

from pydantic import Field

from neodeskpet.core.background_tasks import Task
from neodeskpet.core.blocks import ToolStatus
from neodeskpet.core.data_labels import SourceKind
from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.tool_result import ApprovalText, ShownTable, ToolResult, count_brief, name_of
from neodeskpet.core.toolspec import Risk
from neodeskpet.toolkit.registry import Tool, tool

_LISTED = 20

TaskId = Annotated[str, Field(max_length=40, description="As it was told when it began: t3.")]


class TaskService(Protocol):
    """The known tasks (implemented by `conversation.background_tasks`)."""

    def tasks(self) -> list[Task]: ...

    def task(self, task_id: str) -> Task | None: ...

    async def cancel(self, task_id: str) -> Task | None: ...

    async def mark_reported(self, task_id: str) -> None: ...


def task_tools(tasks: TaskService) -> list[Tool]:
    """Make the tools; they are offered once there is a task."""

    def any_task() -> bool:
        return bool(tasks.tasks())

    @tool(
        "task.list",
        title=N_("List the background tasks"),
        risk=Risk.READ,
        timeout=10,
        outside=True,
        offered=any_task,
        reads=SourceKind.PROGRAM,
    )
    def list_tasks() -> ToolResult:
        """List the background tasks, the newest first: running ones, and how the others ended.
        Don't call it repeatedly: you are told when a task ends.
        """
        found = tasks.tasks()[:_LISTED]
        rows = tuple((one.id, one.call.name, _about(one), _state(one)) for one in found)
        tasks_data = [
            dict(zip(("id", "tool", "arguments", "state"), row, strict=True)) for row in rows
        ]
        lines = "\n".join("  ".join(row) for row in rows)
        brief = count_brief(len(found), N_("1 task"), N_("{count} tasks"))
        return ToolResult(
            lines or "None.", {"tasks": tasks_data}, ShownTable((), rows), brief=brief
        )

    @tool(
        "task.result",
        title=N_("Check a background task"),
        risk=Risk.READ,
        main_argument="id",
        timeout=10,
        outside=True,
        offered=any_task,
        reads=SourceKind.PROGRAM,
    )
    async def result(id: TaskId) -> ToolResult:
        """Return the complete result of a background task, or its progress."""
        task = _find(tasks, id)
        if task.running:
            text = f"It still runs ({_state(task)}). You are told when it ends."
            return ToolResult(text, brief=Reason(N_("still running")))
        await tasks.mark_reported(task.id)
        call = task.call
        output = call.output if not call.error else call.error
        brief = call.brief or Reason(_ENDS.get(call.status, N_("done")))
        return ToolResult(f"{_state(task)}\n{output}", call.data, call.shown, brief=brief)

    def ask_cancel(id: str) -> ApprovalText:
        task = _find(tasks, id)
        words = [one for one in (task.call.arguments or {}).values() if isinstance(one, str)]
        name = name_of(words[0] if words else task.call.name)
        title = Reason(N_("Cancel the background task “{name}”?"), {"name": name})
        return ApprovalText(title, undoable=False, verb=N_("Cancel it"), keep=N_("Keep it running"))

    @tool(
        "task.cancel",
        title=N_("Cancel a background task"),
        risk=Risk.APP_DATA,
        main_argument="id",
        timeout=20,
        offered=any_task,
        ask=ask_cancel,
    )
    async def cancel(id: TaskId) -> ToolResult:
        """Cancel a background task."""
        task = _find(tasks, id)
        if not task.running:
            return ToolResult(f"It had ended: {_state(task)}.", brief=Reason(N_("already ended")))
        await tasks.cancel(task.id)
        await tasks.mark_reported(task.id)
        return ToolResult("It was cancelled.", brief=Reason(N_("cancelled")))

    return [list_tasks, result, cancel]


_ENDS = {
    ToolStatus.ERROR: N_("failed"),
    ToolStatus.CANCELLED: N_("cancelled"),
    ToolStatus.DENIED: N_("not allowed"),
    ToolStatus.INTERRUPTED: N_("interrupted"),
}


def _find(tasks: TaskService, id: str) -> Task:
    task = tasks.task(id.strip())
    if task is None:
        known = ", ".join(one.id for one in tasks.tasks()[:_LISTED]) or "none"
        raise InvalidArguments.at(
            "id", N_("there is no task {id}; there are: {known}."), id=id, known=known
        )
    return task


def _state(task: Task) -> str:
    call = task.call
    if not task.running:
        return call.status.value
    done = "" if call.progress is None else f", {round(call.progress * 100)} %"
    said = f": {call.progress_text}" if call.progress_text else ""
    return f"{call.status.value}{done}{said}"


def _about(task: Task) -> str:
    return task.call.raw_arguments[:200]
