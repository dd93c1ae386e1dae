"""What of a conversation is worth finding again. Pure.

What was said is kept word for word: nothing is summed up, and so nothing is made up. Of tools it
keeps what they brought in, not what they did.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from neodeskpet.core.blocks import Message, Role, Text, ToolStatus, ToolUse
from neodeskpet.core.foreign import escape_markers
from neodeskpet.memory.recall.words import MAX_CHARACTERS
from neodeskpet.memory.recollection import ItemSide, MemoryItem

MAX_RESULT = 6000
"""Characters of a tool's result that are kept; what is longer lies in its source."""
_MIN_RESULT = 40
_SKIPPED_TOOLS = ("live2d.", "time.", "timer.", "note.", "calc.", "tools.", "output.", "memory.")
"""Tools whose results are of the moment, or are kept elsewhere."""
_WORD = re.compile(r"[^\W_]|[\u2600-\u27bf\U0001f300-\U0001faff]")

USER_SPEAKER, ASSISTANT_SPEAKER = "user", "assistant"


def items_from_message(message: Message, conversation: str, said_at: datetime) -> list[MemoryItem]:
    """What of `message`, which was said at `said_at` by the clock on the wall, is kept."""
    items: list[MemoryItem] = []
    said = "\n".join(block.text for block in message.blocks if isinstance(block, Text)).strip()
    if _WORD.search(said, 0, MAX_CHARACTERS):
        person = message.role is Role.USER
        speaker, side = (
            (USER_SPEAKER, ItemSide.PERSON) if person else (ASSISTANT_SPEAKER, ItemSide.COMPANION)
        )
        read = any(block.untrusted for block in message.blocks if isinstance(block, Text))
        items.append(
            MemoryItem(
                *(message.id, speaker, side, said_at, said, message.id, conversation),
                untrusted=read,
            )
        )
    items.extend(
        MemoryItem(
            f"{message.id}/{block.index}",
            block.name,
            ItemSide.TOOL,
            said_at,
            escape_markers(block.output[:MAX_RESULT]),
            message.id,
            conversation,
            untrusted=True,
        )
        for block in _tool_results(message)
    )
    return items


def _tool_results(message: Message) -> Iterator[ToolUse]:
    for block in message.blocks:
        if not isinstance(block, ToolUse) or block.status is not ToolStatus.SUCCESS:
            continue
        if block.name.startswith(_SKIPPED_TOOLS) or len(block.output) < _MIN_RESULT:
            continue
        if _WORD.search(block.output):
            yield block
