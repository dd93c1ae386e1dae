"""The pages of the settings. A section of the settings draws itself; what needs more than its
fields has a maker here: a further page is one line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from neodeskpet.app.catalogue import CatalogAdapter
from neodeskpet.app.characters.adapter import CharacterAdapter
from neodeskpet.app.data import DataAdapter
from neodeskpet.app.endpoint import SearchKeyAdapter
from neodeskpet.app.figures import FigureAdapter
from neodeskpet.app.local import LocalModelAdapter
from neodeskpet.app.memory.sharing import SharingAdapter
from neodeskpet.app.persona import PersonaAdapter
from neodeskpet.app.tools.servers import ServersAdapter
from neodeskpet.app.updates.talk import UpdateTalk
from neodeskpet.app.visitors.gate import Gate
from neodeskpet.app.visitors.programs import ProgramsAdapter
from neodeskpet.engine import Engine
from neodeskpet.settings.look import SectionInfo
from neodeskpet.settings.model import DIALECT_NAMES, describe
from neodeskpet.ui.desktop.attention import Senses
from neodeskpet.ui.folders import Folders
from neodeskpet.ui.settings.characters.page import SECTION as CHARACTERS
from neodeskpet.ui.settings.characters.page import CharactersPage
from neodeskpet.ui.settings.data_page import DataPage
from neodeskpet.ui.settings.figure.page import CompanionPage
from neodeskpet.ui.settings.files_page import FilesPage
from neodeskpet.ui.settings.initiative_page import InitiativePage
from neodeskpet.ui.settings.local.page import LocalPage
from neodeskpet.ui.settings.memory_page import MemoryPage
from neodeskpet.ui.settings.page import Page
from neodeskpet.ui.settings.pages import PageEntry
from neodeskpet.ui.settings.programs_page import ProgramsPage
from neodeskpet.ui.settings.servers.page import SECTION as SERVERS
from neodeskpet.ui.settings.servers.page import ServersPage
from neodeskpet.ui.settings.service.page import ServicePage
from neodeskpet.ui.settings.service.roles_page import SECTION as ROLES
from neodeskpet.ui.settings.service.roles_page import RolesPage
from neodeskpet.ui.settings.sharing_page import SharingPage
from neodeskpet.ui.settings.tools.page import ToolsPage
from neodeskpet.ui.settings.updates_page import UpdatesPage
from neodeskpet.ui.settings.web_page import WebPage
from neodeskpet.ui.settings.workshop.page import SECTION as WORKSHOP
from neodeskpet.ui.settings.workshop.page import WorkshopPage
from neodeskpet.ui.theme import Theme


@dataclass(frozen=True, slots=True)
class Ports:
    """What pages may ask for."""

    engine: Engine
    catalogue: CatalogAdapter
    figures: FigureAdapter
    theme: Theme
    folders: Folders
    gate: Gate
    characters: CharacterAdapter
    senses: Callable[[], Senses]
    updates: UpdateTalk


Maker = Callable[[SectionInfo, Ports], Page]


def _plain(section: SectionInfo, ports: Ports) -> Page:
    return Page(section, ports.engine.settings, ports.theme)


def _service(section: SectionInfo, ports: Ports) -> Page:
    port, dialects = ports.engine.settings, tuple(DIALECT_NAMES.items())
    return ServicePage(section, port, ports.catalogue, ports.theme, dialects=dialects)


def _roles(_section: SectionInfo, ports: Ports) -> Page:
    return RolesPage(ports.engine.settings, ports.catalogue, ports.theme)


def _local(section: SectionInfo, ports: Ports) -> Page:
    local = LocalModelAdapter(ports.engine, ports.catalogue)
    port = ports.engine.settings
    return LocalPage(section, port, local, ports.theme, ports.folders)


def _companion(section: SectionInfo, ports: Ports) -> Page:
    port, persona = ports.engine.settings, PersonaAdapter(ports.engine)
    return CompanionPage(section, port, ports.figures, persona, ports.theme, ports.folders)


def _characters(_section: SectionInfo, ports: Ports) -> Page:
    return CharactersPage(ports.engine.settings, ports.characters, ports.theme, ports.folders)


def _tools(section: SectionInfo, ports: Ports) -> Page:
    return ToolsPage(section, ports.engine.settings, ports.engine.toolbox, ports.theme)


def _servers(_section: SectionInfo, ports: Ports) -> Page:
    return ServersPage(ports.engine.settings, ServersAdapter(ports.engine), ports.theme)


def _workshop(_section: SectionInfo, ports: Ports) -> Page:
    return WorkshopPage(ports.engine.settings, ports.engine.workshop, ports.theme)


def _files(section: SectionInfo, ports: Ports) -> Page:
    return FilesPage(section, ports.engine.settings, ports.theme)


def _web(section: SectionInfo, ports: Ports) -> Page:
    key = SearchKeyAdapter(ports.engine)
    return WebPage(section, ports.engine.settings, key, ports.theme)


def _programs(section: SectionInfo, ports: Ports) -> Page:
    port = ProgramsAdapter(ports.engine.home, ports.gate)
    return ProgramsPage(section, ports.engine.settings, port, ports.theme)


def _initiative(section: SectionInfo, ports: Ports) -> Page:
    return InitiativePage(section, ports.engine.settings, ports.senses(), ports.theme)


def _memory(section: SectionInfo, ports: Ports) -> Page:
    meanings = ports.engine.meanings
    return MemoryPage(section, ports.engine.settings, (meanings.said, meanings.known), ports.theme)


def _data(section: SectionInfo, ports: Ports) -> Page:
    return DataPage(section, ports.engine.settings, DataAdapter(ports.engine), ports.theme)


def _sharing(section: SectionInfo, ports: Ports) -> Page:
    adapter = SharingAdapter(ports.engine)
    return SharingPage(section, ports.engine.settings, adapter, ports.theme)


def _updates(section: SectionInfo, ports: Ports) -> Page:
    return UpdatesPage(section, ports.engine.settings, ports.updates, ports.theme)


MAKERS: dict[str, Maker] = {
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
    "memory": _memory,
    "sharing": _sharing,
    "updates": _updates,
    "data": _data,
}

AFTER: dict[str, Sequence[SectionInfo]] = {
    "service": (ROLES,),
    "mode": (SERVERS, WORKSHOP),
    "companion": (CHARACTERS,),
}
"""Sections without settings of their own, by the section that they stand after."""


def list_sections() -> list[SectionInfo]:
    """What has a page, in the order of the settings' sections."""
    return [one for first in describe() for one in (first, *AFTER.get(first.name, ()))]


def list_pages(ports: Ports) -> list[PageEntry]:
    """All pages, in the same order."""
    return [
        PageEntry(section, partial(MAKERS.get(section.name, _plain), section, ports))
        for section in list_sections()
    ]
