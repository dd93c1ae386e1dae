"""The scripted service ends without errors, whatever its clients did."""

from __future__ import annotations

import socket
from contextlib import ExitStack

import pytest

from tests.support.sseserver import HANG, ScriptedServer, text

_WHOLE = b"POST /v1 HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}"
_LONG = text("x" * 4_000_000)


def _call(server: ScriptedServer, said: bytes) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", server.port))
    client.sendall(said)
    return client


@pytest.mark.parametrize("said", [b"", _WHOLE[:20], _WHOLE], ids=["nothing", "half", "all"])
def test_it_ends_while_clients_are_connected(caplog: pytest.LogCaptureFixture, said: bytes) -> None:
    with ExitStack() as clients:
        for _ in range(20):
            with ScriptedServer() as server:
                for _ in range(4):
                    server.reply(_LONG, HANG)
                    clients.enter_context(_call(server, said))
    assert caplog.messages == []


def test_it_ends_while_a_reply_is_sent(caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(10):
        with ScriptedServer() as server:
            server.reply(_LONG, _LONG, HANG)
            with _call(server, _WHOLE) as client:
                server.wait_request()
                client.recv(1000)
    assert caplog.messages == []
