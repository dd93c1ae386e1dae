"""A turn asks because of what the model reads, and its text keeps the labels of its sources."""

from neodeskpet.core.approval import DEFAULT_POLICY
from neodeskpet.core.blocks import Text, ToolStatus, ToolUse
from neodeskpet.core.data_labels import (
    DataSource,
    FlowCause,
    FlowQuestion,
    Labels,
    SourceKind,
    labels_of,
)
from neodeskpet.core.grant_scope import ScopeKind
from neodeskpet.core.information_flow import ContextReading, reading_of_text
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import Disclosure, ToolSpec
from neodeskpet.core.turn.signals import (
    ApprovalGiven,
    AskApproval,
    Begun,
    CallModel,
    ContextRead,
    RunTool,
    Signal,
    ToolFinished,
)
from neodeskpet.core.turn.turn import Turn
from neodeskpet.core.wire import (
    ResponseFinished,
    StopReason,
    TextDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
)

PAGE = DataSource(SourceKind.PAGE)
READ = reading_of_text("A page.", labels_of(PAGE, untrusted=True))
FETCH = ToolSpec(
    "web.fetch",
    "",
    outside=True,
    reads=SourceKind.PAGE,
    sends=Disclosure.ADDRESS,
    scope={"url": ScopeKind.HOST},
)
SENT = '{"url": "http://a.example/?q=1"}'


def told(turn: Turn, *signals: Signal) -> list[object]:
    return [output for signal in signals for output in turn.receive(signal, 0.0)]


def calling(reading: ContextReading) -> list[Signal]:
    return [
        Begun(),
        ContextRead(reading),
        TextDelta(0, "I look."),
        ToolCallStarted(1, "a", "web.fetch"),
        ToolArgsDelta(1, SENT),
        ToolCallReady(1),
        ResponseFinished(StopReason.TOOLS),
    ]


def test_a_call_asks_because_of_what_was_read_and_says_why() -> None:
    turn = Turn("m", [FETCH], policy=DEFAULT_POLICY)
    outputs = told(turn, *calling(READ))
    (asked,) = [one for one in outputs if isinstance(one, AskApproval)]
    assert asked.flow == FlowQuestion(FlowCause.COMPOSED, (PAGE,), (), "a.example")
    text, call = turn.blocks
    assert isinstance(text, Text) and text.untrusted == (PAGE,)
    assert isinstance(call, ToolUse) and call.flow == asked.flow
    (run,) = [one for one in told(turn, ApprovalGiven(1, True)) if isinstance(one, RunTool)]
    assert run.approved and run.labels == READ.labels


def test_nothing_asks_before_anything_was_read_and_a_result_adds_its_labels() -> None:
    turn = Turn("m", [FETCH], policy=DEFAULT_POLICY)
    (run,) = [one for one in told(turn, *calling(ContextReading())) if isinstance(one, RunTool)]
    assert not run.approved and run.labels == Labels()
    note = Labels((), (DataSource(SourceKind.NOTE),))
    outputs = told(turn, ToolFinished(1, ToolStatus.SUCCESS, ToolResult("x", labels=note)))
    assert CallModel(1) in outputs
    text, call = turn.blocks
    assert isinstance(text, Text) and text.untrusted == ()
    assert isinstance(call, ToolUse) and call.labels == Labels((PAGE,), note.private)
