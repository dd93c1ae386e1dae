"""Background tasks: each ends once, and is stored, reported and limited."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from neodeskpet.conversation.background_tasks import MAX_LISTED, BackgroundTasks
from neodeskpet.core.background_tasks import MOST_RUNNING, Task, TaskWork
from neodeskpet.core.blocks import ToolStatus
from neodeskpet.core.errors import StoreError, ToolFailed, TooManyTasks
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import Progress
from tests.support.memorystore import MemoryStore
from tests.support.pictures import picture
from tests.support.virtualtime import run_virtually
from tests.unit.conversation.doubles import forever, stubborn


def gives(result: ToolResult | BaseException) -> TaskWork:
    async def work(progress: Progress) -> ToolResult:
        if isinstance(result, BaseException):
            raise result
        return result

    return work


async def hang(progress: Progress) -> ToolResult:
    return ToolResult(await forever())


class House:
    """Tasks with a store in memory; `heard` are the reported states."""

    def __init__(self, store: MemoryStore) -> None:
        self.store = store
        self.heard: list[Task] = []

    @classmethod
    async def open(cls, store: MemoryStore | None = None) -> House:
        house = cls(store or MemoryStore())
        house.tasks = await BackgroundTasks.open(
            house.store, keep_pictures=house.store.store_pictures, now=lambda: 7.0
        )
        house.tasks.subscribe(house.heard.append)
        return house

    tasks: BackgroundTasks

    async def start(self, work: TaskWork, *, foreign: bool = False) -> Task:
        return await self.tasks.start("c", "dig", {"deep": 3}, work, foreign=foreign)

    def kept(self, task_id: str = "t1") -> Task:
        return self.store.background[task_id]

    def statuses(self) -> list[ToolStatus]:
        return [task.call.status for task in self.heard]


def test_a_task_is_stored_at_its_start_and_its_end() -> None:
    async def scene() -> None:
        house = await House.open()
        shot = picture("teal")
        task = await house.start(gives(ToolResult("dug", {"deep": 3}, images=(shot,))))
        assert (task.id, house.kept().running) == ("t1", True)
        assert house.tasks.running() == [task]
        await house.tasks.wait_idle()
        assert house.kept().call.output == "dug"
        assert house.kept().call.raw_arguments == '{"deep": 3}'
        assert house.statuses() == [ToolStatus.RUNNING, ToolStatus.SUCCESS]
        assert house.tasks.running() == []
        assert shot.digest in house.store.pictures

    run_virtually(scene())


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ToolFailed("too hard"), ToolStatus.ERROR),
        (ZeroDivisionError("a bug"), ToolStatus.ERROR),
        (SystemExit(1), ToolStatus.ERROR),
        (asyncio.CancelledError(), ToolStatus.ERROR),  # it cancelled itself
    ],
)
def test_any_exception_ends_the_task(error: BaseException, status: ToolStatus) -> None:
    async def scene() -> None:
        house = await House.open()
        await house.start(gives(error))
        await house.tasks.wait_idle()
        assert house.kept().call.status is status
        assert house.kept().call.error

    run_virtually(scene())


def test_a_task_that_hangs_is_cancelled() -> None:
    async def scene() -> None:
        house = await House.open()
        task = await house.start(hang)
        await asyncio.sleep(1000)
        cancelled = await house.tasks.cancel(task.id)
        assert cancelled is not None
        assert cancelled.call.status is ToolStatus.CANCELLED
        await house.tasks.wait_idle()
        assert house.kept().call.status is ToolStatus.CANCELLED
        assert await house.tasks.cancel(task.id) == house.kept()  # a second time changes nothing
        assert await house.tasks.cancel("t99") is None

    run_virtually(scene())


def test_a_task_that_ignores_the_cancellation_is_cancelled_all_the_same() -> None:
    async def work(progress: Progress) -> ToolResult:
        return ToolResult(await stubborn())

    async def scene() -> None:
        house = await House.open()
        task = await house.start(work)
        await asyncio.sleep(0.1)
        await house.tasks.cancel(task.id)
        assert house.tasks.running() == []
        await house.tasks.wait_idle()
        assert house.statuses()[-1] is ToolStatus.CANCELLED

    run_virtually(scene())


def test_thousands_of_progress_reports_are_passed_on_a_few_times() -> None:
    async def work(progress: Progress) -> ToolResult:
        for step in range(1_000):
            for _ in range(20):
                progress(step / 1_000, f"step {step}")
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.5)
        return ToolResult("walked")

    async def scene() -> None:
        house = await House.open()
        await house.start(work)
        await house.tasks.wait_idle()
        told = [task.call.progress_text for task in house.heard if task.running]
        assert 5 < len(told) < 30
        assert told[-1] == "step 999"

    run_virtually(scene())


def test_the_number_of_running_tasks_is_limited() -> None:
    async def scene() -> None:
        house = await House.open()
        for _ in range(MOST_RUNNING):
            await house.start(hang)
        with pytest.raises(TooManyTasks):
            await house.start(hang)
        await house.tasks.aclose()
        with pytest.raises(TooManyTasks):
            await house.start(hang)

    run_virtually(scene())


def test_tasks_end_with_the_app_and_the_next_start_reports_them() -> None:
    async def scene() -> None:
        house = await House.open()
        let_go: list[str] = []

        async def work(progress: Progress) -> ToolResult:
            try:
                return await hang(progress)
            finally:
                let_go.append("killed")

        await house.start(work)
        await asyncio.sleep(0)
        await house.tasks.aclose()
        assert let_go == ["killed"]
        assert house.kept().running
        again = await House.open(house.store)
        assert [task.id for task in again.tasks.lost_tasks] == ["t1"]
        (task,) = again.tasks.tasks()
        assert task.call.status is ToolStatus.INTERRUPTED
        assert not (await House.open(house.store)).tasks.lost_tasks

    run_virtually(scene())


def test_the_oldest_are_deleted() -> None:
    async def scene() -> None:
        house = await House.open()
        for _ in range(MAX_LISTED + 3):
            await house.start(gives(ToolResult("dug")))
            await house.tasks.wait_idle()
        assert len(house.tasks.tasks()) == MAX_LISTED
        assert "t1" not in house.store.background
        await house.start(hang)
        await house.tasks.delete_ended()
        assert [task.running for task in house.tasks.tasks()] == [True]
        await house.tasks.aclose()

    run_virtually(scene())


@pytest.mark.parametrize("failing", ["keep_task", "drop_tasks"])
def test_a_failing_store_does_not_change_the_end_of_a_task(failing: str) -> None:
    async def scene() -> None:
        house = await House.open()
        for _ in range(MAX_LISTED):
            await house.start(gives(ToolResult("dug")))
            await house.tasks.wait_idle()

        async def work(progress: Progress) -> ToolResult:
            house.store.failing.add(failing)
            return ToolResult("dug")

        task = await house.start(work)
        await house.tasks.wait_idle()
        ended = house.tasks.task(task.id)
        assert ended is not None
        assert ended.call.status is ToolStatus.SUCCESS

    run_virtually(scene())


def test_without_a_store_no_task_starts() -> None:
    async def scene() -> None:
        store = MemoryStore()
        store.failing |= {"tasks", "add_task"}
        house = await House.open(store)
        assert house.tasks.tasks() == []
        with pytest.raises(StoreError):
            await house.start(hang)
        assert house.tasks.running() == []

    run_virtually(scene())


def test_progress_from_another_thread() -> None:
    def count(progress: Progress) -> None:
        for step in range(50):
            progress(None, f"line {step}")

    async def work(progress: Progress) -> ToolResult:
        await asyncio.to_thread(count, progress)
        await asyncio.sleep(0.3)
        return ToolResult("read")

    async def scene(until: Callable[[], bool] | None = None) -> None:
        house = await House.open()
        await house.start(work)
        await house.tasks.wait_idle()
        assert house.heard[-2].call.progress_text == "line 49"

    asyncio.run(scene())
