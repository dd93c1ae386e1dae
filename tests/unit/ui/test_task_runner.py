from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from neodeskpet.core.errors import KnownError
from neodeskpet.ui.task_runner import CoroutineFactory, TaskRunner


class Owner:
    """Work with its reports; its steps continue when `gate` is set."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.http_server = asyncio.Event()
        self.work = TaskRunner("a test", failed=self._failed, changed=self._changed)

    def step(self, name: str) -> CoroutineFactory:
        async def run() -> None:
            self.lines.append(name)
            try:
                await self.http_server.wait()
            finally:
                await asyncio.sleep(0)  # clean up
            if name == "bad":
                raise KnownError("it broke")
            self.lines.append(f"{name} done")

        return run

    def _failed(self, error: KnownError) -> None:
        self.lines.append(type(error).__name__)

    def _changed(self) -> None:
        self.lines.append("busy" if self.work.busy() else "idle")


async def turn() -> None:
    for _ in range(6):
        await asyncio.sleep(0)


def play(scenario: Callable[[Owner], Awaitable[None]]) -> list[str]:
    """Return what was reported in it."""

    async def live() -> list[str]:
        owner = Owner()
        await scenario(owner)
        return owner.lines

    return asyncio.run(live())


def test_of_replaced_work_only_the_last_counts() -> None:
    async def scenario(owner: Owner) -> None:
        owner.work.replace("look", owner.step("never begun"))
        owner.work.replace("look", owner.step("first"))
        await turn()
        owner.work.replace("look", owner.step("last"))
        assert owner.work.busy("look")
        assert not owner.work.busy("another")
        await turn()
        owner.http_server.set()
        await turn()

    told = play(scenario)
    assert [line for line in told if line != "busy"] == ["first", "last", "last done", "idle"]


def test_several_run_in_parallel() -> None:
    async def scenario(owner: Owner) -> None:
        owner.work.start("keep", owner.step("one"))
        owner.work.start("keep", owner.step("two"))
        owner.http_server.set()
        await owner.work.wait_until_idle()

    told = play(scenario)
    assert told == ["busy", "busy", "one", "two", "one done", "two done", "busy", "idle"]


def test_running_work_is_not_started_again() -> None:
    async def scenario(owner: Owner) -> None:
        owner.work.start_once("look", owner.step("one"))
        owner.work.start_once("look", owner.step("two"))
        owner.http_server.set()
        await turn()
        owner.work.start_once("look", owner.step("three"))
        await turn()

    told = play(scenario)
    assert told == ["busy", "one", "one done", "idle", "busy", "three", "three done", "idle"]


def test_ended_work_can_be_started_again_at_once() -> None:
    """Also by the code that it woke itself, before the loop has reported its end."""

    async def scenario(owner: Owner) -> None:
        woken = asyncio.Event()

        async def first() -> None:
            woken.set()

        owner.work.start("save", first)
        await woken.wait()
        owner.work.start_once("save", owner.step("second"))
        await turn()
        owner.http_server.set()
        await owner.work.wait_until_idle()

    assert "second done" in play(scenario)


def test_a_known_error_is_reported_and_a_bug_goes_to_the_loop() -> None:
    bugs: list[object] = []

    async def fall() -> None:
        raise ZeroDivisionError

    async def scenario(owner: Owner) -> None:
        asyncio.get_running_loop().set_exception_handler(
            lambda _loop, context: bugs.append(context["exception"])
        )
        owner.http_server.set()
        owner.work.start("bad", owner.step("bad"))
        await turn()
        owner.work.start("worse", fall)
        await turn()

    assert play(scenario) == ["busy", "bad", "KnownError", "idle", "busy", "idle"]
    assert [type(bug) for bug in bugs] == [ZeroDivisionError]


def test_stopped_work_runs_until_it_has_cleaned_up() -> None:
    async def scenario(owner: Owner) -> None:
        owner.work.cancel_task("long")
        owner.work.toggle("long", owner.step("long"))
        await turn()
        owner.work.toggle("long", owner.step("never begun"))
        await asyncio.sleep(0)
        assert owner.work.busy("long")
        await turn()

    assert play(scenario) == ["busy", "long", "idle"]


def test_cancelled_work_reports_nothing_and_other_work_may_follow() -> None:
    async def scenario(owner: Owner) -> None:
        owner.work.start("long", owner.step("long"))
        await turn()
        owner.work.cancel_all()
        await turn()
        owner.http_server.set()
        owner.work.start("next", owner.step("next"))
        await turn()

    assert play(scenario) == ["busy", "long", "busy", "next", "next done", "idle"]


def test_after_the_end_nothing_is_reported_or_started() -> None:
    async def scenario(owner: Owner) -> None:
        owner.work.start("long", owner.step("long"))
        await turn()
        await owner.work.aclose()
        owner.work.start("late", owner.step("late"))
        await turn()
        await owner.work.aclose()

    assert play(scenario) == ["busy", "long"]


def test_work_that_outlives_its_owner_is_finished_and_only_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scenario(owner: Owner) -> None:
        owner.work.start("keep", owner.step("good"))
        owner.work.start("keep", owner.step("bad"))
        await turn()
        owner.work.detach()
        owner.http_server.set()
        await owner.work.wait_until_idle()

    caplog.set_level("INFO")
    assert play(scenario) == ["busy", "busy", "good", "bad", "good done"]
    assert "a test: too late" in caplog.text
