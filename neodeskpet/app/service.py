"""The settings window's ports onto the engine: the chosen service, and where the data lies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path

from neodeskpet.app.catalogue import CatalogAdapter
from neodeskpet.app.endpoint import exposed_to, key_state
from neodeskpet.core.errors import LlmError
from neodeskpet.engine import Engine
from neodeskpet.llm.protocols.adapters import PROTOCOLS
from neodeskpet.llm.protocols.protocol import ModelOptions, ModelProtocol
from neodeskpet.llm.trial.trial import EndpointTrial, Trial, list_models
from neodeskpet.settings.logfile import log_path
from neodeskpet.settings.secrets import key_name
from neodeskpet.ui.settings.ports import Finding, KeyState, LocalServer, Proposal, Undo
from neodeskpet.ui.settings.service.trial_words import finding, proposal, trying

_LOCAL = {
    "Ollama": "http://127.0.0.1:11434/v1",
    "LM Studio": "http://127.0.0.1:1234/v1",
    "llama.cpp": "http://127.0.0.1:8080/v1",
    "vLLM": "http://127.0.0.1:8000/v1",
}
_LOCAL_PATIENCE = 1.5


class ServiceAdapter:
    """A `ui.settings.ports.ServicePort` on the engine; always about the service as it is set."""

    def __init__(self, engine: Engine, catalogue: CatalogAdapter | None = None) -> None:
        self._engine = engine
        self._catalogue = catalogue or CatalogAdapter(engine)

    async def key(self) -> KeyState:
        state = await key_state(self._engine.secrets, self._name())
        address = self._engine.settings.settings.service.base_url
        return replace(state, exposed=exposed_to(self._engine, address))

    async def store_key(self, key: str) -> None:
        await self._engine.secrets.set_async(self._name(), key)

    async def delete_key(self) -> None:
        await self._engine.secrets.delete_async(self._name())

    async def allow_file(self) -> None:
        await asyncio.to_thread(self._engine.secrets.allow_file)

    def allow_plain(self) -> None:
        self._engine.settings.change("service", "plain_keys", True)

    async def models(self) -> Sequence[str]:
        async with self._engine.host.place(await self._options()) as options:
            return await list_models(self._engine.client, self._protocol(), options)

    async def test(self, found: Callable[[Finding], None]) -> Proposal | None:
        trials: list[Trial] = []
        async with self._engine.host.place(await self._options()) as options:
            trial = EndpointTrial(self._engine.client, self._protocol(), options)
            async with aclosing(trial.run(lambda step: found(trying(step)))) as ended:
                async for one in ended:
                    trials.append(one)
                    found(finding(one))
        return proposal(trials, self._engine.settings.settings.service.model)

    def take(self, proposal: Proposal) -> Undo:
        return self._catalogue.take(proposal)

    async def local_servers(self) -> Sequence[LocalServer]:
        found = await asyncio.gather(*(self._look(t, url) for t, url in _LOCAL.items()))
        return [server for server in found if server is not None]

    async def _look(self, title: str, url: str) -> LocalServer | None:
        options = ModelOptions(url, "")
        try:
            async with asyncio.timeout(_LOCAL_PATIENCE):
                models = await list_models(self._engine.client, PROTOCOLS["openai"], options)
        except (LlmError, TimeoutError):
            return None
        return LocalServer(title, url, tuple(models))

    async def _options(self) -> ModelOptions:
        service = self._engine.settings.settings.service
        key = await self._engine.secrets.get_async(self._name())
        return ModelOptions(service.base_url, service.model, key)

    def _protocol(self) -> ModelProtocol:
        return PROTOCOLS[self._engine.settings.settings.service.protocol]

    def _name(self) -> str:
        return key_name(self._engine.settings.settings.service.base_url)


@dataclass(frozen=True, slots=True)
class DataAdapter:
    """A `ui.settings.ports.DataPort` on the engine."""

    engine: Engine

    @property
    def folder(self) -> Path:
        return self.engine.home

    @property
    def log(self) -> Path:
        return log_path(self.engine.home)

    async def delete_conversations(self) -> int:
        """Delete all of them and begin a new one; how many there were."""
        chat, store = self.engine.chat, self.engine.store
        chat.stop()
        await chat.wait()
        known = await store.conversations()
        for info in known:
            await store.delete_conversation(info.id)
        await chat.open()
        return len(known)
