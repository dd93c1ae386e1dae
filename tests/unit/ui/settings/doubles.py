"""A service and a data folder as test doubles, and the real settings in a file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from neodeskpet.core.errors import KnownError, SettingsError
from neodeskpet.llm.catalog.catalog_file import CatalogFile
from neodeskpet.llm.catalog.model_catalog import FILE_NAME, Catalog
from neodeskpet.settings.secrets import SecretPlace
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.settings.settings_model import describe_sections
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.settings.settings_ports import (
    EndpointTestFinding,
    EndpointTestProposal,
    EndpointTestVerdict,
    KeyState,
    LocalModelServer,
    ToolCalls,
    UninstallInfo,
)


class Service:
    """`fails` is raised by the next coroutine; `gate` holds models and test until it is set."""

    def __init__(self) -> None:
        self.key_value = ""
        self.place = SecretPlace.KEYRING
        self.where = "/home/me/secrets.json"
        self.exposed = ""
        self.names: list[str] = ["small", "large"]
        self.findings: list[EndpointTestFinding] = []
        self.proposal: EndpointTestProposal | None = None
        self.taken: list[EndpointTestProposal] = []
        self.needed = True
        self.servers: list[LocalModelServer] = []
        self.fails: KnownError | None = None
        self.http_server: asyncio.Event | None = None
        self.asked: list[str] = []

    async def key(self) -> KeyState:
        return KeyState(self.key_value[-4:], self.place, self.where, self.exposed)

    def allow_plain(self) -> None:
        if self.fails is not None:
            raise self.fails
        self.exposed = ""

    async def store_key(self, key: str) -> None:
        await self._asked("store key")
        self.key_value = key

    async def delete_key(self) -> None:
        await self._asked("delete key")
        self.key_value = ""

    async def allow_file(self) -> None:
        await self._asked("allow file")
        self.place = SecretPlace.FILE

    async def models(self) -> Sequence[str]:
        await self._asked("models")
        return self.names

    async def test(
        self, found: Callable[[EndpointTestFinding], None]
    ) -> EndpointTestProposal | None:
        for finding in self.findings:
            found(finding)
        await self._asked("test")
        return self.proposal

    def is_needed(self, proposal: EndpointTestProposal) -> bool:
        return self.needed

    def take(self, proposal: EndpointTestProposal) -> Callable[[], None]:
        if self.fails is not None:
            raise self.fails
        self.taken.append(proposal)
        return self.taken.clear

    async def local_servers(self) -> Sequence[LocalModelServer]:
        await self._asked("local servers")
        return self.servers

    async def _asked(self, what: str) -> None:
        self.asked.append(what)
        if self.http_server is not None:
            await self.http_server.wait()
        if self.fails is not None:
            raise self.fails


class Data:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "neodeskpet.log"
        self.count = 3
        self.keys = SecretPlace.KEYRING
        self.fails: KnownError | None = None
        self.removal = UninstallInfo("Then delete the folder {path}.", "remove it", "/a/place")

    async def key_place(self) -> SecretPlace:
        return self.keys

    async def delete_conversations(self) -> int:
        if self.fails is not None:
            raise self.fails
        return self.count


def section(name: str) -> SectionInfo:
    return next(one for one in describe_sections() if one.name == name)


def live_settings(folder: Path, **environ: str) -> SettingsStore:
    return SettingsStore(folder / "settings.json", environ=environ)


class Services:
    """A `CatalogPort` on a real file in `folder`; every service of it is a `Service`."""

    def __init__(self, folder: Path, catalog: Catalog | None = None) -> None:
        self.file = CatalogFile(folder / FILE_NAME)
        self.simple = Catalog()
        self.outside = False
        self.ports: dict[str, Service] = {}
        self.models_asked: list[str] = []
        self.states: dict[str, EndpointTestVerdict] = {}
        self.modes: dict[str, str] = {}
        self.dialect = "tool_request"
        self.refuses: KnownError | None = None
        self._observers: list[Callable[[], None]] = []
        if catalog is not None:
            self.file.save(catalog)

    @property
    def catalog(self) -> Catalog:
        return self.simple if self.file.catalog is None else self.file.catalog

    @property
    def kept(self) -> bool:
        return self.file.catalog is not None or self.file.fault is not None

    @property
    def fault(self) -> SettingsError | None:
        return self.file.fault

    def refresh(self) -> None:
        if self.file.refresh():
            self.tell()

    def edit(self, change: Callable[[Catalog], Catalog]) -> Callable[[], None]:
        edit = self.file.edit(change, self.simple)
        self.tell()

        def undo() -> None:
            self.file.revert(edit)
            self.tell()

        return undo

    def start_over(self) -> Path | None:
        copy = self.file.replace_broken(self.catalog)
        self.tell()
        return copy

    def endpoint(self, name: str, model: str = "") -> Service:
        self.models_asked.append(model)
        return self.ports.setdefault(name, Service())

    def reported(self, name: str) -> Sequence[str]:
        return self.ports[name].names if name in self.ports else ()

    def tool_calls(self, name: str) -> ToolCalls:
        return ToolCalls(self.modes.get(name, "auto"), self.dialect)

    def choose_tool_mode(self, name: str, mode: str) -> None:
        if self.refuses is not None:
            raise self.refuses
        self.modes[name] = mode

    def choose_text_format(self, dialect: str) -> None:
        if self.refuses is not None:
            raise self.refuses
        self.dialect = dialect

    def tested(self, name: str) -> EndpointTestVerdict | None:
        return self.states.get(name)

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        self._observers.append(observer)
        return lambda: self._observers.remove(observer)

    def tell(self) -> None:
        for observer in tuple(self._observers):
            observer()


def two_services() -> Catalog:
    """ "one" with the models a and b, "two" with c; a chain and a purpose."""
    return Catalog.model_validate(
        {
            "endpoints": [
                {"name": "one", "protocol": "openai", "base_url": "http://127.0.0.1:9/v1"},
                {"name": "two", "protocol": "anthropic", "base_url": "https://two.example"},
            ],
            "models": [
                {"endpoint": "one", "id": "a"},
                {"endpoint": "one", "id": "b"},
                {"endpoint": "two", "id": "c"},
            ],
            "tiers": {"complex": ["a", "c"]},
            "purposes": {"title": "b"},
        }
    )
