"""The result of a `LeakReader` for a reply, in a form that doesn't show how the reply was split."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from neodeskpet.core.dialects import NATIVE
from neodeskpet.core.dialects.leaked import LEAK_INDEX, LeakReader
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.wire import (
    ResponseFinished,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    WireEvent,
)


def tool(name: str, **properties: str) -> ToolSpec:
    """A tool with these arguments; the value is the JSON type."""
    schema = {key: {"type": kind} for key, kind in properties.items()}
    return ToolSpec(name, "", {"type": "object", "properties": schema})


TOOLS = (
    tool("get_weather", city="string", days="integer", metric="boolean"),
    tool("search", query="string"),
    tool("clock_now"),
    tool("live2d.motion", group="string", index="integer"),
    tool("edit", old="string", tags="array", options="object"),
    ToolSpec("note", "", {"properties": {"text": {"type": ["string", "null"]}}}),
)

PARIS = ("get_weather", {"city": "Paris"})
CATS = ("search", {"query": "cats"})
CLOCK: tuple[str, object] = ("clock_now", {})
JSON = '{"name": "get_weather", "arguments": {"city": "Paris"}}'
JSON_TWO = JSON + ', {"name": "search", "parameters": {"query": "cats"}}'


@dataclass(slots=True)
class Heard:
    """`calls` are complete calls; `broken` are the names of calls that were cut off."""

    text: str = ""
    thinking: str = ""
    calls: list[tuple[str, object]] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)


def read(
    pieces: Iterable[str], tools: Sequence[ToolSpec] = TOOLS, sent: Iterable[str] = ()
) -> Heard:
    """Read a whole response with a new reader around the native dialect."""
    reader = LeakReader(NATIVE.reader(), tools, sent)
    events = [made for piece in pieces for made in reader.read(TextDelta(0, piece))]
    *rest, last = reader.read(ResponseFinished(StopReason.END))
    assert last == ResponseFinished(StopReason.END)
    return hear([*events, *rest])


def hear(events: Iterable[WireEvent]) -> Heard:
    heard = Heard()
    names: dict[int, str] = {}
    arguments: dict[int, str] = {}
    for event in events:
        match event:
            case TextDelta(text=text):
                assert text, "an empty delta"
                heard.text += text
            case ThinkingDelta(text=text):
                heard.thinking += text
            case ToolCallStarted(index=index, name=name, leaked=leaked):
                assert leaked
                assert index == LEAK_INDEX + len(names)
                names[index] = name
            case ToolArgsDelta(index=index, json=piece):
                arguments[index] = arguments.get(index, "") + piece
            case ToolCallReady(index=index):
                heard.calls.append((names.pop(index), json.loads(arguments[index])))
                names[index] = ""
            case _:
                raise AssertionError(f"unexpected {event!r}")
    heard.broken = [name for name in names.values() if name]
    return heard
