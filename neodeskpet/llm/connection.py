"""Connections for httpcore, whose reads cost less than those of its own.

Its own make a cancel scope and a timer of anyio for each chunk that is read: of a reply in pieces
of 8 characters they were some 3 % of the cost. All but reading is httpcore's here too.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from typing import Any

import anyio
import httpcore

from neodeskpet.llm.time_limit import TimeLimit


class Network(httpcore.AsyncNetworkBackend):
    """Where httpcore gets its connections from."""

    def __init__(self) -> None:
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        return _Connection(
            await self._inner.connect_tcp(host, port, timeout, local_address, socket_options)
        )

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.AsyncNetworkStream:
        return _Connection(await self._inner.connect_unix_socket(path, timeout, socket_options))

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class _Connection(httpcore.AsyncNetworkStream):
    """`inner`, which is httpcore's own, read from by ourselves."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._stream: anyio.abc.ByteStream = inner._stream
        self._limit = TimeLimit()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        coming = self._stream.receive(max_bytes)
        try:
            return await (coming if timeout is None else self._limit.wait(coming, timeout))
        except TimeoutError as error:
            raise httpcore.ReadTimeout(error) from error
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise httpcore.ReadError(error) from error
        except anyio.EndOfStream:
            return b""

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        self._limit.end()
        await self._inner.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.AsyncNetworkStream:
        self._limit.end()
        return _Connection(await self._inner.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
