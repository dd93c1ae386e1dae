"""Timers: set, told, cancelled, rung, and what happens when the app was closed."""

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.tool_result import Shown, ShownTable
from neodeskpet.timers.book import MOST, Timer, TimerBook, TimersInMemory
from neodeskpet.tools.builtin.timer import timer_tools
from neodeskpet.tools.toolbox import OwnTools, Toolbox

START = datetime(2025, 11, 21, 15, 0).timestamp()


@dataclass
class FakeAlarm:
    due: float
    wake: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


class World:
    """A clock that is moved by hand, and what rang."""

    def __init__(self, timers: Sequence[Timer] = ()) -> None:
        self.now = START
        self.alarms: list[FakeAlarm] = []
        self.rung: list[Timer] = []
        self.store = TimersInMemory(timers)
        self.book = TimerBook(
            self.store, self.rung.append, clock=lambda: self.now, call_later=self._later
        )

    def _later(self, delay: float, wake: Callable[[], None]) -> FakeAlarm:
        alarm = FakeAlarm(self.now + delay, wake)
        self.alarms.append(alarm)
        return alarm

    def pass_time(self, seconds: float) -> None:
        end = self.now + seconds
        while True:
            waiting = [alarm for alarm in self.alarms if not alarm.cancelled and alarm.due <= end]
            if not waiting:
                break
            alarm = min(waiting, key=lambda alarm: alarm.due)
            self.alarms.remove(alarm)
            self.now = max(self.now, alarm.due)
            alarm.wake()
        self.now = end

    def run(self, name: str, **arguments: object) -> Any:
        toolbox = Toolbox(OwnTools(timer_tools(self.book)))
        return json.loads(
            asyncio.run(toolbox.offer().run(name, arguments, lambda fraction, text: None)).text
        )


@pytest.fixture
def world() -> World:
    world = World()
    world.book.start()
    return world


# The book


def test_timers_ring_in_their_order_and_once(world: World) -> None:
    world.book.set(START + 100, "tea")
    world.book.set(START + 50, "egg")
    world.pass_time(49)
    assert world.rung == []
    world.pass_time(1)
    assert [timer.label for timer in world.rung] == ["egg"]
    world.pass_time(1000)
    assert world.rung == [
        Timer("t2", START + 50, "egg", START),
        Timer("t1", START + 100, "tea", START),
    ]
    assert world.book.timers == []
    assert world.store.saved == ()


def test_what_is_set_and_cancelled_is_stored(world: World) -> None:
    first = world.book.set(START + 100, "a")
    second = world.book.set(START + 200, "b")
    assert world.store.saved == (first, second)
    assert world.book.cancel("t1") == first
    assert world.book.cancel("t1") is None
    assert world.store.saved == (second,)
    world.pass_time(150)
    assert world.rung == []


def test_after_a_restart_the_rest_is_waited_for_and_what_was_missed_is_told_once() -> None:
    missed = Timer("t1", START - 3600, "meeting", START - 7200)
    just_now = Timer("t2", START - 5, "tea", START - 7200)
    later = Timer("t3", START + 60, "bus", START - 7200)
    world = World([missed, just_now, later])
    world.book.start()
    assert [(timer.label, timer.missed) for timer in world.rung] == [
        ("meeting", True),
        ("tea", False),
    ]
    assert world.store.saved == (later,)
    again = World(world.store.saved)
    again.book.start()
    assert again.rung == []
    again.pass_time(60)
    assert [timer.label for timer in again.rung] == ["bus"]


def test_a_new_id_is_never_one_in_use() -> None:
    world = World([Timer("t7", START + 5, "", START), Timer("odd", START + 5, "", START)])
    world.book.start()
    assert world.book.set(START + 9, "").id == "t8"


def test_the_wall_clock_is_looked_at_again_after_a_sleep(world: World) -> None:
    """The computer sleeps: the loop's clock stands still, the wall clock doesn't."""
    world.book.set(START + 3600, "wake")
    alarm = next(alarm for alarm in world.alarms if not alarm.cancelled)
    assert alarm.due == START + 30
    world.now = START + 7200
    alarm.wake()
    assert [timer.missed for timer in world.rung] == [True]


def test_stopped_it_rings_no_more(world: World) -> None:
    world.book.set(START + 10, "")
    world.book.stop()
    world.pass_time(60)
    assert world.rung == []
    assert len(world.store.saved) == 1


def test_one_that_rings_in_vain_doesnt_stop_the_others(caplog: pytest.LogCaptureFixture) -> None:
    world = World()
    heard: list[str] = []

    def ring(timer: Timer) -> None:
        if timer.label == "broken":
            raise RuntimeError("no speaker")
        heard.append(timer.label)

    book = TimerBook(world.store, ring, clock=lambda: world.now, call_later=world._later)
    with caplog.at_level(logging.CRITICAL):
        book.start()
        book.set(START + 1, "broken")
        book.set(START + 1, "fine")
        world.pass_time(1)
    assert heard == ["fine"]


class FullDisk(TimersInMemory):
    def save(self, timers: Sequence[Timer]) -> None:
        raise OSError("disk full")


def test_what_cant_be_stored_isnt_set_but_what_is_due_rings(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = World()
    store = FullDisk([Timer("t1", START - 1, "due", START)])
    book = TimerBook(store, world.rung.append, clock=lambda: world.now, call_later=world._later)
    with pytest.raises(OSError, match="disk full"):
        book.set(START + 9, "never")
    with caplog.at_level(logging.CRITICAL):
        book.start()
        world.pass_time(120)
    assert [timer.label for timer in world.rung] == ["due"]
    assert book.timers == []


def test_not_started_it_keeps_timers_and_rings_none() -> None:
    kept = Timer("t1", START - 5, "kept", START - 9)
    world = World([kept])
    new = world.book.set(START + 1, "new")
    assert new.id == "t2"
    world.pass_time(60)
    assert world.rung == []
    assert world.alarms == []
    assert world.store.saved == (kept, new)


def test_a_timer_of_another_process_rings_too(world: World) -> None:
    world.book.set(START + 600, "mine")
    other = TimerBook(world.store, world.rung.append, clock=lambda: world.now)
    other.set(START + 45, "from the terminal")
    assert other.cancel("t9") is None
    world.pass_time(60)
    assert [timer.label for timer in world.rung] == ["from the terminal"]
    assert [timer.label for timer in world.book.timers] == ["mine"]


def test_on_a_real_loop() -> None:
    async def wait() -> str:
        rang: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        book = TimerBook(TimersInMemory(), lambda timer: rang.set_result(timer.label))
        book.start()
        book.set(book.now() + 0.01, "now")
        label = await asyncio.wait_for(rang, 20)
        book.stop()
        return label

    assert asyncio.run(wait()) == "now"


# The tools


@pytest.mark.parametrize(
    ("arguments", "seconds"),
    [
        ({"seconds": 90}, 90),
        ({"seconds": "90"}, 90),
        ({"minutes": 1.5}, 90),
        ({"at": "1h30m"}, 5400),
        ({"at": "半小时"}, 1800),
        ({"at": "17:30"}, 9000),
        ({"at": "17:30", "minutes": None}, 9000),
    ],
)
def test_setting(world: World, arguments: dict[str, object], seconds: float) -> None:
    told = world.run("timer.set", label=" tea ", **arguments)["set"]
    assert (told["id"], told["label"], told["seconds_left"]) == ("t1", "tea", seconds)
    assert datetime.fromisoformat(told["at"]).timestamp() == START + seconds
    (timer,) = world.book.timers
    assert (timer.due, timer.label) == (START + seconds, "tea")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({}, "Exactly one of seconds, minutes and at is needed, none was given."),
        ({"at": " "}, "none was given"),
        ({"seconds": 1, "at": "5 min"}, "2 were given"),
        ({"at": "soonish"}, "at: “soonish” isn't a time I understand"),
        ({"at": "2020-01-01 10:00"}, "is in the past"),
        ({"seconds": 0}, "seconds: must be greater than 0, got 0"),
        ({"minutes": 10_000_000}, "at most 366 days"),
    ],
)
def test_setting_refused(world: World, arguments: dict[str, object], reason: str) -> None:
    with pytest.raises(InvalidArguments) as failure:
        world.run("timer.set", **arguments)
    assert reason in str(failure.value)
    assert world.book.timers == []


def test_listing_and_cancelling(world: World) -> None:
    assert world.run("timer.list") == {"timers": []}
    world.run("timer.set", minutes=10, label="later")
    world.run("timer.set", minutes=5, label="soon")
    world.pass_time(60)
    listed = world.run("timer.list")["timers"]
    assert [(t["id"], t["label"], t["in"]) for t in listed] == [
        ("t2", "soon", "4 min"),
        ("t1", "later", "9 min"),
    ]
    assert world.run("timer.cancel", id="t2")["cancelled"]["label"] == "soon"
    with pytest.raises(InvalidArguments, match=r"there is no timer t2\. Those that exist: t1"):
        world.run("timer.cancel", id="t2")


def test_there_is_an_end_to_timers(world: World) -> None:
    for _ in range(MOST):
        world.book.set(START + 10, "")
    with pytest.raises(InvalidArguments, match="cancel one first"):
        world.run("timer.set", minutes=1)


def test_changes_are_told_also_those_of_another_process(world: World) -> None:
    heard: list[list[str]] = []
    end = world.book.observe(lambda: heard.append([timer.label for timer in world.book.timers]))
    world.book.set(START + 100, "tea")
    world.book.set(START + 500, "egg")
    world.book.cancel("t2")
    assert world.book.cancel("t9") is None
    world.store.save((*world.store.saved, Timer("t7", START + 900, "bus", START)))  # a terminal
    world.pass_time(60)
    world.pass_time(60)
    end()
    world.book.set(START + 2000, "late")
    assert heard == [["tea"], ["tea", "egg"], ["tea"], ["tea", "bus"], ["bus"]]


def test_the_timers_are_shown_as_a_table(world: World) -> None:
    offer = Toolbox(OwnTools(timer_tools(world.book))).offer()

    def listed() -> Shown | None:
        return asyncio.run(offer.run("timer.list", {}, lambda fraction, text: None)).shown

    assert listed() is None
    world.book.set(START + 60, "tea")
    moment = f"{datetime.fromtimestamp(START + 60):%Y-%m-%d %H:%M:%S}"
    assert listed() == ShownTable((), ((moment, "tea"),))
