"""Named tasks: referenced while they run, and no failure is lost."""

import asyncio

import pytest

from neodeskpet.platform.async_tasks import running, spawn_task
from tests.support.virtualtime import run_virtually


def test_a_task_has_a_name_and_a_result_and_is_referenced_until_it_ends() -> None:
    async def work() -> int:
        await asyncio.sleep(1)
        return 7

    async def scene() -> None:
        task = spawn_task(work(), name="work")
        assert task.get_name() == "work"
        assert task in running()
        assert await task == 7
        await asyncio.sleep(0)
        assert task not in running()

    run_virtually(scene())


def test_a_failure_is_logged_with_the_name(caplog: pytest.LogCaptureFixture) -> None:
    async def work() -> None:
        raise ValueError("oops")

    async def scene() -> None:
        task = spawn_task(work(), name="the work")
        await asyncio.wait([task])
        await asyncio.sleep(0)

    run_virtually(scene())
    assert "Task the work failed" in caplog.text
    assert "ValueError: oops" in caplog.text


def test_a_cancelled_task_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    async def scene() -> None:
        task = spawn_task(asyncio.sleep(100), name="sleep")
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.wait([task])
        await asyncio.sleep(0)
        assert task not in running()

    run_virtually(scene())
    assert caplog.text == ""
