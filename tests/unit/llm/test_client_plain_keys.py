"""A key goes to another computer without encryption only after the user allowed it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from neodeskpet.core.errors import KeyUnencrypted, LlmError
from neodeskpet.language import translate_error
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.llm.model_builder import HttpClients
from neodeskpet.llm.protocols.protocol import HttpRequest, is_unencrypted
from tests.support.sseserver import ScriptedServer

KEY = "sk-a-key-for-the-test"


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A proxy, so that another computer can be requested without one."""
    with ScriptedServer() as scripted:
        yield scripted


def proxy_of(server: ScriptedServer) -> str:
    return server.url.removesuffix("/v1")


def fetch(client: HttpClient, url: str, key: str) -> LlmError | None:
    async def ask() -> LlmError | None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        request = HttpRequest("POST", url, headers, {})
        try:
            await client.fetch(request, key=key)
        except LlmError as error:
            return error
        finally:
            await client.aclose()
        return None

    return asyncio.run(ask())


@pytest.mark.parametrize(
    "url",
    [
        "http://models.lan/v1",
        "http://192.168.1.7:8080/v1",
        "http://api.example.com",
        "http://[::2]",
    ],
)
def test_nothing_is_sent_without_permission(server: ScriptedServer, url: str) -> None:
    error = fetch(HttpClient(proxy_of(server)), url, KEY)
    assert isinstance(error, KeyUnencrypted)
    assert server.requests == []
    what, hint = translate_error(error)
    assert "isn't encrypted" in what
    assert "allow it for this computer" in hint
    assert KEY not in what + hint


def test_a_password_in_the_address_is_a_key(server: ScriptedServer) -> None:
    error = fetch(HttpClient(proxy_of(server)), "http://me:secret@models.lan/v1", "")
    assert isinstance(error, KeyUnencrypted)
    assert server.requests == []
    assert "secret" not in " ".join(translate_error(error))


def test_with_permission_it_is_sent(server: ScriptedServer) -> None:
    fetch(
        HttpClient(proxy_of(server), plain_to=lambda host: host == "models.lan"),
        "http://models.lan/v1",
        KEY,
    )
    assert [request.headers["authorization"] for request in server.requests] == [f"Bearer {KEY}"]


def test_a_permission_for_one_computer_does_not_hold_for_another(server: ScriptedServer) -> None:
    only = HttpClient(proxy_of(server), plain_to=lambda host: host == "models.lan")
    assert isinstance(fetch(only, "http://other.lan/v1", KEY), KeyUnencrypted)
    assert server.requests == []


def test_without_a_key_nothing_is_asked(server: ScriptedServer) -> None:
    fetch(HttpClient(proxy_of(server)), "http://models.lan/v1", "")
    assert len(server.requests) == 1


def test_the_client_of_a_proxy_knows_the_permissions(server: ScriptedServer) -> None:
    plain = HttpClient()
    for allowed, sent in ((False, 0), (True, 1)):
        connections = HttpClients(plain, plain_to=lambda _, allowed=allowed: allowed)
        fetch(connections(proxy_of(server)), "http://models.lan/v1", KEY)
        assert len(server.requests) == sent
    asyncio.run(plain.aclose())


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.com/v1",
        "http://localhost:11434/v1",
        "http://127.0.0.1:1/v1",
        "http://127.8.9.1",
        "http://[::1]:8080",
        "http://0.0.0.0:11434",
        "http://models.localhost",
    ],
)
def test_this_computer_and_encrypted_connections_are_safe(url: str) -> None:
    assert not is_unencrypted(url)
