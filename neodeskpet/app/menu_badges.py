"""The counts at the right of the menus' rows: to-dos that are due and missed messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import QObject, Slot

from neodeskpet.core.errors import KnownError
from neodeskpet.language import tr
from neodeskpet.notebook.todos import Todo, TodoStore
from neodeskpet.ui.companion_menu import CompanionMenu
from neodeskpet.ui.task_runner import TaskRunner


def count_due(todos: Sequence[Todo], now: datetime) -> int:
    """Return how many to-dos are due today or overdue."""
    return sum(
        todo.done is None and todo.due is not None and todo.due.day <= now.date() for todo in todos
    )


class MenuBadges(QObject):
    """Shows the counts. `missed` returns the number of missed messages."""

    def __init__(
        self,
        menu: CompanionMenu,
        todos: TodoStore,
        missed: Callable[[], int],
        now: Callable[[], datetime] = datetime.now,
    ) -> None:
        super().__init__(menu)
        self._menu = menu
        self._todos = todos
        self._missed = missed
        self._now = now
        self._work = TaskRunner("menu badges", failed=self._ignore)
        self._end = todos.subscribe(self.refresh)
        menu.about_to_show.connect(self.refresh)

    @Slot()
    def refresh(self) -> None:
        missed = self._missed()
        self._menu.set_badge("inbox", str(missed) if missed else "")
        self._work.replace("count", self._count)

    async def _count(self) -> None:
        due = count_due(await self._todos.todos(), self._now())
        self._menu.set_badge("today", tr("{count} due", count=str(due)) if due else "")

    def _ignore(self, _error: KnownError) -> None:
        """Ignore an error: a row without a count still opens its window, which reports
        the error.
        """

    async def aclose(self) -> None:
        self._end()
        await self._work.aclose()
