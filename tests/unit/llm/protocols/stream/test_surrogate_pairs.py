from __future__ import annotations

from neodeskpet.core.wire import (
    ResponseFinished,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallStarted,
    WireEvent,
)
from neodeskpet.llm.protocols.stream.surrogate_pairs import PairJoiner


def joined(*events: WireEvent) -> list[WireEvent]:
    joiner = PairJoiner()
    return [*joiner.repair(events), *joiner.end()]


def test_a_surrogate_pair_in_two_deltas_becomes_one_character() -> None:
    assert joined(TextDelta(0, "a\ud83d"), TextDelta(0, "\ude42b"), TextDelta(0, "c")) == [
        TextDelta(0, "a"),
        TextDelta(0, "🙂b"),
        TextDelta(0, "c"),
    ]
    assert joined(ToolArgsDelta(1, '"\ud83d'), ToolArgsDelta(1, '\ude42"')) == [
        ToolArgsDelta(1, '"'),
        ToolArgsDelta(1, '🙂"'),
    ]


def test_a_lone_surrogate_is_replaced() -> None:
    assert joined(TextDelta(0, "\ude42x")) == [TextDelta(0, "\ufffdx")]
    assert joined(TextDelta(0, "a\ud83d")) == [TextDelta(0, "a"), TextDelta(0, "\ufffd")]
    assert joined(TextDelta(0, "\ud83d"), ThinkingDelta(1, "t")) == [
        TextDelta(0, "\ufffd"),
        ThinkingDelta(1, "t"),
    ]
    assert joined(ToolCallStarted(0, "", "f\ud83d")) == [ToolCallStarted(0, "", "f\ufffd")]


def test_the_opaque_part_is_kept() -> None:
    assert joined(ThinkingDelta(0, "\ud83d", "{}"), ThinkingDelta(0, "\ude42")) == [
        ThinkingDelta(0, "", "{}"),
        ThinkingDelta(0, "🙂"),
    ]


def test_other_events_pass() -> None:
    events: list[WireEvent] = [TextDelta(0, "你🙂"), ResponseFinished(StopReason.END)]
    assert joined(*events) == events
