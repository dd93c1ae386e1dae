"""The set-up of one turn, fixed at its start: changed settings apply from the next turn on."""

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
"""The token budget of a conversation if the model's context is unknown."""
MIN_CONTEXT_SHARE = 4
"""The divisor for the share that messages always get, whatever persona, memory and windows take."""

_WRAPPER = UserTextWrapper(WRAPPER_RULE, wrap_user_text, WRAPPER_TOKENS)


def _is_chinese() -> bool:
    return language().startswith("zh")


@dataclass(frozen=True, slots=True)
class TurnSetup:
    """`policy` decides which calls need the user's approval. `context` is the token budget of the
    conversation. `extra_slots` are further context sources, sent after the persona.
    `leaked_call_families`: the forms of tool calls that are recognized inside text.
    `answer_timeout`: how many seconds a question waits for an answer, None for no limit.
    `select_tools` makes the toolbox of a turn from `toolbox`, the messages so far and `context`,
    where there are more tools than should be sent. `persona` describes who answers, together with
    the rules of the app (`persona_from`: its untrusted sources); `character` replaces it where it
    is set. `summary` is the summary of messages that are too old to be sent. `on_token_usage` is
    called after each request with the estimated and the reported number of tokens.
    `wraps_user_text`: the user's words are sent inside a wrapper that marks them as theirs.
    `rewrite_history` gives the messages as this speaker receives them, where several speak.
    `account`: the conversation that the costs of requests are recorded for, "" for none.
    """

    model: Model
    toolbox: Toolbox
    dialect: Dialect = NATIVE
    persona: str = APP_RULES
    persona_from: tuple[DataSource, ...] = ()
    character: ContextSource | None = None
    limits: TurnLimits = field(default_factory=TurnLimits)
    policy: Policy = DEFAULT_POLICY
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
    account: str = ""

    def toolbox_after(self, messages: Sequence[Message]) -> Toolbox:
        """Return the toolbox of a turn that follows `messages`."""
        return (
            self.select_tools(self.toolbox, messages, self.context)
            if self.select_tools
            else self.toolbox
        )

    @property
    def slots(self) -> tuple[ContextSlot, ...]:
        """Return all context sources, in this order."""
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
        """Build the next round's request: `history`, then the blocks of `message` so far, with the
        `tools` of this round.
        """
        written = replace(message, blocks=tuple(blocks))
        if self.rewrite_history is not None:
            history, (written,) = self.rewrite_history(history), self.rewrite_history([written])
        occasion = PromptRound(history, written, list(tools), self.dialect)
        request = await build_model_request(self.slots, occasion)
        # Only the first round can be told to call something: a forced call in each has no end.
        forced = self.tool_choice if not blocks or self.tool_choice == "none" else "auto"
        return replace(request, tool_choice=forced)
