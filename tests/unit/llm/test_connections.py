from __future__ import annotations

import asyncio

import pytest

from neodeskpet.core.errors import Unreachable
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.llm.model_builder import HttpClients
from neodeskpet.llm.protocols.protocol import HttpRequest
from tests.support.sseserver import ScriptedServer

REQUEST = HttpRequest("GET", "http://127.0.0.1:9/v1/models", {})


def test_a_host_with_a_proxy_is_reached_through_it() -> None:
    async def ask() -> object:
        plain = HttpClient()
        connections = HttpClients(plain)
        assert connections("") is plain
        with ScriptedServer() as proxy:
            proxy.pages[REQUEST.url] = {"data": "through the proxy"}
            address = proxy.url.removesuffix("/v1")
            client = connections(address)
            assert connections(address) is client is not plain
            found = await client.fetch(REQUEST)
        with pytest.raises(Unreachable):
            await plain.fetch(REQUEST)
        with pytest.raises(Unreachable):
            await client.fetch(REQUEST)
        await connections.aclose()
        await plain.aclose()
        return found

    assert asyncio.run(ask()) == {"data": "through the proxy"}
