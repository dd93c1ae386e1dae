"""A model that follows a script: the double that tests and demonstrations use instead of a service.

::

    model = ScriptedModel(
        [scripted_text("Hel", "lo!"), scripted_call("live2d.expression", {"name": "smile"})],
        [scripted_thinking("A greeting."), scripted_text("Nice to meet you.")],
        [scripted_text("And th"), StreamBroken()],
    )

One list is one response. Its items are parts (`scripted_text`, `scripted_thinking`,
`scripted_call`), wire events, an `LlmError` to raise, an `asyncio.Event` to wait for, or seconds to
wait.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from neodeskpet.core.errors import LlmError
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.wire import (
    RefusalDelta,
    ResponseFinished,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    WireEvent,
)

_Delta = TextDelta | ThinkingDelta | RefusalDelta | ToolCallStarted | ToolArgsDelta | ToolCallReady


@dataclass(frozen=True, slots=True)
class ScriptedPart:
    """Deltas of one part of a response; they get the next free index when they are played."""

    deltas: tuple[_Delta, ...]


ScriptItem = ScriptedPart | WireEvent | LlmError | asyncio.Event | float


def scripted_text(*pieces: str) -> ScriptedPart:
    """Make a part with text, one delta for each piece."""
    return ScriptedPart(tuple(TextDelta(0, piece) for piece in pieces))


def scripted_thinking(*pieces: str, opaque: str = "") -> ScriptedPart:
    """Make a part with thinking; `opaque` comes with the last piece."""
    deltas = [ThinkingDelta(0, piece) for piece in pieces]
    return ScriptedPart((*deltas[:-1], replace(deltas[-1], opaque=opaque)))


def scripted_call(
    name: str,
    arguments: Mapping[str, object] | str | None = None,
    *,
    call_id: str = "",
    pieces: int = 3,
) -> ScriptedPart:
    """Make a part with a tool call whose arguments come in `pieces` deltas. A string is sent
    unchanged, so a script can contain broken JSON.
    """
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    size = max(1, -(-len(raw) // pieces))
    deltas = [ToolArgsDelta(0, raw[at : at + size]) for at in range(0, len(raw), size)]
    return ScriptedPart((ToolCallStarted(0, call_id, name), *deltas, ToolCallReady(0)))


class ScriptedModel:
    """A model (`core.model.Model`) that plays one list of items for each call. `requests` has the
    requests so far, `abandoned` counts the responses that were closed before their end. A response
    without an end event gets an ordinary one.
    """

    def __init__(self, *responses: Sequence[ScriptItem], label: str = "Scripted model") -> None:
        self.requests: list[ModelRequest] = []
        self.abandoned = 0
        self._responses = responses
        self._label = label

    @property
    def label(self) -> str:
        return self._label

    def add(self, *responses: Sequence[ScriptItem]) -> None:
        """Add responses to the end of the script."""
        self._responses = (*self._responses, *responses)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        """Play the next response. Raises IndexError when the script has no more responses."""
        number = len(self.requests)
        self.requests.append(request)
        if number >= len(self._responses):
            raise IndexError(f"The script has {len(self._responses)} responses; one more was asked")
        ended = False
        try:
            for step in _steps(self._responses[number]):
                match step:
                    case LlmError():
                        ended = True
                        raise step
                    case asyncio.Event():
                        await step.wait()
                    case float() | int():
                        await asyncio.sleep(step)
                    case _:
                        ended = isinstance(step, ResponseFinished)
                        yield step
        finally:
            self.abandoned += not ended


def _steps(items: Sequence[ScriptItem]) -> Iterator[WireEvent | LlmError | asyncio.Event | float]:
    """Yield the items with their parts expanded, and an end if they have none."""
    following = 0
    calls = False
    last: object = None
    for item in items:
        for step in _play(item, following):
            if isinstance(step, _Delta):
                following = max(following, step.index + 1)
            calls = calls or isinstance(step, ToolCallStarted)
            last = step
            yield step
    if not isinstance(last, ResponseFinished | LlmError):
        yield ResponseFinished(StopReason.TOOLS if calls else StopReason.END)


def _play(item: ScriptItem, index: int) -> Iterator[WireEvent | LlmError | asyncio.Event | float]:
    if isinstance(item, ScriptedPart):
        for delta in item.deltas:
            yield replace(delta, index=index)
    else:
        yield item
