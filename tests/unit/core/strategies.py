"""Generated messages and signals, and the invariants of every transcript."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from neodeskpet.core.blocks import (
    Block,
    Image,
    Message,
    MessageState,
    Notice,
    Role,
    Text,
    Thinking,
    ToolStatus,
    ToolUse,
)
from neodeskpet.core.errors import PictureNotDescribed, Unreachable
from neodeskpet.core.transcript import (
    AssistantTurn,
    CallPart,
    ModelMessage,
    ToolResults,
    UserTurn,
)
from neodeskpet.core.turn.signals import (
    ApprovalGiven,
    Begun,
    Cancelled,
    ModelFailed,
    ToolFinished,
    ToolProgressed,
)
from neodeskpet.core.wire import (
    DescriptionAnnounced,
    DescriptionFailed,
    LoadingAnnounced,
    ModelNamed,
    PictureDescribed,
    RefusalDelta,
    ResponseFinished,
    RetryAnnounced,
    StopReason,
    TextDelta,
    TextRetracted,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    UsageReported,
    WaitAnnounced,
)

words = st.sampled_from(["", " ", "\n", "a", "Hi there", "你好「末」", "{}", "<<", "```\n"])
names = st.sampled_from(["live2d_motion", "write", "clock", "nonsense", ""])
ids = st.sampled_from(["", "c", "call_0_0", "call_1_0"])
wire = st.integers(0, 1)  # A small range, so that signals often have the same index.
block_indices = st.integers(0, 3)
pieces = st.sampled_from(["", "{}", '{"n":', "1}", "x"])
arguments = st.sampled_from([{}, {"n": 1}, {"a": [None, True], "猫": {"b": 1.5}}])
ends = st.sampled_from(
    [ToolStatus.SUCCESS, ToolStatus.ERROR, ToolStatus.CANCELLED, ToolStatus.DENIED]
)

calls = st.one_of(
    st.builds(ToolCallStarted, wire, ids, names),
    st.builds(ToolArgsDelta, wire, pieces),
    st.builds(ToolCallReady, wire),
)
wire_events = st.one_of(
    calls,
    st.builds(TextDelta, wire, words),
    st.builds(RefusalDelta, wire, words),
    st.builds(ThinkingDelta, wire, words, st.sampled_from(["", "sig"])),
    st.builds(ModelNamed, st.sampled_from(["big", "small"])),
    st.builds(UsageReported, st.integers(0, 9), st.integers(0, 9)),
    st.just(RetryAnnounced(1, 0.5, "unreachable")),
    st.just(DescriptionAnnounced(2)),
    st.builds(PictureDescribed, ids, words),
    st.just(DescriptionFailed(PictureNotDescribed("nobody"))),
    st.just(LoadingAnnounced("tiny")),
    st.just(WaitAnnounced(12.0)),
    st.builds(TextRetracted, st.integers(0, 3)),
    st.builds(ResponseFinished, st.sampled_from(StopReason)),
)
job_signals = st.one_of(
    st.builds(ToolProgressed, block_indices, st.just(0.5)),
    st.builds(ToolFinished, block_indices, ends, words),
    st.builds(ApprovalGiven, block_indices, st.booleans(), words, st.none() | arguments),
)
edges = st.sampled_from([Begun(), ModelFailed(Unreachable()), Cancelled()])
signals = st.one_of(calls, wire_events, job_signals, job_signals | edges)


# Blocks with place and round 0: they are made once, because making a strategy is expensive.
_zero = st.just(0)
_text = st.builds(Text, _zero, _zero, words)
_thinking = st.builds(Thinking, _zero, _zero, words, words)
_call = st.builds(
    ToolUse,
    _zero,
    _zero,
    ids,
    names,
    words,
    st.none() | arguments,
    st.sampled_from(ToolStatus),
    words,
    words,
)
_blocks: dict[Role, st.SearchStrategy[list[Block]]] = {
    Role.USER: st.lists(_text | st.just(Image(0, 0, "d1", "image/png")), max_size=3),
    Role.ASSISTANT: st.lists(_text | _thinking | _call | st.just(Notice(0, 0, "x")), max_size=6),
}
_steps = st.lists(st.integers(0, 1), min_size=6, max_size=6)


@st.composite
def messages(draw: st.DrawFn) -> Message:
    """Draw a message of either side; the round grows by one or stays."""
    role = draw(st.sampled_from(Role))
    steps = draw(_steps)
    blocks = tuple(
        replace(block, index=index, round=sum(steps[: index + 1]))
        for index, block in enumerate(draw(_blocks[role]))
    )
    return Message("m", role, blocks, MessageState.DONE, 0.0)


def check_transcript(transcript: list[ModelMessage]) -> None:
    """Check that the user begins, calls and results are paired, ids differ, sides alternate, and
    the last message isn't the model's.
    """
    seen: set[str] = set()
    assert not transcript or isinstance(transcript[0], UserTurn)
    for place, message in enumerate(transcript):
        before = transcript[place - 1] if place else None
        after = transcript[place + 1] if place + 1 < len(transcript) else None
        if isinstance(message, AssistantTurn):
            assert not isinstance(before, AssistantTurn)
            assert message.parts
            calls = [part for part in message.parts if isinstance(part, CallPart)]
            results = after.results if isinstance(after, ToolResults) else ()
            assert [(c.call_id, c.name) for c in calls] == [(r.call_id, r.name) for r in results]
            new = {call.call_id for call in calls}
            assert len(new) == len(calls)
            assert not new & seen
            seen |= new
        elif isinstance(message, ToolResults):
            assert isinstance(before, AssistantTurn)
            assert message.results
        else:
            assert isinstance(message, UserTurn)
            assert not isinstance(before, UserTurn)
            assert message.parts
    assert not transcript or not isinstance(transcript[-1], AssistantTurn)
