"""Token budgets: an estimate of tokens, its correction by the reports of services, and the pruning
of conversations.
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
"""Reports for fewer estimated tokens are ignored."""
_LEAST, _MOST = 0.5, 3.0
_PACE = 0.3
"""The weight of a new report."""


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of common tokenizers: one for each CJK character, half of one for other
    letters beyond ASCII, one for four of the rest. The estimate is high for English and close for
    Chinese.
    """
    # Counted from the bytes: iterating over megabytes of characters would block the window.
    wide = (len(text.encode("utf-8", "surrogatepass")) - len(text)) // 2
    return wide + (len(text) - wide + 3) // 4


def cut_to_budget(text: str, budget: int) -> str:
    """Return the beginning of the text, within `budget` tokens."""
    while (cost := estimate_tokens(text)) > budget:
        text = text[: len(text) * budget // (cost + 1)]
    return text


def message_tokens(message: Message) -> int:
    """Estimate the tokens of a whole message, including tool results."""
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
    """Return the newest messages that fit into `budget` tokens, beginning with a user message.

    The last exchange is always kept, even if it exceeds the budget alone.
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
    """Return the newest messages within `maximum` tokens, beginning with a user message. When the
    limit is exceeded, messages are dropped down to `target` tokens, so the next turns need no
    pruning: their requests begin alike and are served from the provider's cache. `costs` are the
    tokens of the messages, if known.

    The last exchange is always kept, even if it exceeds the budget alone.
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
    """Estimate the tokens of a whole request."""
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
    """Corrects estimates for each model by the tokens that its service reports."""

    def __init__(self) -> None:
        self._factors: dict[str, float] = {}

    def learn(self, model: str, estimated: int, reported: int) -> None:
        """Learn from a request with these estimated and reported tokens. Short requests are
        ignored, and so are reports that can't count the whole request (some services leave out
        cached tokens).
        """
        if estimated < _TELLING or not _LEAST <= reported / estimated <= _MOST:
            return
        factor = reported / estimated
        before = self._factors.get(model, factor)
        self._factors[model] = before + (factor - before) * _PACE

    def factor(self, model: str) -> float:
        """Return the factor for a model, 1 if unknown."""
        return self._factors.get(model, 1.0)

    def estimated(self, model: str, tokens: int) -> int:
        """Convert tokens of this model to estimated tokens."""
        return round(tokens / self.factor(model))
