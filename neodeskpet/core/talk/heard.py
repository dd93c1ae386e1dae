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
from neodeskpet.core.foreign import UNTRUSTED_TEXT_RULE, escape_markers, mark_untrusted

DIALOGUE = (
    "You are talking with {others}, who live on the same desktop, while the person listens. What "
    "{others} said stands between ⟦foreign: …⟧ and ⟦/foreign⟧; answer as yourself, in one to three "
    "short sentences and in the language of the talk, without your name before it. Tools can't be "
    "used in this talk. Say nothing that you have said before, and nothing for {others}."
)


def dialogue_instructions(names: Sequence[str], speaker: int) -> str:
    """What `speaker` is told of the talk."""
    others = ", ".join(name for number, name in enumerate(names) if number != speaker)
    return f"{DIALOGUE.format(others=others)}\n\n{UNTRUSTED_TEXT_RULE}"


def speaker_block(name: str) -> Text:
    """The block that a turn of this speaker begins with."""
    return Text(0, 0, f"**{_plain(name)}**")


def messages_for_speaker(
    messages: Sequence[Message], names: Sequence[str], speaker: int
) -> list[Message]:
    """`messages` as `speaker` hears them. An answer that nobody signed is the first speaker's: the
    person has joined in, and it answered.
    """
    return [_heard(message, names, speaker) for message in messages]


def turn_tokens(messages: Sequence[Message], reply: Message) -> int:
    """Tokens that a turn took: as they were reported, else an estimate."""
    usage = reply.usage
    if usage is not None and usage.input_tokens + usage.output_tokens:
        return usage.input_tokens + usage.output_tokens
    return sum(estimate_tokens(one.text) for one in (*messages, reply))


def spoken_text(message: Message) -> str:
    """The words of a turn without the speaker's sign."""
    return replace(message, blocks=without_speaker_block(message.blocks)).text


def without_speaker_block(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Without the block that names the speaker."""
    return tuple(blocks[1:] if _is_sign(blocks) else blocks)


def _heard(message: Message, names: Sequence[str], speaker: int) -> Message:
    if message.role is Role.USER:
        return message
    who = _speaker(message, names)
    if who == speaker:
        return replace(message, blocks=without_speaker_block(message.blocks))
    words = mark_untrusted(escape_markers(spoken_text(message)), _plain(names[who]))
    return replace(message, role=Role.USER, blocks=(Text(0, 0, words),))


def _speaker(message: Message, names: Sequence[str]) -> int:
    first = message.blocks[0] if message.blocks else None
    return next((at for at, name in enumerate(names) if speaker_block(name) == first), 0)


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
    return " ".join(escape_markers(name).replace("*", "").split()) or "?"
