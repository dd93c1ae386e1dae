"""The tab "Today": what rings, what is overdue, what comes next, what is due, and what comes
tomorrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from neodeskpet.language import tr
from neodeskpet.notebook.timers import Timer
from neodeskpet.ui.formatting import format_remaining
from neodeskpet.ui.notebook.day_agenda import Agenda, items_by_day
from neodeskpet.ui.notebook.next_timer import timer_detail, timer_ring, timer_title
from neodeskpet.ui.notebook.todo_panel import in_place, is_open, todo_entry
from neodeskpet.ui.widgets.entry_list import ListEntry

_TOMORROW = 3
"""The largest number of entries of tomorrow."""
_RING = 44
"""Size of the rings."""


def overview_entries(
    agenda: Agenda, timers: Sequence[Timer], now: float, name: str = ""
) -> list[ListEntry]:
    """Return the sections in their order; a section without entries is left out. Ids are `timer
    ID`, `todo ID` and `appointment ID`.
    """
    moment = datetime.fromtimestamp(now)
    day = moment.date()
    coming = items_by_day(Agenda(agenda.appointments), day, day + timedelta(days=1), now, name)

    def planned(days: int) -> list[ListEntry]:
        found = coming.get(day + timedelta(days=days), ())
        return [
            ListEntry(f"appointment {one.id}", one.line.text, one.detail, one.line.clock, one.icon)
            for one in found
        ]

    todos = [
        one for one in in_place(agenda.todos, now) if one.due is not None and is_open(one, now)
    ]
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
        (tr("Next"), planned(0)),
        (tr("Timers"), [timer_entry(one, now) for one in timers if not one.rings(now)]),
        (tr("To do"), on_day[0]),
        (tr("Tomorrow"), [*planned(1), *on_day[1]][:_TOMORROW]),
    )
    shown: list[ListEntry] = []
    for title, entries in sections:
        if entries:
            shown += [ListEntry(f"section {title}", title, "", heading=True), *entries]
    return shown


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
