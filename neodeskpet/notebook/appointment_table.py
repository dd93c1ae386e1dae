"""Reads and writes appointments in the notebook, on the thread of the database."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC
from functools import lru_cache
from itertools import islice

from neodeskpet.core.data_labels import read_sources, write_sources
from neodeskpet.core.schedule.rule import Once, Rule, next_run, runs_after
from neodeskpet.notebook.appointment import (
    Appointment,
    AppointmentRun,
    Maker,
    RunOutcome,
    find_zone,
    read_rule,
    write_rule,
)
from neodeskpet.storage.database_schema import from_column, to_column

_log = logging.getLogger(__name__)

MISSED_AFTER_SECONDS = 60.0
"""Seconds after which a run counts as missed."""
CLOCK_SET_BACK_SECONDS = 600.0
"""Seconds. Clock corrections are smaller. A clock that is set back by more is taken as right: later
runs then happen (again).
"""
KEPT_RUNS = 1_000
_MOST_MISSED = 99
_FAR = 2e11
"""Seconds: no calendar goes so far."""
_SOMETIME = 1_800_000_000.0
_COLUMNS = "id, title, prompt, said, rule, zone, until, due, paused, maker, made, tools, untrusted"
_RUN = "id, appointment, title, due, at, outcome"

Connection = sqlite3.Connection


def list_pending(db: Connection) -> list[Appointment]:
    """Return pending and paused appointments, the next one first."""
    where = "deleted IS NULL AND (due IS NOT NULL OR paused) ORDER BY paused, due, id"
    return list(_read(db, where))


def find(db: Connection, appointment_id: str) -> Appointment | None:
    where = "id = ? AND deleted IS NULL"
    return next(_read(db, where, number_of(appointment_id)), None)


def by_uid(db: Connection, uid: str) -> Appointment | None:
    """Return the appointment with this id of all computers. Raises ValueError, TypeError,
    LookupError and ArithmeticError if it can't be read.
    """
    query = f"SELECT {_COLUMNS} FROM appointments WHERE uid = ?"
    row = db.execute(query, (uid,)).fetchone()
    return None if row is None else _appointment(row)


def known_uids(db: Connection) -> dict[str, str]:
    """The ids of all appointments that aren't deleted, by their id of all computers."""
    rows = db.execute("SELECT uid, id FROM appointments WHERE deleted IS NULL AND uid <> ''")
    return {str(uid): f"a{number}" for uid, number in rows}


def insert_with_uid(
    db: Connection, one: Appointment, uid: str, now: float, face: str
) -> Appointment | None:
    """Add one that has an id of all computers already; one that was deleted comes back with this
    content. None if it is there.
    """
    query = "SELECT id, deleted FROM appointments WHERE uid = ?"
    found = db.execute(query, (uid,)).fetchone()
    if found is None:
        made = insert(db, one, now, face)
        db.execute("UPDATE appointments SET uid = ? WHERE id = ?", (uid, number_of(made.id)))
        return made
    number, deleted = found
    if deleted is None:
        return None
    back = replace(one, id=f"a{number}")
    mark_deleted(db, back.id, None)
    update(db, back, now, face)
    return back


def runs_elsewhere(db: Connection, one: Appointment) -> bool:
    """Return whether another computer runs the prompt of this appointment."""
    query = "SELECT elsewhere FROM appointments WHERE id = ?"
    row = db.execute(query, (number_of(one.id),)).fetchone()
    return bool(one.prompt) and row is not None and bool(row[0])


def insert(db: Connection, one: Appointment, now: float, face: str) -> Appointment:
    names = (
        "title, prompt, said, rule, zone, until, due, paused, maker, made, tools, untrusted, "
        "settled, face"
    )
    cursor = db.execute(
        f"INSERT INTO appointments ({names}) VALUES ({', '.join('?' * 14)})",
        (*_values(one), now, face),
    )
    found = find(db, f"a{cursor.lastrowid}")
    assert found is not None
    return found


def update(db: Connection, one: Appointment, now: float, face: str) -> None:
    db.execute(
        "UPDATE appointments SET title = ?, prompt = ?, said = ?, rule = ?, zone = ?, until = ?, "
        "due = ?, paused = ?, maker = ?, made = ?, tools = ?, untrusted = ?, settled = ?, face = ? "
        "WHERE id = ?",
        (*_values(one), now, face, number_of(one.id)),
    )


def set_next_run(
    db: Connection, one: Appointment, due: float | None, now: float, face: str
) -> None:
    """Set the next run to `due`, computed at `now`."""
    db.execute(
        "UPDATE appointments SET due = ?, settled = ?, face = ? WHERE id = ?",
        (due, now, face, number_of(one.id)),
    )


def mark_deleted(db: Connection, appointment_id: str, when: float | None) -> bool:
    return (
        db.execute(
            "UPDATE appointments SET deleted = ? WHERE id = ? AND (deleted IS NULL) = ?",
            (when, number_of(appointment_id), when is not None),
        ).rowcount
        > 0
    )


def adjust_to_clock(db: Connection, now: float, face: str) -> None:
    """Compute the next runs again if the clock was set back or the time zone has changed. Runs that
    are already due happen all the same.
    """
    where = (
        "deleted IS NULL AND NOT paused AND due > ? "
        "AND (settled > ? OR (zone = '' AND face != ?)) ORDER BY id"
    )
    for one in list(_read(db, where, now, now + CLOCK_SET_BACK_SECONDS, face)):
        if not isinstance(one.rule, Once):
            set_next_run(db, one, next_of(one, now), now, face)
        else:
            set_next_run(db, one, one.due, now, face)


def due_by(db: Connection, now: float) -> list[Appointment]:
    return list(_read(db, "deleted IS NULL AND NOT paused AND due <= ? ORDER BY due, id", now))


def next_due(db: Connection, now: float) -> float | None:
    """Return the time of the next run after `now`: a due row that can't be read must not cause
    endless checks.
    """
    query = (
        "SELECT min(due) FROM appointments WHERE deleted IS NULL AND NOT paused AND due > ? "
        "AND typeof(due) IN ('real', 'integer')"
    )
    (due,) = db.execute(query, (now,)).fetchone()
    return None if due is None else float(due)


def next_of(one: Appointment, after: float) -> float | None:
    return next_run(one.rule, after, find_zone(one.zone), one.until)


def passed_runs(one: Appointment, now: float) -> int:
    """Return the number of its runs from its due one to `now`, at most 99."""
    if one.due is None:
        return 0
    later = islice(runs_after(one.rule, one.due, find_zone(one.zone), one.until), _MOST_MISSED - 1)
    return 1 + sum(1 for run in _until(later, now))


def _until(found: Iterator[float], now: float) -> Iterator[float]:
    for run in found:
        if run > now:
            return
        yield run


def put_timer(db: Connection, one: Appointment, label: str, due: float, now: float) -> None:
    """Add a timer that rings for the appointment. An unanswered earlier timer of it is replaced, so
    it rings once.
    """
    number = number_of(one.id)
    query = "SELECT timer FROM appointments WHERE id = ?"
    (before,) = db.execute(query, (number,)).fetchone() or (None,)
    values = (due, to_column(label), now, write_sources(one.untrusted))
    if before is not None:
        statement = (
            "UPDATE timers SET due = ?, label = ?, set_at = ?, untrusted = ?, remaining = NULL "
            "WHERE id = ?"
        )
        if db.execute(statement, (*values, before)).rowcount:
            return
    cursor = db.execute(
        "INSERT INTO timers (due, label, set_at, untrusted, repeat) VALUES (?, ?, ?, ?, '')",
        values,
    )
    db.execute("UPDATE appointments SET timer = ? WHERE id = ?", (cursor.lastrowid, number))


def add_run(db: Connection, one: Appointment, due: float, at: float, outcome: RunOutcome) -> int:
    cursor = db.execute(
        "INSERT INTO runs (appointment, title, due, at, outcome) VALUES (?, ?, ?, ?, ?)",
        (number_of(one.id), to_column(one.title), due, at, outcome),
    )
    number = int(cursor.lastrowid or 0)
    db.execute("DELETE FROM runs WHERE id <= ?", (number - KEPT_RUNS,))
    return number


def set_outcome(db: Connection, number: int, outcome: RunOutcome) -> None:
    db.execute("UPDATE runs SET outcome = ? WHERE id = ?", (outcome, number))


def runs_of(db: Connection, appointment_id: str, limit: int) -> list[AppointmentRun]:
    """Return the last runs, the newest first; "" for all appointments."""
    where, values = (
        ("appointment = ?", (number_of(appointment_id),)) if appointment_id else ("1", ())
    )
    query = f"SELECT {_RUN} FROM runs WHERE {where} ORDER BY id DESC LIMIT ?"
    return list(_runs(db.execute(query, (*values, limit)).fetchall()))


def called_runs(db: Connection) -> list[AppointmentRun]:
    """Return the runs that are being passed to the companion."""
    query = f"SELECT {_RUN} FROM runs WHERE outcome = ?"
    return list(_runs(db.execute(query, (RunOutcome.CALLED,)).fetchall()))


def number_of(appointment_id: str) -> int:
    """Return the row's number; 0, which no row has, for an invalid id."""
    digits = appointment_id.strip()[1:]
    known = appointment_id.strip().startswith("a") and digits.isascii() and digits.isdecimal()
    return int(digits) if known and len(digits) < 16 else 0


def _runs(found: list[tuple[object, ...]]) -> Iterator[AppointmentRun]:
    """Yield the readable rows."""
    for number, appointment, title, due, at, outcome in found:
        try:
            yield AppointmentRun(
                int(str(number)),
                f"a{appointment}",
                _text(title),
                _moment(due) or 0.0,
                _moment(at) or 0.0,
                RunOutcome(str(outcome)),
            )
        except ValueError:
            _log.warning("The run %s of an appointment can't be read", number)


def _values(one: Appointment) -> tuple[object, ...]:
    words = (to_column(one.title), to_column(one.prompt), to_column(one.said))
    rule = (write_rule(one.rule), one.zone, one.until, one.due)
    origin = "\n".join(one.tools), write_sources(one.untrusted)
    return *words, *rule, int(one.paused), one.maker.value, one.made, *origin


def _read(db: Connection, where: str, *values: object) -> Iterator[Appointment]:
    """Yield the readable rows."""
    rows = db.execute(f"SELECT {_COLUMNS} FROM appointments WHERE {where}", values).fetchall()
    for row in rows:
        try:
            yield _appointment(row)
        except (ValueError, TypeError, KeyError, ArithmeticError):
            _log.exception("The appointment %s can't be read", row[0])


def _appointment(row: tuple[object, ...]) -> Appointment:
    number, title, prompt, said, rule, zone, until, due, paused, maker, made, *more = row
    tools, untrusted = more
    found = _sound(str(rule))
    find_zone(str(zone))
    return Appointment(
        id=f"a{number}",
        title=_text(title),
        prompt=_text(prompt),
        said=_text(said),
        rule=found,
        zone=str(zone),
        until=_moment(until),
        due=_moment(due),
        paused=bool(paused),
        maker=Maker(str(maker)),
        made=_moment(made) or 0.0,
        tools=tuple(_text(tools).split()),
        untrusted=read_sources(untrusted),
    )


@lru_cache(maxsize=4096)
def _sound(text: str) -> Rule:
    """Parse a rule and compute a run once, which detects an invalid one."""
    rule = read_rule(text)
    next_run(rule, _SOMETIME, UTC)
    return rule


def _text(stored: object) -> str:
    return from_column(stored) if isinstance(stored, str | bytes) else ""


def _moment(stored: object) -> float | None:
    """Read a stored time. Raises ValueError for an invalid one."""
    if stored is None:
        return None
    moment = float(str(stored))
    if not abs(moment) < _FAR:
        raise ValueError(stored)
    return moment
