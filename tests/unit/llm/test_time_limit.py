"""One timer for many waits: it ends the one that is too long, and no other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from neodeskpet.core.model import ModelRequest
from neodeskpet.core.transcript import TextPart, UserTurn
from neodeskpet.llm.http_client import HttpClient, HttpModel
from neodeskpet.llm.network_backend import TimeLimit
from neodeskpet.llm.protocols.protocol import ModelOptions
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from tests.support.sseserver import Pause, ScriptedServer, done, finish, text


class TimerCounter(asyncio.SelectorEventLoop):
    made = 0

    def call_at(self, *args: Any, **named: Any) -> asyncio.TimerHandle:
        self.made += 1
        return super().call_at(*args, **named)


def run(job: Callable[[TimeLimit], Coroutine[Any, Any, None]]) -> int:
    """Run it and return how many timers it used."""
    loops: list[TimerCounter] = []

    def make() -> TimerCounter:
        loops.append(TimerCounter())
        return loops[0]

    with asyncio.Runner(loop_factory=make) as runner:
        runner.run(job(TimeLimit()))
    return loops[0].made


def test_many_waits_share_a_timer() -> None:
    async def job(limit: TimeLimit) -> None:
        for number in range(50):
            coming = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_soon(coming.set_result, number)
            assert await limit.wait(coming, 60) == number
        limit.end()

    assert run(job) == 1


def test_a_wait_that_is_too_long_ends_and_the_next_is_unaffected() -> None:
    async def job(limit: TimeLimit) -> None:
        assert await limit.wait(asyncio.sleep(0, "early"), 60) == "early"
        with pytest.raises(TimeoutError):
            await limit.wait(asyncio.Event().wait(), 0.01)  # although the timer is set for later
        assert await limit.wait(asyncio.sleep(0.05, "late"), 60) == "late"
        task = asyncio.current_task()
        assert task is not None
        assert not task.cancelling()

    run(job)


def test_a_timer_that_fires_early_is_set_again() -> None:
    async def job(limit: TimeLimit) -> None:
        await limit.wait(asyncio.sleep(0.03), 0.05)
        assert await limit.wait(asyncio.sleep(0.1, "still"), 0.5) == "still"
        with pytest.raises(TimeoutError):
            await limit.wait(asyncio.Event().wait(), 0.01)

    run(job)


def test_a_cancellation_during_a_wait_is_passed_on() -> None:
    async def job(limit: TimeLimit) -> None:
        waiting = asyncio.ensure_future(limit.wait(asyncio.Event().wait(), 60))  # noqa: TID251
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert await limit.wait(asyncio.sleep(0, "next"), 60) == "next"

    run(job)


@pytest.mark.parametrize("first_byte_timeout", [0.0, 120.0])
def test_a_reply_in_many_chunks_uses_few_timers(first_byte_timeout: float) -> None:
    with ScriptedServer() as server:
        chunks = [piece for _ in range(40) for piece in (text("a"), Pause(0.005))]
        server.reply(*chunks, finish(), done())

        async def job(_limit: TimeLimit) -> None:
            client, words = HttpClient(), UserTurn((TextPart("hi"),))
            options = ModelOptions(server.url, "m")
            model = HttpModel(
                client, PROTOCOLS["openai"], options, first_byte_timeout=first_byte_timeout
            )
            events = [event async for event in model.stream(ModelRequest("", [words]))]
            await client.aclose()
            assert len(events) == 41

        assert run(job) < 30
