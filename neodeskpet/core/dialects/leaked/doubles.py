"""One call that comes twice: a gateway parses it and leaves it in the text too.

The first that is complete stands, the other is dropped: same tool, same arguments, each for one.
A call whose double may still come is held until its arguments are there.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from neodeskpet.core.dialects.leaked.source import NoCallError, Offer, load
from neodeskpet.core.wire import ToolArgsDelta, ToolCallReady, ToolCallStarted, WireEvent

Parsed = ToolCallStarted | ToolArgsDelta | ToolCallReady
_Key = tuple[str, str]


@dataclass(slots=True)
class _Open:
    name: str
    held: bool
    pieces: list[str] = field(default_factory=list)
    events: list[WireEvent] = field(default_factory=list)


class Doubles:
    def __init__(self, offer: Offer) -> None:
        self._offer = offer
        self._open: dict[int, _Open] = {}
        self._parsed: Counter[_Key] = Counter()
        self._leaked: Counter[_Key] = Counter()
        self._waiting: list[tuple[_Key, Sequence[WireEvent]]] = []

    def parsed(self, event: Parsed) -> Sequence[WireEvent]:
        """What is to be told now that this came of a call that wasn't leaked."""
        if isinstance(event, ToolCallStarted):
            name = self._offer.find(event.name) or event.name
            held = any(key[0] == name for key in self._leaked.elements())
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
        """What is to be told of a leaked call that makes `events`."""
        if arguments is None:
            return events
        key = (name, self._written(name, arguments))
        if self._take(self._parsed, key):
            return ()
        if any(call.name == name and not call.held for call in self._open.values()):
            self._waiting.append((key, events))
            return ()
        self._leaked[key] += 1
        return events

    def end(self) -> Sequence[WireEvent]:
        """No more comes: what was held is told."""
        out = [event for call in self._open.values() for event in call.events]
        out += [event for _, events in self._waiting for event in events]
        self._open.clear()
        self._waiting.clear()
        return out

    def _close(self, event: ToolCallReady, call: _Open) -> Sequence[WireEvent]:
        del self._open[event.index]
        key = (call.name, self._written(call.name, "".join(call.pieces)))
        if call.held:
            return () if self._take(self._leaked, key) else call.events
        waiting, self._waiting = self._waiting, []
        self._parsed[key] += 1
        out: list[WireEvent] = [event]
        for other, events in waiting:
            out += self.leaked(other[0], json.loads(other[1]), events)
        return out

    @staticmethod
    def _take(calls: Counter[_Key], key: _Key) -> bool:
        if not calls[key]:
            return False
        calls[key] -= 1
        return True

    def _written(self, name: str, arguments: Mapping[str, object] | str) -> str:
        """The arguments in one form, as the schema has them."""
        if isinstance(arguments, str):
            try:
                read = load(arguments) if arguments.strip() else {}
            except NoCallError:
                return arguments
            arguments = read if isinstance(read, dict) else {"": read}
        typed = self._offer.typed(name, arguments)
        return json.dumps(typed, ensure_ascii=False, sort_keys=True)
