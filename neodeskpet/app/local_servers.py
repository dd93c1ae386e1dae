"""Looks for model servers on this computer's usual ports."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from neodeskpet.core.errors import LlmError
from neodeskpet.llm.client import HttpClient
from neodeskpet.llm.protocols.adapters import PROTOCOLS
from neodeskpet.llm.protocols.protocol import ModelOptions
from neodeskpet.llm.trial.trial import list_models
from neodeskpet.ui.settings.ports import LocalModelServer

_DEFAULT_ADDRESSES = {
    "Ollama": "http://127.0.0.1:11434/v1",
    "LM Studio": "http://127.0.0.1:1234/v1",
    "llama.cpp": "http://127.0.0.1:8080/v1",
    "vLLM": "http://127.0.0.1:8000/v1",
}
_PROBE_TIMEOUT = 1.5


async def find_local_servers(client: HttpClient) -> Sequence[LocalModelServer]:
    """Those that answer."""
    found = await asyncio.gather(*(_probe(client, *place) for place in _DEFAULT_ADDRESSES.items()))
    return [server for server in found if server is not None]


async def _probe(client: HttpClient, title: str, url: str) -> LocalModelServer | None:
    try:
        async with asyncio.timeout(_PROBE_TIMEOUT):
            models = await list_models(client, PROTOCOLS["openai"], ModelOptions(url, ""))
    except (LlmError, TimeoutError):
        return None
    return LocalModelServer(title, url, tuple(models))
