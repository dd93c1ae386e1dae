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
from neodeskpet.app.persona import PersonaAdapter
from neodeskpet.app.tools.servers import ServersAdapter
from neodeskpet.app.visitors.gate import Gate
from neodeskpet.app.visitors.programs import ProgramsAdapter
from neodeskpet.engine import Engine
from neodeskpet.settings.look import SectionInfo
from neodeskpet.settings.model import DIALECT_NAMES, describe
from neodeskpet.ui.folders import Folders
from neodeskpet.ui.settings.characters.page import CharactersPage
from neodeskpet.ui.settings.data_page import DataPage
from neodeskpet.ui.settings.figure.page import CompanionPage
from neodeskpet.ui.settings.files_page import FilesPage
from neodeskpet.ui.settings.local.page import LocalPage
from neodeskpet.ui.settings.page import Page
from neodeskpet.ui.settings.pages import PageGroup
from neodeskpet.ui.settings.programs_page import ProgramsPage
from neodeskpet.ui.settings.servers.page import SECTION as SERVERS
from neodeskpet.ui.settings.servers.page import ServersPage
from neodeskpet.ui.settings.service.page import ServicePage
from neodeskpet.ui.settings.service.roles_page import SECTION as ROLES
from neodeskpet.ui.settings.service.roles_page import RolesPage
from neodeskpet.ui.settings.tools.page import ToolsPage
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


Maker = Callable[[SectionInfo, Ports], Sequence[Page]]


def _plain(section: SectionInfo, ports: Ports) -> Sequence[Page]:
    return (Page(section, ports.engine.settings, ports.theme),)


def _service(section: SectionInfo, ports: Ports) -> Sequence[Page]:
    port, theme = ports.engine.settings, ports.theme
    return (
        ServicePage(
            *(section, port, ports.catalogue, theme), dialects=tuple(DIALECT_NAMES.items())
        ),
        RolesPage(port, ports.catalogue, theme),
    )


def _local(section: SectionInfo, ports: Ports) -> Sequence[Page]:
    local = LocalModelAdapter(ports.engine, ports.catalogue)
    port = ports.engine.settings
    return (LocalPage(section, port, local, ports.theme, ports.folders),)


def _companion(section: SectionInfo, ports: Ports) -> Sequence[Page]:
    port, persona = ports.engine.settings, PersonaAdapter(ports.engine)
    return (
        CompanionPage(section, port, ports.figures, persona, ports.theme, ports.folders),
        CharactersPage(port, ports.characters, ports.theme, ports.folders),
    )


def _tools(section: SectionInfo, ports: Ports) -> Sequence[Page]:
    port, theme = ports.engine.settings, ports.theme
    servers = ServersPage(port, ServersAdapter(ports.engine), theme)
    own = WorkshopPage(port, ports.engine.workshop, theme)
    return (ToolsPage(section, port, ports.engine.toolbox, theme), servers, own)


def _files(section: SectionInfo, ports: Ports) -> Sequence[Page]:
    return (FilesPage(section, ports.engine.settings, ports.theme),)


def _web(section: SectionInfo, ports: Ports) -> Sequence[Page]:
    key = SearchKeyAdapter(ports.engine)
    return (WebPage(section, ports.engine.settings, key, ports.theme),)


def _programs(section: SectionInfo, ports: Ports) -> Sequence[Page]:
    port = ProgramsAdapter(ports.engine.home, ports.gate)
    return (ProgramsPage(section, ports.engine.settings, port, ports.theme),)


def _data(section: SectionInfo, ports: Ports) -> Sequence[Page]:
    return (DataPage(section, ports.engine.settings, DataAdapter(ports.engine), ports.theme),)


MAKERS: dict[str, Maker] = {
    "service": _service,
    "local": _local,
    "mode": _tools,
    "files": _files,
    "web": _web,
    "programs": _programs,
    "companion": _companion,
    "data": _data,
}


BESIDE: dict[str, Sequence[SectionInfo]] = {"service": (ROLES,), "mode": (SERVERS, WORKSHOP)}
"""Sections without settings of their own, whose pages a maker gives beside its section's."""


def group_pages(ports: Ports) -> list[PageGroup]:
    """All pages, in the order of the settings' sections."""
    return [
        PageGroup(
            (section, *BESIDE.get(section.name, ())),
            partial(MAKERS.get(section.name, _plain), section, ports),
        )
        for section in describe()
    ]
