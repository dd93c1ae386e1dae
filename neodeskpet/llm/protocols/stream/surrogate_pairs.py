"""Repairs emoji that a gateway cut in two: JSON escapes of half a UTF-16 pair, each in its own
delta.

A lone half in a string can't be stored, shown or sent, so it waits for the other half, and becomes
U+FFFD if that never comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from neodeskpet.core.json_text import has_no_lone_surrogates, repair_surrogates
from neodeskpet.core.wire import (
    RefusalDelta,
    ResponseFinished,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallStarted,
    WireEvent,
)

_Words = TextDelta | RefusalDelta | ThinkingDelta


class PairJoiner:
    """One per response. `repair` passes events on; `end` returns what still waits."""

    def __init__(self) -> None:
        self._held = ""
        self._owner: _Words | ToolArgsDelta | None = None

    @property
    def waits(self) -> bool:
        """Whether a half is held back; then the next events must be repaired too."""
        return self._owner is not None

    def repair(self, events: Iterable[WireEvent]) -> Iterator[WireEvent]:
        for event in events:
            if isinstance(event, _Words | ToolArgsDelta):
                if self._owner is not None or not has_no_lone_surrogates(_text(event)):
                    yield from self._join(event)
                    continue
            elif isinstance(event, ToolCallStarted):
                event = replace(
                    event,
                    call_id=repair_surrogates(event.call_id),
                    name=repair_surrogates(event.name),
                    opaque=repair_surrogates(event.opaque),
                )
            elif isinstance(event, ResponseFinished) and event.raw is not None:
                event = replace(event, raw=repair_surrogates(event.raw))
            yield event

    def end(self) -> Iterator[WireEvent]:
        owner, held = self._owner, self._held
        self._owner, self._held = None, ""
        if owner is not None:
            yield _with_text(owner, repair_surrogates(held))

    def _join(self, event: _Words | ToolArgsDelta) -> Iterator[WireEvent]:
        owner = self._owner
        if owner is not None and (type(owner), owner.index) != (type(event), event.index):
            yield from self.end()
        text = self._held + _text(event)
        self._owner, self._held = None, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._owner, self._held, text = event, text[-1], text[:-1]
        if text or (isinstance(event, ThinkingDelta) and event.opaque):
            yield _with_text(event, repair_surrogates(text))


def _text(event: _Words | ToolArgsDelta) -> str:
    return event.json if isinstance(event, ToolArgsDelta) else event.text


def _with_text(event: _Words | ToolArgsDelta, text: str) -> WireEvent:
    if isinstance(event, ToolArgsDelta):
        return replace(event, json=text)
    return replace(event, text=text)
