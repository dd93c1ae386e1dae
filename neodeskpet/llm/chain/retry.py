"""Trying again: a wrapper around a model, for faults that pass and replies that showed nothing."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from neodeskpet.core.errors import CallMalformed, LlmError, ReplyError
from neodeskpet.core.model import Model, ModelRequest
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
from neodeskpet.llm.protocols.provider_errors import RETRYABLE

_FINAL = (501, 505)  # statuses of a service that will never do it

LONGEST_RETRY_SECONDS = 60.0
"""Seconds a service may make us wait; a longer wish ends the retries, the person decides."""


SILENT_EVENTS = (
    *(UsageReported, LoadingAnnounced, WaitAnnounced, ResponseFinished),
    *(DescriptionAnnounced, PictureDescribed, DescriptionFailed),
)
"""Events that show nothing of the reply yet."""


class RetryingModel:
    """`model`, tried up to `retries` times more with growing pauses (`base`, doubled, jittered).

    Only for retryable errors, and only while nothing of the reply was passed on. A reply that its
    service gave up because of a malformed call is asked for once more.
    """

    def __init__(
        self,
        model: Model,
        *,
        retries: int = 3,
        base: float = 1.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._model = model
        self._retries = retries
        self._base = base
        self._sleep = sleep
        self._chance = chance

    @property
    def label(self) -> str:
        return self._model.label

    async def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        malformed = False  # the service gave up a reply once already
        for attempt in range(1, self._retries + 2):
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
                if shown or attempt > self._retries or not is_retryable(error):
                    raise
                delay = pause_after(error, attempt, self._base, self._chance)
                if delay > LONGEST_RETRY_SECONDS:
                    raise
                code = error.code
            yield RetryAnnounced(attempt, delay, code)
            await self._sleep(delay)


def _is_malformed(event: WireEvent) -> bool:
    return isinstance(event, ResponseFinished) and event.stop is StopReason.MALFORMED


def pause_after(error: LlmError, attempt: int, base: float, chance: Callable[[], float]) -> float:
    """Seconds before the next attempt (`attempt` failed, from 1): half of the pause is sure, half
    is chance; never less than the service asks for.
    """
    pause = base * 2.0 ** (attempt - 1) * (0.5 + chance() / 2)
    return max(pause, error.retry_after or 0.0)


def is_retryable(error: LlmError) -> bool:
    """Whether the same request may succeed a little later."""
    if isinstance(error, ReplyError):  # inside HTTP 200
        return error.status in RETRYABLE
    return error.retryable and error.status not in _FINAL
