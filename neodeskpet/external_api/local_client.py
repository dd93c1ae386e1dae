"""The client side of the local channel, for `neodeskpet tell` and `neodeskpet mcp`."""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.external_api.local_endpoint import LocalEndpoint, read_endpoint_file
from neodeskpet.external_api.local_protocol import (
    MAX_REQUEST_BYTES,
    MAX_RESPONSE_BYTES,
    AppWindowInfo,
    InvalidLine,
    OfferedTool,
    ToolAnswer,
    format_line,
    parse_line,
)
from neodeskpet.platform.async_tasks import spawn_task

_HANDSHAKE_TIMEOUT = 10.0
"""Seconds to wait for the app's greeting; it may still be starting."""
APP_CLOSED = ToolAnswer("NeoDeskPet was closed before it answered.", failed=True)


class AppNotRunning(KnownError):
    code = "not_running"
    what = N_("NeoDeskPet isn't running.")
    hint = N_("Start it first.")


class LocalClient:
    """A connection to the running app, in a program's name. Calls may overlap."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Mapping[str, object]]] = {}
        self._reading = spawn_task(self._read(), name="answers of the app")
        self.is_open = True

    @classmethod
    async def connect(cls, home: Path, name: str) -> LocalClient:
        """Connect to the app. Raises AppNotRunning."""
        endpoint = read_endpoint_file(home)
        if endpoint is None:
            raise AppNotRunning()
        try:
            async with asyncio.timeout(_HANDSHAKE_TIMEOUT):
                reader, writer = await _open_connection(endpoint)
                writer.write(format_line({"key": endpoint.key, "name": name}))
                if parse_line(await reader.readuntil()).get("ok") is not True:
                    raise AppNotRunning()
        except (OSError, EOFError, TimeoutError, ValueError) as error:
            raise AppNotRunning() from error
        return cls(reader, writer)

    async def tools(self) -> Sequence[OfferedTool]:
        """Return the list. Raises AppNotRunning if the app ends."""
        listed = (await self._ask({"do": "tools"})).get("tools")
        return [OfferedTool.from_json(one) for one in listed] if isinstance(listed, list) else []

    async def call(self, tool: str, arguments: Mapping[str, object]) -> ToolAnswer:
        """Call a tool. Cancelling cancels the call in the app. If the app ends: GONE."""
        asked = {"do": "call", "tool": tool, "arguments": dict(arguments)}
        if len(format_line(asked)) > MAX_REQUEST_BYTES - 100:
            return ToolAnswer("The arguments are too long.", failed=True)
        try:
            return ToolAnswer.from_json(await self._ask(asked))
        except AppNotRunning:
            return APP_CLOSED

    async def windows(self) -> Sequence[AppWindowInfo]:
        """Return the list. Raises AppNotRunning if the app ends."""
        listed = (await self._ask({"do": "windows"})).get("windows")
        return [AppWindowInfo.from_json(one) for one in listed] if isinstance(listed, list) else []

    async def window(self, name: str) -> ToolAnswer:
        """Return the content of a window. If the app ends: GONE."""
        try:
            return ToolAnswer.from_json(await self._ask({"do": "window", "name": name}))
        except AppNotRunning:
            return APP_CLOSED

    async def aclose(self) -> None:
        """Close the connection. Idempotent."""
        self._reading.cancel()
        self._writer.close()
        with suppress(OSError, asyncio.CancelledError):
            await self._reading
        with suppress(OSError):
            await self._writer.wait_closed()

    async def _ask(self, message: Mapping[str, object]) -> Mapping[str, object]:
        if not self.is_open:
            raise AppNotRunning()
        number = next(self._numbers)
        answer: asyncio.Future[Mapping[str, object]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        self._writer.write(format_line({"id": number, **message}))
        try:
            return await answer
        except asyncio.CancelledError:
            if self.is_open:
                self._writer.write(format_line({"id": number, "do": "cancel"}))
            raise
        finally:
            del self._waiting[number]

    async def _read(self) -> None:
        try:
            while True:
                said = parse_line(await self._reader.readuntil())
                answer = self._waiting.get(cast("int", said.get("id")))
                if answer is not None and not answer.done():
                    answer.set_result(said)
        except (OSError, EOFError, asyncio.LimitOverrunError, InvalidLine):
            pass
        finally:
            self.is_open = False
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(AppNotRunning())


async def _open_connection(
    endpoint: LocalEndpoint,
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open the socket or pipe. Raises OSError."""
    if sys.platform != "win32":
        return await asyncio.open_unix_connection(endpoint.address, limit=MAX_RESPONSE_BYTES)
    loop: Any = asyncio.get_running_loop()  # only the Windows loop has pipes
    reader = asyncio.StreamReader(limit=MAX_RESPONSE_BYTES, loop=loop)
    protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
    pipe = rf"\\.\pipe\{endpoint.address}"
    transport, _ = await loop.create_pipe_connection(lambda: protocol, pipe)
    return reader, asyncio.StreamWriter(transport, protocol, reader, loop)
