"""The adapter between the settings page and MCP servers, and the composer's access to their prompts
and resources.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from neodeskpet.app.engine import Engine
from neodeskpet.core.untrusted import escape_markers
from neodeskpet.language import tr
from neodeskpet.mcp.config_discovery import FoundServer, find_servers, read_file
from neodeskpet.mcp.mcp_errors import ConfigUnread
from neodeskpet.mcp.mcp_host import McpHost
from neodeskpet.mcp.server import ServerState, ServerView
from neodeskpet.mcp.server_config import ServerConfig
from neodeskpet.mcp.server_tools import source_name
from neodeskpet.mcp.session_interface import ResourceInfo
from neodeskpet.settings.tool_permissions import forget_source
from neodeskpet.ui.chat.composer.slash_menu import PreparedPrompt, PromptText


class ServersAdapter:
    """A `ui.settings.mcp_servers_page.McpServersPort` on the engine."""

    def __init__(
        self, engine: Engine, find: Callable[[], Sequence[FoundServer]] = find_servers
    ) -> None:
        self._engine = engine
        self._host = engine.tools.mcp_servers
        self._find = find

    def servers(self) -> Sequence[ServerView]:
        return self._host.servers()

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return self._host.subscribe(observer)

    async def add(self, configs: Sequence[ServerConfig]) -> Sequence[str]:
        return await self._host.add(configs)

    async def change(self, config: ServerConfig) -> None:
        """Change a server. Permissions of its tools are removed if the command has changed."""
        if await self._host.update(config):
            forget_source(self._engine.settings, source_name(config.name))

    async def allow(self, name: str) -> None:
        await self._host.allow(name)

    async def switch(self, name: str, on: bool) -> None:
        await self._host.set_enabled(name, on)

    async def restart(self, name: str) -> None:
        await self._host.restart(name)

    async def remove(self, name: str) -> None:
        """Remove a server and the permissions of its tools: a later server of that name starts
        without any.
        """
        await self._host.delete(name)
        forget_source(self._engine.settings, source_name(name))

    async def find(self) -> Sequence[FoundServer]:
        return await asyncio.to_thread(self._find)

    async def read_file(self, file: Path) -> Sequence[ServerConfig]:
        try:
            return await asyncio.to_thread(read_file, file)
        except OSError as error:
            raise ConfigUnread(f"{file.name}: {error.strerror or error}") from error


_MAX_PROMPT_CHARS = 50_000
"""The largest number of characters that are put into the composer."""


class ServerPrompts:
    """A `ui.chat.composer.slash_menu.PromptSource` on the servers."""

    def __init__(self, servers: McpHost) -> None:
        self._servers = servers

    def available(self) -> Sequence[PreparedPrompt]:
        ready = [view for view in self._servers.servers() if view.state is ServerState.READY]
        return [
            *(one for view in ready for one in _prompts(view)),
            *(one for view in ready for one in _resources(view)),
        ]

    async def load_text(self, prompt: PreparedPrompt, arguments: Mapping[str, str]) -> PromptText:
        """Return the server's text, marked as untrusted; the user reads it before sending."""
        if prompt.uri:
            uri = _PLACEHOLDER.sub(
                lambda found: quote(arguments.get(found[1], ""), safe=""), prompt.uri
            )
            result = await self._servers.read(prompt.server, uri)
        else:
            result = await self._servers.prompt_text(prompt.server, prompt.name, arguments)
        source = tr("From the server {server} ({name}):", server=prompt.server, name=prompt.name)
        said = escape_markers(result.text)[:_MAX_PROMPT_CHARS]
        return PromptText(
            f"{escape_markers(source)}\n\n{said}", [one.data for one in result.images]
        )


_PLACEHOLDER = re.compile(r"\{(\w+)\}")
"""Only simple placeholders of a template: the other forms of RFC 6570 can't be filled in
by a form.
"""


def _prompts(view: ServerView) -> Iterator[PreparedPrompt]:
    for one in view.listing.prompts:
        yield PreparedPrompt(
            view.config.name, one.name, one.description, one.arguments, frozenset(one.required)
        )


def _resources(view: ServerView) -> Iterator[PreparedPrompt]:
    for one in view.listing.resources:
        names = _placeholder_names(one)
        if names is not None:
            name = one.name or one.uri
            about = one.description or (one.uri if one.name else "")
            yield PreparedPrompt(
                view.config.name, name, about, names, frozenset(names), uri=one.uri
            )


def _placeholder_names(resource: ResourceInfo) -> tuple[str, ...] | None:
    """Return the names of the placeholders; None if the template has forms that aren't
    supported.
    """
    if not resource.template:
        return ()
    if re.search(r"[{}]", _PLACEHOLDER.sub("", resource.uri)):
        return None
    return tuple(dict.fromkeys(_PLACEHOLDER.findall(resource.uri)))
