"""How much of a conversation a model can be sent: an estimate of tokens, which is corrected by what
services report, and pruning by it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import assert_never

from neodeskpet.core.blocks import Document, Image, Message, Role, Text, ToolUse
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import (
    CallPart,
    ImagePart,
    ModelMessage,
    ResultPart,
    TextPart,
    ThinkingPart,
    ToolResults,
)

_IMAGE_TOKENS = 800
_MESSAGE_TOKENS = 6
_TELLING = 200
"""Estimated tokens from which on a report tells something."""
_LEAST, _MOST = 0.5, 3.0
_PACE = 0.3
"""How much of a new report counts."""


def estimate_tokens(text: str) -> int:
    """About as many tokens as common tokenizers make: one for each CJK character, half of one for
    other letters beyond ASCII, one for four of the rest. An estimate on the high side for English,
    close for Chinese.
    """
    # By the bytes: to look at each character of a few megabytes would hold up the window.
    wide = (len(text.encode("utf-8", "surrogatepass")) - len(text)) // 2
    return wide + (len(text) - wide + 3) // 4


def message_tokens(message: Message) -> int:
    """The estimate for a whole message, results of its tools included."""
    total = _MESSAGE_TOKENS
    for block in message.blocks:
        match block:
            case Text(text=text) | Document(text=text):
                total += estimate_tokens(text)
            case ToolUse(raw_arguments=raw, output=output, error=error):
                total += estimate_tokens(raw) + estimate_tokens(output or error) + _MESSAGE_TOKENS
            case Image():
                total += _IMAGE_TOKENS
            case _:
                pass
    return total


def fit_messages(messages: Sequence[Message], budget: int) -> list[Message]:
    """The newest messages that fit into `budget` tokens, beginning with one of the person's.

    The last exchange is always kept, even when it alone is over the budget.
    """
    kept: list[Message] = []
    left = budget
    for message in reversed(messages):
        left -= message_tokens(message)
        if left < 0 and any(m.role is Role.USER for m in kept):
            break
        kept.insert(0, message)
    while kept and kept[0].role is not Role.USER and len(kept) > 1:
        kept.pop(0)
    return kept


def prune_messages(
    messages: Sequence[Message], maximum: int, target: int, costs: Sequence[int] | None = None
) -> list[Message]:
    """The newest messages within `maximum` tokens, beginning with one of the person's. Where they
    came to be more, so much was left out that `target` tokens remained: the turns after it leave
    out nothing more, and what is sent begins alike, so it is read from the provider's cache.
    `costs` are their tokens, where they are known.

    The last exchange is always kept, even when it alone is over the budget.
    """
    if costs is None:
        costs = [message_tokens(message) for message in messages]
    asked = [at for at, message in enumerate(messages) if message.role is Role.USER]
    last = asked[-1] if asked else len(messages) - 1
    first = total = 0
    for end, cost in enumerate(costs):
        total += cost
        wanted = target if total > maximum else maximum
        while total > wanted and first < min(end, last):
            total -= costs[first]
            first += 1
    while first < last and messages[first].role is not Role.USER:
        first += 1
    return list(messages[first:])


def request_tokens(
    system: str, messages: Sequence[ModelMessage], tools: Sequence[ToolSpec] = ()
) -> int:
    """The estimate for all that one request tells."""
    total = estimate_tokens(system)
    for message in messages:
        parts = message.results if isinstance(message, ToolResults) else message.parts
        total += _MESSAGE_TOKENS + sum(map(_part_tokens, parts))
    for tool in tools:
        total += estimate_tokens(f"{tool.name}{tool.description}{json.dumps(tool.parameters)}")
    return total


def _part_tokens(part: TextPart | ThinkingPart | ImagePart | CallPart | ResultPart) -> int:
    match part:
        case TextPart(text=text) | ThinkingPart(text=text):
            return estimate_tokens(text)
        case ImagePart():
            return _IMAGE_TOKENS
        case CallPart(name=name, arguments=arguments):
            return estimate_tokens(f"{name}{json.dumps(arguments)}")
        case ResultPart(output=output):
            return estimate_tokens(output)
        case _:
            assert_never(part)


class TokenCorrection:
    """How many tokens a model counts where one was estimated, by what its service reports."""

    def __init__(self) -> None:
        self._factors: dict[str, float] = {}

    def learn(self, model: str, estimated: int, reported: int) -> None:
        """A request of so many estimated tokens was reported as so many. Short ones tell nothing,
        and neither does what can't be a count of the whole (some leave out what they had cached).
        """
        if estimated < _TELLING or not _LEAST <= reported / estimated <= _MOST:
            return
        factor = reported / estimated
        before = self._factors.get(model, factor)
        self._factors[model] = before + (factor - before) * _PACE

    def factor(self, model: str) -> float:
        """1 where nothing is known yet."""
        return self._factors.get(model, 1.0)

    def estimated(self, model: str, tokens: int) -> int:
        """So many tokens of this model, as the estimate counts them."""
        return round(tokens / self.factor(model))
