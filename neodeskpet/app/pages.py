"""The pages of the settings. A section of the settings draws itself; what needs more than its
fields has a maker here: a further page is one line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from neodeskpet.app.catalogue import CatalogAdapter
from neodeskpet.app.figures import FigureAdapter
from neodeskpet.app.local import LocalModelAdapter
from neodeskpet.app.service import DataAdapter, ServiceAdapter
from neodeskpet.engine import Engine
from neodeskpet.settings.look import SectionInfo
from neodeskpet.settings.model import describe
from neodeskpet.ui.settings.data_page import DataPage
from neodeskpet.ui.settings.figure.page import CompanionPage
from neodeskpet.ui.settings.local.page import LocalPage
from neodeskpet.ui.settings.page import Page
from neodeskpet.ui.settings.service.page import ServicePage
from neodeskpet.ui.settings.service.roles_page import RolesPage
from neodeskpet.ui.theme import Theme


@dataclass(frozen=True, slots=True)
class Ports:
    """What pages may ask for."""

    engine: Engine
    catalogue: CatalogAdapter
    service: ServiceAdapter
    figures: FigureAdapter
    theme: Theme


Maker = Callable[[SectionInfo, Ports], Sequence[Page]]


def _plain(section: SectionInfo, ports: Ports) -> Sequence[Page]:
    return (Page(section, ports.engine.settings, ports.theme),)


def _service(section: SectionInfo, ports: Ports) -> Sequence[Page]:
    port, theme = ports.engine.settings, ports.theme
    return (
        ServicePage(section, port, ports.service, ports.catalogue, theme),
        RolesPage(port, ports.catalogue, theme),
    )


def _local(section: SectionInfo, ports: Ports) -> Sequence[Page]:
    local = LocalModelAdapter(ports.engine, ports.catalogue)
    return (LocalPage(section, ports.engine.settings, local, ports.theme),)


def _companion(section: SectionInfo, ports: Ports) -> Sequence[Page]:
    return (CompanionPage(section, ports.engine.settings, ports.figures, ports.theme),)


def _data(section: SectionInfo, ports: Ports) -> Sequence[Page]:
    return (DataPage(section, ports.engine.settings, DataAdapter(ports.engine), ports.theme),)


MAKERS: dict[str, Maker] = {
    "service": _service,
    "local": _local,
    "companion": _companion,
    "data": _data,
}


def build_pages(ports: Ports) -> list[Page]:
    """All pages, in the order of the settings' sections."""
    return [
        page for section in describe() for page in MAKERS.get(section.name, _plain)(section, ports)
    ]
