"""Model wrappers: one waits for the rate limit of its endpoint, one retries temporary errors while
no part of the reply was shown, one reports the waiting time.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

from neodeskpet.core.errors import CallMalformed, LlmError, ReplyError
from neodeskpet.core.model import Model, ModelRequest
from neodeskpet.core.token_budget import estimate_tokens
from neodeskpet.core.transcript import (
    CallPart,
    ImagePart,
    ModelMessage,
    TextPart,
    ThinkingPart,
    ToolResults,
)
from neodeskpet.core.wire import (
    DescriptionAnnounced,
    DescriptionFailed,
    LoadingAnnounced,
    PictureDescribed,
    ResponseFinished,
    RetryAnnounced,
    StopReason,
    UsageReported,
    WaitAnnounced,
    WireEvent,
)
from neodeskpet.llm.chain.endpoint_state import RateLimit
from neodeskpet.llm.protocols.protocol import compact_json
from neodeskpet.llm.protocols.provider_errors import RETRYABLE

_IMAGE_TOKENS = 800
_MESSAGE_TOKENS = 6

SleepSeconds = Callable[[float], Awaitable[None]]


class RateLimitedModel:
    """`model`, asked no faster than `limit` allows. The wait is not reported; callers that show it
    ask the limit first.
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
    """Return the approximate number of tokens of a request."""
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


_FINAL = (501, 505)  # the service will never support this

LONGEST_RETRY_SECONDS = 60.0
"""The longest wait that a service may ask for. A longer one ends the retries, and the user decides.
"""


SILENT_EVENTS = (
    UsageReported,
    LoadingAnnounced,
    WaitAnnounced,
    ResponseFinished,
    DescriptionAnnounced,
    PictureDescribed,
    DescriptionFailed,
)
"""Events before the first visible part of the reply."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """A request is sent up to `retries` times more, after growing pauses: `base` seconds, doubled
    each time, with jitter that `chance` decides.
    """

    retries: int = 3
    base: float = 1.0
    sleep: SleepSeconds = asyncio.sleep
    chance: Callable[[], float] = random.random


DEFAULT_RETRY = RetryPolicy()


class RetryingModel:
    """Repeats a request to `model` according to `retry`.

    Only for retryable errors, and only while no part of the reply was passed on. A reply that the
    service gave up because of a malformed tool call is requested once more.
    """

    def __init__(self, model: Model, retry: RetryPolicy = DEFAULT_RETRY) -> None:
        self._model = model
        self._retry = retry

    @property
    def label(self) -> str:
        return self._model.label

    async def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        retry = self._retry
        malformed = False  # the service already gave up one reply
        for attempt in range(1, retry.retries + 2):
            shown = False
            try:
                async with aclosing(self._model.stream(request)) as events:
                    async for event in events:
                        shown = shown or not isinstance(event, SILENT_EVENTS)
                        if not (shown or malformed) and _is_malformed(event):
                            malformed = True
                            break
                        yield event
                    else:
                        return
                delay, code = 0.0, CallMalformed.code
            except LlmError as error:
                if shown or attempt > retry.retries or not is_retryable(error):
                    raise
                delay = pause_after(error, attempt, retry.base, retry.chance)
                if delay > LONGEST_RETRY_SECONDS:
                    raise
                code = error.code
            yield RetryAnnounced(attempt, delay, code)
            await retry.sleep(delay)


def _is_malformed(event: WireEvent) -> bool:
    return isinstance(event, ResponseFinished) and event.stop is StopReason.MALFORMED


def pause_after(error: LlmError, attempt: int, base: float, chance: Callable[[], float]) -> float:
    """Return the seconds before the next attempt (`attempt` failed, from 1). Half of the pause is
    fixed, half is random; it is never shorter than the service asks for.
    """
    pause = base * 2.0 ** (attempt - 1) * (0.5 + chance() / 2)
    return max(pause, error.retry_after or 0.0)


def is_retryable(error: LlmError) -> bool:
    """Return whether the same request may succeed a little later."""
    if isinstance(error, ReplyError):  # inside HTTP 200
        return error.status in RETRYABLE
    return error.retryable and error.status not in _FINAL


FIRST_REPORT_SECONDS, NEXT_REPORT_SECONDS = 10.0, 5.0
"""Seconds before the first report and between further reports."""


class WaitReportingModel:
    """`model`, with `WaitAnnounced` events while no part of its reply has arrived."""

    def __init__(
        self,
        model: Model,
        *,
        first: float = FIRST_REPORT_SECONDS,
        following: float = NEXT_REPORT_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = model
        self._first = first
        self._following = following
        self._clock = clock

    @property
    def label(self) -> str:
        return self._model.label

    async def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        began, pause = self._clock(), self._first
        async with aclosing(self._model.stream(request)) as events, _NextEvent(events) as following:
            silent = True
            while silent:
                event = await following.wait(pause)
                if event is None:
                    pause = self._following
                    yield WaitAnnounced(self._clock() - began)
                    continue
                silent = isinstance(event, SILENT_EVENTS) and not isinstance(
                    event, ResponseFinished
                )
                yield event
                if isinstance(event, ResponseFinished):
                    return
            async for event in events:
                yield event


class _NextEvent:
    """The next of `events`. A pending event is kept when waiting for it times out."""

    def __init__(self, events: AsyncGenerator[WireEvent, None]) -> None:
        self._events = events
        self._coming: asyncio.Future[WireEvent] | None = None

    async def wait(self, seconds: float) -> WireEvent | None:
        """Return the event, or None if it didn't arrive within `seconds`."""
        if self._coming is None:
            self._coming = asyncio.ensure_future(  # noqa: TID251 - awaited here or at the exit
                anext(self._events)
            )
        await asyncio.wait({self._coming}, timeout=seconds)
        if not self._coming.done():
            return None
        coming, self._coming = self._coming, None
        return coming.result()

    async def __aenter__(self) -> _NextEvent:
        return self

    async def __aexit__(self, *failure: object) -> None:
        if self._coming is not None:
            self._coming.cancel()
            await asyncio.wait({self._coming})
