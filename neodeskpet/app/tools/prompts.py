"""The composer's port onto what the servers of tools have prepared: prompts and resources."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote

from neodeskpet.core.foreign import escape_markers
from neodeskpet.language import tr
from neodeskpet.mcp.host import McpHost
from neodeskpet.mcp.server import ServerState, ServerView
from neodeskpet.mcp.session_port import ResourceInfo
from neodeskpet.ui.chat.compose.slash import PreparedPrompt, PromptText

_MAX_PROMPT_CHARS = 50_000
"""Characters that are put into the composer."""


class ServerPrompts:
    """A `ui.chat.compose.slash.PromptSource` on the servers."""

    def __init__(self, servers: McpHost) -> None:
        self._servers = servers

    def available(self) -> Sequence[PreparedPrompt]:
        ready = [view for view in self._servers.servers() if view.state is ServerState.READY]
        return [
            *(one for view in ready for one in _prompts(view)),
            *(one for view in ready for one in _resources(view)),
        ]

    async def load_text(self, prompt: PreparedPrompt, arguments: Mapping[str, str]) -> PromptText:
        """What others wrote, marked as theirs; the person reads it before it is sent."""
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
"""Of a template only the simple ones: what else RFC 6570 knows nobody could fill into a form."""


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
    """What is to be filled in; None where that can't be asked for."""
    if not resource.template:
        return ()
    if re.search(r"[{}]", _PLACEHOLDER.sub("", resource.uri)):
        return None
    return tuple(dict.fromkeys(_PLACEHOLDER.findall(resource.uri)))
