"""A network backend for httpcore with cheaper reads: data is received in the background, and one
timer serves all waits of a reply.
"""

from __future__ import annotations

import asyncio
import ssl
from collections import deque
from collections.abc import Awaitable, Iterable
from typing import Any, TypeVar

import anyio
import httpcore

T = TypeVar("T")


class TimeLimit:
    """A time limit, for one event loop and one wait at a time."""

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: asyncio.Task[Any] | None = None
        self._until = 0.0
        self._passed = False  # this object cancelled the present wait

    async def wait(self, coming: Awaitable[T], seconds: float) -> T:
        """Return the result of `coming`. If that takes longer than `seconds`, cancel it and raise
        TimeoutError.
        """
        task = asyncio.current_task()
        assert task is not None, "a coroutine runs in a task"
        before, self._waiting, self._passed = task.cancelling(), task, False
        self._expect(seconds)
        try:
            return await coming
        except asyncio.CancelledError:
            if self._passed and task.cancelling() == before + 1:  # no other caller cancelled it
                raise TimeoutError from None
            raise
        finally:
            self._waiting = None
            if self._passed:
                task.uncancel()

    def _expect(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        self._until = loop.time() + seconds
        if self._timer is not None and self._timer.when() > self._until:
            self.end()
        if self._timer is None:
            self._timer = loop.call_at(self._until, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._waiting is None:
            return
        loop = asyncio.get_running_loop()
        if loop.time() < self._until:
            self._timer = loop.call_at(self._until, self._look)
        else:
            self._passed = True
            self._waiting.cancel()

    def end(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


_ENOUGH = 1 << 18
"""Bytes that may be buffered; reading pauses above this and resumes at half of it."""


class HostUnreachable(httpcore.ConnectError):
    """The host can't be reached; it may be that of a proxy."""

    def __init__(self, host: str, port: int, words: str) -> None:
        super().__init__(words)
        self.host, self.port = host, port


class HostTimedOut(httpcore.ConnectTimeout):
    """The connection to this host timed out."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__()
        self.host, self.port = host, port


class NetworkBackend(httpcore.AsyncNetworkBackend):
    """The network backend that httpcore uses."""

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
        try:
            inner: Any = await self._inner.connect_tcp(
                host, port, timeout, local_address, socket_options
            )
        except httpcore.ConnectTimeout as error:
            raise HostTimedOut(host, port) from error
        except httpcore.ConnectError as error:
            raise HostUnreachable(host, port, str(error)) from error
        flow = _BufferedStream(inner._stream)
        return _Connection(type(inner)(flow), flow)

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.AsyncNetworkStream:
        return _Connection(await self._inner.connect_unix_socket(path, timeout, socket_options))

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class _BufferedStream(anyio.abc.ByteStream, asyncio.Protocol):
    """Reads from `stream`, a TCP connection of anyio. Incoming data is buffered, and the event loop
    watches the socket all the time; anyio would start and stop watching for every chunk.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._transport: asyncio.Transport = stream._transport
        self._before: Any = self._transport.get_protocol()  # still handles writing
        self._chunks: deque[bytes] = deque(self._before.read_queue)
        self._held = sum(map(len, self._chunks))  # bytes
        self._ended = bool(self._before.is_at_eof)
        self._waiter: asyncio.Future[None] | None = None
        self._paused = False
        self._transport.set_protocol(self)
        self._transport.resume_reading()

    @property
    def extra_attributes(self) -> Any:
        return self._stream.extra_attributes

    @property
    def has_news(self) -> bool:
        """Return whether unread data, or the end, has arrived."""
        return self._ended or bool(self._chunks)

    # Calls from the event loop

    def data_received(self, data: bytes) -> None:
        self._chunks.append(bytes(data))
        self._held += len(data)
        if self._held > _ENOUGH and not self._paused:
            self._paused = True
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> bool | None:
        self._ended = True
        self._wake()
        kept: bool | None = self._before.eof_received()
        return kept

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended = True
        self._before.connection_lost(exc)
        self._wake()

    def pause_writing(self) -> None:
        self._before.pause_writing()

    def resume_writing(self) -> None:
        self._before.resume_writing()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    # Calls from httpcore

    async def receive(self, max_bytes: int = 65536) -> bytes:
        if self._chunks:
            await asyncio.sleep(0)  # a fast sender must not occupy the event loop
        elif not self._ended:
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        if not self._chunks:
            # The connection has ended; there is nothing to wait for.
            return bytes(await self._stream.receive(max_bytes))
        chunk = self._chunks.popleft()
        if len(chunk) > max_bytes:
            self._chunks.appendleft(chunk[max_bytes:])
            chunk = chunk[:max_bytes]
        self._held -= len(chunk)
        if self._paused and self._held < _ENOUGH // 2:
            self._paused = False
            self._transport.resume_reading()
        return chunk

    async def send(self, item: bytes) -> None:
        await self._stream.send(item)

    async def send_eof(self) -> None:
        await self._stream.send_eof()

    async def aclose(self) -> None:
        await self._stream.aclose()


class _Connection(httpcore.AsyncNetworkStream):
    """`inner`, a stream of httpcore, with our own reading. `flow`: the buffered stream below it, if
    there is one.
    """

    def __init__(self, inner: Any, flow: _BufferedStream | None = None) -> None:
        self._inner = inner
        self._flow = flow
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
        inner = await self._inner.start_tls(ssl_context, server_hostname, timeout)
        return _Connection(inner, self._flow)

    def get_extra_info(self, info: str) -> Any:
        """Return the same as httpcore's stream. A connection that received data between two
        requests can't be used any more; the data may no longer be in the socket.
        """
        if info == "is_readable" and self._flow is not None and self._flow.has_news:
            return True
        return self._inner.get_extra_info(info)
