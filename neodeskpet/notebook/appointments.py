"""All appointments, kept in the notebook beside the timers they ring as.

What is due rings as a timer does, so that it is answered, put off and told when it was missed in
the same way; it is put among the timers in one transaction with its next run, so being killed in
between neither loses nor doubles it. One with a prompt is told to the companion instead, if that
can speak.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from neodeskpet.core.data_labels import DataSource, add_sources
from neodeskpet.core.errors import KnownError
from neodeskpet.core.schedule.parsing.time_parser import (
    AmbiguousTime,
    ParsedTime,
    TimeReading,
    parse_end,
    parse_time,
)
from neodeskpet.notebook import appointment_table
from neodeskpet.notebook.appointment import (
    Appointment,
    AppointmentRun,
    Maker,
    RunOutcome,
    find_zone,
    local_zone_signature,
)
from neodeskpet.notebook.ics_entries import IcsAppointment
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.platform.observers import Observers

_log = logging.getLogger(__name__)

MOST_APPOINTMENTS = 1_000

T = TypeVar("T")
Ended = Callable[[RunOutcome], Awaitable[None]]
CallCompanion = Callable[[Appointment, float, Ended], Awaitable[RunOutcome | None]]
"""Tells the companion of one that was due at a moment: TOLD, or RANG if it can't be told. None: it
takes its time, and says what became of it when it has ended.
"""


async def _call_nobody(one: Appointment, due: float, ended: Ended) -> RunOutcome | None:
    return RunOutcome.RANG


@dataclass(frozen=True, slots=True)
class AppointmentHandlers:
    """What appointments need of the app. `speaks` says whether a prompt can be answered now, and
    `call` has it answered; without them the appointment rings. `wake` causes a check for due
    appointments soon. `tools` gives the names of tools that an appointment may be allowed to use.
    """

    speaks: Callable[[], bool] = lambda: False
    call: CallCompanion = _call_nobody
    wake: Callable[[], None] = lambda: None
    tools: Callable[[], Sequence[str]] = tuple


class AppointmentService:
    """Used on the loop's thread; coroutines raise StoreError. Appointments become due only when
    `run_due` is called.
    """

    def __init__(
        self,
        notebook: Notebook,
        *,
        clock: Callable[[], float] = time.time,
        face: Callable[[], str] = local_zone_signature,
        handlers: AppointmentHandlers | None = None,
    ) -> None:
        self._handlers = handlers or AppointmentHandlers()
        self._notebook = notebook
        self._clock = clock
        self._face = face
        self._changed: Observers[[]] = Observers()
        self._seen: float | None = None
        self._begun = False

    def tools(self) -> Sequence[str]:
        """The names of tools that an appointment may be allowed to use."""
        return self._handlers.tools()

    def now(self) -> float:
        return self._clock()

    def notify_changed(self) -> None:
        """Another process may have changed what is kept: observers read it anew."""
        self._changed.notify()

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` whenever they are others or one came; returns what ends it."""
        return self._changed.subscribe(observer)

    def read(
        self, when: str, zone: str = "", until: str = "", before: ParsedTime | None = None
    ) -> ParsedTime:
        """As `parse_rule`; raises InvalidValue too where it may mean several things, with the
        question.
        """
        found = self.parse_rule(when, zone, until, before)
        if isinstance(found, AmbiguousTime):
            raise found.question(self._clock(), find_zone(zone))
        return found

    def parse_rule(
        self, when: str, zone: str = "", until: str = "", before: ParsedTime | None = None
    ) -> TimeReading:
        """What `when` means in the zone of this name, or `before` for ""; that has the end too if
        no other is said. Raises InvalidValue. May be called on any thread.
        """
        there, now = find_zone(zone), self._clock()
        found = before if before is not None and not when.strip() else parse_time(when, now, there)
        last = parse_end(until, now, there) if until.strip() else None
        if found is before and before is not None:
            return replace(before, until=before.until if last is None else last)
        if last is None and before is not None:
            last = before.until
        if isinstance(found, AmbiguousTime):
            return replace(found, readings=tuple(_ending(one, last) for one in found.readings))
        return _ending(found, last)

    async def appointments(self) -> list[Appointment]:
        """Those still to come, the next first, then those that are paused."""
        return await self._notebook.read(appointment_table.list_pending)

    async def find(self, appointment_id: str) -> Appointment | None:
        return await self._notebook.read(lambda db: appointment_table.find(db, appointment_id))

    async def runs(self, appointment_id: str = "", limit: int = 100) -> list[AppointmentRun]:
        """The last ones that came, of one or of all, the newest first."""
        return await self._notebook.read(
            lambda db: appointment_table.runs_of(db, appointment_id, limit)
        )

    async def add(
        self,
        title: str,
        said: str,
        meant: ParsedTime,
        *,
        prompt: str,
        zone: str,
        maker: Maker,
        tools: Sequence[str] = (),
        untrusted: Sequence[DataSource] = (),
    ) -> Appointment:
        now, face = self._clock(), self._face()
        one = Appointment(
            "",
            title,
            prompt,
            said,
            meant.rule,
            zone,
            meant.until,
            None,
            False,
            maker,
            now,
            tuple(tools),
            tuple(untrusted),
        )
        one = replace(one, due=appointment_table.next_of(one, now))
        return await self._change(lambda db: appointment_table.insert(db, one, now, face))

    async def known_uids(self) -> dict[str, str]:
        """The ids of the appointments by their id of all computers."""
        return await self._notebook.read(appointment_table.known_uids)

    async def add_imported(
        self, entries: Sequence[IcsAppointment], untrusted: Sequence[DataSource]
    ) -> list[Appointment]:
        """Add those that aren't there and are not over; they only ring."""
        now, face = self._clock(), self._face()

        def work(db: sqlite3.Connection) -> list[Appointment]:
            added = []
            for entry in entries:
                one = Appointment(
                    "",
                    entry.title,
                    "",
                    entry.said,
                    entry.rule,
                    entry.zone,
                    entry.until,
                    None,
                    False,
                    Maker.PERSON,
                    now,
                    untrusted=tuple(untrusted),
                )
                one = replace(one, due=appointment_table.next_of(one, now))
                if one.due is not None:
                    made = appointment_table.insert_with_uid(db, one, entry.uid, now, face)
                    added += [made] if made is not None else []
            return added

        return await self._change(work)

    async def cancel_all(self, appointment_ids: Sequence[str]) -> None:
        """Cancel all of these at once; they can be restored."""
        now = self._clock()

        def work(db: sqlite3.Connection) -> None:
            for one in appointment_ids:
                appointment_table.mark_deleted(db, one, now)

        await self._change(work)

    async def update(
        self,
        appointment_id: str,
        *,
        title: str | None = None,
        prompt: str | None = None,
        when: tuple[str, ParsedTime, str] | None = None,
        paused: bool | None = None,
        tools: Sequence[str] | None = None,
        untrusted: Sequence[DataSource] = (),
    ) -> Appointment | None:
        """The appointment as it is then; None if there is none of that id. `when`: what was said,
        what it means, and the zone. `untrusted` sources are added to those it has. One that goes on
        after a pause skips what it missed.
        """
        now, face = self._clock(), self._face()

        def work(db: sqlite3.Connection) -> Appointment | None:
            one = appointment_table.find(db, appointment_id)
            if one is None:
                return None
            goes_on = one.paused and paused is False
            one = replace(
                one,
                title=one.title if title is None else title,
                prompt=one.prompt if prompt is None else prompt,
                paused=one.paused if paused is None else paused,
                tools=one.tools if tools is None else tuple(tools),
                untrusted=add_sources(one.untrusted, untrusted),
            )
            if when is not None:
                said, meant, zone = when
                one = replace(one, said=said, rule=meant.rule, until=meant.until, zone=zone)
            if when is not None or goes_on:
                one = replace(one, due=appointment_table.next_of(one, now))
            appointment_table.update(db, one, now, face)
            return one

        return await self._change(work)

    async def restore_previous(self, one: Appointment) -> bool:
        """Make it what it was before a change."""
        now, face = self._clock(), self._face()

        def work(db: sqlite3.Connection) -> bool:
            if appointment_table.find(db, one.id) is None:
                return False
            appointment_table.update(
                db, replace(one, due=appointment_table.next_of(one, now)), now, face
            )
            return True

        return await self._change(work)

    async def cancel(self, appointment_id: str) -> Appointment | None:
        """The one that was cancelled, None if there is none of that id."""
        now = self._clock()

        def work(db: sqlite3.Connection) -> Appointment | None:
            one = appointment_table.find(db, appointment_id)
            if one is not None:
                appointment_table.mark_deleted(db, one.id, now)
            return one

        return await self._change(work)

    async def restore(self, appointment_id: str) -> bool:
        """Take a cancelled one back; what it missed isn't told. False if it is there or gone."""
        now, face = self._clock(), self._face()

        def work(db: sqlite3.Connection) -> bool:
            if not appointment_table.mark_deleted(db, appointment_id, None):
                return False
            one = appointment_table.find(db, appointment_id)
            if one is not None:
                appointment_table.set_next_run(
                    db, one, appointment_table.next_of(one, now), now, face
                )
            return one is not None

        return await self._change(work)

    async def run_now(self, appointment_id: str) -> Appointment | None:
        """Have it come now, beside its times; None if there is none of that id."""
        now, speaks = self._clock(), self._handlers.speaks()

        def work(db: sqlite3.Connection) -> tuple[Appointment, int] | None:
            one = appointment_table.find(db, appointment_id)
            if one is None:
                return None
            return one, self._come(db, one, now, now, speaks=speaks, times=1)

        found = await self._change(work)
        if found is None:
            return None
        one, number = found
        await self._pass_on(one, number, now)
        return one

    async def run_due(self) -> float | None:
        """Have come what is due; the moment of the next one, None if there is none."""
        now, face, speaks = self._clock(), self._face(), self._handlers.speaks()
        first, self._begun = not self._begun, True

        def work(db: sqlite3.Connection) -> tuple[list[tuple[Appointment, int]], float | None]:
            if first:
                self._tell_left(db, now)
            appointment_table.adjust_to_clock(db, now, face)
            came = []
            for one in appointment_table.due_by(db, now):
                if appointment_table.runs_elsewhere(db, one):
                    appointment_table.set_next_run(
                        db, one, appointment_table.next_of(one, now), now, face
                    )
                    continue
                number = self._advance(db, one, now, face, speaks=speaks)
                came.append((one, number))
            return came, appointment_table.next_due(db, now)

        came, ahead = await self._notebook.change(work)
        for one, number in came:
            await self._pass_on(one, number, one.due or now)
        if came or ahead != self._seen:
            self._seen = ahead
            self._changed.notify()
        return ahead

    # Inside, on the notebook's thread

    def _advance(
        self, db: sqlite3.Connection, one: Appointment, now: float, face: str, *, speaks: bool
    ) -> int:
        due = one.due or now
        number = self._come(
            db, one, due, now, speaks=speaks, times=appointment_table.passed_runs(one, now)
        )
        appointment_table.set_next_run(db, one, appointment_table.next_of(one, now), now, face)
        return number

    def _come(
        self,
        db: sqlite3.Connection,
        one: Appointment,
        due: float,
        now: float,
        *,
        speaks: bool,
        times: int,
    ) -> int:
        """The number of the run of which the companion is to be told; 0 if it rings."""
        missed = now - due > appointment_table.MISSED_AFTER_SECONDS
        if one.prompt and speaks and not missed:
            return appointment_table.add_run(db, one, due, now, RunOutcome.CALLED)
        appointment_table.put_timer(db, one, label_of(one, times), due, now)
        appointment_table.add_run(
            db, one, due, now, RunOutcome.MISSED if missed else RunOutcome.RANG
        )
        return 0

    def _tell_left(self, db: sqlite3.Connection, now: float) -> None:
        """What the companion was about to be told when the app died rings, as missed."""
        for run in appointment_table.called_runs(db):
            one = appointment_table.find(db, run.appointment)
            appointment_table.set_outcome(db, run.number, RunOutcome.MISSED)
            if one is not None:
                appointment_table.put_timer(db, one, label_of(one, 1), run.due, now)

    # Inside, on the loop's

    async def _pass_on(self, one: Appointment, number: int, due: float) -> None:
        """Tell the companion; where that can't be, it rings."""
        if not number:
            self._handlers.wake()
            return
        ended = partial(self._end, one, number, due)
        try:
            outcome = await self._handlers.call(one, due, ended)
        except KnownError:
            _log.exception("The appointment %s can't be passed to the companion", one.id)
            outcome = RunOutcome.RANG
        if outcome is not None:
            await ended(outcome)

    async def _end(self, one: Appointment, number: int, due: float, outcome: RunOutcome) -> None:
        now = self._clock()

        def work(db: sqlite3.Connection) -> None:
            appointment_table.set_outcome(db, number, outcome)
            if outcome is RunOutcome.RANG:
                appointment_table.put_timer(db, one, label_of(one, 1), due, now)

        await self._change(work)

    async def _change(self, work: Callable[[sqlite3.Connection], T]) -> T:
        found = await self._notebook.change(partial(work))
        self._handlers.wake()
        self._changed.notify()
        return found


def _ending(meant: ParsedTime, last: float | None) -> ParsedTime:
    if last is None or (meant.until is not None and meant.until <= last):
        return meant
    return replace(meant, until=last)


def label_of(one: Appointment, times: int) -> str:
    """What it rings with: `Tea`, `Weather: tell me the weather`, `Tea (×3)`."""
    words = ": ".join(part for part in (one.title, one.prompt) if part)
    return f"{words} (×{times})" if times > 1 else words
