"""Rows of the menus that change: the first row shows what needs the user (a ringing timer, a
question, a running reply, or click-through, which could not be ended otherwise); other rows have
counts at the right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto

from PySide6.QtCore import QObject, QTimer, Slot

from neodeskpet.conversation.chat_events import ChatEvent
from neodeskpet.core.errors import KnownError
from neodeskpet.language import tr
from neodeskpet.notebook.todos import Todo, TodoStore
from neodeskpet.ui.companion_menu import CompanionMenu
from neodeskpet.ui.task_runner import TaskRunner

_FIRST_COUNT_MS, _COUNT_MS = 3_000, 600_000


class Need(Enum):
    """What needs the user, the most urgent first."""

    TIMER = auto()
    QUESTION = auto()
    REPLY = auto()
    CLICK_THROUGH = auto()


@dataclass(frozen=True, slots=True)
class UrgentSources:
    """The current state; `timer` is the label of the ringing timer, "" for none."""

    timer: Callable[[], str]
    question: Callable[[], bool]
    reply: Callable[[], bool]
    click_through: Callable[[], bool]
    name: Callable[[], str]


class UrgentRow(QObject):
    """Shows the row. `act` runs its action."""

    def __init__(
        self, menu: CompanionMenu, sources: UrgentSources, act: Callable[[Need], None]
    ) -> None:
        super().__init__(menu)
        self._menu = menu
        self._sources = sources
        self._act = act
        self._need: Need | None = None
        menu.about_to_show.connect(self.refresh)

    @Slot()
    def refresh(self) -> None:
        """Show the most urgent need. The menus call this before they appear; a tray menu that is
        drawn by another program may not, so changes are shown at once, too.
        """
        sources = self._sources
        self._need = self._most_urgent()
        match self._need:
            case Need.TIMER:
                self._menu.set_urgent(tr("{label}: done", label=sources.timer()), "bell")
            case Need.QUESTION:
                text = tr("Answer {name}'s question…", name=sources.name())
                self._menu.set_urgent(text, "info")
            case Need.REPLY:
                self._menu.set_urgent(tr("Stop the reply"), "stop")
            case Need.CLICK_THROUGH:
                self._menu.set_urgent(tr("Turn off click-through"), "pointer")
            case None:
                self._menu.set_urgent("")

    @Slot()
    def update(self) -> None:
        """Show the most urgent need if it is another one."""
        if self._most_urgent() is not self._need:
            self.refresh()

    def on_chat_event(self, event: ChatEvent) -> None:
        """A `ChatListener`: a reply has begun or ended."""
        self.update()

    def _most_urgent(self) -> Need | None:
        sources = self._sources
        cases = (
            (Need.TIMER, bool(sources.timer())),
            (Need.QUESTION, sources.question()),
            (Need.REPLY, sources.reply()),
            (Need.CLICK_THROUGH, sources.click_through()),
        )
        return next((need for need, waits in cases if waits), None)

    def run(self) -> None:
        """Run the action of the row."""
        if self._need is not None:
            self._act(self._need)
            self.refresh()


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
        # The first time soon after the start, then because a day ends.
        self._timer = QTimer(self, singleShot=True, interval=_FIRST_COUNT_MS)
        self._timer.timeout.connect(self._refresh_again)
        self._timer.start()

    @Slot()
    def refresh(self) -> None:
        missed = self._missed()
        self._menu.set_badge("inbox", str(missed) if missed else "")
        self._work.replace("count", self._count)

    @Slot()
    def _refresh_again(self) -> None:
        self.refresh()
        self._timer.start(_COUNT_MS)

    async def _count(self) -> None:
        due = count_due(await self._todos.todos(), self._now())
        self._menu.set_badge("today", tr("{count} due", count=str(due)) if due else "")

    def _ignore(self, _error: KnownError) -> None:
        """Ignore an error: a row without a count still opens its window, which reports
        the error.
        """

    async def aclose(self) -> None:
        self._timer.stop()
        self._end()
        await self._work.aclose()
