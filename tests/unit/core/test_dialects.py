"""The table of dialects, and the rules for all of them."""

import pytest

from neodeskpet.core.dialects import DIALECTS, NATIVE, TOOL_REQUEST, Dialect
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.wire import (
    ResponseFinished,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    UsageReported,
    WireEvent,
)

EVERY = pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS.keys())


def test_the_keys_of_the_table_are_the_names() -> None:
    assert {NATIVE.name: NATIVE, TOOL_REQUEST.name: TOOL_REQUEST}.items() <= DIALECTS.items()
    assert all(dialect.name == name for name, dialect in DIALECTS.items())


@EVERY
def test_only_text_dialects_announce_tools(dialect: Dialect) -> None:
    said = dialect.announce([ToolSpec("clock.now", "The time.")])
    assert bool(said) is not dialect.native
    assert ("clock.now" in said) is not dialect.native
    assert dialect.announce([]) == ""


@EVERY
def test_native_calls_and_other_events_pass_a_reader(dialect: Dialect) -> None:
    events: list[WireEvent] = [
        ThinkingDelta(0, "Hm"),
        TextDelta(1, "Hi"),
        ToolCallStarted(2, "c", "clock"),
        ToolArgsDelta(2, "{}"),
        ToolCallReady(2),
        UsageReported(1, 2),
        ResponseFinished(StopReason.TOOLS, "tool_calls"),
    ]
    reader = dialect.reader()
    ready, usage = events[4:6]
    if dialect.name == "tool_tag":  # The calls run together after the stream.
        events[4:6] = [usage, ready]
    read = [made for event in (*events[:4], ready, usage, events[6]) for made in reader.read(event)]
    assert read == events


@EVERY
def test_every_response_has_its_own_reader(dialect: Dialect) -> None:
    assert dialect.reader() is not dialect.reader() or dialect.native
