"""The pages of the settings. A section is drawn from its fields; a section that needs more has a
function here. A further page is one line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from neodeskpet.app.characters import CharacterAdapter
from neodeskpet.app.engine import Engine
from neodeskpet.app.external_api import HttpApiServer, ProgramsAdapter
from neodeskpet.app.figure_settings import FigureAdapter, PersonaAdapter
from neodeskpet.app.local_models import LocalModelAdapter
from neodeskpet.app.mcp_servers import ServersAdapter
from neodeskpet.app.service_settings import CatalogAdapter, SearchKeyAdapter
from neodeskpet.app.settings_adapters import DataAdapter, SyncAdapter
from neodeskpet.app.system_features import current_features, section_for
from neodeskpet.app.update_notifier import UpdateNotifier
from neodeskpet.app.voice_services import VoiceServices
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.settings.settings_model import describe_sections
from neodeskpet.ui.desktop.activity_detector import AvailableSenses
from neodeskpet.ui.dialog_folders import DialogFolders
from neodeskpet.ui.settings.character_head import SECTION as HEAD
from neodeskpet.ui.settings.character_head import CharacterHeadPage, CharacterHeadPort
from neodeskpet.ui.settings.characters_page import SECTION as CHARACTERS
from neodeskpet.ui.settings.characters_page import CharactersPage
from neodeskpet.ui.settings.data_page import DataPage
from neodeskpet.ui.settings.figure.figure_page import FigurePage
from neodeskpet.ui.settings.files_page import FilesPage
from neodeskpet.ui.settings.integrations_page import IntegrationsPage
from neodeskpet.ui.settings.local_model_page import LocalModelPage
from neodeskpet.ui.settings.mcp_servers_page import SECTION as SERVERS
from neodeskpet.ui.settings.mcp_servers_page import McpServersPage
from neodeskpet.ui.settings.memory_page import MemoryPage
from neodeskpet.ui.settings.people_pages import (
    OtherCompanionsPage,
    OtherCompanionsPort,
    UserFactsPort,
    UserPage,
)
from neodeskpet.ui.settings.proactive_page import ProactivePage
from neodeskpet.ui.settings.services.model_roles_page import SECTION as ROLES
from neodeskpet.ui.settings.services.model_roles_page import ModelRolesPage
from neodeskpet.ui.settings.services.services_page import ServicesPage
from neodeskpet.ui.settings.settings_page import SettingsPage, SettingsPageEntry
from neodeskpet.ui.settings.sync_page import SyncPage
from neodeskpet.ui.settings.tools_page import ToolsPage
from neodeskpet.ui.settings.updates_page import UpdatesPage
from neodeskpet.ui.settings.user_tools_page import SECTION as WORKSHOP
from neodeskpet.ui.settings.user_tools_page import UserToolsPage
from neodeskpet.ui.settings.voice_page import VoicePage
from neodeskpet.ui.settings.web_search_page import WebSearchPage
from neodeskpet.ui.theme import Theme


@dataclass(frozen=True, slots=True)
class PageServices:
    """The services that pages use."""

    engine: Engine
    catalogue: CatalogAdapter
    figures: FigureAdapter
    theme: Theme
    folders: DialogFolders
    http_server: HttpApiServer
    characters: CharacterAdapter
    desktop_senses: Callable[[], AvailableSenses]
    updates: UpdateNotifier
    voice_services: VoiceServices


@dataclass(frozen=True, slots=True)
class PeopleServices:
    """The services of the pages about the character, the user and further companions. They open
    other windows.
    """

    head: CharacterHeadPort
    facts: UserFactsPort
    companions: OtherCompanionsPort


PageMaker = Callable[[SectionInfo, PageServices], SettingsPage]


def _plain(section: SectionInfo, ports: PageServices) -> SettingsPage:
    return SettingsPage(section, ports.engine.settings, ports.theme)


def _service(section: SectionInfo, ports: PageServices) -> SettingsPage:
    return ServicesPage(section, ports.engine.settings, ports.catalogue, ports.theme)


def _roles(_section: SectionInfo, ports: PageServices) -> SettingsPage:
    return ModelRolesPage(ports.engine.settings, ports.catalogue, ports.theme)


def _local(section: SectionInfo, ports: PageServices) -> SettingsPage:
    local = LocalModelAdapter(ports.engine, ports.catalogue)
    port = ports.engine.settings
    return LocalModelPage(section, port, local, ports.theme, ports.folders)


def _companion(section: SectionInfo, ports: PageServices) -> SettingsPage:
    port, persona = ports.engine.settings, PersonaAdapter(ports.engine)
    return FigurePage(section, port, ports.figures, persona, ports.theme, ports.folders)


def _characters(_section: SectionInfo, ports: PageServices) -> SettingsPage:
    from neodeskpet.app.voice_settings import VoiceSettingsAdapter

    voices = VoiceSettingsAdapter(ports.voice_services)
    settings, characters = ports.engine.settings, ports.characters
    return CharactersPage(settings, characters, voices, ports.theme, ports.folders)


def _tools(section: SectionInfo, ports: PageServices) -> SettingsPage:
    return ToolsPage(section, ports.engine.settings, ports.engine.tools.toolbox, ports.theme)


def _servers(_section: SectionInfo, ports: PageServices) -> SettingsPage:
    return McpServersPage(ports.engine.settings, ServersAdapter(ports.engine), ports.theme)


def _workshop(_section: SectionInfo, ports: PageServices) -> SettingsPage:
    return UserToolsPage(ports.engine.settings, ports.engine.tools.user_tools, ports.theme)


def _files(section: SectionInfo, ports: PageServices) -> SettingsPage:
    return FilesPage(section, ports.engine.settings, ports.theme)


def _web(section: SectionInfo, ports: PageServices) -> SettingsPage:
    key = SearchKeyAdapter(ports.engine)
    return WebSearchPage(section, ports.engine.settings, key, ports.theme)


def _programs(section: SectionInfo, ports: PageServices) -> SettingsPage:
    port = ProgramsAdapter(ports.engine.storage.home, ports.http_server)
    return IntegrationsPage(section, ports.engine.settings, port, ports.theme)


def _initiative(section: SectionInfo, ports: PageServices) -> SettingsPage:
    return ProactivePage(section, ports.engine.settings, ports.desktop_senses(), ports.theme)


def _memory(section: SectionInfo, ports: PageServices) -> SettingsPage:
    meanings = ports.engine.memory.embeddings
    return MemoryPage(
        section, ports.engine.settings, (meanings.messages, meanings.documents), ports.theme
    )


def _data(section: SectionInfo, ports: PageServices) -> SettingsPage:
    return DataPage(section, ports.engine.settings, DataAdapter(ports.engine), ports.theme)


def _sharing(section: SectionInfo, ports: PageServices) -> SettingsPage:
    adapter = SyncAdapter(ports.engine)
    return SyncPage(section, ports.engine.settings, adapter, ports.theme)


def _updates(section: SectionInfo, ports: PageServices) -> SettingsPage:
    return UpdatesPage(section, ports.engine.settings, ports.updates, ports.theme)


def _voice(section: SectionInfo, ports: PageServices) -> SettingsPage:
    from neodeskpet.app.local_voice_installer import LocalVoiceInstaller
    from neodeskpet.app.voice_settings import VoiceSettingsAdapter

    services = ports.voice_services
    installer = LocalVoiceInstaller(end_engines=services.local.aclose)
    adapter = VoiceSettingsAdapter(services, installer)
    return VoicePage(section, ports.engine.settings, adapter, ports.theme)


PAGE_MAKERS: dict[str, PageMaker] = {
    "service": _service,
    ROLES.name: _roles,
    "local": _local,
    "mode": _tools,
    SERVERS.name: _servers,
    WORKSHOP.name: _workshop,
    "files": _files,
    "web": _web,
    "programs": _programs,
    "companion": _companion,
    CHARACTERS.name: _characters,
    "initiative": _initiative,
    "voice": _voice,
    "memory": _memory,
    "sharing": _sharing,
    "updates": _updates,
    "data": _data,
}

EXTRA_SECTIONS: dict[str, Sequence[SectionInfo]] = {
    "service": (ROLES,),
    "mode": (SERVERS, WORKSHOP),
    "companion": (HEAD, CHARACTERS),
}
"""Pages without settings of their own, by the section that they follow."""


def list_sections() -> list[SectionInfo]:
    """Return the sections that have a page, in the order of the settings."""
    return [
        one for first in describe_sections() for one in (first, *EXTRA_SECTIONS.get(first.name, ()))
    ]


def list_pages(ports: PageServices, people: PeopleServices) -> list[SettingsPageEntry]:
    """Return the pages that do something on this system, in the order of their sections."""
    features = current_features()
    sections = (section_for(section, features) for section in list_sections())
    port, theme = ports.engine.settings, ports.theme
    makers = PAGE_MAKERS | {
        HEAD.name: lambda _section, _ports: CharacterHeadPage(port, people.head, theme),
        "you": lambda section, _ports: UserPage(section, port, people.facts, theme),
        "guests": lambda section, _ports: OtherCompanionsPage(
            section, port, people.companions, theme
        ),
    }
    return [
        SettingsPageEntry(section, partial(makers.get(section.name, _plain), section, ports))
        for section in sections
        if section is not None
    ]
