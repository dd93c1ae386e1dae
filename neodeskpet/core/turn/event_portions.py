"""Limits how much of the received text is shown at a time. Pure: it counts characters; the caller
has the clock.

A line costs more than its characters because the view examines each line, so the end of a line
counts as LINE_COST characters, and a text of only line ends is shown in small portions. Combining
characters and characters that change the text direction count as COMPLEX_CHARACTER_COST each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from neodeskpet.core.blocks import Text, Thinking
from neodeskpet.core.turn.turn_events import (
    ArgumentsAppended,
    BlockStarted,
    TextAppended,
    TurnEvent,
)

EventBatch = Sequence[tuple[str, TurnEvent]]
"""Events in order, each with the id of its message."""

LINE_COST = 10
COMPLEX_CHARACTER_COST = 12
_COMPLEX = re.compile(
    "[\u0300-\u036f\u200c-\u200f\u202a-\u202e\u2066-\u2069\ufe00-\ufe0f\U00010000-\U0010ffff]"
)


def take_portion(batch: EventBatch, most: int) -> tuple[EventBatch, EventBatch]:
    """Split off the first events with at most `most` characters (> 0) of growing text, and return
    both parts. A longer text is cut in two, so a delta of a megabyte becomes many portions.
    """
    left = most
    for number, (message_id, event) in enumerate(batch):
        text = _text_of(event)
        length = len(text)
        if length > left or (length := _cost(text)) > left:
            at = _fitting_length(text, left) or int(not number)
            if not at:
                return batch[:number], batch[number:]
            first, second = _cut(event, at)
            return (
                [*batch[:number], (message_id, first)],
                [(message_id, second), *batch[number + 1 :]],
            )
        left -= length
    return batch, ()


def _cost(text: str) -> int:
    intricate = 0 if text.isascii() else len(_COMPLEX.findall(text))
    return len(text) + (LINE_COST - 1) * text.count("\n") + (COMPLEX_CHARACTER_COST - 1) * intricate


def _fitting_length(text: str, left: int) -> int:
    """Return how many characters of `text` cost at most `left`."""
    low, high = 0, min(left, len(text))
    while low < high:
        middle = (low + high + 1) // 2
        if _cost(text[:middle]) <= left:
            low = middle
        else:
            high = middle - 1
    return low


def _text_of(event: TurnEvent) -> str:
    match event:
        case TextAppended(text=text) | ArgumentsAppended(json=text):
            return text
        case BlockStarted(block=Text(text=text) | Thinking(text=text)):
            return text
        case _:
            return ""


def _cut(event: TurnEvent, at: int) -> tuple[TurnEvent, TurnEvent]:
    match event:
        case BlockStarted(block=Text(text=text) | Thinking(text=text) as block):
            begun = BlockStarted(replace(block, text=text[:at]))
            return begun, TextAppended(block.index, text[at:])
        case ArgumentsAppended(index=index, json=text):
            return ArgumentsAppended(index, text[:at]), ArgumentsAppended(index, text[at:])
        case _:
            assert isinstance(event, TextAppended), "nothing else grows"
            index, text = event.index, event.text
            return TextAppended(index, text[:at]), TextAppended(index, text[at:])
