"""When the end of a task may make the companion speak up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from neodeskpet.core.background.task import (
    Task,
    TaskCancelled,
    TaskOrphaned,
    TaskSignal,
    begin,
    receive,
    report,
)
from neodeskpet.core.background.waking import IN_A_ROW, Moment, Wake, decide, is_woken
from neodeskpet.core.blocks import Message, MessageState, Notice, Role, Text, ToolStatus
from neodeskpet.core.errors import WakesUsedUp
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.turn.signals import ToolFinished

QUIET = Moment(wanted=True, busy=False, writing=False)
DONE = ToolFinished(0, ToolStatus.SUCCESS, ToolResult("made"))


def ended(signal: TaskSignal = DONE) -> Task:
    return replace(receive(begin("c", "x", {}, "{}", 1, foreign=False), signal, 2), id="t1")


def person() -> Message:
    return Message("p", Role.USER, (Text(0, 0, "hello"),), MessageState.DONE, 1)


def answer(state: MessageState = MessageState.DONE) -> Message:
    return Message("a", Role.ASSISTANT, (Text(0, 0, "Hi."),), state, 1)


def woken(state: MessageState = MessageState.DONE) -> Message:
    return Message("w", Role.ASSISTANT, (report(ended(), 0), Text(1, 1, "Made.")), state, 1)


def test_it_speaks_up_when_nothing_else_is_on() -> None:
    assert decide(QUIET, [ended()], [person(), answer()]) is Wake.NOW
    assert decide(QUIET, [ended()], []) is Wake.NOW
    assert decide(QUIET, [ended()], [answer()]) is Wake.NOW


@pytest.mark.parametrize("moment", [replace(QUIET, busy=True), replace(QUIET, writing=True)])
def test_it_waits_for_a_turn_and_for_half_a_message(moment: Moment) -> None:
    assert decide(moment, [ended()], [person(), answer()]) is Wake.LATER


def test_it_waits_for_the_person_where_they_want_that() -> None:
    assert decide(replace(QUIET, wanted=False), [ended()], [person()]) is Wake.NEXT


@pytest.mark.parametrize("signal", [TaskCancelled(), TaskOrphaned()])
def test_what_was_cancelled_or_lost_wakes_nobody_alone(signal: TaskSignal) -> None:
    assert decide(QUIET, [ended(signal)], []) is Wake.NEXT
    assert decide(QUIET, [ended(signal), ended()], []) is Wake.NOW


def test_it_doesnt_go_on_for_ever() -> None:
    told = [person(), answer(), *[woken()] * (IN_A_ROW - 1)]
    assert decide(QUIET, [ended()], told) is Wake.NOW
    told.append(woken())
    assert decide(QUIET, [ended()], told) is Wake.LIMIT
    notice = Notice(0, 0, WakesUsedUp.code)
    said = Message("n", Role.ASSISTANT, (notice,), MessageState.DONE, 1)
    assert decide(QUIET, [ended()], [*told, said]) is Wake.NEXT
    assert decide(QUIET, [ended()], [*told, said, person(), answer()]) is Wake.NOW


def test_the_answer_to_the_person_that_tells_an_end_along_doesnt_count() -> None:
    told = [person(), woken(), *[woken()] * (IN_A_ROW - 1)]
    assert decide(QUIET, [ended()], told) is Wake.NOW


@pytest.mark.parametrize("state", [MessageState.FAILED, MessageState.CANCELLED])
def test_one_that_failed_or_was_stopped_is_the_last(state: MessageState) -> None:
    assert decide(QUIET, [ended()], [person(), answer(), woken(state)]) is Wake.NEXT
    assert decide(QUIET, [ended()], [person(), answer(state)]) is Wake.NOW


def test_one_that_runs_hasnt_failed() -> None:
    busy = replace(QUIET, busy=True)
    running = woken(MessageState.RUNNING)
    assert decide(busy, [ended()], [person(), answer(), running]) is Wake.LATER


def test_what_is_woken() -> None:
    assert is_woken(woken())
    assert not is_woken(answer())
    assert not is_woken(replace(answer(), blocks=()))
