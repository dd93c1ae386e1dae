"""Fetches one file of the web from an address that a user or a model gave.

Only public addresses are fetched: each host, also that of a redirect, is resolved here, and
connections go only to the checked IP addresses, so a name can't change to a local address between
check and connection. Time, redirects and bytes (also unpacked bytes) are limited; cookies, keys and
proxies of the app are not used.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpcore
import httpx
import truststore

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.documents.web.addresses import is_public, is_web
from neodeskpet.platform.content_coding import (
    ACCEPTED,
    CodingRefused,
    UnpackedTooLarge,
    unpack_chunks,
)

MOST_FETCHED_BYTES = 30_000_000
FETCH_SECONDS = 20.0
_REDIRECTS = 5
_AGENT = "NeoDeskPet"
_HEAD_START = 0.25
"""Seconds after which the next address is tried in parallel (RFC 8305)."""


class FetchRefused(KnownError):
    """The file can't be fetched; `detail` is the message of the server or the network."""

    code = "fetch"
    what = N_("{address} could not be fetched.")
    hint = N_("Save it as a file, and attach that.")


class FetchForbidden(FetchRefused):
    code = "fetch_forbidden"
    what = N_("{address} is not a public internet address, so it is not fetched.")


class FetchTooLarge(FetchRefused):
    code = "fetch_too_large"
    what = N_("{address} is too large to be fetched.")


class FetchTooSlow(FetchRefused):
    code = "fetch_too_slow"
    what = N_("{address} takes too long to be fetched.")


class FetchRedirected(FetchRefused):
    """The server redirects to another host, which the caller doesn't follow."""

    code = "fetch_moved"
    what = N_("{address} redirects to another host: {to}")
    hint = N_("Fetch that address if it is needed.")


FollowsRedirect = Callable[[str, str], bool]
"""Returns whether to follow a redirect from the first address to the second."""


def follow_all(address: str, to: str) -> bool:
    return True


def follow_on_host(address: str, to: str) -> bool:
    """Follow only within the same host; `www.` is ignored."""
    return _host_of(address) == _host_of(to)


def _host_of(address: str) -> str:
    return (urlsplit(address).hostname or "").lower().removeprefix("www.")


@dataclass(frozen=True, slots=True)
class Fetched:
    """A fetched file. `address` is the final one after redirects; `media_type` is the server's."""

    address: str
    content: bytes
    media_type: str


class Fetcher:
    """Fetches files. `may_reach` returns whether connections to an IP address are allowed."""

    def __init__(self, may_reach: Callable[[str], bool] = is_public) -> None:
        self._may_reach = may_reach

    async def fetch(
        self,
        address: str,
        *,
        most: int = MOST_FETCHED_BYTES,
        seconds: float = FETCH_SECONDS,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        follows: FollowsRedirect = follow_all,
    ) -> Fetched:
        """Fetch the file at `address`, of at most `most` bytes; with a `body`, use POST. `headers`
        (keys) are sent to this address only, not to redirects. Raises FetchRefused.
        """
        try:
            async with asyncio.timeout(seconds):
                return await self._fetch(address, most, headers or {}, body, follows)
        except TimeoutError:
            raise FetchTooSlow(address=_short(address)) from None
        except _Private:
            raise FetchForbidden(address=_short(address)) from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
            raise FetchRefused(
                f"{type(error).__name__}: {error}"[:200], address=_short(address)
            ) from None

    async def _fetch(
        self,
        address: str,
        most: int,
        headers: Mapping[str, str],
        body: bytes | None,
        follows: FollowsRedirect,
    ) -> Fetched:
        follow = not headers and body is None
        method = "GET" if body is None else "POST"
        async with httpx.AsyncClient(
            transport=_Transport(self._may_reach),
            headers={"user-agent": _AGENT, "accept-encoding": ACCEPTED},
            trust_env=False,
        ) as client:
            for _ in range(_REDIRECTS + 1):
                if not is_web(address):
                    raise FetchForbidden(address=_short(address))
                async with client.stream(
                    method, address, headers=headers, content=body
                ) as response:
                    if follow and response.next_request is not None:
                        to = str(response.next_request.url)
                        if not follows(address, to):
                            raise FetchRedirected(address=_short(address), to=to)
                        address = to
                        continue
                    if response.status_code != httpx.codes.OK:
                        status = f"{response.status_code} {response.reason_phrase}".strip()
                        raise FetchRefused(status, address=_short(address))
                    content = await _read(response, most, address)
                    kind = response.headers.get("content-type", "").split(";")[0].strip().lower()
                    return Fetched(address, content, kind)
        raise FetchRefused("too many redirects", address=_short(address))


async def _read(response: httpx.Response, most: int, address: str) -> bytes:
    parts: list[bytes] = []
    size = 0
    header = response.headers.get("content-encoding", "")
    try:
        async with aclosing(unpack_chunks(response.aiter_raw(), header, most)) as pieces:
            async for part in pieces:
                size += len(part)
                if size > most:
                    raise FetchTooLarge(address=_short(address))
                parts.append(part)
    except UnpackedTooLarge:
        raise FetchTooLarge(address=_short(address)) from None
    except CodingRefused as error:
        raise FetchRefused(str(error), address=_short(address)) from None
    return b"".join(parts)


def _short(address: str) -> str:
    return address if len(address) <= 120 else f"{address[:119]}…"


class _Private(Exception):
    """The host is this computer or in its local network."""


class _Transport(httpx.AsyncHTTPTransport):
    """httpx's transport with a network backend that checks addresses."""

    def __init__(self, may_reach: Callable[[str], bool]) -> None:
        trust = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        super().__init__(verify=trust)  # the default would read certificates from files, 50 ms
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=trust,
            network_backend=CheckedNetwork(may_reach),
        )


class CheckedNetwork(httpcore.AsyncNetworkBackend):
    """Resolves a host once, and connects to one of its addresses if all of them are allowed."""

    def __init__(self, may_reach: Callable[[str], bool]) -> None:
        self._may_reach = may_reach
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        ips = list(dict.fromkeys(str(entry[4][0]) for entry in found))
        if not ips or not all(self._may_reach(ip) for ip in ips):
            raise _Private(host)
        connect = self._inner.connect_tcp
        return await first_connected(
            interleave_addresses(ips),
            lambda ip: connect(ip, port, timeout, local_address, socket_options),
        )

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.AsyncNetworkStream:
        raise _Private(path)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def interleave_addresses(ips: Sequence[str]) -> list[str]:
    """Return the addresses in the order of attempts: IPv6 and IPv4 in turns."""
    newer = [ip for ip in ips if ":" in ip]
    older = [ip for ip in ips if ":" not in ip]
    both = [ip for pair in zip(newer, older, strict=False) for ip in pair]
    return both + newer[len(older) :] + older[len(newer) :]


async def first_connected(
    ips: Sequence[str], connect: Callable[[str], Awaitable[httpcore.AsyncNetworkStream]]
) -> httpcore.AsyncNetworkStream:
    """Return the first connection to one of `ips` that succeeds. Each address is tried when the one
    before it failed or has not answered within `_HEAD_START`. Raises the first error if all fail.
    """
    found: httpcore.AsyncNetworkStream | None = None
    failed: list[Exception] = []

    async def attempt(ip: str, ended: anyio.Event) -> None:
        nonlocal found
        try:
            stream = await connect(ip)
        except (httpcore.NetworkError, httpcore.TimeoutException, OSError) as error:
            failed.append(error)
        else:
            if found is None:
                found = stream
                group.cancel_scope.cancel()
            else:
                await stream.aclose()
        finally:
            ended.set()

    try:
        async with anyio.create_task_group() as group:
            for ip in ips:
                ended = anyio.Event()
                group.start_soon(attempt, ip, ended)
                with anyio.move_on_after(_HEAD_START):
                    await ended.wait()
    except BaseException:
        if found is not None:
            with anyio.CancelScope(shield=True):
                await found.aclose()
        raise
    if found is None:
        raise failed[0]
    return found
