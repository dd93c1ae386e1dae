"""A model that keeps to the limits of its endpoint: it waits before it sends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from neodeskpet.core.context import estimate_tokens
from neodeskpet.core.model import Model, ModelRequest
from neodeskpet.core.transcript import (
    CallPart,
    ImagePart,
    ModelMessage,
    TextPart,
    ThinkingPart,
    ToolResults,
)
from neodeskpet.core.wire import UsageReported, WireEvent
from neodeskpet.llm.chain.rate_limit import RateLimit
from neodeskpet.llm.protocols.protocol import compact_json

_IMAGE_TOKENS = 800
_MESSAGE_TOKENS = 6

SleepSeconds = Callable[[float], Awaitable[None]]


class RateLimitedModel:
    """`model`, asked no faster than `limit` allows. The wait itself says nothing: whoever shows it
    asks the limit beforehand.
    """

    def __init__(self, model: Model, limit: RateLimit, sleep: SleepSeconds = asyncio.sleep) -> None:
        self._model = model
        self._limit = limit
        self._sleep = sleep

    @property
    def label(self) -> str:
        return self._model.label

    async def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        booked = prompt_tokens(request)
        wait = self._limit.take(booked)
        sent, used = False, float(booked)
        try:
            if wait > 0:
                await self._sleep(wait)
            sent = True
            async with aclosing(self._model.stream(request)) as events:
                async for event in events:
                    if isinstance(event, UsageReported):
                        used = event.input_tokens + event.output_tokens
                    yield event
        finally:
            if sent:
                self._limit.correct(booked, used)
            else:
                self._limit.refund(booked)


def prompt_tokens(request: ModelRequest) -> int:
    """About how many tokens a request is."""
    total = estimate_tokens(request.system)
    total += sum(estimate_tokens(compact_json(dict(tool.parameters))) for tool in request.tools)
    total += sum(estimate_tokens(tool.name + tool.description) for tool in request.tools)
    return total + sum(_message_tokens(message) for message in request.messages)


def _message_tokens(message: ModelMessage) -> int:
    total = _MESSAGE_TOKENS
    if isinstance(message, ToolResults):
        return total + sum(estimate_tokens(result.output) for result in message.results)
    for part in message.parts:
        match part:
            case TextPart(text=text) | ThinkingPart(text=text):
                total += estimate_tokens(text)
            case ImagePart():
                total += _IMAGE_TOKENS
            case CallPart(arguments=arguments):
                total += estimate_tokens(compact_json(dict(arguments)))
    return total
