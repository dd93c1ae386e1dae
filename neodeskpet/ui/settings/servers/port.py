"""What the page of the servers asks of the engine; `app` fits it together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from neodeskpet.mcp.config import ServerConfig
from neodeskpet.mcp.found import FoundServer
from neodeskpet.mcp.server import ServerView


class McpServersPort(Protocol):
    """Coroutines raise KnownError."""

    def servers(self) -> Sequence[ServerView]: ...

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` whenever a server changed; returns what ends it."""
        ...

    async def add(self, configs: Sequence[ServerConfig]) -> Sequence[str]:
        """Set these up; their names. None is started by that."""
        ...

    async def change(self, config: ServerConfig) -> None: ...

    async def allow(self, name: str) -> None:
        """The person has seen what will run: start it."""
        ...

    async def switch(self, name: str, on: bool) -> None: ...

    async def restart(self, name: str) -> None: ...

    async def remove(self, name: str) -> None: ...

    async def find(self) -> Sequence[FoundServer]:
        """The servers that other programs are set up with."""
        ...

    async def read_file(self, file: Path) -> Sequence[ServerConfig]: ...
