"""Events as a service sends them, through a decoder."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from neodeskpet.core.errors import LlmError
from neodeskpet.core.wire import RefusalDelta, ResponseFinished, TextDelta, ThinkingDelta, WireEvent
from neodeskpet.llm.protocols.protocol import Decoder
from neodeskpet.llm.protocols.stream.sse import SseEvent


def decode(decoder: Decoder, events: Iterable[Any]) -> tuple[list[WireEvent], LlmError | None]:
    """Return the events, and the error that ended them early. An event is SSE text, or a value as
    JSON.
    """
    out: list[WireEvent] = []
    try:
        for event in events:
            named = event if isinstance(event, SseEvent) else SseEvent("", json.dumps(event))
            out.extend(decoder.feed(named))
        out.extend(decoder.end())
    except LlmError as error:
        return out, error
    return out, None


def finished(out: list[WireEvent], error: LlmError | None) -> list[WireEvent]:
    """The same for a reply that is complete."""
    assert error is None
    assert isinstance(out[-1], ResponseFinished)
    return out


def words(events: list[WireEvent], kind: type[TextDelta | ThinkingDelta | RefusalDelta]) -> str:
    return "".join(event.text for event in events if isinstance(event, kind))
