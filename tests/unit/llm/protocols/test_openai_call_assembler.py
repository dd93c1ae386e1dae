from __future__ import annotations

import json
from itertools import count
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.core.wire import ToolArgsDelta, ToolCallReady, ToolCallStarted, WireEvent
from neodeskpet.llm.protocols.openai_call_assembler import CallAssembler, JsonDepth


def whole(*pieces: str) -> bool:
    depth = JsonDepth()
    for piece in pieces:
        depth.add(piece)
        depth.is_whole()
    return depth.is_whole()


def test_complete_objects_and_their_beginnings() -> None:
    text = '{"a": "}\\"{", "b": [1, {"c": "\\\\"}], "你": null}'
    for place in range(len(text)):
        assert not whole(text[:place])
        assert whole(text[:place], text[place:])
    assert whole(text + "\n ")
    assert not whole(text + "x")
    assert not whole("")
    assert not whole("3")


VALUES = st.recursive(
    st.text(max_size=4) | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=4), VALUES), st.booleans(), st.integers(0, 100))
def test_agrees_with_the_json_parser(value: object, ascii_only: bool, place: int) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert whole(text[:place], text[place:])
    assert not whole(text[:-1])


def assemble(*deltas: dict[str, Any], start: int = 0) -> list[WireEvent]:
    events: list[WireEvent] = []
    calls = CallAssembler(events.append, count(start).__next__)
    for delta in deltas:
        calls.take(delta)
    calls.close_all()
    starts = [event for event in events if isinstance(event, ToolCallStarted)]
    assert len(calls) == len(starts)
    return events


def test_calls_are_numbered_by_the_caller() -> None:
    assert assemble(
        {"id": "1", "function": {"name": "f", "arguments": "{}"}},
        {"id": "2", "function": {"name": "g"}},
        start=5,
    ) == [
        ToolCallStarted(5, "1", "f"),
        ToolArgsDelta(5, "{}"),
        ToolCallReady(5),
        ToolCallStarted(6, "2", "g"),
        ToolCallReady(6),
    ]


def test_an_empty_delta_opens_nothing() -> None:
    empty: list[dict[str, Any]] = [
        {"index": 0, "type": "function", "function": {}},
        {},
        {"index": 0, "function": {"arguments": " "}},
    ]
    assert assemble(*empty) == []
