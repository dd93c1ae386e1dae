"""The composer's port onto the prompts of the servers of tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from neodeskpet.core.foreign import defuse
from neodeskpet.engine import Engine
from neodeskpet.language import tr
from neodeskpet.mcp.server import State
from neodeskpet.ui.chat.compose.slash import Prepared, Words

_LONGEST = 50_000
"""Characters that are put into the composer."""


class ServerPrompts:
    """A `ui.chat.compose.slash.Prompts` on the engine."""

    def __init__(self, engine: Engine) -> None:
        self._servers = engine.servers

    def prepared(self) -> Sequence[Prepared]:
        return [
            Prepared(
                view.config.name, one.name, one.description, one.arguments, frozenset(one.required)
            )
            for view in self._servers.servers()
            if view.state is State.READY
            for one in view.listing.prompts
        ]

    async def words(self, prompt: Prepared, arguments: Mapping[str, str]) -> Words:
        """What others wrote, marked as theirs; the person reads it before it is sent."""
        result = await self._servers.say(prompt.server, prompt.name, arguments)
        source = tr("From the server {server} ({name}):", server=prompt.server, name=prompt.name)
        said = defuse(result.text)[:_LONGEST]
        return Words(f"{defuse(source)}\n\n{said}", [one.data for one in result.images])
