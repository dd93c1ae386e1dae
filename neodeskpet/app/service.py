"""The settings window's ports onto the engine: the chosen service, and where the data lies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from neodeskpet.core.errors import LlmError
from neodeskpet.core.wording import N_
from neodeskpet.engine import Engine
from neodeskpet.language import say, tr
from neodeskpet.llm.adapters import PROTOCOLS
from neodeskpet.llm.client import HttpModel
from neodeskpet.llm.openai_chat import headers
from neodeskpet.llm.protocol import ModelOptions
from neodeskpet.llm.trial import Outcome, Trial, list_models, propose, try_streaming, try_tools
from neodeskpet.settings.logfile import log_path
from neodeskpet.settings.secrets import ENVIRONMENT_KEY, Place, key_name
from neodeskpet.ui.settings.ports import (
    Finding,
    KeyPlace,
    KeyState,
    LocalServer,
    Proposal,
    Verdict,
)

_LOCAL = {
    "Ollama": "http://127.0.0.1:11434/v1",
    "LM Studio": "http://127.0.0.1:1234/v1",
    "llama.cpp": "http://127.0.0.1:8080/v1",
    "vLLM": "http://127.0.0.1:8000/v1",
}
_TITLES = {
    "models": N_("Connection"),
    "streaming": N_("Streaming"),
    "tools": N_("Native tools"),
    "usage": N_("Token counts"),
}
_VERDICTS = {
    Outcome.GOOD: Verdict.GOOD,
    Outcome.FAULT: Verdict.FAULT,
    Outcome.FAILED: Verdict.FAILED,
}
_TAIL = 4
_LOCAL_PATIENCE = 1.5


class ServiceDesk:
    """A `ui.settings.ports.ServicePort` on the engine; always about the service as it is set."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def key(self) -> KeyState:
        secrets, name = self._engine.secrets, self._name()
        place = secrets.where(name)
        where = {Place.ENVIRONMENT: ENVIRONMENT_KEY, Place.FILE: str(secrets.file)}
        key = secrets.get(name)
        tail = key[-_TAIL:] if len(key) > 2 * _TAIL else "•" * bool(key)
        return KeyState(tail, KeyPlace(place.value), where.get(place, ""))

    async def store_key(self, key: str) -> None:
        await self._engine.secrets.set_async(self._name(), key)

    async def delete_key(self) -> None:
        await self._engine.secrets.delete_async(self._name())

    async def models(self) -> Sequence[str]:
        options = await self._options()
        return await list_models(self._engine.client, options, headers(options))

    async def test(self, found: Callable[[Finding], None]) -> Proposal | None:
        options = await self._options()
        trials: list[Trial] = []

        def note(*new: Trial) -> None:
            trials.extend(new)
            for trial in new:
                found(_word(trial))

        for step in ("models", "streaming", "tools"):
            found(Finding(step, _TITLES[step], Verdict.RUNNING))
            note(*await self._step(step, options))
            if trials[-1].outcome is Outcome.FAILED and step == "streaming":
                return None
        mode = propose(trials)
        return Proposal(mode, _reason(mode)) if mode else None

    async def _step(self, step: str, options: ModelOptions) -> list[Trial]:
        protocol = PROTOCOLS[self._engine.settings.settings.service.protocol]
        model = HttpModel(self._engine.client, protocol, options, key=options.key)
        match step:
            case "models":
                return [await self._connect(options)]
            case "streaming":
                return await try_streaming(model)
            case _:
                return [await try_tools(model)]

    async def _connect(self, options: ModelOptions) -> Trial:
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            models = await list_models(self._engine.client, options, headers(options))
        except LlmError as error:
            # Some gateways have no list of models; a reply is what counts.
            lacking = error.status in (404, 405)
            return Trial("models", Outcome.FAULT if lacking else Outcome.FAILED, error=error)
        return Trial("models", Outcome.GOOD, loop.time() - began, len(models))

    async def local_servers(self) -> Sequence[LocalServer]:
        found = await asyncio.gather(*(self._look(t, url) for t, url in _LOCAL.items()))
        return [server for server in found if server is not None]

    async def _look(self, title: str, url: str) -> LocalServer | None:
        options = ModelOptions(url, "")
        try:
            async with asyncio.timeout(_LOCAL_PATIENCE):
                models = await list_models(self._engine.client, options, headers(options))
        except (LlmError, TimeoutError):
            return None
        return LocalServer(title, url, tuple(models))

    async def _options(self) -> ModelOptions:
        service = self._engine.settings.settings.service
        key = await self._engine.secrets.get_async(self._name())
        return ModelOptions(service.base_url, service.model, key)

    def _name(self) -> str:
        return key_name(self._engine.settings.settings.service.base_url)


def _word(trial: Trial) -> Finding:
    title, verdict = _TITLES[trial.id], _VERDICTS[trial.outcome]
    if trial.error is not None:
        what, hint = say(trial.error)
        return Finding(trial.id, title, verdict, what, hint)
    text, detail = _words(trial)
    return Finding(trial.id, title, verdict, text, detail)


def _words(trial: Trial) -> tuple[str, str]:
    good = trial.outcome is Outcome.GOOD
    match trial.id:
        case "models":
            time, count = f"{trial.seconds * 1000:.0f}", f"{trial.count:.0f}"
            return tr("{time} ms", time=time), tr("{count} models", count=count)
        case "streaming" if good:
            first, speed = f"{trial.seconds:.2f}", f"{trial.count:.0f}"
            return tr("first word {time} s", time=first), tr("{count} pieces/s", count=speed)
        case "streaming":
            return tr("arrives in one piece"), ""
        case "tools":
            called = tr("a call came back") if good else tr("taken, but the model made no call")
            return called, ""
        case _:
            return (tr("reported") if good else tr("not reported")), ""


def _reason(mode: str) -> str:
    if mode == "text":
        return tr("Native tool calls don't work here; through the text they do.")
    return tr("The service takes tools natively.")


@dataclass(frozen=True, slots=True)
class DataDesk:
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
