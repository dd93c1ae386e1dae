"""What answers in one turn, fixed at its start: a change of settings reaches the next turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from neodeskpet.conversation.ports import Toolbox
from neodeskpet.conversation.prompt import PERSONA, build_prompt
from neodeskpet.core.blocks import Block, Message
from neodeskpet.core.context import fit
from neodeskpet.core.dialects import NATIVE, Dialect
from neodeskpet.core.guards import Limits
from neodeskpet.core.model import Model, ModelRequest
from neodeskpet.core.transcript import build_transcript

CONTEXT = 24_000
"""Tokens of a conversation that are sent, if nothing else is known."""


@dataclass(frozen=True, slots=True)
class TurnSetup:
    """`asks` names the tools that need the person's consent; `context` is a budget in tokens."""

    model: Model
    toolbox: Toolbox
    dialect: Dialect = NATIVE
    persona: str = PERSONA
    limits: Limits = field(default_factory=Limits)
    asks: frozenset[str] = frozenset()
    parallel: bool = False
    context: int = CONTEXT

    def request(
        self, history: Sequence[Message], message: Message, blocks: Sequence[Block]
    ) -> ModelRequest:
        """The next round's request: `history`, then what `message` has become (`blocks`)."""
        tools = list(self.toolbox.specs())
        system = build_prompt(self.persona, self.dialect, tools)
        messages = [*fit(history, self.context), replace(message, blocks=tuple(blocks))]
        return ModelRequest(
            system=system,
            messages=self.dialect.word(build_transcript(messages)),
            tools=tools if self.dialect.native else (),
            dialect=self.dialect.name,
        )
