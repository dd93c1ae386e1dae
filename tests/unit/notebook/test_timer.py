"""Timers as tools: set, listed, cancelled; as the model sees them."""

import asyncio
import json
from datetime import date, datetime, timedelta
from typing import Any

import pytest

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.tool_result import Shown, ShownTable
from neodeskpet.language import moment_words, set_language, tr_reason
from neodeskpet.notebook.timer_tools import TimerPauseUndo, timer_tools, timers_app
from neodeskpet.notebook.timers import MOST_TIMERS, Repeat, Timer, TimerService, TimersInMemory
from neodeskpet.toolkit.app_window import AppContent
from neodeskpet.toolkit.toolbox import AppTools, Toolbox

START = datetime(2025, 11, 21, 15, 0).timestamp()


WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class World:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = START
        self.store = TimersInMemory()
        self.book = TimerService(self.store, lambda _timer: None, clock=lambda: self.now)

    @property
    def timers(self) -> list[Timer]:
        return asyncio.run(self.book.timers())

    def run(self, name: str, **arguments: object) -> Any:
        toolbox = Toolbox(AppTools(timer_tools(self.book)))
        return json.loads(
            asyncio.run(toolbox.offer().run(name, arguments, lambda fraction, text: None)).text
        )


@pytest.fixture
def world() -> World:
    return World()


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
    (timer,) = world.timers
    assert (timer.due, timer.label) == (START + seconds, "tea")


def _in_ten_days() -> list[tuple[str, str, str]]:
    """Return a time in ten days as it is typed and as it is shown."""
    day = datetime.fromtimestamp(START) + timedelta(days=10)
    this_year = day.year == date.today().year
    english = f"{WEEKDAYS[day.weekday()]}, {day.day} {MONTHS[day.month - 1]}"
    chinese = f"{day.month}月{day.day}日 周{'一二三四五六日'[day.weekday()]}"
    if not this_year:
        english, chinese = f"{english} {day.year}", f"{day.year}年{chinese}"
    return [(f"{day:%Y-%m-%d} 16:15", f"{english} 16:15", f"{chinese} 16:15")]


@pytest.mark.parametrize(
    ("at", "shown", "chinese"),
    [
        ("17:30", "17:30", "17:30"),
        ("tomorrow 0:20", "tomorrow 00:20", "明天 00:20"),
        *_in_ten_days(),
    ],
)
def test_the_card_names_the_day_in_words(world: World, at: str, shown: str, chinese: str) -> None:
    toolbox = Toolbox(AppTools(timer_tools(world.book)))
    given = {"at": at, "label": "tea"}
    result = asyncio.run(toolbox.offer().run("timer.set", given, lambda fraction, text: None))
    assert result.brief is not None
    said = {}
    for language in ("en", "zh_CN"):
        set_language(language)
        said[language] = tr_reason(result.brief)
    set_language("en")
    assert said == {"en": shown, "zh_CN": chinese}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({}, "Exactly one of seconds, minutes and at is required; 0 were given."),
        ({"at": " "}, "0 were given"),
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
    assert world.timers == []


def test_listing_and_cancelling(world: World) -> None:
    assert world.run("timer.list") == {"timers": []}
    world.run("timer.set", minutes=10, label="later")
    world.run("timer.set", minutes=5, label="soon")
    world.now += 60
    listed = world.run("timer.list")["timers"]
    assert [(t["id"], t["label"], t["in"]) for t in listed] == [
        ("t2", "soon", "4 min"),
        ("t1", "later", "9 min"),
    ]
    assert world.run("timer.cancel", id="t2")["cancelled"]["label"] == "soon"
    with pytest.raises(InvalidArguments, match=r"there is no timer t2\. Those that exist: t1"):
        world.run("timer.cancel", id="t2")


def test_the_number_of_timers_is_limited(world: World) -> None:
    for number in range(MOST_TIMERS):
        world.store.kept[f"t{number}"] = Timer(f"t{number}", START + 10, "", START)
    with pytest.raises(InvalidArguments, match="cancel one first"):
        world.run("timer.set", minutes=1)


def test_the_timers_are_shown_as_a_table(world: World) -> None:
    offer = Toolbox(AppTools(timer_tools(world.book))).offer()

    def listed() -> Shown | None:
        return asyncio.run(offer.run("timer.list", {}, lambda fraction, text: None)).shown

    assert listed() is None
    asyncio.run(world.book.add(START + 60, "tea"))
    moment = f"{datetime.fromtimestamp(START + 60):%Y-%m-%d %H:%M:%S}"
    assert listed() == ShownTable((), ((moment_words(moment), "tea"),))
    asyncio.run(world.book.pause("t1"))
    assert listed() == ShownTable((), (("paused, 1 min left", "tea"),))


def test_a_repeated_timer(world: World) -> None:
    told = world.run("timer.set", at="17:30", label="home", repeat="weekdays")["set"]
    assert told["repeat"] == "weekdays"
    assert [timer.repeat for timer in world.timers] == [Repeat.WEEKDAYS]
    with pytest.raises(InvalidArguments, match="repeat"):
        world.run("timer.set", at="17:30", repeat="hourly")


def test_a_paused_timer_keeps_its_time(world: World) -> None:
    world.run("timer.set", minutes=10, label="tea")
    world.now += 240
    told = world.run("timer.pause", id="t1")["paused"]
    assert (told["paused"], told["seconds_left"]) == (True, 360)
    world.now += 100_000
    (listed,) = world.run("timer.list")["timers"]
    assert (listed["paused"], listed["seconds_left"]) == (True, 360)
    again = world.run("timer.pause", id="t1")
    assert (again["unchanged"]["seconds_left"], again["why"]) == (360, "It was paused already.")
    told = world.run("timer.resume", id="t1")["resumed"]
    assert "paused" not in told and told["seconds_left"] == 360
    (timer,) = world.timers
    assert timer.due == world.now + 360
    assert timer.share_left(world.now) == 0.6, "the ring continues where it was"
    again = world.run("timer.resume", id="t1")
    assert (again["unchanged"]["seconds_left"], again["why"]) == (360, "It wasn't paused: it runs.")
    assert world.timers == [timer]
    for name in ("timer.pause", "timer.resume"):
        with pytest.raises(InvalidArguments, match="there is no timer t9"):
            world.run(name, id="t9")


def test_a_repeated_timer_is_not_paused(world: World) -> None:
    world.run("timer.set", at="17:30", label="home", repeat="daily")
    with pytest.raises(InvalidArguments, match="it repeats"):
        world.run("timer.pause", id="t1")


@pytest.mark.parametrize("resumed", [False, True])
def test_a_pause_can_be_undone(world: World, resumed: bool) -> None:
    world.run("timer.set", minutes=10, label="tea")
    world.run("timer.pause", id="t1")
    if resumed:
        world.run("timer.resume", id="t1")
    undo = TimerPauseUndo(world.book, resumed=resumed)
    assert asyncio.run(undo.undo({"id": "t1"}))
    assert world.timers[0].is_paused is resumed
    assert not asyncio.run(undo.undo({"id": "t1"}))


def test_the_window_of_timers_names_paused_ones(world: World) -> None:
    world.run("timer.set", minutes=10, label="tea")
    world.run("timer.pause", id="t1")
    app = timers_app(world.book)
    content = asyncio.run(app.content(""))
    assert isinstance(content, AppContent)
    assert content.text == "t1: paused, 10 min left tea"
    assert {"set", "pause", "resume", "cancel"} == app.actions.keys()
