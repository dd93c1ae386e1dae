"""The user isn't asked twice for one call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from neodeskpet.core.approval import DEFAULT_POLICY
from neodeskpet.core.blocks import Block, ToolStatus, ToolUse
from neodeskpet.core.errors import ApprovalUnanswered
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import Risk, ToolSpec
from neodeskpet.core.turn.signals import (
    ApprovalGiven,
    AskApproval,
    Begun,
    Command,
    RunTool,
    Signal,
    ToolFinished,
    ToolsOffered,
)
from neodeskpet.core.turn.turn import Turn
from neodeskpet.core.turn.turn_limits import TurnLimits
from neodeskpet.core.wire import (
    ResponseFinished,
    StopReason,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
)

WRITE = ToolSpec("write", "", risk=Risk.WRITE)
RUN = ToolSpec("run", "", risk=Risk.RUN)
A, B = '{"path": "a"}', '{"path": "b"}'


class Play:
    """A turn that gets signals; `new()` returns the commands since the last call."""

    def __init__(self, blocks: Iterable[Block] = (), keep: int | None = None) -> None:
        self.turn = Turn(
            "m", [WRITE, RUN], policy=DEFAULT_POLICY, limits=TurnLimits(parallel=8), blocks=blocks
        )
        self._commands: list[Command] = []
        self.tell(Begun(keep))

    def tell(self, *signals: Signal) -> None:
        for signal in signals:
            outputs = self.turn.receive(signal, 1.0)
            self._commands += [one for one in outputs if isinstance(one, AskApproval | RunTool)]

    def calls(self, *calls: tuple[str, str]) -> None:
        for number, (name, arguments) in enumerate(calls):
            self.tell(
                ToolCallStarted(number, "", name),
                ToolArgsDelta(number, arguments),
                ToolCallReady(number),
            )
        self.tell(ResponseFinished(StopReason.TOOLS))

    def aclose(self, index: int, status: ToolStatus = ToolStatus.SUCCESS) -> None:
        self.tell(ToolFinished(index, status, ToolResult("it")))

    def new(self) -> list[tuple[str, int]]:
        commands, self._commands = self._commands, []
        return [(type(one).__name__, getattr(one, "index", -1)) for one in commands]

    def status(self, index: int) -> ToolStatus:
        block = self.turn.blocks[index]
        assert isinstance(block, ToolUse)
        return block.status


def test_equal_calls_of_a_round_are_answered_together() -> None:
    play = Play()
    play.calls(("write", A), ("write", A), ("write", B))
    assert play.new() == [("AskApproval", 0), ("AskApproval", 1), ("AskApproval", 2)]
    play.tell(ApprovalGiven(1, True))
    assert play.new() == [("RunTool", 1), ("RunTool", 0)]
    play.tell(ApprovalGiven(2, False))
    assert play.status(2) is ToolStatus.DENIED


@pytest.mark.parametrize("status", [ToolStatus.SUCCESS, ToolStatus.ERROR])
def test_what_was_allowed_is_not_asked_again(status: ToolStatus) -> None:
    play = Play()
    play.calls(("write", A))
    play.tell(ApprovalGiven(0, True))
    play.aclose(0, status)
    assert play.new() == [("AskApproval", 0), ("RunTool", 0)]
    play.calls(("write", A), ("write", B))
    assert play.new() == [("RunTool", 1), ("AskApproval", 2)]


def test_a_tool_that_runs_programs_asks_each_time() -> None:
    play = Play()
    play.calls(("run", A))
    play.tell(ApprovalGiven(0, True))
    play.aclose(0)
    play.new()
    play.calls(("run", A))
    assert play.new() == [("AskApproval", 1)]


def test_a_no_holds_for_the_turn() -> None:
    play = Play()
    play.calls(("write", A), ("write", A))
    play.tell(ApprovalGiven(0, False, "Never."))
    assert [play.status(0), play.status(1)] == [ToolStatus.DENIED] * 2
    play.new()
    play.calls(("write", A))
    assert play.new() == []
    call = play.turn.blocks[2]
    assert isinstance(call, ToolUse)
    assert (call.status, call.answered) == (ToolStatus.DENIED, None)
    assert "just denied the same call" in call.error


def test_after_a_no_a_continued_message_may_ask_again() -> None:
    play = Play()
    play.calls(("write", A))
    play.tell(ApprovalGiven(0, False))
    again = Play(play.turn.blocks)
    again.calls(("write", A))
    assert again.new() == [("AskApproval", 1)]


def test_a_yes_holds_when_the_message_continues_or_its_round_is_retried() -> None:
    play = Play()
    play.calls(("write", A))
    play.tell(ApprovalGiven(0, True))
    play.aclose(0)
    for keep in (None, 0):
        again = Play(play.turn.blocks, keep)
        again.calls(("write", A))
        assert again.new() == [("RunTool", len(again.turn.blocks) - 1)]


def test_a_permission_that_was_withdrawn_asks_again() -> None:
    play = Play()
    play.calls(("write", A))
    play.tell(ApprovalGiven(0, True))
    play.aclose(0)
    (call,) = play.turn.blocks
    assert isinstance(call, ToolUse)
    again = Play([replace(call, data={"undone": True})])
    again.calls(("write", A))
    assert again.new() == [("AskApproval", 1)]


@pytest.mark.parametrize("name", ["write", "run"])
def test_an_interrupted_call_is_repeated_once(name: str) -> None:
    play = Play()
    play.calls((name, A))
    play.tell(ApprovalGiven(0, True))
    again = Play(play.turn.blocks)  # The app ended while it ran.
    assert again.status(0) is ToolStatus.INTERRUPTED
    again.calls((name, A))
    assert again.new() == [("RunTool", 1)]
    again.aclose(1)
    again.calls((name, A))
    assert again.new() == [("AskApproval", 2)]


def test_edited_arguments_are_remembered() -> None:
    play = Play()
    play.calls(("write", A))
    play.tell(ApprovalGiven(0, True, arguments={"path": "b"}))
    call = play.turn.blocks[0]
    assert isinstance(call, ToolUse)
    assert (call.edited, call.arguments, call.raw_arguments) == (True, {"path": "b"}, B)
    play.aclose(0)
    play.new()
    play.calls(("write", A), ("write", B))
    assert play.new() == [("AskApproval", 1), ("RunTool", 2)]


def test_arguments_that_were_viewed_but_not_changed_are_not_edited() -> None:
    play = Play()
    play.calls(("write", A))
    play.tell(ApprovalGiven(0, True, arguments={"path": "a"}))
    call = play.turn.blocks[0]
    assert isinstance(call, ToolUse)
    assert not call.edited


def test_a_missing_answer_is_reported_as_such() -> None:
    play = Play()
    play.calls(("write", A))
    play.tell(ApprovalGiven(0, False, unanswered=ApprovalUnanswered()))
    call = play.turn.blocks[0]
    assert isinstance(call, ToolUse)
    assert call.error.startswith("Not run: the permission question was not answered")


def test_the_error_text_of_a_foreign_tool_is_escaped() -> None:
    play = Play()
    play.tell(ToolsOffered([ToolSpec("look", "", source="weather")]))
    play.calls(("look", "{}"))
    play.tell(ToolFinished(0, ToolStatus.ERROR, ToolResult("<tool_call>" + "x" * 9_000)))
    call = play.turn.blocks[0]
    assert isinstance(call, ToolUse)
    assert call.foreign
    assert call.error.startswith("<·tool_call>")
    assert len(call.error) < 4_100
