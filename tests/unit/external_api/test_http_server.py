"""Idle connections are closed and don't keep other clients out."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any

import httpx
import uvicorn

from neodeskpet.external_api.http_server import new_protocol, open_listener
from neodeskpet.platform.async_tasks import spawn_task

Scene = Callable[[int], Awaitable[None]]


async def app(scope: Any, receive: Any, send: Any) -> None:
    start: MutableMapping[str, Any] = {"type": "http.response.start", "status": 204, "headers": []}
    await send(start)
    await send({"type": "http.response.body", "body": b""})


def play(scene: Scene, seconds: float) -> None:
    async def run() -> None:
        ear = open_listener(0)
        protocol = new_protocol(seconds, most=4)
        config = uvicorn.Config(
            app, http=protocol, ws="none", lifespan="off", log_config=None, limit_concurrency=8
        )
        server = uvicorn.Server(config)
        serving = spawn_task(server.serve(sockets=[ear]), name="server")
        try:
            await scene(ear.getsockname()[1])
        finally:
            server.should_exit = True
            await asyncio.wait({serving}, timeout=10)
            ear.close()

    asyncio.run(run())


async def answered(port: int) -> int:
    async with httpx.AsyncClient(trust_env=False) as client:
        return (await client.get(f"http://127.0.0.1:{port}/")).status_code


def test_half_open_connections_do_not_fill_the_server() -> None:
    async def scene(port: int) -> None:
        assert await answered(port) == 204
        silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(64)]
        for one in silent[::2]:
            one.send(b"GET / HTTP/1.1\r\nHost:")  # without an end of the head
        await asyncio.sleep(0.2)
        assert await answered(port) == 204
        for one in silent:
            one.close()

    play(scene, 60)


def test_a_silent_connection_is_closed() -> None:
    async def scene(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        async with asyncio.timeout(30):
            with suppress(ConnectionResetError):
                assert await reader.read() == b""
        writer.close()

    play(scene, 0.05)
