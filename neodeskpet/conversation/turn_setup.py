"""What answers in one turn, fixed at its start: a change of settings reaches the next turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from neodeskpet.conversation.prompt import HOUSE, WRAP_RULE, WRAP_TOKENS, wrap
from neodeskpet.conversation.sources import (
    Announcement,
    ContextSource,
    Headed,
    History,
    Occasion,
    Persona,
    Place,
    Reply,
    Summary,
    TrustRule,
    Wrapper,
    build_request,
)
from neodeskpet.core.approval import CAREFUL, Policy
from neodeskpet.core.blocks import Block, Message
from neodeskpet.core.dialects import NATIVE, Dialect
from neodeskpet.core.dialects.leaked.families import FAMILIES
from neodeskpet.core.dialects.leaked.source import Family
from neodeskpet.core.labels import Source
from neodeskpet.core.model import Model, ModelRequest
from neodeskpet.core.toolspec import Toolbox, ToolSpec
from neodeskpet.core.turn.guards import Limits
from neodeskpet.language import language

CONTEXT = 24_000
"""Tokens of a conversation that are sent, if nothing else is known."""
LEAST = 4
"""What part of these the messages have at least, whatever persona, memory and windows take."""

_WRAPPER = Wrapper(WRAP_RULE, wrap, WRAP_TOKENS)


def _is_chinese() -> bool:
    return language().startswith("zh")


@dataclass(frozen=True, slots=True)
class TurnSetup:
    """`policy` says which calls need the person's consent; `context` is the conversation's
    budget in tokens; `more` are further sources, told after the persona; `leaks`: the forms of
    calls that are read where they leak into the text; `patience`: so many seconds a question
    waits, None for ever; `narrow` makes the toolbox of a turn from `toolbox`, the messages so far
    and `context`, where there are more tools than should be sent.
    `persona` is who answers, and the rules of the house (`persona_from`: where it came from, if
    others may have written it); `who`, if there is one, tells that instead. `summary` is what was
    said before that is too long to be sent; `learn` hears of each request how many tokens were
    estimated and reported. `wraps`: the person's words stand in the wrapper of a chat (an errand
    has its own in its words). `heard` gives messages as whoever answers hears them, where several
    speak.
    """

    model: Model
    toolbox: Toolbox
    dialect: Dialect = NATIVE
    persona: str = HOUSE
    persona_from: tuple[Source, ...] = ()
    who: ContextSource | None = None
    limits: Limits = field(default_factory=Limits)
    policy: Policy = CAREFUL
    parallel: bool = False
    context: int = CONTEXT
    more: tuple[Place, ...] = ()
    tool_choice: str = "auto"
    leaks: Sequence[Family] = FAMILIES
    patience: float | None = None
    narrow: Callable[[Toolbox, Sequence[Message], int], Toolbox] | None = None
    summary: Callable[[], Awaitable[Summary | None]] | None = None
    learn: Callable[[int, int], None] | None = None
    wraps: bool = False
    heard: Callable[[Sequence[Message]], Sequence[Message]] | None = None

    def tools_after(self, messages: Sequence[Message]) -> Toolbox:
        """The toolbox of a turn that follows `messages`."""
        return self.narrow(self.toolbox, messages, self.context) if self.narrow else self.toolbox

    @property
    def places(self) -> tuple[Place, ...]:
        """All that a model is told, in this order."""
        wrapper = _WRAPPER if self.wraps else None
        who = self.who or Persona(self.persona, self.persona_from)
        return (
            Place(Headed(who, chinese=_is_chinese()), self.context),
            *self.more,
            Place(TrustRule(), self.context),
            *((Place(_WRAPPER, self.context),) if self.wraps else ()),
            Place(Announcement(), self.context, counts=False),
            Place(
                History(self.summary, wrapper),
                self.context,
                least=self.context // LEAST,
            ),
            Place(Reply(), self.context),
        )

    async def request(
        self,
        history: Sequence[Message],
        message: Message,
        blocks: Sequence[Block],
        tools: Sequence[ToolSpec],
    ) -> ModelRequest:
        """The next round's request: `history`, then what `message` has become (`blocks`), with the
        `tools` that this round offers.
        """
        written = replace(message, blocks=tuple(blocks))
        if self.heard is not None:
            history, (written,) = self.heard(history), self.heard([written])
        occasion = Occasion(history, written, list(tools), self.dialect)
        request = await build_request(self.places, occasion)
        # Only the first round can be told to call something: a forced call in each has no end.
        forced = self.tool_choice if not blocks or self.tool_choice == "none" else "auto"
        return replace(request, tool_choice=forced)
