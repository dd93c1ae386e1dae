"""A model file as a model: loaded when it is asked, then spoken to like any service."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace

from neodeskpet.core.errors import LlmError, StreamBroken, Unreachable
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.wire import LoadingAnnounced, WireEvent
from neodeskpet.llm.client import HttpModel
from neodeskpet.llm.local.host import LocalHost, ModelLease, ServerPhase
from neodeskpet.llm.protocols.protocol import ModelOptions

AskModel = Callable[[ModelOptions], HttpModel]
"""The model at the address, and with the key, that the options have."""


class LocalServerModel:
    """`core.model.Model`. What breaks because the process ended says so."""

    def __init__(self, host: LocalHost, options: ModelOptions, ask: AskModel, label: str) -> None:
        self._host = host
        self._options = llama_options(options)
        self._ask = ask
        self._label = label
        self._made: tuple[str, HttpModel] | None = None

    @property
    def label(self) -> str:
        return self._label

    async def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        address = self._options.base_url
        if self._host.condition(address).phase is not ServerPhase.READY:
            yield LoadingAnnounced(self._label)
        async with self._host.lease(address) as lease:
            yield LoadingAnnounced(self._label, ready=True)
            try:
                async with aclosing(self._model(lease).stream(request)) as events:
                    async for event in events:
                        yield event
            except (StreamBroken, Unreachable) as error:
                raise await _reason(lease, error) from error

    def _model(self, lease: ModelLease) -> HttpModel:
        """Kept while the process is the same: it learns what the server refuses."""
        url = lease.ready.url
        if self._made is None or self._made[0] != url:
            self._made = (url, self._ask(lease.place(self._options)))
        return self._made[1]


def llama_options(options: ModelOptions) -> ModelOptions:
    """The switch for thinking in the form that llama.cpp's server has for it."""
    extra = dict(options.extra)
    if "enable_thinking" in extra:
        extra["chat_template_kwargs"] = {"enable_thinking": extra.pop("enable_thinking")}
        extra.pop("thinking_budget", None)
    return replace(options, extra=extra)


async def _reason(lease: ModelLease, error: LlmError) -> LlmError:
    return await lease.failure() or error
