"""Requests wait for the rate limit of their endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from neodeskpet.core.errors import ServiceFailed
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import (
    AssistantTurn,
    CallPart,
    ImagePart,
    ResultPart,
    TextPart,
    ThinkingPart,
    ToolResults,
    UserTurn,
)
from neodeskpet.core.wire import UsageReported
from neodeskpet.llm.chain.endpoint_state import RateLimit
from neodeskpet.llm.chain.model_wrappers import RateLimitedModel, prompt_tokens
from neodeskpet.llm.scripted_model import ScriptedModel, scripted_text

REQUEST = ModelRequest("", [UserTurn((TextPart("x" * 400),))])
BOOKED = prompt_tokens(REQUEST)


def frozen() -> float:
    return 0.0


async def drain(model: RateLimitedModel, request: ModelRequest = REQUEST) -> None:
    async with aclosing(model.stream(request)) as events:
        async for _ in events:
            pass


def test_it_waits_before_it_sends() -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    inner = ScriptedModel(
        [scripted_text("a")], [scripted_text("b")], [scripted_text("c")], label="m"
    )
    paced = RateLimitedModel(inner, RateLimit(2, None, frozen), sleep)
    assert paced.label == "m"
    for _ in range(3):
        asyncio.run(drain(paced))
    assert pauses == [30.0]


def test_the_reported_usage_counts() -> None:
    limit = RateLimit(None, 6000, frozen)
    inner = ScriptedModel([scripted_text("a"), UsageReported(1000, 2000)], [scripted_text("b")])
    asyncio.run(drain(RateLimitedModel(inner, limit)))
    assert limit.wait(3000) == 0
    assert limit.wait(3001) == pytest.approx(0.01)
    asyncio.run(drain(RateLimitedModel(inner, limit)))
    assert limit.wait(3000) == pytest.approx(BOOKED / 100)


def test_a_failed_request_counts_as_sent() -> None:
    limit = RateLimit(1, None, frozen)
    with pytest.raises(ServiceFailed):
        asyncio.run(drain(RateLimitedModel(ScriptedModel([ServiceFailed()]), limit)))
    assert limit.wait(0) == 60


def test_a_wait_that_is_stopped_counts_nothing() -> None:
    limit = RateLimit(1, 1000, frozen)
    limit.take(0)
    inner = ScriptedModel([scripted_text("a")])

    async def stopped() -> None:
        task = asyncio.get_running_loop().create_task(drain(RateLimitedModel(inner, limit)))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(stopped())
    assert inner.requests == []
    assert limit.wait(0) == 60
    assert limit.wait(1000) == 60


def test_closing_it_closes_the_model() -> None:
    inner = ScriptedModel([scripted_text("a", "b", "c")])

    async def stop_early() -> None:
        events: AsyncGenerator[object, None] = RateLimitedModel(inner, RateLimit()).stream(REQUEST)
        async with aclosing(events):
            await anext(events)

    asyncio.run(stop_early())
    assert inner.abandoned == 1


def test_everything_in_a_request_counts() -> None:
    parts = [
        UserTurn((TextPart("x" * 40), ImagePart("d", "image/png", b"1"))),
        AssistantTurn((ThinkingPart("y" * 40), CallPart("1", "f", {"a": "z" * 40}))),
        ToolResults((ResultPart("1", "f", "w" * 40, ok=True),)),
    ]
    whole = prompt_tokens(ModelRequest("s" * 40, parts, (ToolSpec("f", "d" * 40),)))
    assert whole > 800 + 6 * 10
    assert (
        whole
        > prompt_tokens(ModelRequest("s" * 40, parts))
        > prompt_tokens(ModelRequest("", parts))
    )
    for left_out in range(3):
        fewer = [part for number, part in enumerate(parts) if number != left_out]
        assert prompt_tokens(ModelRequest("", fewer)) < prompt_tokens(ModelRequest("", parts))
