"""`neodeskpet mcp`: the companion as an MCP server over stdio, for whoever started this.

It speaks for the NeoDeskPet that runs with the data folder, whenever that is: each call looks for
it anew. While none runs nothing is started, for nobody asked for a figure on the desktop: notes and
timers are read and kept all the same, and what needs the person says that nobody is there.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from neodeskpet.commands.terminal import add_data_dir, home_of
from neodeskpet.core.errors import KnownError
from neodeskpet.language import explain, tr
from neodeskpet.visitors.caller import Caller, NotRunning
from neodeskpet.visitors.port import Answer, House, Offered, Showcase


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="neodeskpet mcp",
        description=tr("Serve the companion's tools to another program (MCP over stdio)."),
    )
    made.add_argument("--name", default="", help=tr("the name of that program, as it is shown"))
    add_data_dir(made)
    return made


def run(argv: Sequence[str]) -> int:
    """Serve until standard input ends."""
    words = parser().parse_args(argv)
    try:
        asyncio.run(_serve(home_of(words.data_dir), words.name))
    except KnownError as error:
        print(explain(error), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass  # whoever started it wants no more
    return 0


async def _serve(home: Path, name: str) -> None:
    from neodeskpet.visitors.mcp_server import serve_stdio  # a second

    house = Outpost(home)
    try:
        await serve_stdio(house, name)
    finally:
        await house.close()


class Outpost:
    """A `House` apart from the app: its calls go to the app that runs with `home`, if one does."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._callers: dict[str, Caller] = {}
        self._kept: House | None = None
        self._left = AsyncExitStack()
        self._turn = asyncio.Lock()

    async def tools(self) -> Sequence[Offered]:
        caller = await self._reach("")
        if caller is not None:
            try:
                return await caller.tools()
            except NotRunning:
                pass
        return await (await self._alone()).tools()

    async def windows(self) -> Sequence[Showcase]:
        caller = await self._reach("")
        if caller is not None:
            try:
                return await caller.windows()
            except NotRunning:
                pass
        return await (await self._alone()).windows()

    async def window(self, who: str, name: str) -> Answer:
        caller = await self._reach(who)
        if caller is not None:
            return await caller.window(name)
        return await (await self._alone()).window(who, name)

    async def call(self, who: str, tool: str, arguments: Mapping[str, object]) -> Answer:
        caller = await self._reach(who)
        if caller is not None:
            return await caller.call(tool, arguments)
        return await (await self._alone()).call(who, tool, arguments)

    async def close(self) -> None:
        for caller in self._callers.values():
            await caller.close()
        await self._left.aclose()

    async def _reach(self, who: str) -> Caller | None:
        """The app, in the name of this program; None if it doesn't run."""
        async with self._turn:
            caller = self._callers.get(who)
            if caller is not None and caller.open:
                return caller
            if caller is not None:
                await caller.close()
            try:
                self._callers[who] = await Caller.connect(self._home, who)
            except NotRunning:
                self._callers.pop(who, None)
                return None
            return self._callers[who]

    async def _alone(self) -> House:
        """The same data, without the app."""
        from neodeskpet.commands.kept_house import open_kept  # most of the app

        async with self._turn:
            if self._kept is None:
                notebook, self._kept = await open_kept(self._home)
                self._left.push_async_callback(notebook.close)
            return self._kept
