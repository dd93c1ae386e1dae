"""What of a conversation is worth finding again. Pure.

What was said is kept word for word: nothing is summed up, and so nothing is made up. Of tools it
keeps what they brought in, not what they did.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from neodeskpet.core.blocks import Message, Role, Text, ToolStatus, ToolUse
from neodeskpet.core.foreign import defuse
from neodeskpet.memory.recall.words import READ
from neodeskpet.memory.recollection import Item, Side

LONGEST_RESULT = 6000
"""Characters of a tool's result that are kept; what is longer lies in its source."""
_LEAST_RESULT = 40
_SAYS_NOTHING = ("live2d.", "time.", "timer.", "note.", "calc.", "tools.", "output.", "memory.")
"""Tools whose results are of the moment, or are kept elsewhere."""
_WORD = re.compile(r"[^\W_]|[\u2600-\u27bf\U0001f300-\U0001faff]")

USER, ASSISTANT = "user", "assistant"


def items_of(message: Message, conversation: str, said_at: datetime) -> list[Item]:
    """What of `message`, which was said at `said_at` by the clock on the wall, is kept."""
    items: list[Item] = []
    said = "\n".join(block.text for block in message.blocks if isinstance(block, Text)).strip()
    if _WORD.search(said, 0, READ):
        person = message.role is Role.USER
        speaker, side = (USER, Side.PERSON) if person else (ASSISTANT, Side.COMPANION)
        read = any(block.untrusted for block in message.blocks if isinstance(block, Text))
        items.append(
            Item(
                *(message.id, speaker, side, said_at, said, message.id, conversation),
                untrusted=read,
            )
        )
    items.extend(
        Item(
            f"{message.id}/{block.index}",
            block.name,
            Side.TOOL,
            said_at,
            defuse(block.output[:LONGEST_RESULT]),
            message.id,
            conversation,
            untrusted=True,
        )
        for block in _results(message)
    )
    return items


def _results(message: Message) -> Iterator[ToolUse]:
    for block in message.blocks:
        if not isinstance(block, ToolUse) or block.status is not ToolStatus.SUCCESS:
            continue
        if block.name.startswith(_SAYS_NOTHING) or len(block.output) < _LEAST_RESULT:
            continue
        if _WORD.search(block.output):
            yield block
