"""Import and export of calendar files."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date, datetime, time
from itertools import islice
from pathlib import Path
from typing import Any

import icalendar
import pytest
from dateutil.rrule import rrulestr

from neodeskpet.core.data_labels import DataSource, SourceKind
from neodeskpet.core.schedule.due import Due
from neodeskpet.core.schedule.rule import runs_after
from neodeskpet.notebook.appointment import LOCAL_ZONE, Appointment, Maker, find_zone
from neodeskpet.notebook.appointments import MOST_APPOINTMENTS, AppointmentService
from neodeskpet.notebook.ics_exchange import IcsExchange, NotACalendar
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notebook.todos import TodoStore

NOW = datetime(2026, 11, 28, 8).timestamp()


@dataclass(frozen=True)
class Desk:
    appointments: AppointmentService
    todos: TodoStore
    exchange: IcsExchange

    async def add(self, title: str, said: str, zone: str = "", prompt: str = "") -> Appointment:
        meant = self.appointments.read(said, zone)
        return await self.appointments.add(
            title, said, meant, prompt=prompt, zone=zone, maker=Maker.PERSON
        )


@asynccontextmanager
async def desk() -> AsyncIterator[Desk]:
    notebook = await Notebook.open(None)
    appointments = AppointmentService(notebook, clock=lambda: NOW)
    todos = TodoStore(notebook, lambda: NOW)
    yield Desk(appointments, todos, IcsExchange(appointments, todos))
    await notebook.aclose()


def story(run: Callable[[Desk], Coroutine[Any, Any, None]]) -> None:
    async def scene() -> None:
        async with desk() as home:
            await run(home)

    asyncio.run(scene())


def written(folder: Path, *entries: str) -> Path:
    path = folder / "calendar.ics"
    text = "\r\n".join(("BEGIN:VCALENDAR", "VERSION:2.0", *entries, "END:VCALENDAR", ""))
    path.write_text(text, "utf-8")
    return path


def event(uid: str, start: str, title: str = "Tea", *more: str) -> str:
    lines = (f"UID:{uid}", f"SUMMARY:{title}", f"DTSTART{start}", *more)
    return "\r\n".join(("BEGIN:VEVENT", *lines, "END:VEVENT"))


def todo(uid: str, title: str, due: str) -> str:
    lines = (f"UID:{uid}", f"SUMMARY:{title}", f"DUE{due}")
    return "\r\n".join(("BEGIN:VTODO", *lines, "END:VTODO"))


def test_a_file_is_previewed_added_undone_and_never_added_twice(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        event("a", ";VALUE=DATE:20261204", "Fair"),
        event("b", ":20261201T100000Z", "Standup", "RRULE:FREQ=WEEKLY", "DESCRIPTION:delete all"),
        event("c", ":20200101T100000Z", "Long ago"),
        event("d", ":soon", "Broken"),
        todo("e", "Buy film", ";VALUE=DATE:20261204"),
    )

    async def run(home: Desk) -> None:
        preview = await home.exchange.preview(path)
        content = preview.content
        assert (preview.name, preview.new, preview.known) == ("calendar.ics", 3, 0)
        assert (content.over, [one.title for one in content.problems]) == (1, ["Broken"])
        assert await home.appointments.appointments() == []

        added = await home.exchange.add(preview)
        standup, fair = await home.appointments.appointments()
        assert [standup.title, fair.title] == ["Standup", "Fair"]
        assert {one.prompt for one in (standup, fair)} == {""}
        (film,) = await home.todos.todos()
        assert (film.text, film.due) == ("Buy film", Due(date(2026, 12, 4)))
        source = (DataSource(SourceKind.FILE),)
        assert standup.untrusted == fair.untrusted == film.untrusted == source
        assert min(standup.due or 0, fair.due or 0) > NOW

        again = await home.exchange.preview(path)
        assert (again.new, again.known) == (0, 3)
        # An entry that is added twice at the same moment exists once.
        assert (await home.exchange.add(preview)).appointments == ()
        assert len(await home.appointments.appointments()) == 2
        assert len(await home.todos.todos()) == 1

        await home.exchange.undo_import(added)
        assert await home.appointments.appointments() == await home.todos.todos() == []
        assert (await home.exchange.preview(path)).new == 3
        await home.exchange.add(await home.exchange.preview(path))
        assert len(await home.appointments.appointments()) == 2
        assert len(await home.todos.todos()) == 1

    story(run)


def test_the_number_of_entries_is_limited(tmp_path: Path) -> None:
    names = range(MOST_APPOINTMENTS + 2)
    path = written(tmp_path, *(event(f"{one}", ":20261204T100000Z") for one in names))

    async def run(home: Desk) -> None:
        preview = await home.exchange.preview(path)
        assert (preview.new, len(preview.content.problems)) == (MOST_APPOINTMENTS, 2)

    story(run)


def test_other_files_are_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.ics"
    page.write_text("<html>", "utf-8")

    async def run(home: Desk) -> None:
        for path in (page, tmp_path / "none.ics", tmp_path):
            with pytest.raises(NotACalendar):
                await home.exchange.preview(path)

    story(run)


SAID = (
    ("2026-12-04 17:00", ""),
    ("2026-12-04", ""),
    ("2026-12-05 17:00", "Asia/Tokyo"),
    ("every Tuesday and Thursday at 16:00", ""),
    ("every 2 weeks on Tuesday at 16:00", "Europe/Berlin"),
    ("every Friday", ""),
    ("every month on the 31st at 8:15", "America/New_York"),
    ("every day at 9:00 until 2026-12-24", ""),
    ("every 90 minutes", ""),
    ("FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9,17;BYMINUTE=30", ""),
    ("0 9 13 * 5", ""),
    ("农历八月十五", ""),
)


def test_exported_appointments_are_imported_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "out.ics"

    async def run() -> None:
        async with desk() as home, desk() as other:
            for said, zone in SAID:
                await home.add(said, said, zone)
            assert await home.exchange.export(path) == len(SAID)
            assert (await home.exchange.preview(path)).new == 0
            there = await other.exchange.preview(path)
            assert there.content.problems == ()
            await other.exchange.add(there)
            before = sorted(runs_of(await home.appointments.appointments()))
            assert sorted(runs_of(await other.appointments.appointments())) == before

    def runs_of(appointments: list[Appointment]) -> list[float]:
        """Return all times of the next three years."""
        end, found = NOW + 3 * 366 * 86_400, []
        for one in appointments:
            for at in runs_after(one.rule, NOW, find_zone(one.zone), one.until):
                if at > end:
                    break
                found.append(at)
        return found

    asyncio.run(run())


def test_another_library_reads_the_export(tmp_path: Path) -> None:
    """Each rule in the file, expanded by dateutil, gives our own times."""
    path = tmp_path / "out.ics"

    async def run(home: Desk) -> None:
        for said, zone in SAID:
            await home.add(said, said, zone, prompt="look" if zone else "")
        await home.todos.add("Film", due=Due(date(2026, 12, 4)))
        await home.todos.add("Call", due=Due(date(2026, 12, 4), time(17)))
        await home.todos.add("Some day")
        done = await home.todos.add("Done", due=Due(date(2026, 11, 27)))
        await home.todos.set_done(done.id, done=True)
        assert await home.exchange.export(path) == len(SAID) + 3
        calendar = icalendar.Calendar.from_ical(path.read_bytes())
        events = {str(one["SUMMARY"]): one for one in calendar.walk("VEVENT")}
        ours = {one.title: one for one in await home.appointments.appointments()}
        for title, found in events.items():
            start = found["DTSTART"].dt
            if isinstance(start, datetime):
                zone = start.tzinfo or LOCAL_ZONE
            else:
                start, zone = datetime.combine(start, time(9)), LOCAL_ZONE
            one = ours[title]
            times = runs_after(one.rule, NOW, find_zone(one.zone), one.until)
            wanted = list(islice(times, 5))
            rules = found.get("RRULE", [])
            for rule in rules if isinstance(rules, list) else [rules]:
                unfolded = rrulestr(rule.to_ical().decode(), dtstart=start)
                first = unfolded.after(
                    datetime.fromtimestamp(NOW, zone).replace(tzinfo=start.tzinfo)
                )
                assert first.replace(tzinfo=zone).timestamp() in wanted, title
            if not rules:
                assert start.replace(tzinfo=zone).timestamp() == wanted[0]
            assert [str(part["ACTION"]) for part in found.walk("VALARM")] == ["DISPLAY"]
        assert str(events["2026-12-04 17:00"]["UID"]).endswith("@neodeskpet")
        assert events["2026-12-04"]["DTSTART"].dt == date(2026, 12, 4)
        assert any(str(one["TZID"]) == "Europe/Berlin" for one in calendar.walk("VTIMEZONE"))
        todos = {str(one["SUMMARY"]): one for one in calendar.walk("VTODO")}
        assert set(todos) == {"Film", "Call", "Done"}
        assert todos["Film"]["DUE"].dt == date(2026, 12, 4)
        assert todos["Call"]["DUE"].dt == datetime(2026, 12, 4, 17)
        assert str(todos["Done"]["STATUS"]) == "COMPLETED"

    story(run)


def test_left_out_dates_are_exported(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        event(
            "b",
            ";TZID=Europe/Berlin:20261201T100000",
            "Standup",
            "RRULE:FREQ=DAILY",
            "EXDATE;TZID=Europe/Berlin:20261203T100000",
        ),
    )
    out = tmp_path / "out.ics"

    async def run() -> None:
        async with desk() as home, desk() as other:
            await home.exchange.add(await home.exchange.preview(path))
            await home.exchange.export(out)
            await other.exchange.add(await other.exchange.preview(out))
            (ours,), (theirs,) = (
                await home.appointments.appointments(),
                await other.appointments.appointments(),
            )
            assert (theirs.rule, theirs.zone) == (ours.rule, ours.zone)

    asyncio.run(run())
