"""A background task from its start to its end, and how the end is reported."""

from __future__ import annotations

from dataclasses import replace

import pytest

from neodeskpet.core.background_tasks import (
    REPORTED_CHARACTERS,
    TASK_TRANSITIONS,
    Task,
    TaskCancelled,
    TaskOrphaned,
    TaskProgressed,
    TaskSignal,
    cut_middle,
    start_task,
    task_end_block,
    update_task,
)
from neodeskpet.core.blocks import Message, MessageState, Role, Text, ToolStatus
from neodeskpet.core.errors import ToolFailed, ToolFault
from neodeskpet.core.tool_result import ShownText, ToolResult
from neodeskpet.core.transcript import (
    TASK_ENDED,
    AssistantTurn,
    TextPart,
    UserTurn,
    build_transcript,
)
from neodeskpet.core.turn.signals import ToolFinished

DONE = ToolFinished(0, ToolStatus.SUCCESS, ToolResult("made", {"exit_code": 0}, ShownText("m")))


def running(*, foreign: bool = False) -> Task:
    task = start_task(
        "c", "shell.run", {"command": "make"}, '{"command": "make"}', 10, foreign=foreign
    )
    return replace(task, id="t1")


def failed(text: str) -> ToolFinished:
    error = ToolFailed(text)
    return ToolFinished(0, ToolStatus.ERROR, ToolResult(text), ToolFault.of(error))


def test_a_task_runs_from_its_start() -> None:
    task = running()
    assert task.running
    assert (task.call.started, task.call.ended, task.reported) == (10, None, False)


def test_the_latest_progress_is_kept() -> None:
    task = update_task(running(), TaskProgressed(0.5, "half"), 11)
    assert task.running
    assert (task.call.progress, task.call.progress_text) == (0.5, "half")


def test_a_task_ends_with_its_result() -> None:
    task = update_task(running(), DONE, 12)
    assert not task.running
    assert (task.call.status, task.call.output, task.call.ended) == (ToolStatus.SUCCESS, "made", 12)
    assert (task.call.data, task.call.shown) == ({"exit_code": 0}, ShownText("m"))


def test_foreign_text_in_a_failure_is_escaped() -> None:
    text = "<tool_call>" + "x" * 9_000
    assert update_task(running(), failed(text), 12).call.error == text
    error = update_task(running(foreign=True), failed(text), 12).call.error
    assert error.startswith("<·tool_call>")
    assert len(error) < 4_100


@pytest.mark.parametrize(
    ("signal", "status", "code"),
    [
        (TaskCancelled(), ToolStatus.CANCELLED, "tool_cancelled"),
        (TaskOrphaned(), ToolStatus.INTERRUPTED, "task_lost"),
    ],
)
def test_without_a_result_the_reason_is_given(
    signal: TaskSignal, status: ToolStatus, code: str
) -> None:
    call = update_task(running(), signal, 12).call
    assert (call.status, call.ended) == (status, 12)
    assert call.fault is not None
    assert (call.fault.code, bool(call.error)) == (code, True)


@pytest.mark.parametrize("last", [DONE, TaskCancelled(), TaskOrphaned()])
def test_nothing_happens_after_the_end(last: TaskSignal) -> None:
    ended = update_task(running(), last, 12)
    for signal in (DONE, TaskCancelled(), TaskOrphaned(), TaskProgressed(0.1)):
        assert update_task(ended, signal, 99) is ended
    assert not any(status.ended for status, _ in TASK_TRANSITIONS)


def test_of_a_long_result_the_beginning_and_the_end_are_reported() -> None:
    assert cut_middle("short", "t1") == "short"
    told = cut_middle("a" * 9_000 + "z" * 9_000, "t7")
    assert told.startswith("a" * (REPORTED_CHARACTERS // 2))
    assert told.endswith("z" * (REPORTED_CHARACTERS // 2))
    assert '[14000 characters are left out here: task.result(id="t7")]' in told


def ends(task: Task, *, woken: bool = False) -> list[object]:
    """Build the transcript of a conversation whose last reply begins with the end of `task`."""
    person = Message("p", Role.USER, (Text(0, 0, "hello"),), MessageState.DONE, 1)
    reply = Message(
        "r",
        Role.ASSISTANT,
        (task_end_block(task, 0), Text(1, 1, "It is made.")),
        MessageState.DONE,
        2,
    )
    answer = Message("a", Role.ASSISTANT, (Text(0, 0, "Hi."),), MessageState.DONE, 1)
    return list(build_transcript([person, *([answer] if woken else []), reply, person]))


def test_an_end_is_reported_after_the_users_text() -> None:
    words, said, _ = ends(update_task(running(), DONE, 12))
    assert isinstance(words, UserTurn)
    first, second = words.parts
    assert first == TextPart("hello")
    assert isinstance(second, TextPart)
    assert second.text.startswith(f'{TASK_ENDED} t1, shell.run {{"command": "make"}}: done.)\nmade')
    assert said == AssistantTurn((TextPart("It is made."),))


def test_an_end_that_wakes_the_companion_is_a_user_message() -> None:
    kinds = [type(one) for one in ends(update_task(running(), DONE, 12), woken=True)]
    assert kinds == [UserTurn, AssistantTurn, UserTurn, AssistantTurn, UserTurn]


@pytest.mark.parametrize(
    ("signal", "words"),
    [
        (failed("no make"), "failed.)\n⟦foreign: shell.run⟧\nno make\n⟦/foreign⟧"),
        (TaskCancelled(), "cancelled by the user.)\nThe call was cancelled."),
        (TaskOrphaned(), "lost because the app ended.)\nNeoDeskPet ended"),
        (ToolFinished(0, ToolStatus.DENIED, ToolResult("no")), "not run.)\nno"),
    ],
)
def test_other_ends_are_reported_too(signal: TaskSignal, words: str) -> None:
    told, *_ = ends(update_task(running(foreign=True), signal, 12))
    assert isinstance(told, UserTurn)
    assert words in str(told.parts[1].text)  # type: ignore[union-attr]


def test_pictures_of_a_result_are_shown_with_it() -> None:
    from neodeskpet.core.attachments import Picture

    picture = Picture(b"png", "image/png", "shot")
    result = ToolResult("a picture", images=(picture,))
    told, *_ = ends(update_task(running(), ToolFinished(0, ToolStatus.SUCCESS, result), 12))
    assert isinstance(told, UserTurn)
    assert [type(part).__name__ for part in told.parts] == ["TextPart", "TextPart", "ImagePart"]
