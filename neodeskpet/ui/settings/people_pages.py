"""The cards about the user and about further companions: each has a row that opens a window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPushButton

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr, tr_count
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.ui.settings.settings_page import SettingsPage
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.settings.settings_search import SettingsPort, search_text
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme


class UserFactsPort(Protocol):
    """The facts that the companion knows about the user. Coroutines raise KnownError."""

    async def count(self) -> int: ...

    def open(self) -> object:
        """Show the facts."""
        ...


class OtherCompanionsPort(Protocol):
    """The companions beside the first one. Coroutines raise KnownError."""

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` when one was added or removed. Return a function that ends this."""
        ...

    async def names(self) -> Sequence[str]: ...

    def open(self) -> object:
        """Show the window in which they are invited."""
        ...


class UserPage(SettingsPage):
    """What the user says about themselves, and how much the companion knows."""

    def __init__(
        self, section: SectionInfo, port: SettingsPort, facts: UserFactsPort, theme: Theme
    ) -> None:
        self._facts = facts
        self._count: int | None = None
        self._work = TaskRunner("facts", failed=self._fail)
        super().__init__(section, port, theme)

    def build(self) -> None:
        super().build()
        self.open = QPushButton()
        self.open.clicked.connect(self._facts.open)
        words = (N_("What I know about you…"), N_("Facts"), "memory", "记忆")
        self.facts_row = SettingsRow(self.theme, self.open, stack=search_text(words))
        self.add_row(self.facts_row)

    def retranslate(self) -> None:
        super().retranslate()
        self.open.setText(tr("Open…"))
        self._show()

    async def aclose(self) -> None:
        await super().aclose()
        await self._work.aclose()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._work.replace("count", self._ask)

    async def _ask(self) -> None:
        self._count = await self._facts.count()
        self.facts_row.set_error("")
        self._show()

    def _show(self) -> None:
        title, note = tr("What {name} knows about you", name=self.companion_name()), ""
        if self._count is not None:
            note = tr_count(N_("{count} fact"), N_("{count} facts"), self._count)
        self.facts_row.set_texts(title, note)
        self.open.setAccessibleName(tr("{name}: {text}", name=title, text=self.open.text()))

    def _fail(self, error: KnownError) -> None:
        self.facts_row.set_error(format_error(error))


class OtherCompanionsPage(SettingsPage):
    """Who else is on the desktop, and whether they talk with each other."""

    def __init__(
        self,
        section: SectionInfo,
        port: SettingsPort,
        companions: OtherCompanionsPort,
        theme: Theme,
    ) -> None:
        self._companions = companions
        self._names: Sequence[str] = ()
        self._work = TaskRunner("companions", failed=self._fail)
        super().__init__(section, port, theme)
        self._unobserve = companions.subscribe(self._refresh)

    def build(self) -> None:
        self.invite = QPushButton()
        self.invite.clicked.connect(self._companions.open)
        words = (self.section.title, N_("Invite another companion…"), "guest", "邀请")
        self.invite_row = SettingsRow(self.theme, self.invite, stack=search_text(words))
        self.add_row(self.invite_row)
        super().build()

    def retranslate(self) -> None:
        super().retranslate()
        self.invite.setText(tr("Invite…"))
        self.invite.setAccessibleName(tr("Invite another companion…"))
        self._show()

    async def aclose(self) -> None:
        self._unobserve()
        await super().aclose()
        await self._work.aclose()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def _refresh(self) -> None:
        if self.isVisible():
            self._work.replace("names", self._ask)

    async def _ask(self) -> None:
        self._names = await self._companions.names()
        self.invite_row.set_error("")
        self._show()

    def _show(self) -> None:
        here = tr(", ").join(self._names)
        self.invite_row.set_texts(
            tr("Here now: {names}", names=here) if here else tr("Nobody else is here"),
            tr(
                "Up to three figures can stand beside {name}; each needs 70 to 250 MB of memory.",
                name=self.companion_name(),
            ),
        )

    def _fail(self, error: KnownError) -> None:
        self.invite_row.set_error(format_error(error))
