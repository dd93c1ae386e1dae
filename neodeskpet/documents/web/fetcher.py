"""Fetches one file of the web, for a person who gave its address.

Only from computers of the internet: every host, that of each redirect too, is looked up here, and
connections go only to the addresses that were checked, so that no name turns into this computer or
its network between the check and the connection. Time, redirects, and bytes (also those that a
packed body unpacks to) are limited; cookies, keys and proxies of the app are not used.
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
"""Seconds that an address has before the next one is tried beside it (RFC 8305)."""


class FetchRefused(KnownError):
    """`detail` is what the server or the network said."""

    code = "fetch"
    what = N_("{address} could not be fetched.")
    hint = N_("Save it as a file, and attach that.")


class FetchForbidden(FetchRefused):
    code = "fetch_forbidden"
    what = N_("{address} is not an address of the internet, so it is not fetched.")


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
    hint = N_("Fetch that address if it is wanted.")


FollowsRedirect = Callable[[str, str], bool]
"""Whether a redirect from one address to another is followed."""


def follow_all(address: str, to: str) -> bool:
    return True


def follow_on_host(address: str, to: str) -> bool:
    """Only on the same host; `www.` makes no difference."""
    return _host_of(address) == _host_of(to)


def _host_of(address: str) -> str:
    return (urlsplit(address).hostname or "").lower().removeprefix("www.")


@dataclass(frozen=True, slots=True)
class Fetched:
    """`address` is where it was found, after redirects; `media_type` as the server calls it."""

    address: str
    content: bytes
    media_type: str


class Fetcher:
    """`may_reach` decides over each IP address before a connection is made to it."""

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
        """The file at `address`, of at most `most` bytes; with a `body` it is posted. `headers`
        (keys) go to this address alone, to none that it leads to. Raises FetchRefused.
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
    """The host is this computer or one of its network."""


class _Transport(httpx.AsyncHTTPTransport):
    """httpx' own, on connections that look at where they go."""

    def __init__(self, may_reach: Callable[[str], bool]) -> None:
        trust = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        super().__init__(verify=trust)  # its own would be read from files, for 50 ms
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=trust,
            network_backend=CheckedNetwork(may_reach),
        )


class CheckedNetwork(httpcore.AsyncNetworkBackend):
    """Looks a host up once, and connects to one of its addresses if all of them are allowed."""

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
    """The addresses in the order in which they are tried: IPv6 and IPv4 in turns."""
    newer = [ip for ip in ips if ":" in ip]
    older = [ip for ip in ips if ":" not in ip]
    both = [ip for pair in zip(newer, older, strict=False) for ip in pair]
    return both + newer[len(older) :] + older[len(newer) :]


async def first_connected(
    ips: Sequence[str], connect: Callable[[str], Awaitable[httpcore.AsyncNetworkStream]]
) -> httpcore.AsyncNetworkStream:
    """The first connection to one of `ips` that succeeds. Each address is tried when the one before
    it failed or has not answered within `_HEAD_START`. Raises the first failure if all fail.
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
