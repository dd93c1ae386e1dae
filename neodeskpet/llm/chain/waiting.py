"""A model that tells how long it has been waited for: a slow server reads for minutes before it
says anything, and a person wants to see that something goes on.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from neodeskpet.core.model import Model, ModelRequest
from neodeskpet.core.wire import ResponseFinished, WaitAnnounced, WireEvent
from neodeskpet.llm.chain.retry import SILENT_EVENTS

FIRST_REPORT_SECONDS, NEXT_REPORT_SECONDS = 10.0, 5.0
"""Seconds until it is told for the first time, and from one time to the next."""


class WaitReportingModel:
    """`model`, with a `WaitAnnounced` now and then while nothing of its reply is there."""

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
    """The next of `events`, which goes on coming while it is waited for in pieces."""

    def __init__(self, events: AsyncGenerator[WireEvent, None]) -> None:
        self._events = events
        self._coming: asyncio.Future[WireEvent] | None = None

    async def wait(self, seconds: float) -> WireEvent | None:
        """None if it didn't come within `seconds`."""
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
