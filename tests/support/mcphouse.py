"""An app with MCP servers and nothing else, for tests of the MCP client."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from keyring.backend import KeyringBackend

from neodeskpet.core.errors import KnownError
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.mcp.mcp_errors import McpError
from neodeskpet.mcp.mcp_host import HostEnvironment, McpHost, Sample
from neodeskpet.mcp.server import ServerState, ServerView
from neodeskpet.mcp.server_config import read_servers
from neodeskpet.mcp.server_config_file import ServerConfigFile
from neodeskpet.mcp.server_connection import ServerTimeouts
from neodeskpet.settings.secrets import Secrets
from neodeskpet.toolkit.toolbox import Toolbox


class Ring(KeyringBackend):
    """A keyring in memory."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[str, str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get(username)

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[username] = password

    def delete_password(self, service: str, username: str) -> None:
        self.kept.pop(username, None)


class House:
    """An app with servers, and nothing else."""

    def __init__(
        self,
        home: Path,
        environ: dict[str, str],
        timeouts: ServerTimeouts,
        sample: Sample | None = None,
    ) -> None:
        self.ring = Ring()
        self.file = home / "mcp.json"
        self.secrets = Secrets(home / "secrets.json", environ=environ, find=lambda: self.ring)
        self.toolbox = Toolbox()
        self.roots: list[Path] = []
        self.host = McpHost(
            ServerConfigFile(self.file),
            self.secrets,
            self.toolbox,
            environment=HostEnvironment(environ),
            timeouts=timeouts,
            roots=lambda: self.roots,
            sample=sample,
        )
        self.troubles: list[KnownError] = []
        self.host.subscribe_problems(self.troubles.append)

    async def add(self, entry: dict[str, Any], name: str = "small", *, allow: bool = True) -> None:
        (added,) = await self.host.add(read_servers(json.dumps({"mcpServers": {name: entry}})))
        if allow:
            await self.host.allow(added)

    def view(self, name: str = "small") -> ServerView:
        return next(one for one in self.host.servers() if one.config.name == name)

    async def until(self, true: Callable[[], object], timeout: float = 20.0) -> None:
        end = time.monotonic() + timeout
        while not true():
            if time.monotonic() > end:
                raise TimeoutError(str(self.host.servers()))
            await asyncio.sleep(0.005)

    async def ready(self, name: str = "small") -> None:
        await self.until(lambda: self.view(name).state is ServerState.READY)

    async def error(self, name: str) -> McpError:
        """Return why it doesn't run; for a moment there is no error when it is restarted."""
        errors: list[McpError | None] = []

        def found() -> bool:
            errors.append(self.view(name).error)
            return errors[-1] is not None

        await self.until(found)
        assert errors[-1] is not None
        return errors[-1]

    async def run(self, tool: str, **arguments: object) -> ToolResult:
        return await self.toolbox.offer().run(tool, arguments, lambda fraction, text: None)

    def names(self) -> list[str]:
        return [spec.name for spec in self.toolbox.specs()]


@asynccontextmanager
async def open_house(
    home: Path,
    environ: dict[str, str],
    timeouts: ServerTimeouts,
    sample: Sample | None = None,
) -> AsyncIterator[House]:
    house = House(home, environ, timeouts, sample)
    await house.host.start()
    try:
        yield house
    finally:
        await house.host.aclose()
