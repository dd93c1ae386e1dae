"""Several computers: the server, its password, and how this computer stands with the others."""

from __future__ import annotations

import time

from PySide6.QtWidgets import QPushButton

from neodeskpet.core.errors import KnownError
from neodeskpet.core.wording import N_
from neodeskpet.language import explain, tr
from neodeskpet.settings.look import SectionInfo
from neodeskpet.ui.settings.fields import SettingsPort, haystack
from neodeskpet.ui.settings.page import Page
from neodeskpet.ui.settings.ports import SharingPort, SharingState
from neodeskpet.ui.settings.row import Row
from neodeskpet.ui.settings.service.key_row import KeyRow
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.label import PlainLabel
from neodeskpet.ui.work import Work

_WORDS = (N_("State"), N_("Try the server"), "PostgreSQL", "sync", "offline", "离线", "同步")


class SharingPage(Page):
    """Below the address: the password, and a line that is always true."""

    def __init__(
        self, section: SectionInfo, port: SettingsPort, sharing: SharingPort, theme: Theme
    ) -> None:
        self._sharing = sharing
        self._work = Work("sharing", failed=self._fail, changed=self._show)
        super().__init__(section, port, theme)
        self._end = sharing.observe(self._show)
        self.destroyed.connect(self._end)

    def build(self) -> None:
        super().build()
        self.key = KeyRow(self._sharing, self.theme, password=True)
        self.add_row(self.key)
        self.state = PlainLabel()
        self.state.setWordWrap(True)
        self.test = QPushButton()
        self.test.clicked.connect(lambda: self._work.start_once("test", self._test))
        self.row = Row(self.theme, self.state, self.test, stack=haystack(_WORDS))
        self.add_row(self.row)
        self._show()

    def heard(self, section: str, name: str) -> None:
        super().heard(section, name)
        if section == self.section.name:
            self.key.refresh()
            self.row.set_wrong("")
            self.row.set_note("")
            self._show()

    def retranslate(self) -> None:
        super().retranslate()
        self.key.retranslate()
        self._show()

    async def finish(self) -> None:
        self._end()
        self._work.cancel()
        await super().finish()

    def _show(self) -> None:
        named = bool(self.port.value(self.section.name, "address"))
        self.key.set_wanted(named)
        self.row.title.setText(tr("State"))
        self.state.setText(_words(self._sharing.state()))
        self.test.setText(tr("Trying…") if self._work.busy("test") else tr("Try the server"))
        self.test.setVisible(named)
        self.test.setEnabled(not self._work.busy("test"))

    async def _test(self) -> None:
        self.row.set_wrong("")
        self.row.set_note("")
        version = await self._sharing.test()
        self.row.set_note(tr("The server answers: PostgreSQL {version}.", version=version))

    def _fail(self, error: KnownError) -> None:
        self.row.set_wrong(explain(error))


def _words(state: SharingState) -> str:
    """How it stands, in a sentence or three."""
    if not state.on:
        return tr("Off: everything is kept on this computer alone.")
    count = str(state.waiting)
    if not state.fault:
        if not state.met:
            return tr("Getting in step…")
        if not state.waiting:
            return tr("In step.")
        return tr("In step; changes that wait: {count}.", count=count)
    since = time.localtime(state.since)
    form = "%H:%M" if since[:3] == time.localtime()[:3] else "%Y-%m-%d %H:%M"
    begun = tr("Not in step since {time}.", time=time.strftime(form, since))
    waits = tr("Changes that wait: {count}.", count=count)
    return f"{begun} {state.fault} {waits}"
