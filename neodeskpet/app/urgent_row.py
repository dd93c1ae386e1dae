"""The first row of the menus when something needs the user: a ringing timer, a question, a running
reply, or click-through, which could not be ended otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from PySide6.QtCore import QObject, Slot

from neodeskpet.language import tr
from neodeskpet.ui.companion_menu import CompanionMenu


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
        cases = (
            (Need.TIMER, bool(sources.timer())),
            (Need.QUESTION, sources.question()),
            (Need.REPLY, sources.reply()),
            (Need.CLICK_THROUGH, sources.click_through()),
        )
        self._need = next((need for need, waits in cases if waits), None)
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

    def run(self) -> None:
        """Run the action of the row."""
        if self._need is not None:
            self._act(self._need)
            self.refresh()
