"""A call that a gateway parses and also leaves in the text is one call."""

from __future__ import annotations

import pytest

from neodeskpet.core.dialects import NATIVE
from neodeskpet.core.dialects.leaked import LeakReader
from neodeskpet.core.wire import (
    ResponseFinished,
    StopReason,
    TextDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    WireEvent,
)
from tests.unit.core.dialects.leaked.leaking import TOOLS

IN_TEXT = (
    '<tool_call>{"name": "get_weather", "arguments": {"days": "3", "city": "Paris"}}</tool_call>'
)
OTHER = '<tool_call>{"name": "get_weather", "arguments": {"city": "Rome"}}</tool_call>'
CUT = '<tool_call>{"name": "get_weather", "arguments": {"ci'
GIVEN = '{"city": "Paris", "days": 3}'


def begun(index: int = 0, name: str = "get_weather") -> list[WireEvent]:
    return [ToolCallStarted(index, f"id{index}", name)]


def ended(given: str = GIVEN, index: int = 0) -> list[WireEvent]:
    half = len(given) // 2
    pieces = [ToolArgsDelta(index, given[:half]), ToolArgsDelta(index, given[half:])]
    return [*pieces, ToolCallReady(index)]


def text(words: str) -> list[WireEvent]:
    return [TextDelta(0, piece) for piece in (words[:20], words[20:]) if piece]


def calls(*events: list[WireEvent]) -> list[str]:
    """Return `leaked` or the id of each complete call, and `open` for others; all are started
    first.
    """
    reader = LeakReader(NATIVE.reader(), TOOLS)
    heard = [one for some in events for event in some for one in reader.read(event)]
    heard += reader.read(ResponseFinished(StopReason.END))
    assert heard[-1] == ResponseFinished(StopReason.END)
    begun_at = {one.index: one for one in heard if isinstance(one, ToolCallStarted)}
    ready = {one.index for one in heard if isinstance(one, ToolCallReady)}
    for one in heard:
        if isinstance(one, ToolArgsDelta | ToolCallReady):
            assert heard.index(begun_at[one.index]) < heard.index(one)
    return [
        ("leaked" if one.leaked else one.call_id) + ("" if index in ready else " open")
        for index, one in begun_at.items()
    ]


@pytest.mark.parametrize(
    ("events", "left"),
    [
        ([text(IN_TEXT), begun(), ended()], ["leaked"]),
        ([begun(), ended(), text(IN_TEXT)], ["id0"]),
        ([begun(), text(IN_TEXT), ended()], ["id0"]),
        ([text(IN_TEXT), text(IN_TEXT), begun(), ended()], ["leaked", "leaked"]),
        ([text(IN_TEXT), begun(), ended(), begun(1), ended(index=1)], ["leaked", "id1"]),
        ([begun(), ended(), begun(1), ended(index=1), text(IN_TEXT)], ["id0", "id1"]),
        ([begun(), ended(), text(IN_TEXT), text(IN_TEXT)], ["id0", "leaked"]),
        ([text(OTHER), begun(), ended()], ["leaked", "id0"]),
        ([begun(), text(OTHER), ended()], ["id0", "leaked"]),
        ([begun(), text(IN_TEXT), ended("{"), begun(1), ended("[1]", 1)], ["id0", "leaked", "id1"]),
        ([begun(name="clock_now"), ended(""), text(IN_TEXT)], ["id0", "leaked"]),
        ([text(IN_TEXT), begun(name="clock_now"), ended("")], ["leaked", "id0"]),
        ([begun(), ended(), text(CUT)], ["id0", "leaked open"]),
        ([text(IN_TEXT), begun()], ["leaked", "id0 open"]),
        ([begun(), text(IN_TEXT)], ["id0 open", "leaked"]),
        ([begun(), begun(1), text(IN_TEXT), ended(index=1), ended("{}")], ["id0", "id1"]),
    ],
)
def test_duplicates_are_dropped(events: list[list[WireEvent]], left: list[str]) -> None:
    assert calls(*events) == left


def test_the_end_of_a_call_without_a_start_passes() -> None:
    reader = LeakReader(NATIVE.reader(), TOOLS)
    assert list(reader.read(ToolArgsDelta(7, "{}"))) == [ToolArgsDelta(7, "{}")]
