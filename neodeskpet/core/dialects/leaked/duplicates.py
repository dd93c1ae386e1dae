"""Removes duplicates: a gateway may parse a call and also leave it in the text.

Of two calls with the same tool and arguments the first complete one is kept and the other dropped.
A call whose duplicate may still arrive is held until its arguments are complete.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from neodeskpet.core.dialects.leaked.source import NoCallError, ToolTable, load
from neodeskpet.core.wire import ToolArgsDelta, ToolCallReady, ToolCallStarted, WireEvent

Parsed = ToolCallStarted | ToolArgsDelta | ToolCallReady


class _Made:
    """A call that was made. Its arguments are parsed only if another call may be its duplicate:
    that is rare, and a file of a megabyte takes long.
    """

    def __init__(self, tools: ToolTable, name: str, arguments: Mapping[str, object] | str) -> None:
        self.name = name
        self.arguments = arguments
        self._tools = tools

    @cached_property
    def written(self) -> str:
        """The arguments in normal form, with the types of the schema."""
        arguments = self.arguments
        if isinstance(arguments, str):
            try:
                read = load(arguments) if arguments.strip() else {}
            except NoCallError:
                return arguments
            arguments = read if isinstance(read, dict) else {"": read}
        typed = self._tools.typed(self.name, arguments)
        return json.dumps(typed, ensure_ascii=False, sort_keys=True)


@dataclass(slots=True)
class _Open:
    name: str
    held: bool
    pieces: list[str] = field(default_factory=list)
    events: list[WireEvent] = field(default_factory=list)


class Duplicates:
    def __init__(self, tools: ToolTable) -> None:
        self._tools = tools
        self._open: dict[int, _Open] = {}
        self._parsed: list[_Made] = []
        self._leaked: list[_Made] = []
        self._waiting: list[tuple[_Made, Sequence[WireEvent]]] = []

    def parsed(self, event: Parsed) -> Sequence[WireEvent]:
        """Return the events to yield after this event of a call that didn't leak."""
        if isinstance(event, ToolCallStarted):
            name = self._tools.find(event.name) or event.name
            held = any(said.name == name for said in self._leaked)
            self._open[event.index] = _Open(name, held)
        call = self._open.get(event.index)
        if call is None:
            return (event,)
        if isinstance(event, ToolArgsDelta):
            call.pieces.append(event.json)
        if call.held:
            call.events.append(event)
        if isinstance(event, ToolCallReady):
            return self._close(event, call)
        return () if call.held else (event,)

    def leaked(
        self, name: str, arguments: Mapping[str, object] | None, events: Sequence[WireEvent]
    ) -> Sequence[WireEvent]:
        """Return the events to yield for a leaked call with these `events`."""
        if arguments is None:
            return events
        return self._leak(_Made(self._tools, name, arguments), events)

    def end(self) -> Sequence[WireEvent]:
        """Return the held events at the end of the reply."""
        out = [event for call in self._open.values() for event in call.events]
        out += [event for _, events in self._waiting for event in events]
        self._open.clear()
        self._waiting.clear()
        return out

    def _leak(self, said: _Made, events: Sequence[WireEvent]) -> Sequence[WireEvent]:
        if _take(self._parsed, said):
            return ()
        if any(call.name == said.name and not call.held for call in self._open.values()):
            self._waiting.append((said, events))
            return ()
        self._leaked.append(said)
        return events

    def _close(self, event: ToolCallReady, call: _Open) -> Sequence[WireEvent]:
        del self._open[event.index]
        said = _Made(self._tools, call.name, "".join(call.pieces))
        if call.held:
            return () if _take(self._leaked, said) else call.events
        waiting, self._waiting = self._waiting, []
        self._parsed.append(said)
        out: list[WireEvent] = [event]
        for other, events in waiting:
            out += self._leak(other, events)
        return out


def _take(calls: list[_Made], wanted: _Made) -> bool:
    """Remove an equal call from `calls`; return whether there was one."""
    for number, said in enumerate(calls):
        if said.name == wanted.name and said.written == wanted.written:
            del calls[number]
            return True
    return False
