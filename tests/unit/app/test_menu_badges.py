"""The counts in the menus."""

from __future__ import annotations

from datetime import date, datetime

from neodeskpet.app.menu_rows import count_due
from neodeskpet.core.schedule.due import Due
from neodeskpet.notebook.todos import Todo


def test_entries_due_today_or_overdue_are_counted() -> None:
    now = datetime(2026, 11, 28, 9, 0)
    todos = [
        Todo(1, "late", 0.0, due=Due(date(2026, 11, 20))),
        Todo(2, "today", 0.0, due=Due(date(2026, 11, 28))),
        Todo(3, "tomorrow", 0.0, due=Due(date(2026, 11, 29))),
        Todo(4, "some day", 0.0),
        Todo(5, "done", 0.0, done=1.0, due=Due(date(2026, 11, 20))),
    ]
    assert count_due(todos, now) == 2
    assert count_due([], now) == 0
