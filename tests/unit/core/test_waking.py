"""When the end of a task may make the companion speak."""

from __future__ import annotations

from dataclasses import replace

import pytest

from neodeskpet.core.background_tasks import (
    MOST_WOKEN_REPLIES,
    Task,
    TaskCancelled,
    TaskOrphaned,
    TaskSignal,
    WakeContext,
    WakeDecision,
    decide_wake,
    is_woken_reply,
    start_task,
    task_end_block,
    update_task,
)
from neodeskpet.core.blocks import Message, MessageState, Notice, Role, Text, ToolStatus
from neodeskpet.core.errors import WakeLimitReached
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.turn.signals import ToolFinished

QUIET = WakeContext(wanted=True, busy=False, writing=False)
DONE = ToolFinished(0, ToolStatus.SUCCESS, ToolResult("made"))


def ended(signal: TaskSignal = DONE) -> Task:
    return replace(
        update_task(start_task("c", "x", {}, "{}", 1, foreign=False), signal, 2), id="t1"
    )


def person() -> Message:
    return Message("p", Role.USER, (Text(0, 0, "hello"),), MessageState.DONE, 1)


def answer(state: MessageState = MessageState.DONE) -> Message:
    return Message("a", Role.ASSISTANT, (Text(0, 0, "Hi."),), state, 1)


def woken(state: MessageState = MessageState.DONE) -> Message:
    return Message("w", Role.ASSISTANT, (task_end_block(ended(), 0), Text(1, 1, "Made.")), state, 1)


def test_it_speaks_if_nothing_else_happens() -> None:
    assert decide_wake(QUIET, [ended()], [person(), answer()]) is WakeDecision.NOW
    assert decide_wake(QUIET, [ended()], []) is WakeDecision.NOW
    assert decide_wake(QUIET, [ended()], [answer()]) is WakeDecision.NOW


@pytest.mark.parametrize("moment", [replace(QUIET, busy=True), replace(QUIET, writing=True)])
def test_it_waits_for_a_turn_and_for_a_message_that_is_being_written(moment: WakeContext) -> None:
    assert decide_wake(moment, [ended()], [person(), answer()]) is WakeDecision.LATER


def test_it_waits_for_the_user_if_they_want_that() -> None:
    assert decide_wake(replace(QUIET, wanted=False), [ended()], [person()]) is WakeDecision.NEXT


@pytest.mark.parametrize("signal", [TaskCancelled(), TaskOrphaned()])
def test_cancelled_and_lost_tasks_alone_wake_nothing(signal: TaskSignal) -> None:
    assert decide_wake(QUIET, [ended(signal)], []) is WakeDecision.NEXT
    assert decide_wake(QUIET, [ended(signal), ended()], []) is WakeDecision.NOW


def test_the_number_of_such_replies_is_limited() -> None:
    told = [person(), answer(), *[woken()] * (MOST_WOKEN_REPLIES - 1)]
    assert decide_wake(QUIET, [ended()], told) is WakeDecision.NOW
    told.append(woken())
    assert decide_wake(QUIET, [ended()], told) is WakeDecision.LIMIT
    notice = Notice(0, 0, WakeLimitReached.code)
    said = Message("n", Role.ASSISTANT, (notice,), MessageState.DONE, 1)
    assert decide_wake(QUIET, [ended()], [*told, said]) is WakeDecision.NEXT
    assert decide_wake(QUIET, [ended()], [*told, said, person(), answer()]) is WakeDecision.NOW


def test_an_answer_to_the_user_that_includes_an_end_does_not_count() -> None:
    told = [person(), woken(), *[woken()] * (MOST_WOKEN_REPLIES - 1)]
    assert decide_wake(QUIET, [ended()], told) is WakeDecision.NOW


@pytest.mark.parametrize("state", [MessageState.FAILED, MessageState.CANCELLED])
def test_a_failed_or_stopped_one_is_the_last(state: MessageState) -> None:
    assert decide_wake(QUIET, [ended()], [person(), answer(), woken(state)]) is WakeDecision.NEXT
    assert decide_wake(QUIET, [ended()], [person(), answer(state)]) is WakeDecision.NOW


def test_a_running_one_has_not_failed() -> None:
    busy = replace(QUIET, busy=True)
    running = woken(MessageState.RUNNING)
    assert decide_wake(busy, [ended()], [person(), answer(), running]) is WakeDecision.LATER


def test_which_ends_are_reported() -> None:
    assert is_woken_reply(woken())
    assert not is_woken_reply(answer())
    assert not is_woken_reply(replace(answer(), blocks=()))
