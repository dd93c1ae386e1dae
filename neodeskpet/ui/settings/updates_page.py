"""The settings page of updates: whether there is a newer version, and what is new in it. Nothing is
downloaded here.
"""

from __future__ import annotations

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QPushButton

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.core.release_notes import Release
from neodeskpet.language import format_error, tr
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.ui.chat.notice_bars import OpenUrl
from neodeskpet.ui.settings.settings_page import SettingsPage
from neodeskpet.ui.settings.settings_ports import UpdatesPort
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.settings.settings_search import SettingsPort, search_text
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.labels import PlainLabel

_WORDS = (N_("Version"), N_("Check now"), "update", "release", "更新", "新版本")


class UpdatesPage(SettingsPage):
    """Shows the running version, a button that checks for a newer one, and the result."""

    def __init__(
        self,
        section: SectionInfo,
        port: SettingsPort,
        updates: UpdatesPort,
        theme: Theme,
        *,
        open_url: OpenUrl = QDesktopServices.openUrl,
    ) -> None:
        self._updates = updates
        self._open_url = open_url
        self._found: Release | None = None
        self._work = TaskRunner("updates", failed=self._fail, changed=self._show)
        super().__init__(section, port, theme)

    def build(self) -> None:
        self.version = PlainLabel(self._updates.version)
        self.look = QPushButton()
        self.look.clicked.connect(lambda: self._work.start_once("look", self._look))
        self.get = QPushButton()
        self.get.clicked.connect(self._open)
        self.row = SettingsRow(
            self.theme, self.version, self.get, self.look, stack=search_text(_WORDS)
        )
        self.add_row(self.row)
        super().build()
        self._end = self._updates.subscribe(self._take)
        self._show()

    def retranslate(self) -> None:
        super().retranslate()
        self.row.title.setText(tr("Version"))
        self._take()

    async def aclose(self) -> None:
        self._end()
        self._work.cancel_all()
        await super().aclose()

    def _show(self) -> None:
        self.look.setText(tr("Checking…") if self._work.busy("look") else tr("Check now"))
        self.look.setEnabled(not self._work.busy("look"))
        self.get.setText(tr("Open the release page"))
        self.get.setVisible(self._found is not None and bool(self._found.page))

    async def _look(self) -> None:
        self.row.set_error("")
        self.row.set_note("")
        self._hold(None)
        if await self._updates.check() is None:
            self.row.set_note(tr("There is no newer version."))

    def _take(self) -> None:
        """Show the newer version that this page found, or that the companion's own check found."""
        found = self._updates.newer_release
        self._hold(found)
        if found is not None:
            self.row.set_error("")
            self._tell(found)

    def _hold(self, found: Release | None) -> None:
        self._found = found
        self._show()

    def _tell(self, release: Release) -> None:
        head = tr("Version {version} is available.", version=release.version)
        if release.day:
            head = f"{head} ({release.day})"
        news = [f"• {line}" for line in release.news_in(self._updates.language)]
        self.row.set_note("\n".join([head, *news]))

    def _open(self) -> None:
        if self._found is not None and not self._open_url(QUrl(self._found.page)):
            self.row.set_error(tr("The folder can't be opened: {path}", path=self._found.page))

    def _fail(self, error: KnownError) -> None:
        self.row.set_error(format_error(error))
