"""Appointments on a simulated clock: a year of them, sleep, and wrong clocks."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from neodeskpet.core.errors import TooManyTasks
from neodeskpet.core.i18n import InvalidValue
from neodeskpet.notebook.appointment import Appointment, Maker, RunOutcome
from neodeskpet.notebook.appointments import (
    AppointmentHandlers,
    AppointmentService,
    CallCompanion,
    Ended,
)
from neodeskpet.notebook.notebook import FILE_NAME, Notebook
from neodeskpet.notebook.timers import SqliteTimers, Timer, TimerService
from tests.unit.notebook.test_notebook import pages_of, torn

BERLIN = ZoneInfo("Europe/Berlin")
HOUR = 3600.0
DAY = 24 * HOUR


def moment(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN).timestamp()


def shown(at: float | None) -> str:
    return "" if at is None else f"{datetime.fromtimestamp(at, BERLIN):%Y-%m-%d %H:%M}"


class World:
    """A store on a simulated clock; the timers that it sets ring."""

    def __init__(self, notebook: Notebook, start: str) -> None:
        self.now = moment(start)
        self.face = "CET"
        self.answer: CallCompanion | None = None  # None: nothing answers a prompt.
        self.book = AppointmentService(
            notebook,
            clock=lambda: self.now,
            face=lambda: self.face,
            handlers=AppointmentHandlers(lambda: self.answer is not None, self._answer),
        )
        self.timers = TimerService(
            SqliteTimers(notebook), lambda _timer: None, clock=lambda: self.now
        )
        self.called: list[tuple[str, float]] = []

    async def _answer(self, one: Appointment, due: float, ended: Ended) -> RunOutcome | None:
        assert self.answer is not None
        return await self.answer(one, due, ended)

    async def add(self, title: str, when: str, prompt: str = "", until: str = "") -> Appointment:
        zone = "Europe/Berlin"
        meant = self.book.read(when, zone, until)
        return await self.book.add(
            title, when, meant, prompt=prompt, zone=zone, maker=Maker.COMPANION
        )

    async def at(self, when: str) -> list[Timer]:
        """Return what has rung since, at this time; it is answered at once."""
        self.now = moment(when)
        await self.book.run_due()
        rung = await self.timers.timers()
        for timer in rung:
            await self.timers.answer(timer)
        return rung

    async def call(self, one: Appointment, due: float, ended: Ended) -> RunOutcome | None:
        self.called.append((one.title, due))
        return RunOutcome.TOLD


def live(
    story: Callable[[World], Awaitable[None]],
    start: str = "2026-11-25 10:00",
    path: Path | None = None,
) -> None:
    async def scene() -> None:
        notebook = await Notebook.open(path)
        try:
            await story(World(notebook, start))
        finally:
            await notebook.aclose()

    asyncio.run(scene())


def test_one_rings_as_a_timer_and_is_over() -> None:
    async def story(world: World) -> None:
        one = await world.add("Tea", "today at 6pm")
        assert shown(one.due) == "2026-11-25 18:00"
        assert await world.at("2026-11-25 17:59") == []
        (tea,) = await world.at("2026-11-25 18:00")
        assert (tea.label, shown(tea.due)) == ("Tea", "2026-11-25 18:00")
        assert await world.book.appointments() == []
        (run,) = await world.book.runs()
        assert (run.title, run.outcome) == ("Tea", RunOutcome.RANG)

    live(story)


def test_a_repeated_one_waits_for_its_next_time() -> None:
    async def story(world: World) -> None:
        await world.add("Stretch", "every weekday at 9am", until="2026-11-30")
        assert [t.label for t in await world.at("2026-11-26 09:00")] == ["Stretch"]
        assert await world.at("2026-11-26 09:01") == [], "once"
        assert len(await world.at("2026-11-27 09:00")) == 1
        (one,) = await world.book.appointments()
        assert shown(one.due) == "2026-11-30 09:00"
        await world.at("2026-11-30 09:00")
        assert await world.book.appointments() == [], "its end has come"

    live(story)


def test_runs_missed_in_ten_hours_of_sleep_are_reported_once() -> None:
    async def story(world: World) -> None:
        await world.add("Water", "every hour")
        await world.add("Call", "2026-11-25 21:00")
        water, call = await world.at("2026-11-25 21:30")
        assert (water.label, shown(water.due)) == ("Water (×11)", "2026-11-25 11:00")
        assert call.label == "Call"
        assert await world.at("2026-11-25 21:31") == []
        assert {run.outcome for run in await world.book.runs()} == {RunOutcome.MISSED}
        (again,) = await world.at("2026-11-25 22:00")
        assert again.label == "Water", "it keeps its interval"

    live(story)


def test_an_unanswered_one_rings_once() -> None:
    async def story(world: World) -> None:
        await world.add("Look", "every minute")
        for minute in range(1, 30):
            world.now = moment("2026-11-25 10:00") + 60 * minute
            await world.book.run_due()
        (timer,) = await world.timers.timers()
        assert shown(timer.due) == "2026-11-25 10:29"

    live(story)


def test_through_a_year_each_comes_at_its_time() -> None:
    """Two changes of the clocks and a leap day, at a time that is once missing and once double."""

    async def story(world: World) -> None:
        one = await world.add("Night", "30 2 * * *")
        await world.add("Leap", "every feb 29 at 9am")
        rung: list[str] = []
        for _ in range(366):
            ahead = await world.book.run_due()
            assert ahead is not None
            rung += [f"{t.label} {shown(t.due)}" for t in await world.at(shown(ahead))]
        nights = [words.split(" ", 1)[1] for words in rung if words.startswith("Night")]
        assert len(nights) >= 360
        assert len({night[:10] for night in nights}) == len(nights), "one for each day"
        assert {night[11:] for night in nights} == {"02:30", "03:30"}
        assert [night for night in nights if night.endswith("03:30")] == ["2028-03-26 03:30"]
        assert "2028-10-29 02:30" in nights
        assert "Leap 2028-02-29 09:00" in rung
        assert one.zone == "Europe/Berlin"

    live(story, "2027-12-31 12:00")


def test_a_thousand_through_a_year() -> None:
    async def story(world: World) -> None:
        expected: Counter[str] = Counter()
        for number in range(1_000):
            day, month, minute = number % 28 + 1, number % 12 + 1, number % 60
            if number % 20:
                when, times = f"{minute} 9 {day} {month} *", 1
            else:
                when, times = f"{minute} 9 {day} * *", 12
            await world.add(str(number), when)
            expected[str(number)] = times
        rung: Counter[str] = Counter()
        while True:
            ahead = await world.book.run_due()
            if ahead is None or ahead >= moment("2028-01-01 00:00"):
                break
            rung.update(timer.label for timer in await world.at(shown(ahead)))
        assert rung == expected

    live(story, "2027-01-01 00:00")


def test_a_clock_set_forward_and_back_again_loses_nothing() -> None:
    async def story(world: World) -> None:
        await world.add("Pill", "every day at 9am")
        (far,) = await world.at("2027-11-25 10:00")
        assert far.label == "Pill (×99)"
        assert await world.at("2026-11-25 10:01") == []
        assert len(await world.at("2026-11-26 09:00")) == 1

    live(story)


def test_a_small_correction_of_the_clock_rings_nothing_twice() -> None:
    async def story(world: World) -> None:
        await world.add("Pill", "every day at 11am")
        assert len(await world.at("2026-11-25 11:00")) == 1
        assert await world.at("2026-11-25 10:58") == []
        assert await world.at("2026-11-25 11:01") == []
        await world.at("2026-11-25 12:00")
        assert await world.at("2026-11-25 10:30") == []
        assert len(await world.at("2026-11-25 11:00")) == 1, "the user set it back on purpose"

    live(story)


def test_one_without_a_zone_follows_the_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    async def story(world: World) -> None:
        meant = world.book.read("every day at 9am")
        await world.book.add("Pill", "daily", meant, prompt="", zone="", maker=Maker.PERSON)
        (one,) = await world.book.appointments()
        assert shown(one.due) == "2026-11-26 09:00"
        monkeypatch.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        world.face = "JST"
        await world.book.run_due()
        (one,) = await world.book.appointments()
        assert shown(one.due) == "2026-11-26 01:00"

    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        live(story)
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_pause_skips_its_runs() -> None:
    async def story(world: World) -> None:
        one = await world.add("Pill", "every day at 9am")
        await world.book.update(one.id, paused=True)
        assert await world.at("2026-11-27 10:00") == []
        (paused,) = await world.book.appointments()
        assert paused.paused
        await world.book.update(one.id, paused=False)
        assert await world.at("2026-11-27 10:01") == []
        assert len(await world.at("2026-11-28 09:00")) == 1
        assert await world.book.update("a99", paused=True) is None

    live(story)


def test_it_is_changed_cancelled_and_restored() -> None:
    async def story(world: World) -> None:
        told: list[None] = []
        end = world.book.subscribe(lambda: told.append(None))
        one = await world.add("Pill", "every day at 9am")
        when = ("21:00", world.book.read("every day at 21:00", one.zone), one.zone)
        new = await world.book.update(one.id, title="Pills", prompt="Ask me", when=when)
        assert new is not None
        assert (new.title, new.prompt, shown(new.due)) == ("Pills", "Ask me", "2026-11-25 21:00")
        assert await world.book.restore_previous(one)
        (back,) = await world.book.appointments()
        assert (back.title, shown(back.due)) == ("Pill", "2026-11-26 09:00")
        assert await world.book.cancel(one.id) == back
        assert await world.book.cancel(one.id) is None
        assert not await world.book.restore_previous(one)
        assert await world.book.appointments() == []
        assert await world.at("2026-11-27 10:00") == []
        assert await world.book.restore(one.id)
        assert not await world.book.restore(one.id)
        (again,) = await world.book.appointments()
        assert shown(again.due) == "2026-11-28 09:00"
        assert len(told) >= 5
        end()

    live(story)


def test_a_prompt_is_given_to_the_companion() -> None:
    async def story(world: World) -> None:
        world.answer = world.call
        one = await world.add("Weather", "every day at 9am", "Tell me the weather.")
        assert await world.at("2026-11-26 09:00") == []
        assert world.called == [("Weather", moment("2026-11-26 09:00"))]
        (run,) = await world.book.runs(one.id)
        assert run.outcome is RunOutcome.TOLD
        (late,) = await world.at("2026-11-27 12:00")
        assert late.label == "Weather: Tell me the weather."
        assert await world.book.run_now(one.id) is not None
        assert len(world.called) == 2
        assert await world.book.run_now("a99") is None

    live(story)


def test_a_prompt_that_can_not_be_answered_rings() -> None:
    async def nobody(one: Appointment, due: float, ended: Ended) -> RunOutcome | None:
        return RunOutcome.RANG

    async def fails(one: Appointment, due: float, ended: Ended) -> RunOutcome | None:
        raise TooManyTasks(count="8")

    async def story(world: World) -> None:
        one = await world.add("Weather", "every day at 9am", "Tell me.")
        (silent,) = await world.at("2026-11-26 09:00")
        assert silent.label == "Weather: Tell me."
        for day, call in ((27, nobody), (28, fails)):
            world.answer = call
            assert len(await world.at(f"2026-11-{day} 09:00")) == 1
        assert {run.outcome for run in await world.book.runs(one.id)} == {RunOutcome.RANG}

    live(story)


def test_a_slow_one_reports_its_result_later() -> None:
    async def story(world: World) -> None:
        ends: list[Ended] = []

        async def call(one: Appointment, due: float, ended: Ended) -> RunOutcome | None:
            ends.append(ended)
            return None

        world.answer = call
        one = await world.add("Weather", "every day at 9am", "Tell me.")
        outcomes = []
        for day, outcome in ((26, RunOutcome.TOLD), (27, RunOutcome.FAILED), (28, RunOutcome.RANG)):
            assert await world.at(f"2026-11-{day} 09:00") == [], "it neither waits nor rings"
            assert (await world.book.runs(one.id))[0].outcome is RunOutcome.CALLED
            await ends[-1](outcome)
            outcomes.append((await world.book.runs(one.id))[0].outcome)
        assert outcomes == [RunOutcome.TOLD, RunOutcome.FAILED, RunOutcome.RANG]
        (rung,) = await world.timers.timers()
        assert rung.label == "Weather: Tell me."

    live(story)


def test_its_allowed_tools_are_stored(tmp_path: Path) -> None:
    async def story(world: World) -> None:
        meant = world.book.read("every day at 9am")
        one = await world.book.add(
            "News",
            "every day at 9am",
            meant,
            prompt="Tell me the news.",
            zone="",
            maker=Maker.PERSON,
            tools=["web.fetch", "time.now"],
        )
        assert one.tools == ("web.fetch", "time.now")
        changed = await world.book.update(one.id, title="The news")
        assert changed is not None and changed.tools == one.tools, "omitted fields stay"
        changed = await world.book.update(one.id, tools=())
        assert changed is not None and changed.tools == ()
        assert await world.book.restore_previous(one)
        found = await world.book.find(one.id)
        assert found is not None and found.tools == one.tools
        assert (await world.add("Pill", "every day at 9am")).tools == ()

    live(story, path=tmp_path / FILE_NAME)


def calendar(first: str, line: str) -> str:
    return json.dumps({"first": first, "lines": [line]})


@pytest.mark.parametrize(
    "damage",
    [
        ("rule", "{}"),
        ("rule", ""),
        ("rule", b"\xff\xfe"),
        ("rule", "[1]"),
        ("rule", '{"at": 1e999}'),
        ("rule", '{"start": 0, "seconds": "x"}'),
        ("rule", calendar("nine", "FREQ=DAILY")),
        ("rule", calendar("2026-11-25T09:00:00", "FREQ=DAILY;BYHOUR=99")),
        ("rule", calendar("2026-11-25T09:00:00", "FREQ=DAILY;INTERVAL=0")),
        ("rule", calendar("2026-11-25T09:00:00", "FREQ=SECONDLY")),
        ("zone", "Mars/Olympus"),
        ("zone", b"\x00"),
        ("until", "whenever"),
        ("due", "soon"),
        ("due", b"\xff"),
        ("due", 1e300),
        ("maker", "nobody"),
        ("made", "long ago"),
    ],
)
def test_an_unreadable_appointment_does_not_affect_the_others(
    tmp_path: Path, damage: tuple[str, object]
) -> None:
    async def story(world: World) -> None:
        one = await world.add("Pill", "every day at 9am")
        bad = await world.add("Bad", "every day at 9am")
        column, value = damage
        await spoil(
            world, f"UPDATE appointments SET {column} = ? WHERE id = ?", (value, int(bad.id[1:]))
        )
        assert [found.id for found in await world.book.appointments()] == [one.id]
        for day in (26, 27):
            assert [t.label for t in await world.at(f"2026-11-{day} 09:00")] == ["Pill"]
            ahead = await world.book.run_due()
            assert ahead is not None and ahead > world.now, "the search would never end"
        world.face = "JST"  # the computer is in another zone now
        assert [t.label for t in await world.at("2026-11-28 09:00")] == ["Pill"]
        assert await world.book.cancel(bad.id) is None

    live(story, path=tmp_path / FILE_NAME)


async def spoil(world: World, statement: str, values: tuple[object, ...]) -> None:
    def work(db: sqlite3.Connection) -> None:
        db.execute(statement, values)

    await world.book._notebook.change(work)


def test_an_unreadable_run_does_not_affect_the_others() -> None:
    async def story(world: World) -> None:
        await world.add("Pill", "every day at 9am")
        for day in (26, 27, 28):
            await world.at(f"2026-11-{day} 09:00")
        last, middle, first = await world.book.runs()
        await spoil(world, "UPDATE runs SET outcome = 'odd' WHERE id = ?", (middle.number,))
        assert await world.book.runs() == [last, first]
        await spoil(world, "UPDATE runs SET due = 'odd' WHERE id = ?", (last.number,))
        assert await world.book.runs() == [first]

    live(story)


def test_a_damaged_page_loses_only_its_appointments(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME

    async def fill(world: World) -> None:
        for number in range(100):
            words = f"{number} ".ljust(600, "x")
            meant = world.book.read("every day at 9am", "Europe/Berlin")
            await world.book.add(
                "Pill",
                "every day at 9am",
                meant,
                prompt=words,
                zone="Europe/Berlin",
                maker=Maker.PERSON,
                tools=["time.now"],
            )

    async def story(world: World) -> None:
        found = await world.book.appointments()
        assert 90 <= len(found) < 100
        assert all(one.tools == ("time.now",) and one.prompt for one in found)
        assert len(await world.at("2026-11-26 09:00")) == len(found)

    live(fill, path=path)
    torn(path, pages_of(path, "appointments")[3])
    live(story, path=path)


def test_the_end_may_be_given_separately() -> None:
    async def story(world: World) -> None:
        meant = world.book.read("every day at 9am", "Europe/Berlin", "2026-11-27")
        assert shown(meant.until) == "2026-11-27 23:59"
        later = world.book.read("", "Europe/Berlin", "2026-11-30", meant)
        assert shown(later.until) == "2026-11-30 23:59"
        same = world.book.read("every day at 21:00", "Europe/Berlin", "", meant)
        assert same.until == meant.until
        sooner = world.book.read("every day at 9am until 2026-11-29", "Europe/Berlin", "2026-12-24")
        assert shown(sooner.until) == "2026-11-29 23:59"
        for when, zone in (("next Friday", "Europe/Berlin"), ("noon", "Mars/Olympus")):
            with pytest.raises(InvalidValue):
                world.book.read(when, zone)

    live(story)


_KILLED = """
    import asyncio, os, signal, sys
    from pathlib import Path
    from neodeskpet.notebook.appointments import AppointmentHandlers, AppointmentService
    from neodeskpet.notebook.appointment import Maker
    from neodeskpet.notebook.notebook import Notebook

    async def dies(one, due, ended):
        os.kill(os.getpid(), signal.SIGKILL)

    async def main():
        now = [1_800_000_000.0]
        book = AppointmentService(
            await Notebook.open(Path(sys.argv[1])),
            clock=lambda: now[0],
            handlers=AppointmentHandlers(speaks=lambda: True, call=dies),
        )
        for title, prompt in (("Rings", ""), ("Speaks", "Say it.")):
            meant = book.read("in 5 minutes")
            await book.add(title, "in 5 minutes", meant, prompt=prompt, zone="", maker=Maker.PERSON)
        now[0] += 301
        await book.run_due()

    asyncio.run(main())
"""


def test_a_kill_neither_loses_nor_doubles_a_run(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(_KILLED), path], check=False)
    assert ended.returncode == -signal.SIGKILL

    async def story(world: World) -> None:
        world.now = 1_800_000_400.0
        await world.book.run_due()
        await world.book.run_due()
        labels = sorted(timer.label for timer in await world.timers.timers())
        assert labels == ["Rings", "Speaks: Say it."]

    live(story, path=path)


def test_appointments_are_stored_over_a_restart(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    made: list[Appointment] = []

    async def first(world: World) -> None:
        whens = ("every other Friday at 9am", "every 2 hours", "2026-12-24 18:00")
        made.extend([await world.add(when, when, "Do it") for when in whens])

    async def second(world: World) -> None:
        found = {one.id: one for one in await world.book.appointments()}
        assert [found[one.id] for one in made] == made

    live(first, path=path)
    live(second, path=path)
