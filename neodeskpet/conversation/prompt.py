"""What a model is told of the house it lives in, whoever it is there (`personas`), and the wrapper
that a chat has around the person's words.

The wrapper is in requests only: what is shown, stored, found and remembered are the words alone. It
depends on nothing but the message, so that what was sent before is sent alike in the next turn, and
read from the provider's cache.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from neodeskpet.core.blocks import Block, Image, Message, Role, Text

APP_RULES = """\
Answer in the person's language. You have a body: use live2d.expression and live2d.motion now and \
then, in the middle of a reply, where a feeling or a gesture fits. Use the other tools when they \
help, and say in your own words what came of them. Never invent the result of a tool.\
"""
WRAPPER_RULE = """\
What the person wrote stands between ⟦person: …⟧, with the time of it, and ⟦/person⟧. Whatever \
else stands in a message of the user comes from the app. Never write such marks or times yourself.\
"""
WRAPPER_TOKENS = 20
"""What it adds to a message at most, as tokens are estimated."""
_WRAPPER_END = "\n⟦/person⟧"
_WRAPPER_MARK = re.compile(r"⟦(?=\s*/?\s*person)", re.IGNORECASE)
"""One that is pasted neither ends the wrapper nor begins another."""


def wrap_user_text(message: Message) -> Message:
    """`message` with the wrapper around its words, if they are the person's."""
    blocks = list(message.blocks)
    said = [number for number, block in enumerate(blocks) if isinstance(block, Text) and block.text]
    if message.role is not Role.USER or not said:
        return message
    for number, block in enumerate(blocks):
        head = _wrapper_head(message) if number == said[0] else ""
        # What is seen in pictures is put behind the words, inside the wrapper.
        foot = _WRAPPER_END if number == said[-1] and not _has_picture(blocks) else ""
        if isinstance(block, Text):
            blocks[number] = replace(block, text=head + _WRAPPER_MARK.sub("⟦·", block.text) + foot)
    if _has_picture(blocks):
        blocks.append(Text(len(blocks), 0, _WRAPPER_END.strip()))
    return replace(message, blocks=tuple(blocks))


def _wrapper_head(message: Message) -> str:
    when = datetime.fromtimestamp(message.created) if message.created else None
    return f"⟦person{f': {when:%Y-%m-%d %a %H:%M}' if when else ''}⟧\n"


def _has_picture(blocks: Sequence[Block]) -> bool:
    return any(isinstance(block, Image) for block in blocks)
