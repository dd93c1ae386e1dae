"""The data and errors of a connection, against a plain asyncio server."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable

import httpcore
import pytest

from neodeskpet.llm.network_backend import NetworkBackend

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def talk(serve: Serve, use: Callable[[httpcore.AsyncNetworkStream], Awaitable[object]]) -> object:
    """Return the result of `use` with a connection to a server that runs `serve`."""

    async def run() -> object:
        served = asyncio.Event()

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await serve(reader, writer)
            finally:
                writer.close()
                served.set()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        connection = await NetworkBackend().connect_tcp(
            "127.0.0.1", server.sockets[0].getsockname()[1]
        )
        try:
            async with asyncio.timeout(30):
                return await use(connection)
        finally:
            await connection.aclose()
            await served.wait()
            server.close()

    return asyncio.run(run())


def saying(words: bytes, once: asyncio.Event | None = None) -> Serve:
    """A server that sends this when `once` is set, and nothing else."""

    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if once is not None:
            await once.wait()
        writer.write(words)
        await writer.drain()

    return serve


async def read_all(connection: httpcore.AsyncNetworkStream, most: int = 65536) -> bytes:
    data = bytearray()
    while chunk := await connection.read(most, timeout=30):
        assert len(chunk) <= most
        data += chunk
    return bytes(data)


def test_data_comes_in_order_and_in_pieces_of_the_requested_size() -> None:
    async def use(connection: httpcore.AsyncNetworkStream) -> bytes:
        return await read_all(connection, 3)

    assert talk(saying(b"0123456789"), use) == b"0123456789"


def test_a_sender_waits_while_nobody_reads() -> None:
    sent = 0
    whole = 64 << 20

    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        block = bytes(1 << 20)
        while sent < whole:
            writer.write(block)
            await writer.drain()
            sent += len(block)

    async def use(connection: httpcore.AsyncNetworkStream) -> int:
        before = -1
        while before != sent:  # until the buffers in between are full
            before = sent
            await asyncio.sleep(0.3)
        assert sent < whole
        return len(await read_all(connection))

    assert talk(serve, use) == whole


def test_the_other_side_gets_data_written_after_its_own_end() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write_eof()
        assert await reader.readexactly(5) == b"hello"

    async def use(connection: httpcore.AsyncNetworkStream) -> bytes:
        end = await connection.read(100, timeout=30)
        await connection.write(b"hello")
        return end

    assert talk(serve, use) == b""


def test_a_broken_connection_is_reported_to_a_waiting_reader() -> None:
    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.05)
        reset = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)

    async def use(connection: httpcore.AsyncNetworkStream) -> None:
        with pytest.raises(httpcore.ReadError):
            await connection.read(100, timeout=30)

    talk(serve, use)


def test_silence_times_out_and_later_data_is_not_lost() -> None:
    asked = asyncio.Event()

    async def use(connection: httpcore.AsyncNetworkStream) -> bytes:
        with pytest.raises(httpcore.ReadTimeout):
            await connection.read(100, timeout=0.05)
        asked.set()
        return await connection.read(100, timeout=30)

    assert talk(saying(b"late", asked), use) == b"late"


def test_a_cancelled_reader_loses_no_data() -> None:
    asked = asyncio.Event()

    async def use(connection: httpcore.AsyncNetworkStream) -> bytes:
        first = asyncio.get_running_loop().create_task(_read(connection))
        await asyncio.sleep(0.05)
        first.cancel()
        await asyncio.wait({first})
        asked.set()
        return await connection.read(100, timeout=30)

    assert talk(saying(b"for the next", asked), use) == b"for the next"


async def _read(connection: httpcore.AsyncNetworkStream) -> bytes:
    return await connection.read(100, timeout=30)


def test_closed_by_ourselves_while_a_reader_waits() -> None:
    async def serve(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async def use(connection: httpcore.AsyncNetworkStream) -> None:
        waiting = asyncio.get_running_loop().create_task(_read(connection))
        await asyncio.sleep(0.05)
        await connection.aclose()
        with pytest.raises(httpcore.ReadError):
            await waiting

    talk(serve, use)


@pytest.mark.parametrize("said", [b"HTTP/1.1 408 Too late\r\n\r\n", b""])
def test_data_between_two_requests_is_noticed_without_reading(said: bytes) -> None:
    """httpcore checks that before it uses a connection again."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert await reader.readexactly(5) == b"hello"
        writer.write(said)
        writer.write_eof()
        await reader.read()

    async def use(connection: httpcore.AsyncNetworkStream) -> bool:
        assert not connection.get_extra_info("is_readable")
        await connection.write(b"hello")
        for _ in range(3000):
            if connection.get_extra_info("is_readable"):
                break
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)  # the loop has taken it from the socket
        return bool(connection.get_extra_info("is_readable"))

    assert talk(serve, use) is True
