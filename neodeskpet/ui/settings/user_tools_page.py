"""The settings page of tools that the user wrote: their folder, and a card for each file in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QPushButton

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.tools.user_tools.tool_file import ToolFileView
from neodeskpet.ui.settings.folding_card import FoldingCardList
from neodeskpet.ui.settings.settings_page import SettingsPage
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.settings.settings_search import SettingsPort, search_text
from neodeskpet.ui.settings.user_tool_card import UserToolCard
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.controls import Switch
from neodeskpet.ui.widgets.labels import PlainLabel


class UserToolsPort(Protocol):
    """The tool files of the user. Coroutines raise KnownError."""

    @property
    def folder(self) -> Path:
        """The folder of the files."""
        ...

    def files(self) -> Sequence[ToolFileView]: ...

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` after each change of a file or of its state. Return a function that ends
        this.
        """
        ...

    async def allow(self, name: str, digest: str) -> None:
        """Allow the content with this digest, which the user has seen, to run."""
        ...

    async def revoke(self, name: str) -> None: ...


SECTION = SectionInfo(
    "workshop",
    N_("Tools of your own"),
    N_("Python files that you wrote. Each asks you before it first runs, and when it has changed."),
    "edit",
    (),
)
_WORDS = (SECTION.title, N_("Tools"), "Python", "script", "plugin", "工具", "脚本", "插件")


class UserToolsPage(SettingsPage):
    """The page. It is off until the user allows the folder."""

    def __init__(self, port: SettingsPort, shop: UserToolsPort, theme: Theme) -> None:
        self._shop = shop
        self._opened = ""
        super().__init__(SECTION, port, theme)
        self._work = TaskRunner("workshop", failed=self._tell)
        self._unobserve = shop.subscribe(self.refresh)

    def build(self) -> None:
        self._column = FoldingCardList(self._card)
        self.cards = self._column.cards
        self.switch = Switch(self.theme)
        self.folder = QPushButton()
        self.row = SettingsRow(self.theme, self.switch, stack=search_text(_WORDS))
        self.row.below.addWidget(self.folder)
        self.row.below.addStretch()
        self.add_row(self.row)
        self.below_frame.addLayout(self._column.box)
        self.empty = PlainLabel()
        self.add_notice(self.empty)
        self.switch.clicked.connect(self._switch)
        self.folder.clicked.connect(self._open_folder)

    def refresh(self) -> None:
        """Show the current files."""
        on = bool(self.port.value("mode", "tool_files"))
        self.switch.setChecked(on)
        self.folder.setVisible(on)
        views = {view.content.name: view for view in self._shop.files()}
        self._column.keep(views)
        for name, view in views.items():
            self.cards[name].show_file(view)
        self.set_notice_visible(self.empty, on and not views)

    def open(self, name: str) -> None:
        """Open the card of this name and close the others; "" closes all."""
        views = {view.content.name: view for view in self._shop.files()}
        self._opened = name
        for own, card in self.cards.items():
            card.open(views.get(own) if own == name else None)

    def setting_changed(self, section: str, name: str) -> None:
        super().setting_changed(section, name)
        if (section, name) == ("mode", "tool_files"):
            self.refresh()

    def search(self, query: str) -> int:
        count = super().search(query)
        self._column.search(query, whole=bool(count))
        return count

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.switch.set_theme(theme)
        self._column.set_theme(theme)

    def retranslate(self) -> None:
        super().retranslate()
        self.row.set_texts(
            tr("Look for files"),
            tr(
                "Python files in the folder “tools” of the data folder are shown here. None of "
                "them runs before you have allowed it."
            ),
        )
        self.switch.setAccessibleName(tr("Look for files"))
        self.folder.setText(tr("Open the folder"))
        self.empty.setText(tr("There is no file yet. The folder holds files that end in .py."))
        self.open(self._opened)
        self.refresh()

    async def aclose(self) -> None:
        self._unobserve()
        await super().aclose()
        await self._work.aclose()

    def _card(self, name: str) -> UserToolCard:
        card = UserToolCard(self.theme)
        shop = self._shop
        card.opened.connect(lambda wanted: self.open(name if wanted else ""))
        card.allowed.connect(
            lambda digest: self._work.start(name, partial(shop.allow, name, digest))
        )
        card.revoke_requested.connect(lambda: self._work.start(name, partial(shop.revoke, name)))
        return card

    def _switch(self, on: bool) -> None:
        try:
            self.port.change("mode", "tool_files", on)
        except KnownError as error:
            self._tell(error)
        self.refresh()

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._shop.folder)))

    def _tell(self, error: KnownError) -> None:
        self.row.set_error(format_error(error))
