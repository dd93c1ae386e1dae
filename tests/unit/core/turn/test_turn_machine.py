"""In every running state a turn can fail and be stopped, and then it has ended."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from neodeskpet.core.blocks import MessageState
from neodeskpet.core.errors import Unreachable
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.turn.signals import (
    ApprovalGiven,
    AskApproval,
    Begun,
    Cancelled,
    EndTurn,
    ModelFailed,
    RunTool,
    Signal,
    ToolFinished,
)
from neodeskpet.core.turn.turn import Turn
from neodeskpet.core.turn.turn_events import TurnEnded
from neodeskpet.core.turn.turn_limits import TurnLimits
from neodeskpet.core.turn.turn_states import TurnState
from neodeskpet.core.wire import ResponseFinished, StopReason, ToolArgsDelta, ToolCallReady
from neodeskpet.core.wire import ToolCallStarted as Started
from tests.support.playbook import Mirror, Output
from tests.support.policies import AskFor
from tests.unit.core.strategies import ends, job_signals, names, wire_events
from tests.unit.core.turn.test_turn_orders import ASKS, SPECS

DEEP = '{"a":' * 970 + "1" + "}" * 970
"""Arguments that can be read but not serialised."""


class Driven(RuleBasedStateMachine):
    """All signals that the runner can send to a turn, in any order; jobs may never answer."""

    def __init__(self) -> None:
        super().__init__()
        self.mirror = Mirror()
        self.ended: list[MessageState] = []
        self.pending: dict[int, RunTool | AskApproval] = {}
        self.calls = 0

    @initialize(parallel=st.booleans(), asks=ASKS)
    def make(self, parallel: bool, asks: set[str]) -> None:
        self.turn = Turn(
            "m",
            SPECS,
            policy=AskFor(*asks),
            limits=TurnLimits(rounds=5, parallel=8 if parallel else 1),
        )

    def tell(self, signal: Signal) -> None:
        for output in self.turn.receive(signal, 1.0):
            self.note(output)

    def note(self, output: Output) -> None:
        match output:
            case RunTool(index=index) | AskApproval(index=index):
                self.pending[index] = output
            case EndTurn(state=state):
                self.ended.append(state)
            case TurnEnded():
                self.mirror.on_turn_event("m", output)

    def is_in(self, *states: TurnState) -> bool:
        return self.turn.state in states

    @precondition(lambda self: self.is_in(TurnState.READY))
    @rule()
    def start(self) -> None:
        self.tell(Begun())

    @precondition(lambda self: self.is_in(TurnState.STREAMING))
    @rule(event=wire_events)
    def stream(self, event: object) -> None:
        try:
            self.tell(event)  # type: ignore[arg-type]
        except KeyError:
            assert self.turn.state is TurnState.STREAMING  # It is refused, and the turn continues.

    @precondition(lambda self: self.is_in(TurnState.STREAMING))
    @rule(name=names, raw=st.sampled_from(["{}", '{"n":1}', "{", DEEP]))
    def call(self, name: str, raw: str) -> None:
        self.calls += 1
        wire = 100 + self.calls
        for event in (Started(wire, "", name), ToolArgsDelta(wire, raw), ToolCallReady(wire)):
            self.tell(event)

    @precondition(lambda self: self.is_in(TurnState.STREAMING))
    @rule()
    def finish(self) -> None:
        self.tell(ResponseFinished(StopReason.TOOLS))

    @precondition(lambda self: self.pending)
    @rule(data=st.data(), status=ends, allowed=st.booleans())
    def answer(self, data: st.DataObject, status: object, allowed: bool) -> None:
        command = self.pending.pop(data.draw(st.sampled_from(sorted(self.pending))))
        if isinstance(command, AskApproval):
            self.tell(ApprovalGiven(command.index, allowed))
        else:
            self.tell(ToolFinished(command.index, status, ToolResult("said")))  # type: ignore[arg-type]

    @rule(signal=job_signals)
    def stray(self, signal: Signal) -> None:
        """A signal of a job that the turn doesn't wait for (any more), or of no job at all."""
        try:
            self.tell(signal)
        except (LookupError, TypeError):
            return

    @rule(end=st.sampled_from([Cancelled(), ModelFailed(Unreachable())]))
    def stop(self, end: Signal) -> None:
        live = not self.turn.ended
        self.tell(end)
        assert self.turn.ended
        if live:
            failed = isinstance(end, ModelFailed)
            wanted = MessageState.FAILED if failed else MessageState.CANCELLED
            assert self.ended == [wanted]

    @invariant()
    def the_end_is_told_once(self) -> None:
        if hasattr(self, "turn"):
            assert len(self.ended) == int(self.turn.ended)
            assert (self.mirror.state is not None) == self.turn.ended


Driven.TestCase.settings = settings(max_examples=80, stateful_step_count=30)
TestDriven = Driven.TestCase
