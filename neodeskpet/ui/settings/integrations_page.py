"""The settings page for other programs that use the companion: the configuration to paste into
them, the port, and its token.
"""

from __future__ import annotations

from PySide6.QtGui import QFontDatabase, QGuiApplication, QHideEvent, QTextOption
from PySide6.QtWidgets import QPlainTextEdit, QPushButton

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.ui.settings.settings_page import SettingsPage
from neodeskpet.ui.settings.settings_ports import IntegrationsPort
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.settings.settings_search import SettingsPort, search_text
from neodeskpet.ui.theme import Theme, scale_to_font
from neodeskpet.ui.widgets.controls import CONTROL_HEIGHT
from neodeskpet.ui.widgets.labels import ElidedLabel

_TABLE = (N_("For their settings"), "mcpServers JSON MCP")
_TOKEN = (N_("Token"), "HTTP MCP Bearer 令牌")
_LINES = 8


class IntegrationsPage(SettingsPage):
    """Shows the fields, the configuration to copy, and a new token, which is shown only once."""

    def __init__(
        self, section: SectionInfo, port: SettingsPort, programs: IntegrationsPort, theme: Theme
    ) -> None:
        self._programs = programs
        self._token = ""
        super().__init__(section, port, theme)
        self._leave = programs.subscribe(self._show)

    def build(self) -> None:
        self.table = QPlainTextEdit(self._programs.started())
        self.table.setReadOnly(True)
        self.table.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        self.table.setTabChangesFocus(True)
        self.copy_table = QPushButton()
        self.table_row = SettingsRow(
            self.theme,
            self.table,
            stack=search_text((self.section.title, *_TABLE)),
            wide=True,
        )
        self.table_row.below.addWidget(self.copy_table)
        self.token = ElidedLabel("")
        self.token.setMinimumHeight(CONTROL_HEIGHT)
        self.renew = QPushButton()
        self.copy_token = QPushButton()
        self.copy_reached = QPushButton()
        self.token_row = SettingsRow(
            self.theme,
            self.token,
            self.renew,
            stack=search_text((self.section.title, *_TOKEN)),
        )
        for button in (self.copy_token, self.copy_reached):
            self.token_row.below.addWidget(button)
        super().build()
        self.add_row(self.token_row)
        self.add_row(self.table_row)
        self.copy_table.clicked.connect(lambda: self._copy(self._programs.started()))
        self.renew.clicked.connect(self._make_token)
        self.copy_token.clicked.connect(lambda: self._copy(self._token))
        self.copy_reached.clicked.connect(lambda: self._copy(self._programs.reached(self._token)))

    def setting_changed(self, section: str, name: str) -> None:
        super().setting_changed(section, name)
        switched_on = (section, name) == ("programs", "http") and self._on()
        if switched_on and not self.port.value("programs", "token"):
            self._make_token()
        if section == "programs":
            self._show()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._token = ""  # not shown when the page is opened again
        self._show()

    def retranslate(self) -> None:
        super().retranslate()
        self.table_row.title.setText(tr(_TABLE[0]))
        self.table_row.set_note(
            tr("Paste this where a program lists its MCP servers. It starts by itself.")
        )
        self.table.setAccessibleName(tr(_TABLE[0]))
        self.copy_table.setText(tr("Copy"))
        self.copy_token.setText(tr("Copy token"))
        self.copy_reached.setText(tr("Copy as MCP settings"))
        self.token_row.title.setText(tr(_TOKEN[0]))
        self._show()

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPixelSize(theme.small_px)
        self.table.setFont(font)
        self.table.setFixedHeight(scale_to_font(18 * _LINES + 20, theme))

    async def aclose(self) -> None:
        await super().aclose()
        self._leave()

    def _on(self) -> bool:
        return self.port.value("programs", "http") is True

    def _show(self) -> None:
        kept = bool(self.port.value("programs", "token"))
        self.fields["port"].set_relevant(self._on())
        self.fields["port"].set_error(self._programs.fault)
        self.token_row.set_relevant(self._on())
        self.token.set_text(self._token or ("•" * 12 if kept else tr("None yet")))
        self.renew.setText(tr("New token") if kept else tr("Make a token"))
        for button in (self.copy_token, self.copy_reached):
            button.setVisible(bool(self._token))
        self.token_row.set_note(self._token_note(kept))

    def _token_note(self, kept: bool) -> str:
        if self._token:
            return tr("Copy it now: it is shown only this once.")
        if kept:
            return tr("It can't be shown again. A new one ends the old one.")
        return ""

    def _make_token(self) -> None:
        try:
            self._token = self._programs.make_token()
        except KnownError as error:
            self.token_row.set_error(format_error(error))
            return
        self.token_row.set_error("")
        self._show()

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
