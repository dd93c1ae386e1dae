"""All appointments, stored in the notebook beside the timers as which they ring.

A due appointment rings as a timer, so that answering, snoozing and reporting missed runs work in
the same way. Its timer and its next run are stored in one transaction, so a killed process neither
loses nor duplicates it. An appointment with a prompt is passed to the companion instead, if a model
is available.
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
"""Passes a due appointment to the companion: TOLD, or RANG if that isn't possible. None: it takes
time; the last argument is called with the outcome at the end.
"""


async def _call_nobody(one: Appointment, due: float, ended: Ended) -> RunOutcome | None:
    return RunOutcome.RANG


@dataclass(frozen=True, slots=True)
class AppointmentHandlers:
    """What appointments use of the app. `speaks` returns whether a prompt can be answered now, and
    `call` has it answered; without them the appointment rings. `wake` causes a check for due
    appointments soon. `tools` returns the names of tools that an appointment may use.
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
        """Notify observers, which read again: another process may have changed the data."""
        self._changed.notify()

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` whenever appointments change or one is due; return the function that ends
        the subscription.
        """
        return self._changed.subscribe(observer)

    def read(
        self, when: str, zone: str = "", until: str = "", before: ParsedTime | None = None
    ) -> ParsedTime:
        """Parse as `parse_rule` does; raises InvalidValue also for an ambiguous text, with the
        question.
        """
        found = self.parse_rule(when, zone, until, before)
        if isinstance(found, AmbiguousTime):
            raise found.question(self._clock(), find_zone(zone))
        return found

    def parse_rule(
        self, when: str, zone: str = "", until: str = "", before: ParsedTime | None = None
    ) -> TimeReading:
        """Return the meaning of `when` in the zone of this name, or `before` for ""; its end is
        used, too, if no other is given. Raises InvalidValue. May be called on any thread.
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
        """Return the pending appointments, the next one first, then the paused ones."""
        return await self._notebook.read(appointment_table.list_pending)

    async def find(self, appointment_id: str) -> Appointment | None:
        return await self._notebook.read(lambda db: appointment_table.find(db, appointment_id))

    async def runs(self, appointment_id: str = "", limit: int = 100) -> list[AppointmentRun]:
        """Return the last runs of one or all appointments, the newest first."""
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
        """Change an appointment and return it; None if the id is unknown. `when`: the text, its
        meaning, and the zone. `untrusted` sources are added to the existing ones. Missed runs of a
        resumed appointment are skipped.
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
        """Restore the values from before a change."""
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
        """Cancel an appointment and return it; None if the id is unknown."""
        now = self._clock()

        def work(db: sqlite3.Connection) -> Appointment | None:
            one = appointment_table.find(db, appointment_id)
            if one is not None:
                appointment_table.mark_deleted(db, one.id, now)
            return one

        return await self._change(work)

    async def restore(self, appointment_id: str) -> bool:
        """Restore a cancelled appointment without its missed runs. False if it exists or was
        deleted.
        """
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
        """Run an appointment now, in addition to its times; None if the id is unknown."""
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
        """Run what is due; return the time of the next run, None if there is none."""
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

    # On the notebook's thread

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
        """Run a due appointment; return the number of the run to pass to the companion, 0 if it
        rings.
        """
        missed = now - due > appointment_table.MISSED_AFTER_SECONDS
        if one.prompt and speaks and not missed:
            return appointment_table.add_run(db, one, due, now, RunOutcome.CALLED)
        appointment_table.put_timer(db, one, label_of(one, times), due, now)
        appointment_table.add_run(
            db, one, due, now, RunOutcome.MISSED if missed else RunOutcome.RANG
        )
        return 0

    def _tell_left(self, db: sqlite3.Connection, now: float) -> None:
        """Let runs ring as missed that were being passed to the companion when the app ended."""
        for run in appointment_table.called_runs(db):
            one = appointment_table.find(db, run.appointment)
            appointment_table.set_outcome(db, run.number, RunOutcome.MISSED)
            if one is not None:
                appointment_table.put_timer(db, one, label_of(one, 1), run.due, now)

    # On the thread of the event loop

    async def _pass_on(self, one: Appointment, number: int, due: float) -> None:
        """Pass a run to the companion; if that isn't possible, it rings."""
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
    """Return the label of its timer: `Tea`, `Weather: tell me the weather`, `Tea (×3)`."""
    words = ": ".join(part for part in (one.title, one.prompt) if part)
    return f"{words} (×{times})" if times > 1 else words
