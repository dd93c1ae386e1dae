"""Tries an endpoint: what works, and which mode to use. Every step is a small real request."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from neodeskpet.core.errors import LlmError, ToolsUnsupported
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import ModelMessage, TextPart, UserTurn
from neodeskpet.core.wire import (
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallStarted,
    UsageReported,
    WireEvent,
)
from neodeskpet.llm.client import HttpClient
from neodeskpet.llm.protocol import ModelOptions, ModelProtocol


class Outcome(StrEnum):
    GOOD = "good"
    FAULT = "fault"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Trial:
    """One thing that was tried. `error` is set when it failed. `seconds` and `count` mean: time to
    answer and number of models (models); time to the first token and tokens a second (streaming).
    """

    id: str
    outcome: Outcome
    seconds: float = 0.0
    count: float = 0.0
    error: LlmError | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A request of our own, in the shape that a model takes."""

    messages: Sequence[ModelMessage]
    system: str = ""
    tools: Sequence[ToolSpec] = ()
    tool_choice: str = "auto"
    dialect: str = "native"


class _Model(Protocol):
    def stream(self, request: Question) -> AsyncGenerator[WireEvent, None]: ...


_PROBE = ToolSpec(
    "probe.echo",
    "Repeats a word. Call it when asked to.",
    {
        "type": "object",
        "properties": {"word": {"type": "string", "description": "The word."}},
        "required": ["word"],
        "additionalProperties": False,
    },
)


async def list_models(
    client: HttpClient, protocol: ModelProtocol, options: ModelOptions
) -> list[str]:
    """The names of the models that the endpoint offers. Raises LlmError."""
    body = await client.fetch(protocol.build_listing(options), key=options.key)
    return protocol.read_listing(body)


async def try_listing(
    client: HttpClient,
    protocol: ModelProtocol,
    options: ModelOptions,
    clock: Callable[[], float] = time.monotonic,
) -> Trial:
    """Whether the endpoint answers, and how many models it lists. FAULT: it has no list, as some
    gateways; a reply is what counts.
    """
    began = clock()
    try:
        models = await list_models(client, protocol, options)
    except LlmError as error:
        lacking = error.status in (404, 405)
        return Trial("models", Outcome.FAULT if lacking else Outcome.FAILED, error=error)
    return Trial("models", Outcome.GOOD, clock() - began, len(models))


@dataclass
class _Heard:
    """What came of one request."""

    first: float | None = None
    pieces: int = 0
    calls: list[str] = field(default_factory=list)
    arguments: str = ""
    usage: bool = False

    def take(self, event: WireEvent, at: float) -> None:
        match event:
            case TextDelta() | ThinkingDelta():
                self.first = at if self.first is None else self.first
                self.pieces += 1
            case ToolCallStarted(name=name):
                self.calls.append(name)
            case ToolArgsDelta(json=piece):
                self.arguments += piece
            case UsageReported():
                self.usage = True
            case _:
                pass


async def try_streaming(model: _Model, clock: Callable[[], float] = time.monotonic) -> list[Trial]:
    """Whether text streams, how fast, and whether usage is reported."""
    asked = Question((UserTurn((TextPart("Count from one to ten in words."),)),))
    try:
        heard, began, ended = await _ask(model, asked, clock)
    except LlmError as error:
        return [Trial("streaming", Outcome.FAILED, error=error)]
    if heard.first is None:
        return [Trial("streaming", Outcome.FAULT)]
    spent = max(ended - heard.first, 1e-6)
    outcome = Outcome.GOOD if heard.pieces > 1 else Outcome.FAULT
    return [
        Trial("streaming", outcome, heard.first - began, heard.pieces / spent),
        Trial("usage", Outcome.GOOD if heard.usage else Outcome.FAULT),
    ]


async def try_tools(model: _Model, clock: Callable[[], float] = time.monotonic) -> list[Trial]:
    """Whether the endpoint takes tools and the model calls one. FAULT: taken, but not called."""
    words = 'Call the tool probe_echo with the word "neo".'
    asked = Question((UserTurn((TextPart(words),)),), tools=(_PROBE,))
    try:
        heard, _, _ = await _ask(model, asked, clock)
    except LlmError as error:
        return [Trial("tools", Outcome.FAILED, error=error)]
    return [Trial("tools", Outcome.GOOD if heard.calls else Outcome.FAULT)]


async def _ask(
    model: _Model, question: Question, clock: Callable[[], float]
) -> tuple[_Heard, float, float]:
    heard, began = _Heard(), clock()
    async with aclosing(model.stream(question)) as events:
        async for event in events:
            heard.take(event, clock())
    return heard, began, clock()


def propose(trials: Sequence[Trial]) -> str:
    """The mode that fits: "auto" unless tools were refused or never called; "" if nothing works."""
    found = {trial.id: trial for trial in trials}
    streaming, tools = found.get("streaming"), found.get("tools")
    if streaming is None or streaming.outcome is Outcome.FAILED:
        return ""
    if tools is None or tools.outcome is Outcome.GOOD:
        return "auto"
    if isinstance(tools.error, ToolsUnsupported) or tools.outcome is Outcome.FAULT:
        return "text"
    return ""
