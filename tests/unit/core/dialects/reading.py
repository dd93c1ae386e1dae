"""The result of a reader for a reply, in a form that doesn't show how the reply was split."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from neodeskpet.core.dialects import TOOL_REQUEST, Dialect
from neodeskpet.core.wire import (
    ResponseFinished,
    StopReason,
    TextDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    WireEvent,
)


@dataclass(slots=True)
class Call:
    name: str
    json: str = ""
    ready: bool = False


def gather(events: Iterable[WireEvent]) -> list[str | Call]:
    """Collect texts (neighbours joined) and calls in the order of their appearance."""
    items: list[str | Call] = []
    calls: dict[int, Call] = {}
    for event in events:
        match event:
            case TextDelta(text=text):
                assert text, "an empty delta"
                if items and isinstance(items[-1], str):
                    items[-1] += text
                else:
                    items.append(text)
            case ToolCallStarted(index=index, name=name):
                assert index not in calls, "two calls with the same index"
                calls[index] = Call(name)
                items.append(calls[index])
            case ToolArgsDelta(index=index, json=json):
                assert not calls[index].ready
                calls[index].json += json
            case ToolCallReady(index=index):
                assert not calls[index].ready
                calls[index].ready = True
            case _:
                raise AssertionError(f"unexpected {event!r}")
    return items


def read(*pieces: str, dialect: Dialect = TOOL_REQUEST) -> list[str | Call]:
    """Read a whole response with a new reader of a text dialect."""
    reader = dialect.reader()
    events = [made for piece in pieces for made in reader.read(TextDelta(0, piece))]
    *rest, last = reader.read(ResponseFinished(StopReason.END))
    assert last == ResponseFinished(StopReason.END)
    return gather([*events, *rest])


def shown(items: list[str | Call]) -> str:
    return "".join(item for item in items if isinstance(item, str))
