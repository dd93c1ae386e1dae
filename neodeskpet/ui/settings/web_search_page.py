"""The settings page of web search: the service, and its address or key."""

from __future__ import annotations

from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.ui.settings.services.key_row import KeyRow
from neodeskpet.ui.settings.settings_page import SettingsPage
from neodeskpet.ui.settings.settings_ports import KeyPort
from neodeskpet.ui.settings.settings_search import SettingsPort
from neodeskpet.ui.theme import Theme


class WebSearchPage(SettingsPage):
    """Shows only the fields (address, key) that the chosen service needs."""

    def __init__(
        self, section: SectionInfo, port: SettingsPort, key: KeyPort, theme: Theme
    ) -> None:
        self._key = key
        super().__init__(section, port, theme)

    def build(self) -> None:
        super().build()
        self.key = KeyRow(self._key, self.theme)
        self.add_row(self.key)
        self._show_needed()

    def setting_changed(self, section: str, name: str) -> None:
        super().setting_changed(section, name)
        if (section, name) == ("web", "search"):
            self._show_needed()
            self.key.refresh()

    def retranslate(self) -> None:
        super().retranslate()
        self.key.retranslate()

    def _show_needed(self) -> None:
        chosen = self.port.value("web", "search")
        self.fields["searxng"].set_relevant(chosen == "searxng")
        self.key.set_relevant(chosen in ("brave", "tavily"))
