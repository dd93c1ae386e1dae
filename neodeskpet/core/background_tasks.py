"""Background tasks: tool calls that continue after their turn, their states, and whether the end of
one starts a reply. TASK_TRANSITIONS lists every change of state. No clock, no threads, no await.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import assert_never

from neodeskpet.core.blocks import Message, MessageState, Notice, Role, ToolStatus, ToolUse
from neodeskpet.core.data_labels import NO_LABELS, Labels
from neodeskpet.core.errors import TaskLost, ToolCancelled, ToolFault, WakeLimitReached
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import Progress, ToolSpec
from neodeskpet.core.turn.call_results import finish_call
from neodeskpet.core.turn.signals import ToolFinished

MOST_RUNNING = 8
"""Tasks that run at once; a further one is refused."""
STARTED = "async task started: {id}"
"""The immediate result of the call, for the model."""

TaskWork = Callable[[Progress], Awaitable[ToolResult]]
StartTask = Callable[[ToolSpec, Mapping[str, object], TaskWork], Awaitable[str]]
"""Starts the work of a call in the background and returns the id of its task. Raises ToolError."""


@dataclass(frozen=True, slots=True)
class Task:
    """`call` is the tool call with its result; its status is RUNNING until it ends. `reported`: the
    end was already given to the model in `conversation`.
    """

    id: str
    conversation: str
    call: ToolUse
    reported: bool = False

    @property
    def running(self) -> bool:
        return not self.call.status.ended


@dataclass(frozen=True, slots=True)
class TaskProgressed:
    """`fraction` is 0..1, None when unknown."""

    fraction: float | None
    text: str = ""


@dataclass(frozen=True, slots=True)
class TaskCancelled:
    """The user or the model cancelled the task."""


@dataclass(frozen=True, slots=True)
class TaskOrphaned:
    """The app ended while the task ran."""


TaskSignal = TaskProgressed | ToolFinished | TaskCancelled | TaskOrphaned

TASK_TRANSITIONS: Mapping[tuple[ToolStatus, type[TaskSignal]], frozenset[ToolStatus]] = {
    (ToolStatus.RUNNING, TaskProgressed): frozenset({ToolStatus.RUNNING}),
    (ToolStatus.RUNNING, ToolFinished): frozenset(
        {ToolStatus.SUCCESS, ToolStatus.ERROR, ToolStatus.CANCELLED, ToolStatus.DENIED}
    ),
    (ToolStatus.RUNNING, TaskCancelled): frozenset({ToolStatus.CANCELLED}),
    (ToolStatus.RUNNING, TaskOrphaned): frozenset({ToolStatus.INTERRUPTED}),
}
"""The states that may follow. A finished task has no entry: it never changes."""


def start_task(
    conversation: str,
    name: str,
    arguments: Mapping[str, object],
    raw_arguments: str,
    now: float,
    *,
    foreign: bool,
    labels: Labels = NO_LABELS,
) -> Task:
    """Return a task that runs from `now` (Unix seconds). The store assigns its id. `labels` are
    those of its result.
    """
    call = ToolUse(
        0,
        0,
        "",
        name,
        raw_arguments,
        arguments,
        ToolStatus.RUNNING,
        started=now,
        foreign=foreign,
        labels=labels,
    )
    return Task("", conversation, call)


def update_task(task: Task, signal: TaskSignal, now: float) -> Task:
    """Return `task` after `signal` at `now`; a finished task is returned as it is."""
    allowed = TASK_TRANSITIONS.get((task.call.status, type(signal)))
    if allowed is None:
        return task
    call = _moved(task.call, signal, now)
    assert call.status in allowed, f"{call.status} can't follow {task.call.status}"
    return replace(task, call=call)


def _moved(call: ToolUse, signal: TaskSignal, now: float) -> ToolUse:
    match signal:
        case TaskProgressed(fraction=fraction, text=text):
            return replace(call, progress=fraction, progress_text=text)
        case ToolFinished():
            return finish_call(call, signal, now)
        case TaskCancelled():
            error = ToolCancelled()
            return replace(
                call,
                status=ToolStatus.CANCELLED,
                ended=now,
                error=str(error),
                fault=ToolFault.of(error),
            )
        case TaskOrphaned():
            lost = TaskLost(advice="Check what it has done before you start it again.")
            return replace(
                call,
                status=ToolStatus.INTERRUPTED,
                ended=now,
                error=str(lost),
                fault=ToolFault.of(lost),
            )
        case _:
            assert_never(signal)


def task_end_block(task: Task, index: int) -> ToolUse:
    """Return the block that reports the end of the task at the beginning of a message. Of a long
    result it has the beginning and the end.
    """
    call = task.call
    cut = cut_middle(call.output, task.id)
    return replace(call, index=index, round=0, call_id=task.id, task=task.id, output=cut)


REPORTED_CHARACTERS = 4_000
"""Characters of a result in the report of a task's end; `task.result` returns the rest."""


def cut_middle(text: str, task_id: str) -> str:
    """Return at most about REPORTED_CHARACTERS of a result: its beginning and its end. The end is
    kept because the last output of a program is usually the most important.
    """
    if len(text) <= REPORTED_CHARACTERS:
        return text
    half = REPORTED_CHARACTERS // 2
    left_out = len(text) - 2 * half
    said = f'[{left_out} characters are left out here: task.result(id="{task_id}")]'
    return f"{text[:half]}\n{said}\n{text[-half:]}"


MOST_WOKEN_REPLIES = 5
"""Replies in a row that ends of tasks may start."""
_REPORTED_TOGETHER = (ToolStatus.INTERRUPTED, ToolStatus.CANCELLED)


class WakeDecision(Enum):
    """When the end of a task starts a reply. NOW: at once. LATER: decide again after the next
    change. NEXT: report it with the user's next message. LIMIT: as NEXT, and tell the user why.
    """

    NOW = auto()
    LATER = auto()
    NEXT = auto()
    LIMIT = auto()


@dataclass(frozen=True, slots=True)
class WakeContext:
    """`wanted`: the user has allowed such replies. `busy`: a turn runs or is queued. `writing`: the
    composer isn't empty.
    """

    wanted: bool
    busy: bool
    writing: bool


def decide_wake(
    moment: WakeContext, ended: Sequence[Task], history: Sequence[Message]
) -> WakeDecision:
    """Decide when the `ended` tasks that have not been reported in a conversation start a reply.
    `history` are its last messages. Tasks that were lost with the app or cancelled start no reply;
    they are reported with the next one.
    """
    if not moment.wanted or all(one.call.status in _REPORTED_TOGETHER for one in ended):
        return WakeDecision.NEXT
    alone = _without_person(history)
    woken = [message for message in alone if is_woken_reply(message)]
    if any(message.state is not MessageState.DONE for message in woken if not _runs(message)):
        return WakeDecision.NEXT
    if moment.busy or moment.writing:
        return WakeDecision.LATER
    if len(woken) < MOST_WOKEN_REPLIES:
        return WakeDecision.NOW
    return WakeDecision.NEXT if any(map(_says_limit, alone)) else WakeDecision.LIMIT


def is_woken_reply(message: Message) -> bool:
    """Return whether the message begins with the end of a task."""
    first = message.blocks[0] if message.blocks else None
    return isinstance(first, ToolUse) and bool(first.task)


def _without_person(history: Sequence[Message]) -> list[Message]:
    """Return the messages after the reply to the user's last message; that reply may report ends of
    tasks too.
    """
    alone: list[Message] = []
    for message in history:
        if message.role is Role.USER:
            alone = [message]
        else:
            alone.append(message)
    return alone[2:] if alone and alone[0].role is Role.USER else alone


def _runs(message: Message) -> bool:
    return message.state is MessageState.RUNNING


def _says_limit(message: Message) -> bool:
    return any(
        isinstance(block, Notice) and block.code == WakeLimitReached.code
        for block in message.blocks
    )
