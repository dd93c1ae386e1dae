"""What a model is told in one round: an ordered list of sources, each with its budget.

A source adds to the system text or to the messages. Sources are asked one after the other and may
take their time (a search, for instance); one that fails is left out, so that it costs a round
something it would have known, never the answer.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from neodeskpet.core.blocks import Message
from neodeskpet.core.context import fit
from neodeskpet.core.dialects import Dialect
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import build_transcript

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Occasion:
    """A round that is about to begin: the conversation before this turn, the `reply` as far as it
    is written, and the tools on offer.
    """

    history: Sequence[Message]
    reply: Message
    tools: Sequence[ToolSpec]
    dialect: Dialect


@dataclass(frozen=True, slots=True)
class Contribution:
    """`system` is a paragraph of the system text; `messages` follow those of earlier sources."""

    system: str = ""
    messages: Sequence[Message] = ()


class ContextSource(Protocol):
    """Something a model should know."""

    async def contribute(self, occasion: Occasion, budget: int) -> Contribution:
        """What it adds, within `budget` tokens."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """A source and how many tokens it may take."""

    source: ContextSource
    budget: int


@dataclass(frozen=True, slots=True)
class Persona:
    """Who the companion is."""

    text: str

    async def contribute(self, occasion: Occasion, budget: int) -> Contribution:
        return Contribution(system=self.text)


class Announcement:
    """How the tools are called, where they don't travel in the request."""

    async def contribute(self, occasion: Occasion, budget: int) -> Contribution:
        return Contribution(system=occasion.dialect.announce(occasion.tools))


class History:
    """The newest messages that fit; the person's last words always do."""

    async def contribute(self, occasion: Occasion, budget: int) -> Contribution:
        return Contribution(messages=fit(occasion.history, budget))


class Reply:
    """What the companion has written and done in this turn."""

    async def contribute(self, occasion: Occasion, budget: int) -> Contribution:
        return Contribution(messages=(occasion.reply,))


async def build_request(places: Sequence[Place], occasion: Occasion) -> ModelRequest:
    """The request of a round, from all `places` in their order."""
    found = [await _contribution(place, occasion) for place in places]
    messages = [message for one in found for message in one.messages]
    dialect = occasion.dialect
    return ModelRequest(
        system="\n\n".join(one.system for one in found if one.system),
        messages=dialect.render(build_transcript(messages)),
        tools=list(occasion.tools) if dialect.native else (),
        dialect=dialect.name,
        stops=dialect.stops if occasion.tools else (),
    )


async def _contribution(place: Place, occasion: Occasion) -> Contribution:
    try:
        return await place.source.contribute(occasion, place.budget)
    except Exception:  # noqa: BLE001 - see the top; it is in the log
        _log.exception("%s had nothing to say", type(place.source).__name__)
        return Contribution()
