"""The entries of each day: future appointments, past runs, and to-dos that are due."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import islice

from neodeskpet.core.schedule.rule import runs_after
from neodeskpet.language import tr
from neodeskpet.notebook.appointment import (
    Appointment,
    AppointmentRun,
    Maker,
    RunOutcome,
    find_zone,
)
from neodeskpet.notebook.todos import Todo
from neodeskpet.ui.notebook.month_view import DayLine
from neodeskpet.ui.widgets.entry_list import ListEntry

_MOST_RUNS = 62
"""The largest number of runs of one appointment in one month, for one that runs every minute."""


@dataclass(frozen=True, slots=True)
class Agenda:
    """The data from the notebook."""

    appointments: Sequence[Appointment] = ()
    todos: Sequence[Todo] = ()
    runs: Sequence[AppointmentRun] = ()


@dataclass(frozen=True, slots=True)
class DayItem:
    """One entry of a day: `minutes` after midnight, -1 for the whole day; `id` is an appointment's,
    `todo N` or `run N`.
    """

    id: str
    minutes: int
    line: DayLine
    detail: str = ""
    icon: str = ""

    def entry(self) -> ListEntry:
        return ListEntry(self.id, self.line.text, self.detail, self.line.clock, icon=self.icon)


def outcome_text(outcome: RunOutcome) -> str:
    return {
        RunOutcome.RANG: tr("rang"),
        RunOutcome.MISSED: tr("missed, reported later"),
        RunOutcome.CALLED: tr("the companion is working on it"),
        RunOutcome.TOLD: tr("the companion did it"),
        RunOutcome.FAILED: tr("failed: see the background tasks"),
    }[outcome]


def maker_text(one: Appointment, name: str) -> str:
    """Return who created an appointment. `name` is the companion's."""
    return tr("You") if one.maker is Maker.PERSON else name or tr("Companion")


def items_by_day(
    agenda: Agenda, first: date, last: date, now: float, name: str = ""
) -> Mapping[date, Sequence[DayItem]]:
    """Return the entries of the days from `first` to `last`, in the order of the day."""
    found: dict[date, list[DayItem]] = {}
    start = datetime.combine(first, time()).timestamp()
    end = datetime.combine(last + timedelta(days=1), time()).timestamp()
    for one in agenda.appointments:
        if one.due is None or one.paused or one.due >= end:
            continue
        after = max(now, start - 1)
        coming = runs_after(one.rule, after, find_zone(one.zone), one.until)
        for at in islice(coming, _MOST_RUNS):
            if at >= end:
                break
            detail = " · ".join(filter(None, (one.said, maker_text(one, name), one.prompt)))
            sign = "chat" if one.prompt else "bell"
            _put(found, at, one.id, one.title, detail, sign)
    for run in agenda.runs:
        if start <= run.due < end:
            failed = run.outcome in (RunOutcome.MISSED, RunOutcome.FAILED)
            sign = "warning" if failed else "check"
            _put(found, run.due, f"run {run.number}", run.title, outcome_text(run.outcome), sign)
    for todo in agenda.todos:
        if todo.due is None or not first <= todo.due.day <= last:
            continue
        clock = f"{todo.due.clock:%H:%M}" if todo.due.clock else ""
        minutes = todo.due.clock.hour * 60 + todo.due.clock.minute if todo.due.clock else -1
        detail = tr("To-do, done") if todo.done is not None else tr("To-do")
        item = DayItem(f"todo {todo.id}", minutes, DayLine(todo.text, clock, True), detail)
        found.setdefault(todo.due.day, []).append(item)
    for items in found.values():
        items.sort(key=lambda item: (item.minutes, item.line.text))
    return found


def _put(
    found: dict[date, list[DayItem]], at: float, id: str, title: str, detail: str, icon: str
) -> None:
    then = datetime.fromtimestamp(at)
    line = DayLine(title, f"{then:%H:%M}")
    item = DayItem(id, then.hour * 60 + then.minute, line, detail, icon)
    found.setdefault(then.date(), []).append(item)
