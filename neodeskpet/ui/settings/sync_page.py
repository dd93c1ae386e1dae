"""The settings page of sync: the server, its password, encryption, and the state."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, join_sentences, tr
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.ui.settings.services.key_row import PASSWORD, KeyRow, SecretLabels
from neodeskpet.ui.settings.settings_page import SettingsPage
from neodeskpet.ui.settings.settings_ports import SyncPort, SyncState
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.settings.settings_search import SettingsPort, search_text
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.labels import PlainLabel

_WORDS = (N_("State"), N_("Test connection"), "PostgreSQL", "sync", "offline", "离线", "同步")
PASSPHRASE = SecretLabels(
    N_("Passphrase (optional)"),
    N_("Enter a passphrase here"),
    N_(
        "Encrypts everything before it is sent. Use the same one on all your computers, from the "
        "first sync on. If you lose it, the copy on the server is lost."
    ),
)


class SyncPage(SettingsPage):
    """Shows, below the address, the secrets, the state, and the kinds of data that are synced."""

    def __init__(
        self, section: SectionInfo, port: SettingsPort, sharing: SyncPort, theme: Theme
    ) -> None:
        self._sharing = sharing
        self._work = TaskRunner("sharing", failed=self._fail, changed=self._show)
        super().__init__(section, port, theme)
        self._end = sharing.subscribe(self._show)
        self.destroyed.connect(self._end)

    def build(self) -> None:
        super().build()
        self.key = KeyRow(self._sharing.password, self.theme, labels=PASSWORD)
        self.add_row(self.key)
        self.passphrase = KeyRow(self._sharing.passphrase, self.theme, labels=PASSPHRASE)
        self.add_row(self.passphrase)
        self.state = PlainLabel()
        self.state.setWordWrap(True)
        self.test = QPushButton()
        self.test.clicked.connect(lambda: self._work.start_once("test", self._test))
        self.state.setProperty("muted", True)
        self.row = SettingsRow(self.theme, self.test, stack=search_text(_WORDS))
        self.row.below.setAlignment(Qt.AlignmentFlag(0))
        self.row.below.addWidget(self.state, 1)
        self.add_row(self.row)
        self.scope = PlainLabel()
        self.add_notice(self.scope)
        self._show()

    def setting_changed(self, section: str, name: str) -> None:
        super().setting_changed(section, name)
        if section == self.section.name:
            self.key.refresh()
            self.passphrase.refresh()
            self.row.set_error("")
            self.row.set_note("")
            self._show()

    def retranslate(self) -> None:
        super().retranslate()
        self.key.retranslate()
        self.passphrase.retranslate()
        self._show()

    async def aclose(self) -> None:
        self._end()
        self._work.cancel_all()
        await super().aclose()

    def _show(self) -> None:
        named = bool(self.port.value(self.section.name, "address"))
        self.key.set_relevant(named)
        self.passphrase.set_relevant(named)
        self.row.title.setText(tr("State"))
        self.state.setText(state_text(self._sharing.state()))
        self.test.setText(tr("Testing…") if self._work.busy("test") else tr("Test connection"))
        self.test.setVisible(named)
        self.test.setEnabled(not self._work.busy("test"))
        self.scope.setText(
            tr(
                "Not synced: timers, keys, settings, documents, figures. What an appointment has "
                "{name} do is done on the computer where it was made. Without a passphrase, "
                "whoever can read the database can read all of it; whoever can write to it can "
                "delete all of it.",
                name=self.companion_name(),
            )
        )

    async def _test(self) -> None:
        self.row.set_error("")
        self.row.set_note("")
        version = await self._sharing.test()
        self.row.set_note(tr("The server answers: PostgreSQL {version}.", version=version))

    def _fail(self, error: KnownError) -> None:
        self.row.set_error(format_error(error))


def state_text(state: SyncState) -> str:
    """Return the state in a few sentences."""
    if not state.on:
        return tr("Off: everything is stored on this computer alone.")
    count = str(state.waiting)
    parts: list[str] = []
    if state.fault:
        parts += [tr("Not synced since {time}.", time=_clock(state.since)), state.fault]
    elif not state.has_synced:
        parts.append(tr("Connecting…"))
    elif not state.waiting:
        parts.append(tr("Synced."))
    if state.waiting:
        parts.append(tr("Changes to be sent: {count}.", count=count))
    if state.set_aside:
        aside = str(state.set_aside)
        parts.append(tr("Entries that could not be exchanged: {count}.", count=aside))
    if state.sent is not None:
        parts.append(tr("Last sent {time}.", time=_clock(state.sent)))
    if state.received is not None:
        parts.append(tr("Last received {time}.", time=_clock(state.received)))
    return join_sentences(*parts)


def _clock(moment: float | None) -> str:
    when = time.localtime(moment)
    form = "%H:%M" if when[:3] == time.localtime()[:3] else "%Y-%m-%d %H:%M"
    return time.strftime(form, when)
