"""The companion as an MCP server over HTTP, only on loopback and only with the token.

It is protected in three ways: it listens on 127.0.0.1; requests that a web page makes with the
browser (DNS rebinding, or a plain form) have a foreign Host or Origin and are refused; and each
request needs the token, of which only the SHA-256 is stored.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from uvicorn.protocols.http.h11_impl import H11Protocol

from neodeskpet.external_api.access_control import is_valid_header
from neodeskpet.external_api.local_protocol import MAX_REQUEST_BYTES, ToolHost
from neodeskpet.external_api.mcp_server import make_server
from neodeskpet.platform.async_tasks import spawn_task

HOST = "127.0.0.1"
PATH = "/mcp"
_MAX_SESSIONS = 16
_MAX_REQUESTS = 64
_HEADER_TIMEOUT, _MAX_PENDING_CONNECTIONS = 5.0, 16
_SHUTDOWN_SECONDS = 1
"""Seconds for running requests when the server stops."""

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


def open_listener(port: int) -> socket.socket:
    """Bind the port; 0 chooses a free one. Raises OSError."""
    return socket.create_server((HOST, port))


async def serve_http(
    host: ToolHost, listening_socket: socket.socket, digest: Callable[[], str], stop: asyncio.Event
) -> None:
    """Serve on `listening_socket` until `stop`. `digest` returns the token's digest; it is called
    for each request.
    """
    port = listening_socket.getsockname()[1]
    places = [f"{HOST}:{port}", f"localhost:{port}"]
    manager = StreamableHTTPSessionManager(
        make_server(host),
        security_settings=TransportSecuritySettings(
            allowed_hosts=places, allowed_origins=[f"http://{place}" for place in places]
        ),
        max_request_body_size=MAX_REQUEST_BYTES,
        max_sessions=_MAX_SESSIONS,
    )
    config = uvicorn.Config(
        _AccessMiddleware(manager, digest),
        http=new_protocol(),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=_MAX_REQUESTS,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
    )
    server = uvicorn.Server(config)
    serving = spawn_task(server.serve(sockets=[listening_socket]), name="http port")
    try:
        async with manager.run():
            await stop.wait()
    finally:
        server.should_exit = True  # its streams end with the session manager
        await asyncio.wait({serving}, timeout=2 * _SHUTDOWN_SECONDS)
        listening_socket.close()


def new_protocol(
    seconds: float = _HEADER_TIMEOUT, most: int = _MAX_PENDING_CONNECTIONS
) -> type[H11Protocol]:
    """Return the protocol class of one server. A connection must send the head of a request within
    `seconds`; of the connections that have sent none yet, only the newest `most` are kept.
    Otherwise idle connections could use up the server.
    """
    waiting: dict[Connection, None] = {}

    class Connection(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            waiting[self] = None
            self._late = self.loop.call_later(seconds, self._give_up)
            while len(waiting) > most:
                next(iter(waiting))._give_up()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is not None:
                self._began()

        def connection_lost(self, exc: Exception | None) -> None:
            self._began()
            super().connection_lost(exc)

        def _began(self) -> None:
            self._late.cancel()
            waiting.pop(self, None)

        def _give_up(self) -> None:
            self._began()
            self.transport.abort()

    return Connection


class _AccessMiddleware:
    """Accepts requests with the token to the one valid path."""

    def __init__(self, manager: StreamableHTTPSessionManager, digest: Callable[[], str]) -> None:
        self._manager = manager
        self._digest = digest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._has_token(scope):
            await _send_refusal(send, 401, [(b"www-authenticate", b"Bearer")])
        elif scope.get("path") != PATH:
            await _send_refusal(send, 404, [])
        else:
            await self._manager.handle_request(scope, receive, send)

    def _has_token(self, scope: Scope) -> bool:
        said = [value for name, value in scope["headers"] if name == b"authorization"]
        return len(said) == 1 and is_valid_header(said[0].decode("latin-1"), self._digest())


async def _send_refusal(send: Send, status: int, headers: list[tuple[bytes, bytes]]) -> None:
    headers = [*headers, (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
