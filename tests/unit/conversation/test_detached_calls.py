"""Calls that the user continues in the background, on a bare event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine

import pytest

from neodeskpet.conversation.background_tasks import RunningCalls
from neodeskpet.core.background_tasks import TaskWork
from neodeskpet.core.errors import ToolCancelled, ToolFailed, TooManyTasks
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import Progress
from neodeskpet.platform.async_tasks import spawn_task

ARGUMENTS = {"n": 1}


class Scene:
    """A call of `slow`, which ends when `goes_on` is set; its events, and the tasks it became."""

    def __init__(self, *, room: bool = True, refuses: bool = False) -> None:
        self.calls = RunningCalls(lambda: room)
        self.refuses = refuses
        self.begun = asyncio.Event()
        self.goes_on = asyncio.Event()
        self.report: Progress | None = None
        self.in_turn: list[str] = []
        self.in_task: list[str] = []
        self.tasks: list[asyncio.Task[ToolResult]] = []
        self.cancelled = False

    async def work(self, progress: Progress) -> ToolResult:
        self.report = progress
        self.begun.set()
        try:
            await self.goes_on.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return ToolResult("done")

    async def begin(self, work: TaskWork) -> str:
        if self.refuses:
            raise TooManyTasks(count="8")

        async def run() -> ToolResult:
            return await work(lambda _fraction, text: self.in_task.append(text))

        self.tasks.append(spawn_task(run(), name="task"))
        await asyncio.sleep(0)
        return "t1"

    async def started(self) -> asyncio.Task[ToolResult]:
        running = self.calls.run(
            "slow",
            ARGUMENTS,
            self.work,
            lambda _fraction, text: self.in_turn.append(text),
            self.begin,
        )
        made = spawn_task(running, name="call")
        await self.begun.wait()
        return made


def play(story: Coroutine[object, object, None]) -> None:
    asyncio.run(asyncio.wait_for(story, 60))  # type: ignore[arg-type]


def test_a_call_that_stays_in_the_turn_is_awaited() -> None:
    async def story() -> None:
        scene = Scene()
        call = await scene.started()
        assert scene.calls.can_detach("slow", dict(ARGUMENTS))
        assert not scene.calls.can_detach("slow", {"n": 2})
        assert not scene.calls.detach("other", ARGUMENTS)
        scene.goes_on.set()
        assert (await call).text == "done"
        assert not scene.calls.can_detach("slow", ARGUMENTS)

    play(story())


def test_a_call_that_is_moved_ends_as_a_task() -> None:
    async def story() -> None:
        scene = Scene()
        call = await scene.started()
        assert scene.report is not None
        scene.report(0.1, "first")
        assert scene.calls.detach("slow", ARGUMENTS)
        assert not scene.calls.detach("slow", ARGUMENTS)
        result = await call
        assert (result.text, result.data) == ("async task started: t1", {"task_id": "t1"})
        scene.report(0.9, "later")
        assert (scene.in_turn, scene.in_task) == (["first"], ["later"])
        scene.goes_on.set()
        assert (await scene.tasks[0]).text == "done"

    play(story())


def test_one_that_the_user_stops_is_cancelled_alone() -> None:
    async def story() -> None:
        scene = Scene(room=False)
        call = await scene.started()
        assert scene.calls.can_stop("slow", dict(ARGUMENTS))
        assert not scene.calls.stop("slow", {"n": 2})
        assert scene.calls.stop("slow", ARGUMENTS)
        assert not scene.calls.can_stop("slow", ARGUMENTS)
        with pytest.raises(ToolCancelled, match="The user stopped it"):
            await call
        assert scene.cancelled
        assert scene.tasks == []

    play(story())


def test_one_that_ends_in_the_same_moment_keeps_its_result() -> None:
    async def story() -> None:
        scene = Scene()
        call = await scene.started()
        scene.goes_on.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        scene.calls.stop("slow", ARGUMENTS)
        assert (await call).text == "done"

    play(story())


def test_without_room_or_a_place_to_keep_it_it_is_waited_for() -> None:
    async def story() -> None:
        full = Scene(room=False)
        call = await full.started()
        assert not full.calls.detach("slow", ARGUMENTS)
        refused = Scene(refuses=True)
        other = await refused.started()
        assert refused.calls.detach("slow", ARGUMENTS)
        await asyncio.sleep(0.01)
        for scene in (full, refused):
            scene.goes_on.set()
        assert [(await one).text for one in (call, other)] == ["done", "done"]

    play(story())


@pytest.mark.parametrize("left", [False, True])
def test_a_stop_ends_the_call_in_the_turn_or_as_a_task(left: bool) -> None:
    async def story() -> None:
        scene = Scene()
        call = await scene.started()
        if left:
            scene.calls.detach("slow", ARGUMENTS)
            await call
        stopped = scene.tasks[0] if left else call
        stopped.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stopped
        assert scene.cancelled

    play(story())


def test_its_exception_is_raised_to_the_caller() -> None:
    async def broken(_progress: Progress) -> ToolResult:
        raise ToolFailed("out of glue")

    async def story() -> None:
        scene = Scene()
        with pytest.raises(ToolFailed, match="glue"):
            await scene.calls.run("slow", {}, broken, lambda *_news: None, scene.begin)

    play(story())


def test_a_known_error_is_raised_to_the_caller_and_is_no_bug_of_a_task() -> None:
    bugs: list[str] = []

    async def refuse(_progress: Progress) -> ToolResult:
        raise ToolFailed(details="no")

    async def story() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _loop, context: bugs.append(str(context["message"])))
        scene = Scene()
        with pytest.raises(ToolFailed):
            await scene.calls.run(
                "slow", ARGUMENTS, refuse, lambda _fraction, _text: None, scene.begin
            )
        await asyncio.sleep(0)

    asyncio.run(story())
    assert bugs == []
