"""No order of signals corrupts a message, neither one that a provider can cause nor any other."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.core.blocks import Message, MessageState, Role, Text, ToolStatus, ToolUse
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import build_transcript
from neodeskpet.core.turn.signals import (
    ApprovalGiven,
    AskApproval,
    Begun,
    CallModel,
    Cancelled,
    EndTurn,
    RunTool,
    Signal,
    ToolFinished,
)
from neodeskpet.core.turn.turn import Turn
from neodeskpet.core.turn.turn_events import BlockEnded, BlockStarted, TextAppended
from neodeskpet.core.turn.turn_limits import TurnLimits
from neodeskpet.core.turn.turn_states import TurnState
from neodeskpet.core.wire import ResponseFinished, StopReason, WireEvent
from tests.support.playbook import Mirror, Output
from tests.support.policies import AskFor
from tests.unit.core.strategies import check_transcript, ends, signals, wire_events

SPECS = (
    ToolSpec("clock", "The time."),
    ToolSpec("write", "Write."),
    ToolSpec("live2d.motion", "Move.", eager=True),
)
QUESTION = Message("q", Role.USER, (Text(0, 0, "Well?"),), MessageState.DONE, 0.0)


class Case:
    """A turn with all invariants that hold after each signal."""

    def __init__(self, parallel: bool, asks: set[str]) -> None:
        limits = TurnLimits(rounds=4, calls=5, parallel=8 if parallel else 1)
        self.turn = Turn("m", SPECS, policy=AskFor(*asks), limits=limits)
        self.mirror = Mirror()
        self.commands: Counter[object] = Counter()
        self.pending: dict[int, RunTool | AskApproval] = {}

    def tell(self, signal: Signal) -> None:
        for output in self.turn.receive(signal, 1.0):
            self.note(output)
        self.catch_up_changes(signal)
        assert tuple(self.mirror.blocks) == self.turn.blocks
        assert (self.mirror.state is not None) == self.turn.ended
        self.check_states()

    def note(self, output: Output) -> None:
        match output:
            case RunTool(index=index) | AskApproval(index=index):
                self.commands[type(output), index] += 1
                self.pending[index] = output
            case CallModel(round=number):
                self.commands[CallModel, number] += 1
            case EndTurn():
                self.commands[EndTurn] += 1
            case _:
                self.mirror.on_turn_event("m", output)

    def catch_up_changes(self, signal: Signal) -> None:
        """A job that reported its end isn't pending any more, unless it was requested again."""
        match signal:
            case ToolFinished(index=index):
                if isinstance(self.pending.get(index), RunTool):
                    del self.pending[index]
            case ApprovalGiven(index=index):
                if isinstance(self.pending.get(index), AskApproval):
                    del self.pending[index]
            case _:
                pass

    def check_states(self) -> None:
        assert all(count == 1 for count in self.commands.values()), "each command once"
        open_cards = {
            block.index
            for block in self.turn.blocks
            if isinstance(block, ToolUse) and not block.status.ended
        }
        if self.turn.ended:
            assert not open_cards
            assert self.commands[EndTurn] == 1
        else:
            assert set(self.pending) <= open_cards
        if self.turn.state in (TurnState.TOOLS, TurnState.WAITING):
            assert self.pending, "nothing would ever wake the turn"

    def check_end(self) -> None:
        assert self.turn.ended
        state = self.mirror.state or MessageState.RUNNING
        reply = Message("m", Role.ASSISTANT, self.turn.blocks, state, 0.0)
        check_transcript(build_transcript([QUESTION, reply]))
        check_transcript(build_transcript([QUESTION, reply, QUESTION]))
        again = Turn("m", SPECS, blocks=self.turn.blocks)
        assert CallModel(again.round + 1) in again.receive(Begun(), 2.0)


ASKS = st.sets(st.sampled_from(["write", "live2d.motion"]))


@settings(max_examples=120, deadline=None)
@given(st.lists(signals, min_size=4, max_size=40), st.booleans(), ASKS)
def test_any_order_of_signals(sequence: list[Signal], parallel: bool, asks: set[str]) -> None:
    case = Case(parallel, asks)
    case.tell(Begun())
    for signal in sequence:
        before = (case.turn.state, case.turn.blocks, case.turn.usage)
        try:
            case.tell(signal)
        except (LookupError, TypeError):
            assert (case.turn.state, case.turn.blocks, case.turn.usage) == before
    case.tell(Cancelled())
    case.check_end()


@settings(max_examples=80, deadline=None)
@given(st.data(), st.booleans(), ASKS)
def test_signals_that_jobs_can_send(data: st.DataObject, parallel: bool, asks: set[str]) -> None:
    """Only requested jobs answer, in any order; the turn ends by itself."""
    case = Case(parallel, asks)
    case.tell(Begun())
    told = 0
    while not case.turn.ended and told < 60:
        told += 1
        ready = sorted(case.pending)
        if case.turn.state is TurnState.STREAMING and not (ready and data.draw(st.booleans())):
            event: WireEvent = data.draw(wire_events)
            try:
                case.tell(event)
            except KeyError:
                continue
        else:
            command = case.pending[data.draw(st.sampled_from(ready))]
            case.tell(answer(data, command))
    end_politely(case)
    case.check_end()


def end_politely(case: Case) -> None:
    """The model sends no more, and everything that still runs ends."""
    for _ in range(20):
        if case.turn.ended:
            return
        waiting = sorted(case.pending.items())
        if not waiting:
            case.tell(ResponseFinished(StopReason.END))
            continue
        index, command = waiting[0]
        if isinstance(command, AskApproval):
            case.tell(ApprovalGiven(index, allowed=True))
        else:
            case.tell(ToolFinished(index, ToolStatus.SUCCESS, ToolResult("said")))
    raise AssertionError("it doesn't end by itself")


def answer(data: st.DataObject, command: RunTool | AskApproval) -> Signal:
    if isinstance(command, AskApproval):
        return ApprovalGiven(command.index, data.draw(st.booleans()))
    return ToolFinished(command.index, data.draw(ends), ToolResult("said"))


def test_the_checks_find_a_fault() -> None:
    mirror = Mirror()
    mirror.on_turn_event("m", BlockStarted(Text(0, 0, "a")))
    mirror.on_turn_event("m", BlockEnded(Text(0, 0, "a")))
    with pytest.raises(AssertionError, match="grows after its end"):
        mirror.on_turn_event("m", TextAppended(0, "b"))
