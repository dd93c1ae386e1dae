"""The settings page of the model services."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent

from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.ui.settings.services.service_list import AddServiceRow, ServiceList
from neodeskpet.ui.settings.settings_page import SettingsPage
from neodeskpet.ui.settings.settings_ports import CatalogPort
from neodeskpet.ui.settings.settings_search import SettingsPort
from neodeskpet.ui.theme import Theme

_IN_EDITOR = ("protocol", "base_url", "model")
"""Settings of the section that a service's card edits."""


class ServicesPage(SettingsPage):
    """A card for each service, a button that adds one, and the settings for all of them."""

    def __init__(
        self, section: SectionInfo, port: SettingsPort, catalogue: CatalogPort, theme: Theme
    ) -> None:
        self._catalogue = catalogue
        super().__init__(section, port, theme)

    def build(self) -> None:
        self.services = ServiceList(self._catalogue, self.theme)
        self.above_frame.addWidget(self.services)
        self.add = AddServiceRow(self._catalogue, self.theme)
        self.add.added.connect(self.services.open_new)
        self.rows.append(self.add)
        self.above_frame.addWidget(self.add)
        self.add_fields([one for one in self.section.settings if one.name not in _IN_EDITOR])

    def search(self, query: str) -> int:
        return super().search(query) + self.services.search(query)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.services.set_theme(theme)

    def retranslate(self) -> None:
        super().retranslate()
        self.services.companion_name = self.companion_name
        self.services.retranslate()
        self.add.retranslate()

    def set_narrow(self, narrow: bool) -> None:
        super().set_narrow(narrow)
        self.services.set_narrow(narrow)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._catalogue.refresh()  # the user may have edited the file
        self.services.open_only_one()

    async def aclose(self) -> None:
        await super().aclose()
        self.services.cancel()
