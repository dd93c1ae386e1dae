"""A child process is used without blocking, ends when idle, and is restarted."""

from __future__ import annotations

import asyncio
import json

from neodeskpet.llm.local.embedding_child import LETTERS_MODEL
from neodeskpet.platform.async_frame_worker import AsyncFrameWorker
from neodeskpet.platform.async_tasks import spawn_task

QUESTION = json.dumps({"texts": ["a"], "query": False}).encode()


def worker(**more: float) -> AsyncFrameWorker:
    return AsyncFrameWorker("vectors", 30.0, LETTERS_MODEL, **more)


def test_an_idle_child_ends_and_is_restarted() -> None:
    async def scene() -> None:
        asked = worker(idle=0.0)
        for _ in range(2):
            assert await asked.ask(QUESTION)
            assert asked._thread is not None
            await asyncio.sleep(0)  # now it is idle
            while asked.running:
                await asyncio.wrap_future(asked._thread.submit(lambda: None))
        await asked.aclose()

    asyncio.run(scene())


def test_a_closed_worker_starts_nothing() -> None:
    async def scene() -> None:
        asked = worker()
        await asked.aclose()
        await asked.aclose()
        assert await asked.ask(QUESTION) is None
        assert asked.closed and not asked.running

    asyncio.run(scene())


def test_closing_ends_a_running_request() -> None:
    async def scene() -> None:
        asked = worker()
        running = spawn_task(asked.ask(QUESTION), name="question")
        await asyncio.sleep(0)
        await asked.aclose()
        await running
        assert not asked.running

    asyncio.run(scene())
