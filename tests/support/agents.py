"""Other programs that use the companion, with the SDK's client, like a coding agent."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import socket
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from neodeskpet.external_api.local_endpoint import read_endpoint_file
from neodeskpet.external_api.local_protocol import ToolAnswer, format_line
from neodeskpet.mcp.server import LoopThread

_TIMEOUT = 60.0

Said = types.CallToolResult


class Agent:
    """A client that stays connected, in a thread of its own: Qt's loop starts no processes."""

    def __init__(self, name: str, *, mode: str = "auto") -> None:
        self._name = name
        self._mode = mode
        self._thread = LoopThread(f"agent {name}")
        self._client: Client | None = None
        self._stop: asyncio.Event | None = None
        self._living: Future[None] | None = None
        self._ready = threading.Event()

    @contextmanager
    def over_stdio(self, home: Path, *words: str) -> Iterator[Agent]:
        """Start `neodeskpet mcp`, as agents do."""
        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-m", "neodeskpet", "mcp", "--data-dir", str(home), *words],
            env=dict(os.environ),
        )
        with self._connected(stdio_client(parameters)):
            yield self

    @contextmanager
    def over_http(self, address: str, token: str) -> Iterator[Agent]:
        with self._connected(_over_http(address, token)):
            yield self

    @contextmanager
    def _connected(self, transport: Any) -> Iterator[None]:
        self._living = self._thread.run(self._live(transport))
        try:
            yield
        finally:
            self.leave()

    async def _live(self, transport: Any) -> None:
        self._stop = asyncio.Event()
        info = types.Implementation(name=self._name, version="1")
        async with Client(transport, client_info=info, mode=self._mode) as client:
            self._client = client
            self._ready.set()
            await self._stop.wait()

    def leave(self) -> None:
        """Disconnect."""
        if self._stop is not None and self._living is not None:
            self._thread.loop.call_soon_threadsafe(self._stop.set)
            with suppress(Exception):
                self._living.result(_TIMEOUT)
        self._thread.close()

    @property
    def ready(self) -> bool:
        """Return whether it is connected. Raises the error that prevented it."""
        assert self._living is not None
        if self._living.done():
            self._living.result()
        return self._ready.is_set()

    def call(self, tool: str, **arguments: object) -> Future[Said]:
        """Return a future of the result; cancelling it cancels the call."""
        assert self._client is not None
        return self._thread.run(self._call(self._client, tool, arguments))

    async def _call(self, client: Client, tool: str, arguments: dict[str, object]) -> Said:
        return await client.call_tool(tool, arguments)

    def windows(self) -> Future[dict[str, str]]:
        """Return the resources with their contents."""
        assert self._client is not None
        return self._thread.run(self._read(self._client))

    async def _read(self, client: Client) -> dict[str, str]:
        found = {}
        for resource in (await client.list_resources()).resources:
            held = (await client.read_resource(resource.uri)).contents[0]
            assert isinstance(held, types.TextResourceContents)
            found[str(resource.uri)] = held.text
        return found

    def tools(self) -> Future[list[str]]:
        assert self._client is not None
        return self._thread.run(self._list(self._client))

    async def _list(self, client: Client) -> list[str]:
        return [tool.name for tool in (await client.list_tools()).tools]


@asynccontextmanager
async def _over_http(address: str, token: str) -> AsyncIterator[Any]:
    http = create_mcp_http_client(headers={"Authorization": f"Bearer {token}"})
    async with http, streamable_http_client(address, http_client=http) as streams:
        yield streams


def words_of(said: Said) -> str:
    """Return the text that the model of the agent reads."""
    return "\n".join(part.text for part in said.content if isinstance(part, types.TextContent))


class RawVisitor:
    """A raw client that can send anything."""

    def __init__(self, home: Path) -> None:
        door = read_endpoint_file(home)
        assert door is not None
        self._key = door.key
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.setblocking(False)
        self._socket.connect(door.address)
        self._numbers = itertools.count(1)
        self.heard = b""
        self.hung_up = False

    def hello(self, name: str) -> bytes:
        """Return the first message of a client."""
        return format_line({"key": self._key, "name": name})

    def call(self, tool: str, **arguments: object) -> int:
        """Send a call; return its number."""
        number = next(self._numbers)
        asked = {"id": number, "do": "call", "tool": tool, "arguments": arguments}
        assert not self.write(format_line(asked))
        return number

    def answer(self, number: int) -> ToolAnswer | None:
        """Return the result of the call with this number."""
        self.look()
        lines = [json.loads(line) for line in self.heard.split(b"\n")[:-1]]
        found = [line for line in lines if line.get("id") == number]
        return ToolAnswer.from_json(found[0]) if found else None

    def write(self, data: bytes) -> bytes:
        """Send the bytes; return the part that was not sent."""
        try:
            return data[self._socket.send(data) :]
        except BlockingIOError:
            return data
        except OSError:
            self.hung_up = True
            return b""

    def look(self) -> bool:
        """Read what was received; return whether the connection was closed."""
        try:
            came = self._socket.recv(65536)
        except BlockingIOError:
            return self.hung_up
        except OSError:
            came = b""
        self.heard += came
        self.hung_up = self.hung_up or not came
        return self.hung_up

    def close(self) -> None:
        self._socket.close()


def tell_command(home: Path, *words: str) -> Sequence[str]:
    return (sys.executable, "-m", "neodeskpet", "tell", "--data-dir", str(home), *words)
