"""The adapter between the settings window and the language model that runs on this computer, and
the search for local model servers on their default ports.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from neodeskpet.app.engine import Engine
from neodeskpet.app.extras_installer import ExtraCommandFailed, add_extra
from neodeskpet.app.service_settings import CatalogAdapter
from neodeskpet.core.errors import LlmError
from neodeskpet.language import tr
from neodeskpet.llm.catalog.catalog_editing import use_local_model
from neodeskpet.llm.chain.model_selection import model_choices
from neodeskpet.llm.endpoint_test.endpoint_tester import list_models
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.llm.local.local_errors import ExtraFailed
from neodeskpet.llm.local.local_host import ServerStatus, check_on_thread, extra_installed
from neodeskpet.llm.local.model_download import (
    DOWNLOADABLE_MODELS,
    DownloadableModel,
    Downloader,
    DownloadProgress,
)
from neodeskpet.llm.local.model_file import ModelFile, address_of, file_of, model_name
from neodeskpet.llm.protocols.protocol import ModelOptions
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from neodeskpet.ui.settings.settings_ports import LocalModelServer

DEFAULT_ADDRESSES = {
    "Ollama": "http://127.0.0.1:11434/v1",
    "LM Studio": "http://127.0.0.1:1234/v1",
    "llama.cpp": "http://127.0.0.1:8080/v1",
    "vLLM": "http://127.0.0.1:8000/v1",
}
"""The default addresses of these servers."""
_PROBE_TIMEOUT = 1.5


async def find_local_servers(client: HttpClient) -> Sequence[LocalModelServer]:
    """Return the servers that answer."""
    found = await asyncio.gather(*(_probe(client, *place) for place in DEFAULT_ADDRESSES.items()))
    return [server for server in found if server is not None]


async def _probe(client: HttpClient, title: str, url: str) -> LocalModelServer | None:
    try:
        async with asyncio.timeout(_PROBE_TIMEOUT):
            models = await list_models(client, PROTOCOLS["openai"], ModelOptions(url, ""))
    except (LlmError, TimeoutError):
        return None
    return LocalModelServer(title, url, tuple(models))


class LocalModelAdapter:
    """A `ui.settings.local_model_page.LocalModelPort` on the engine."""

    def __init__(
        self,
        engine: Engine,
        catalogue: CatalogAdapter,
        offers: Sequence[DownloadableModel] = DOWNLOADABLE_MODELS,
        *,
        hub: str = "",
    ) -> None:
        """`hub` takes precedence over the source in the settings."""
        self._engine = engine
        self._catalogue = catalogue
        self._offers = offers
        self._hub = hub
        self._downloads = Downloader(
            engine.models.local_host.folder, engine.models.client.open_file
        )

    @property
    def installed(self) -> bool:
        return extra_installed()

    async def install(self) -> None:
        """Run `neodeskpet extras add local`. Raises ExtraFailed."""
        try:
            await add_extra("local")
        except ExtraCommandFailed as failed:
            raise ExtraFailed(str(failed)) from failed

    @property
    def used(self) -> bool:
        asked = model_choices(self._engine.models.turn_factory.catalog(), "chat")
        return bool(self._chosen()) and bool(asked) and asked[0].endpoint.base_url == self._address

    @property
    def _address(self) -> str:
        """Return the address of the chosen file, in any place."""
        return address_of(
            file_of(address_of(Path(self._chosen())), self._engine.models.local_host.folder)
        )

    def _chosen(self) -> str:
        return self._engine.settings.settings.local.file

    def condition(self) -> ServerStatus:
        return (
            self._engine.models.local_host.condition(self._address)
            if self._chosen()
            else ServerStatus()
        )

    async def memory(self) -> int | None:
        return await self._engine.models.local_host.memory(self._address)

    async def read_file(self) -> ModelFile:
        return await check_on_thread(file_of(self._address, self._engine.models.local_host.folder))

    async def start(self) -> None:
        await self._engine.models.local_host.start(self._address)

    async def stop(self) -> None:
        await self._engine.models.local_host.stop(self._address)

    def use(self) -> None:
        """Put the model into the simple settings or, if there is a catalogue, make it the chat
        model there. Raises KnownError.
        """
        address, name = self._address, model_name(Path(self._chosen()))
        if self._catalogue.kept:
            title = tr("This computer")
            self._catalogue.edit(
                lambda catalog: use_local_model(catalog, "chat", address, name, title)
            )
            return
        for field, value in (("base_url", address), ("model", name), ("protocol", "openai")):
            self._engine.settings.change("service", field, value)

    def downloadable_models(self) -> Sequence[DownloadableModel]:
        return self._offers

    async def downloaded_bytes(self, offer: DownloadableModel) -> int:
        return await asyncio.to_thread(self._downloads.kept, offer)

    async def fetch(
        self, offer: DownloadableModel, report: Callable[[DownloadProgress], None]
    ) -> str:
        source = self._hub or self._engine.settings.settings.local.source
        file = await self._downloads.fetch(offer, offer.url(source), report)
        return str(file)

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return self._engine.models.local_host.subscribe(observer)
