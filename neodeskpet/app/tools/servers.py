"""The settings window's port onto the servers of tools."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from neodeskpet.engine import Engine
from neodeskpet.mcp.config import ServerConfig
from neodeskpet.mcp.errors import ConfigUnread
from neodeskpet.mcp.found import FoundServer, find_servers, read_file
from neodeskpet.mcp.names import source_name
from neodeskpet.mcp.server import ServerView
from neodeskpet.settings.tool_permissions import forget_source


class ServersAdapter:
    """A `ui.settings.servers.port.McpServersPort` on the engine."""

    def __init__(
        self, engine: Engine, find: Callable[[], Sequence[FoundServer]] = find_servers
    ) -> None:
        self._engine = engine
        self._host = engine.mcp_servers
        self._find = find

    def servers(self) -> Sequence[ServerView]:
        return self._host.servers()

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return self._host.subscribe(observer)

    async def add(self, configs: Sequence[ServerConfig]) -> Sequence[str]:
        return await self._host.add(configs)

    async def change(self, config: ServerConfig) -> None:
        """What was allowed to its tools doesn't hold for those of another command."""
        if await self._host.update(config):
            forget_source(self._engine.settings, source_name(config.name))

    async def allow(self, name: str) -> None:
        await self._host.allow(name)

    async def switch(self, name: str, on: bool) -> None:
        await self._host.set_enabled(name, on)

    async def restart(self, name: str) -> None:
        await self._host.restart(name)

    async def remove(self, name: str) -> None:
        """With what was allowed to its tools: another of that name is a stranger."""
        await self._host.delete(name)
        forget_source(self._engine.settings, source_name(name))

    async def find(self) -> Sequence[FoundServer]:
        return await asyncio.to_thread(self._find)

    async def read_file(self, file: Path) -> Sequence[ServerConfig]:
        try:
            return await asyncio.to_thread(read_file, file)
        except OSError as error:
            raise ConfigUnread(f"{file.name}: {error.strerror or error}") from error
