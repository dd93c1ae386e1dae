"""What answers in one turn, fixed at its start: a change of settings reaches the next turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from neodeskpet.conversation.prompt import (
    APP_RULES,
    WRAPPER_RULE,
    WRAPPER_TOKENS,
    ContextSlot,
    ContextSource,
    ConversationSummary,
    HistoryContext,
    PersonaContext,
    PromptRound,
    ReplyContext,
    ToolAnnouncement,
    UntrustedTextRule,
    UserTextWrapper,
    WithHeading,
    build_model_request,
    wrap_user_text,
)
from neodeskpet.core.approval import DEFAULT_POLICY, Policy
from neodeskpet.core.blocks import Block, Message
from neodeskpet.core.data_labels import DataSource
from neodeskpet.core.dialects import NATIVE, Dialect
from neodeskpet.core.dialects.leaked.families import FAMILIES
from neodeskpet.core.dialects.leaked.source import Family
from neodeskpet.core.model import Model, ModelRequest
from neodeskpet.core.toolspec import Toolbox, ToolSpec
from neodeskpet.core.turn.turn_limits import TurnLimits
from neodeskpet.language import language

DEFAULT_CONTEXT = 24_000
"""Tokens of a conversation that are sent, if nothing else is known."""
MIN_CONTEXT_SHARE = 4
"""What part of these the messages have at least, whatever persona, memory and windows take."""

_WRAPPER = UserTextWrapper(WRAPPER_RULE, wrap_user_text, WRAPPER_TOKENS)


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
    persona: str = APP_RULES
    persona_from: tuple[DataSource, ...] = ()
    character: ContextSource | None = None
    limits: TurnLimits = field(default_factory=TurnLimits)
    policy: Policy = DEFAULT_POLICY
    parallel: bool = False
    context: int = DEFAULT_CONTEXT
    extra_slots: tuple[ContextSlot, ...] = ()
    tool_choice: str = "auto"
    leaked_call_families: Sequence[Family] = FAMILIES
    answer_timeout: float | None = None
    select_tools: Callable[[Toolbox, Sequence[Message], int], Toolbox] | None = None
    summary: Callable[[], Awaitable[ConversationSummary | None]] | None = None
    on_token_usage: Callable[[int, int], None] | None = None
    wraps_user_text: bool = False
    rewrite_history: Callable[[Sequence[Message]], Sequence[Message]] | None = None

    def toolbox_after(self, messages: Sequence[Message]) -> Toolbox:
        """The toolbox of a turn that follows `messages`."""
        return (
            self.select_tools(self.toolbox, messages, self.context)
            if self.select_tools
            else self.toolbox
        )

    @property
    def slots(self) -> tuple[ContextSlot, ...]:
        """All that a model is told, in this order."""
        wrapper = _WRAPPER if self.wraps_user_text else None
        who = self.character or PersonaContext(self.persona, self.persona_from)
        return (
            ContextSlot(WithHeading(who, chinese=_is_chinese()), self.context),
            *self.extra_slots,
            ContextSlot(UntrustedTextRule(), self.context),
            *((ContextSlot(_WRAPPER, self.context),) if self.wraps_user_text else ()),
            ContextSlot(ToolAnnouncement(), self.context, counts_budget=False),
            ContextSlot(
                HistoryContext(self.summary, wrapper),
                self.context,
                min_budget=self.context // MIN_CONTEXT_SHARE,
            ),
            ContextSlot(ReplyContext(), self.context),
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
        if self.rewrite_history is not None:
            history, (written,) = self.rewrite_history(history), self.rewrite_history([written])
        occasion = PromptRound(history, written, list(tools), self.dialect)
        request = await build_model_request(self.slots, occasion)
        # Only the first round can be told to call something: a forced call in each has no end.
        forced = self.tool_choice if not blocks or self.tool_choice == "none" else "auto"
        return replace(request, tool_choice=forced)
