"""Signs in to a web server (OAuth 2 with the SDK): the user's browser asks them, and returns the
tokens to this computer. Imported with the first server that is used over HTTP, on the servers'
thread.

The browser is opened only after the user presses "Sign in" in the settings or in the card of a
call. Tokens are stored in the keyring, by the address that they are for.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from html import escape
from typing import TypeVar
from urllib.parse import parse_qs, urlsplit

from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from pydantic import AnyUrl, BaseModel, ValidationError

from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.mcp.mcp_errors import SignInNeeded
from neodeskpet.mcp.session_interface import (
    ConnectionListener,
    OpenUrlRequest,
    ServerLaunch,
    TokenStore,
)
from neodeskpet.platform.redaction import register_secret

_SIGN_IN_TIMEOUT = 600.0
"""Seconds to wait for the browser."""
_MOST = 16_384

_Model = TypeVar("_Model", bound=BaseModel)


async def sign_in_auth(launch: ServerLaunch, watcher: ConnectionListener) -> OAuthClientProvider:
    """Return the authentication for the HTTP client of this server; it does nothing unless the
    server refuses a request.
    """
    tokens = _Tokens(launch.token_store)
    callback_server = _CallbackServer(await tokens.port() or _free_port())
    name = launch.config.name

    async def visit(address: str) -> None:
        await callback_server.start()
        message = tr("{name} wants you to sign in with your browser.", name=name)
        if not (await watcher.ask(OpenUrlRequest(message, address))).accepted:
            await callback_server.aclose()
            raise SignInNeeded(name=name)

    async def come_back() -> AuthorizationCodeResult:
        with watcher.waiting():
            return await callback_server.wait_for_callback()

    metadata = OAuthClientMetadata(
        client_name="NeoDeskPet",
        redirect_uris=[AnyUrl(callback_server.address)],
        token_endpoint_auth_method="none",
    )
    return OAuthClientProvider(launch.config.url, metadata, tokens, visit, come_back)


class _Tokens:
    """The SDK's token storage, in the keyring."""

    def __init__(self, store: TokenStore) -> None:
        self._store = store

    async def get_tokens(self) -> OAuthToken | None:
        tokens = _read(OAuthToken, await self._store.get("tokens"))
        _hide(tokens)
        return tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        _hide(tokens)
        await self._store.put("tokens", tokens.model_dump_json(exclude_none=True))

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return _read(OAuthClientInformationFull, await self._store.get("client"))

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        await self._store.put("client", client_info.model_dump_json(exclude_none=True))

    async def port(self) -> int:
        """Return the port of the registered redirect address if it is free; 0 if there is none. If
        the port is in use, the registration is deleted, to be made again.
        """
        known = await self.get_client_info()
        port = urlsplit(str(known.redirect_uris[0])).port if known and known.redirect_uris else 0
        if port and not _is_free(port):
            await self._store.put("client", "")
            return 0
        return port or 0


def _hide(tokens: OAuthToken | None) -> None:
    """Register the tokens for redaction in logs and reports."""
    for one in (tokens.access_token, tokens.refresh_token) if tokens else ():
        register_secret(one or "")


def _read(kind: type[_Model], text: str) -> _Model | None:
    try:
        return kind.model_validate_json(text) if text else None
    except ValidationError:
        return None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


class _CallbackServer:
    """A local server for the browser's redirect, for one visit."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.address = f"http://127.0.0.1:{port}/callback"
        self._server: asyncio.Server | None = None
        self._answer_received: asyncio.Future[dict[str, str]] | None = None

    async def start(self) -> None:
        await self.aclose()
        self._answer_received = asyncio.get_running_loop().create_future()
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", self._port)

    async def aclose(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None

    async def wait_for_callback(self) -> AuthorizationCodeResult:
        """Return the parameters of the browser's redirect. Raises OAuthFlowError."""
        assert self._answer_received is not None, "start() was called"
        try:
            async with asyncio.timeout(_SIGN_IN_TIMEOUT):
                parameters = await self._answer_received
        except TimeoutError:
            raise OAuthFlowError("The browser didn't come back.") from None
        finally:
            await self.aclose()
        if "code" not in parameters:
            why = parameters.get("error_description") or parameters.get("error") or "no code"
            raise OAuthFlowError(why)
        return AuthorizationCodeResult(
            code=parameters["code"], state=parameters.get("state"), iss=parameters.get("iss")
        )

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(10):
                head = (await reader.readuntil(b"\r\n\r\n"))[:_MOST].decode("latin-1")
            target = head.split(" ")[1] if head.startswith("GET ") else ""
            parts = urlsplit(target)
            found = parts.path == "/callback"
            writer.write(_page(found))
            await writer.drain()
            if found and self._answer_received is not None and not self._answer_received.done():
                self._answer_received.set_result(
                    {key: one[0] for key, one in parse_qs(parts.query).items()}
                )
        writer.close()


_DONE = N_("You can close this page and go back to NeoDeskPet.")


def _page(found: bool) -> bytes:
    words = escape(tr(_DONE)) if found else ""
    status = "200 OK" if found else "404 Not Found"
    body = f"<!doctype html><meta charset=utf-8><title>NeoDeskPet</title><p>{words}".encode()
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body
