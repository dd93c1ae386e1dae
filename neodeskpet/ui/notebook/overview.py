"""The tab "Today": what rings, what is overdue or due, what comes next, and what comes tomorrow."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from neodeskpet.language import tr
from neodeskpet.notebook.timers import Timer
from neodeskpet.notebook.todos import Todo
from neodeskpet.ui.formatting import format_due_time, format_remaining
from neodeskpet.ui.notebook.day_agenda import Agenda, items_by_day
from neodeskpet.ui.notebook.timers_panel import timer_ring
from neodeskpet.ui.notebook.todo_panel import todo_entry
from neodeskpet.ui.widgets.entry_list import ListEntry

_TOMORROW = 3
"""The largest number of entries of tomorrow."""


def overview_entries(
    agenda: Agenda, timers: Sequence[Timer], now: float, name: str = ""
) -> list[ListEntry]:
    """Return the sections in their order; a section without entries is left out. Ids are `timer
    ID`, `todo ID` and `appointment ID`.
    """
    day = datetime.fromtimestamp(now).date()
    coming = items_by_day(Agenda(agenda.appointments), day, day + timedelta(days=1), now, name)

    def planned(days: int) -> list[ListEntry]:
        found = coming.get(day + timedelta(days=days), ())
        return [
            ListEntry(f"appointment {one.id}", one.line.text, one.detail, one.line.clock, one.icon)
            for one in found
        ]

    moment = datetime.fromtimestamp(now)
    due = [todo for todo in agenda.todos if is_due(todo, moment)]
    sections = (
        (tr("Rings now"), [timer_entry(one, now) for one in timers if one.due <= now]),
        (tr("To do"), [_with_kind(todo_entry(todo, now)) for todo in due]),
        (tr("Next"), planned(0)),
        (tr("Timers"), [timer_entry(one, now) for one in timers if one.due > now]),
        (tr("Tomorrow"), planned(1)[:_TOMORROW]),
    )
    shown: list[ListEntry] = []
    for title, entries in sections:
        if entries:
            shown += [ListEntry(f"section {title}", title, "", heading=True), *entries]
    return shown


def is_due(todo: Todo, now: datetime) -> bool:
    """Return whether a to-do is due today or overdue."""
    return todo.done is None and todo.due is not None and todo.due.day <= now.date()


def timer_entry(timer: Timer, now: float) -> ListEntry:
    rings = timer.due <= now
    title = " ".join(timer.label.split()) or tr("Timer")
    at = format_due_time(timer.due, now)
    detail = tr("rings since {time}", time=at) if rings else tr("rings at {time}", time=at)
    return ListEntry(
        f"timer {timer.id}",
        title,
        detail,
        "" if rings else format_remaining(timer.due - now),
        tooltip=timer.label,
        needs_attention=rings,
        ring=timer_ring(timer, now),
    )


def _with_kind(entry: ListEntry) -> ListEntry:
    return ListEntry(
        f"todo {entry.id}",
        entry.title,
        entry.detail,
        entry.trailing,
        tooltip=entry.tooltip,
        needs_attention=entry.needs_attention,
        checked=entry.checked,
    )
