"""What each of those who talk with each other hears of the same messages.

A turn of the talk is an answer whose first block names the speaker. To the speaker its own turns
are answers; those of the others are text of others, between marks, as the pages of the web are: it
can neither give orders nor speak for the person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from neodeskpet.core.blocks import Block, Message, Role, Text
from neodeskpet.core.context import estimate_tokens
from neodeskpet.core.foreign import RULE, defuse, mark

TALK = (
    "You are talking with {others}, who live on the same desktop, while the person listens. What "
    "{others} said stands between ⟦foreign: …⟧ and ⟦/foreign⟧; answer as yourself, in one to three "
    "short sentences and in the language of the talk, without your name before it. Tools can't be "
    "used in this talk. Say nothing that you have said before, and nothing for {others}."
)


def told(names: Sequence[str], speaker: int) -> str:
    """What `speaker` is told of the talk."""
    others = ", ".join(name for number, name in enumerate(names) if number != speaker)
    return f"{TALK.format(others=others)}\n\n{RULE}"


def sign(name: str) -> Text:
    """The block that a turn of this speaker begins with."""
    return Text(0, 0, f"**{_plain(name)}**")


def heard(messages: Sequence[Message], names: Sequence[str], speaker: int) -> list[Message]:
    """`messages` as `speaker` hears them. An answer that nobody signed is the first speaker's: the
    person has joined in, and it answered.
    """
    return [_heard(message, names, speaker) for message in messages]


def spent(messages: Sequence[Message], reply: Message) -> int:
    """Tokens that a turn took: as they were reported, else an estimate."""
    usage = reply.usage
    if usage is not None and usage.input_tokens + usage.output_tokens:
        return usage.input_tokens + usage.output_tokens
    return sum(estimate_tokens(one.text) for one in (*messages, reply))


def said(message: Message) -> str:
    """The words of a turn without the speaker's sign."""
    return replace(message, blocks=unsigned(message.blocks)).text


def unsigned(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Without the block that names the speaker."""
    return tuple(blocks[1:] if _is_sign(blocks) else blocks)


def _heard(message: Message, names: Sequence[str], speaker: int) -> Message:
    if message.role is Role.USER:
        return message
    who = _speaker(message, names)
    if who == speaker:
        return replace(message, blocks=unsigned(message.blocks))
    words = mark(defuse(said(message)), _plain(names[who]))
    return replace(message, role=Role.USER, blocks=(Text(0, 0, words),))


def _speaker(message: Message, names: Sequence[str]) -> int:
    first = message.blocks[0] if message.blocks else None
    return next((at for at, name in enumerate(names) if sign(name) == first), 0)


def _is_sign(blocks: Sequence[Block]) -> bool:
    first = blocks[0] if blocks else None
    return (
        isinstance(first, Text)
        and first.round == 0
        and len(first.text) > 4
        and first.text.startswith("**")
        and first.text.endswith("**")
        and "\n" not in first.text
    )


def _plain(name: str) -> str:
    """On one line and without what Markdown would take for more."""
    return " ".join(defuse(name).replace("*", "").split()) or "?"
