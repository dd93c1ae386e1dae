"""How much of a conversation a model can be sent: an estimate of tokens, and pruning by it."""

from __future__ import annotations

from collections.abc import Sequence

from neodeskpet.core.blocks import Image, Message, Role, Text, ToolUse

_IMAGE_TOKENS = 800
_MESSAGE_TOKENS = 6


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
            case Text(text=text):
                total += estimate_tokens(text)
            case ToolUse(raw_arguments=raw, output=output, error=error):
                total += estimate_tokens(raw) + estimate_tokens(output or error) + _MESSAGE_TOKENS
            case Image():
                total += _IMAGE_TOKENS
            case _:
                pass
    return total


def fit(messages: Sequence[Message], budget: int) -> list[Message]:
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
