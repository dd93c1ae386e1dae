"""The tab "Today": what rings, what is overdue, countdowns, what comes next, what is due, what
comes tomorrow, and the focus sessions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from neodeskpet.language import tr
from neodeskpet.notebook.appointment import Appointment
from neodeskpet.notebook.timers import Timer
from neodeskpet.notebook.todos import Todo
from neodeskpet.ui.formatting import countdown_words, format_remaining
from neodeskpet.ui.notebook.day_agenda import Agenda, DayItem, items_by_day
from neodeskpet.ui.notebook.next_timer import timer_detail, timer_ring, timer_title
from neodeskpet.ui.notebook.todo_panel import in_place, is_open, todo_entry
from neodeskpet.ui.widgets.entry_list import ListEntry

_TOMORROW = 3
"""The largest number of entries of tomorrow."""
_COUNTDOWNS = 3
"""The largest number of countdowns."""
_RING = 44
"""Size of the rings."""


def coming_days(
    appointments: Sequence[Appointment], now: float, name: str = ""
) -> Mapping[date, Sequence[DayItem]]:
    """Return the appointments of today and tomorrow. Evaluating the rules of many takes long, so
    call it outside the window's thread.
    """
    day = datetime.fromtimestamp(now).date()
    return items_by_day(Agenda(appointments), day, day + timedelta(days=1), now, name)


def overview_entries(
    coming: Mapping[date, Sequence[DayItem]],
    all_todos: Sequence[Todo],
    timers: Sequence[Timer],
    now: float,
    focus: str = "",
) -> list[ListEntry]:
    """Return the sections in their order; a section without entries is left out. `coming` is from
    `coming_days`. `focus` sums up the focus sessions of today. Ids are `timer ID`,
    `todo ID` and `appointment ID`.
    """
    moment = datetime.fromtimestamp(now)
    day = moment.date()

    def planned(days: int) -> list[ListEntry]:
        since = 60 * moment.hour + moment.minute if days == 0 else 0
        return [
            ListEntry(f"appointment {one.id}", one.line.text, one.detail, one.line.clock, one.icon)
            for one in coming.get(day + timedelta(days=days), ())
            if one.minutes >= since
        ]

    todos = [one for one in in_place(all_todos, now) if one.due is not None and is_open(one, now)]
    counted = [one for one in todos if countdown_words(one.text, one.due, now)]
    todos = [one for one in todos if one not in counted]
    late = [one for one in todos if one.due is not None and one.due.is_over(moment)]
    on_day = {
        days: [
            _with_kind(todo_entry(one, now))
            for one in todos
            if one.due is not None and one not in late and one.due.day == day + timedelta(days=days)
        ]
        for days in (0, 1)
    }
    sections = (
        (tr("Rings now"), [timer_entry(one, now) for one in timers if one.rings(now)]),
        (tr("Late"), [_with_kind(todo_entry(one, now)) for one in late]),
        (tr("Countdown"), [_countdown(one, now) for one in counted[:_COUNTDOWNS]]),
        (tr("Next"), planned(0)),
        (tr("Timers"), [timer_entry(one, now) for one in timers if not one.rings(now)]),
        (tr("To do"), on_day[0]),
        (tr("Tomorrow"), [*planned(1), *on_day[1]][:_TOMORROW]),
    )
    shown: list[ListEntry] = []
    for title, entries in sections:
        if entries:
            shown += [ListEntry(f"section {title}", title, "", heading=True), *entries]
    if focus:
        shown.append(ListEntry("section focus", focus, "", heading=True))
    return shown


def _countdown(todo: Todo, now: float) -> ListEntry:
    entry = _with_kind(todo_entry(todo, now))
    return replace(entry, title=countdown_words(todo.text, todo.due, now))


def timer_entry(timer: Timer, now: float) -> ListEntry:
    rings = timer.rings(now)
    running = not rings and not timer.is_paused
    return ListEntry(
        f"timer {timer.id}",
        timer_title(timer),
        timer_detail(timer, now),
        format_remaining(timer.due - now) if running else "",
        tooltip=timer.label,
        needs_attention=rings,
        ring=timer_ring(timer, now, _RING),
    )


def _with_kind(entry: ListEntry) -> ListEntry:
    return replace(entry, id=f"todo {entry.id}")
