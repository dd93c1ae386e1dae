"""The visitor's end of the local channel, for `neodeskpet tell` and `neodeskpet mcp`."""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from neodeskpet.conversation.tasks import spawn
from neodeskpet.core.errors import KnownError
from neodeskpet.core.wording import N_
from neodeskpet.visitors.door import Door, read_door
from neodeskpet.visitors.lines import ANSWERED, ASKED, LineBroken, line_of, read_line
from neodeskpet.visitors.port import Answer, Offered, Showcase

_GREETING = 10.0
"""Seconds that the app may take to greet; it may be starting."""
GONE = Answer("NeoDeskPet was closed before it answered.", failed=True)


class NotRunning(KnownError):
    code = "not_running"
    what = N_("NeoDeskPet isn't running.")
    hint = N_("Start it first.")


class Caller:
    """A connection to the running app, in a program's name. Calls may overlap."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Mapping[str, object]]] = {}
        self._reading = spawn(self._read(), name="answers of the app")
        self.open = True

    @classmethod
    async def connect(cls, home: Path, name: str) -> Caller:
        """Raises NotRunning."""
        door = read_door(home)
        if door is None:
            raise NotRunning()
        try:
            async with asyncio.timeout(_GREETING):
                reader, writer = await _dial(door)
                writer.write(line_of({"key": door.key, "name": name}))
                if read_line(await reader.readuntil()).get("ok") is not True:
                    raise NotRunning()
        except (OSError, EOFError, TimeoutError, ValueError) as error:
            raise NotRunning() from error
        return cls(reader, writer)

    async def tools(self) -> Sequence[Offered]:
        """Raises NotRunning when the app goes away."""
        listed = (await self._ask({"do": "tools"})).get("tools")
        return [Offered.from_json(one) for one in listed] if isinstance(listed, list) else []

    async def call(self, tool: str, arguments: Mapping[str, object]) -> Answer:
        """Cancelled, the app hears of it. When the app goes away: GONE."""
        asked = {"do": "call", "tool": tool, "arguments": dict(arguments)}
        if len(line_of(asked)) > ASKED - 100:
            return Answer("The arguments are too long.", failed=True)
        try:
            return Answer.from_json(await self._ask(asked))
        except NotRunning:
            return GONE

    async def windows(self) -> Sequence[Showcase]:
        """Raises NotRunning when the app goes away."""
        listed = (await self._ask({"do": "windows"})).get("windows")
        return [Showcase.from_json(one) for one in listed] if isinstance(listed, list) else []

    async def window(self, name: str) -> Answer:
        """When the app goes away: GONE."""
        try:
            return Answer.from_json(await self._ask({"do": "window", "name": name}))
        except NotRunning:
            return GONE

    async def close(self) -> None:
        """Idempotent."""
        self._reading.cancel()
        self._writer.close()
        with suppress(OSError, asyncio.CancelledError):
            await self._reading
        with suppress(OSError):
            await self._writer.wait_closed()

    async def _ask(self, message: Mapping[str, object]) -> Mapping[str, object]:
        if not self.open:
            raise NotRunning()
        number = next(self._numbers)
        answer: asyncio.Future[Mapping[str, object]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        self._writer.write(line_of({"id": number, **message}))
        try:
            return await answer
        except asyncio.CancelledError:
            if self.open:
                self._writer.write(line_of({"id": number, "do": "cancel"}))
            raise
        finally:
            del self._waiting[number]

    async def _read(self) -> None:
        try:
            while True:
                said = read_line(await self._reader.readuntil())
                answer = self._waiting.get(cast("int", said.get("id")))
                if answer is not None and not answer.done():
                    answer.set_result(said)
        except (OSError, EOFError, asyncio.LimitOverrunError, LineBroken):
            pass
        finally:
            self.open = False
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(NotRunning())


async def _dial(door: Door) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Raises OSError."""
    if sys.platform != "win32":
        return await asyncio.open_unix_connection(door.address, limit=ANSWERED)
    loop: Any = asyncio.get_running_loop()  # only that of Windows has pipes
    reader = asyncio.StreamReader(limit=ANSWERED, loop=loop)
    protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
    pipe = rf"\\.\pipe\{door.address}"
    transport, _ = await loop.create_pipe_connection(lambda: protocol, pipe)
    return reader, asyncio.StreamWriter(transport, protocol, reader, loop)
