"""`neodeskpet mcp`: the companion as an MCP server over stdio, for the parent process.

Calls are forwarded to the NeoDeskPet that runs with the data folder; each call looks for it again.
If none runs, none is started: notes and timers still work, and calls that need the user report that
the companion isn't running.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from neodeskpet.cli.terminal import add_data_dir, data_folder
from neodeskpet.core.errors import KnownError
from neodeskpet.external_api.local_client import AppNotRunning, LocalClient
from neodeskpet.external_api.local_protocol import AppWindowInfo, OfferedTool, ToolAnswer, ToolHost
from neodeskpet.language import format_error, tr


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="neodeskpet mcp",
        description=tr("Serve the companion's tools to another program (MCP over stdio)."),
    )
    made.add_argument(
        "--name", default="", help=tr("the program's name, as it is shown to the user")
    )
    add_data_dir(made)
    return made


def run(argv: Sequence[str]) -> int:
    """Serve until standard input ends."""
    words = parser().parse_args(argv)
    try:
        asyncio.run(_serve(data_folder(words.data_dir), words.name))
    except KnownError as error:
        print(format_error(error), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass  # the parent process closed the connection
    return 0


async def _serve(home: Path, name: str) -> None:
    from neodeskpet.external_api.mcp_server import serve_stdio  # takes a second

    proxy = McpProxy(home)
    try:
        await serve_stdio(proxy, name)
    finally:
        await proxy.close()


class McpProxy:
    """A `ToolHost` in its own process: it forwards calls to the app that runs with `home`, if there
    is one.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._clients: dict[str, LocalClient] = {}
        self._headless_host: ToolHost | None = None
        self._exit_stack = AsyncExitStack()
        self._lock = asyncio.Lock()

    async def tools(self) -> Sequence[OfferedTool]:
        caller = await self._connect("")
        if caller is not None:
            try:
                return await caller.tools()
            except AppNotRunning:
                pass
        return await (await self._headless()).tools()

    async def windows(self) -> Sequence[AppWindowInfo]:
        caller = await self._connect("")
        if caller is not None:
            try:
                return await caller.windows()
            except AppNotRunning:
                pass
        return await (await self._headless()).windows()

    async def window(self, who: str, name: str) -> ToolAnswer:
        caller = await self._connect(who)
        if caller is not None:
            return await caller.window(name)
        return await (await self._headless()).window(who, name)

    async def call(self, who: str, tool: str, arguments: Mapping[str, object]) -> ToolAnswer:
        caller = await self._connect(who)
        if caller is not None:
            return await caller.call(tool, arguments)
        return await (await self._headless()).call(who, tool, arguments)

    async def close(self) -> None:
        for caller in self._clients.values():
            await caller.aclose()
        await self._exit_stack.aclose()

    async def _connect(self, who: str) -> LocalClient | None:
        """Connect to the app with this program's name; None if it isn't running."""
        async with self._lock:
            caller = self._clients.get(who)
            if caller is not None and caller.is_open:
                return caller
            if caller is not None:
                await caller.aclose()
            try:
                self._clients[who] = await LocalClient.connect(self._home, who)
            except AppNotRunning:
                self._clients.pop(who, None)
                return None
            return self._clients[who]

    async def _headless(self) -> ToolHost:
        """Return the tools on the same data without the app."""
        from neodeskpet.cli.headless_tools import open_headless_tools  # imports most of the app

        async with self._lock:
            if self._headless_host is None:
                notebook, self._headless_host = await open_headless_tools(self._home)
                self._exit_stack.push_async_callback(notebook.aclose)
            return self._headless_host
