"""The timers: when they ring, and what happens when the app was closed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

import pytest

from neodeskpet.core.errors import StoreError
from neodeskpet.notebook.timers import Repeat, Timer, TimerService, TimersInMemory, TimerStore
from neodeskpet.platform.async_tasks import spawn_task
from tests.support.virtualtime import run_virtually

START = datetime(2025, 11, 21, 15, 0).timestamp()
DAY = 86400


class World:
    """A store on virtual time, and the timers that rang. `ahead`: how far the wall clock is ahead
    of the loop's.
    """

    def __init__(self, store: TimerStore, ring: Callable[[Timer], None] | None = None) -> None:
        self.ahead = START
        self.start_requested: list[Timer] = []
        self.store = store
        self.book = TimerService(store, ring or self.start_requested.append, clock=self.now)

    def now(self) -> float:
        return self.ahead + asyncio.get_running_loop().time()

    @property
    def labels(self) -> list[str]:
        return [timer.label for timer in self.start_requested]


def live(
    story: Callable[[World], Awaitable[None]],
    timers: Sequence[Timer] = (),
    *,
    store: TimerStore | None = None,
    ring: Callable[[Timer], None] | None = None,
) -> None:
    async def scene() -> None:
        world = World(store or TimersInMemory(timers), ring)
        running = spawn_task(world.book.run(), name="book")
        await asyncio.sleep(0)
        await story(world)
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running

    run_virtually(scene())


def test_timers_ring_in_their_order_and_once() -> None:
    async def story(world: World) -> None:
        await world.book.add(START + 100, "tea")
        await world.book.add(START + 50, "egg")
        await asyncio.sleep(49)
        assert world.start_requested == []
        await asyncio.sleep(1.5)
        assert world.labels == ["egg"]
        await asyncio.sleep(1000)
        assert world.start_requested == [
            Timer("t2", START + 50, "egg", START),
            Timer("t1", START + 100, "tea", START),
        ]

    live(story)


def test_it_stays_until_it_is_answered() -> None:
    async def story(world: World) -> None:
        answered: list[Timer] = []
        end = world.book.observe_answers(answered.append)
        tea = await world.book.add(START + 10, "tea")
        await asyncio.sleep(60)
        assert await world.book.timers() == [tea]
        assert answered == []
        await world.book.answer(world.start_requested[0])
        assert await world.book.timers() == []
        await world.book.answer(world.start_requested[0])
        await asyncio.sleep(60)
        assert world.labels == ["tea"]
        assert answered == [tea]
        end()

    live(story)


def test_after_a_snooze_it_rings_again() -> None:
    async def story(world: World) -> None:
        await world.book.add(START + 10, "tea")
        await asyncio.sleep(20)
        await world.book.snooze(world.start_requested[0], 300)
        assert world.labels == ["tea"]
        await asyncio.sleep(301)
        assert world.start_requested == [
            Timer("t1", START + 10, "tea", START),
            Timer("t1", START + 320, "tea", START),
        ]

    live(story)


def test_a_repeated_one_is_set_for_its_next_day_when_it_is_answered() -> None:
    async def story(world: World) -> None:
        await world.book.add(START + 10, "stretch", Repeat.DAILY)
        await asyncio.sleep(20)
        await world.book.snooze(world.start_requested[0], 60)
        timers = await world.book.timers()
        assert [(timer.due, timer.repeat) for timer in timers] == [
            (START + 80, Repeat.ONCE),
            (START + 10 + DAY, Repeat.DAILY),
        ]
        await asyncio.sleep(DAY)
        assert world.labels == ["stretch", "stretch", "stretch"]

    live(story)


def test_after_a_restart_future_timers_wait_and_missed_ones_are_reported() -> None:
    missed = Timer("t1", START - 3600, "meeting", START - 7200)
    just_now = Timer("t2", START - 5, "tea", START - 7200)
    later = Timer("t3", START + 60, "bus", START - 7200)

    async def story(world: World) -> None:
        told = [(timer.label, timer.missed) for timer in world.start_requested]
        assert told == [("meeting", True), ("tea", False)]
        await asyncio.sleep(61)
        assert world.labels == ["meeting", "tea", "bus"]

    live(story, [missed, just_now, later])


def test_the_wall_clock_is_checked_after_a_suspend() -> None:
    """The computer is suspended: the loop's clock stops, the wall clock doesn't."""

    async def story(world: World) -> None:
        await world.book.add(START + 3600, "wake")
        await asyncio.sleep(1)
        world.ahead += 7200
        await asyncio.sleep(30)
        assert [timer.missed for timer in world.start_requested] == [True]

    live(story)


def test_a_changed_timer_rings_at_its_new_time() -> None:
    async def story(world: World) -> None:
        tea = await world.book.add(START + 10, "tea")
        changed = await world.book.update(
            tea.id, due=START + 90, label="green tea", repeat=Repeat.ONCE
        )
        assert changed == replace(tea, due=START + 90, label="green tea")
        await asyncio.sleep(60)
        assert world.start_requested == []
        await asyncio.sleep(31)
        assert world.labels == ["green tea"]
        assert await world.book.update("t9", due=1, label="", repeat=Repeat.ONCE) is None

    live(story)


def test_a_cancelled_one_can_be_restored_while_it_would_still_ring() -> None:
    async def story(world: World) -> None:
        tea = await world.book.add(START + 10, "tea")
        assert await world.book.cancel(tea.id) == tea
        assert await world.book.cancel(tea.id) is None
        assert await world.book.restore(tea)
        assert not await world.book.restore(tea), "it exists"
        await world.book.cancel(tea.id)
        await asyncio.sleep(20)
        assert not await world.book.restore(tea), "its time is over"
        daily = replace(tea, repeat=Repeat.DAILY)
        assert await world.book.restore(daily)
        assert [timer.due for timer in await world.book.timers()] == [START + 10 + DAY]
        assert world.start_requested == []

    live(story)


def test_a_failing_observer_does_not_stop_the_others(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[str] = []

    def ring(timer: Timer) -> None:
        if timer.label == "broken":
            raise RuntimeError("no speaker")
        heard.append(timer.label)

    async def story(world: World) -> None:
        await world.book.add(START + 1, "broken")
        await world.book.add(START + 1, "fine")
        await asyncio.sleep(2)

    with caplog.at_level(logging.CRITICAL):
        live(story, ring=ring)
    assert heard == ["fine"]


def test_a_store_that_can_not_be_read_for_a_while(caplog: pytest.LogCaptureFixture) -> None:
    class Flaky(TimersInMemory):
        broken = False

        async def load(self) -> list[Timer]:
            if self.broken:
                raise StoreError("the disk is away")
            return await super().load()

    store = Flaky([Timer("t1", START + 10, "tea", START)])

    async def story(world: World) -> None:
        store.broken = True
        await asyncio.sleep(45)
        assert world.start_requested == []
        store.broken = False
        await asyncio.sleep(30)
        assert world.labels == ["tea"]

    with caplog.at_level(logging.CRITICAL):
        live(story, store=store)


def test_changes_are_reported_also_those_of_another_process() -> None:
    async def story(world: World) -> None:
        heard: list[None] = []
        end = world.book.subscribe(lambda: heard.append(None))
        tea = await world.book.add(START + 1000, "tea")
        await world.book.cancel("t9")
        await world.book.cancel(tea.id)
        assert len(heard) == 2
        await asyncio.sleep(1)
        heard.clear()
        other = TimerService(world.store, world.start_requested.append, clock=world.now)
        bus = await other.add(START + 2000, "bus")
        await asyncio.sleep(31)
        assert heard == [None]
        await asyncio.sleep(300)
        assert heard == [None]
        end()
        await world.book.cancel(bus.id)
        assert heard == [None]

    live(story)
