"""Companions that talk with each other: whose turn it is, when the dialogue ends, and which
messages each of them is sent. To a speaker its own turns are replies; the turns of the others
are untrusted text. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from neodeskpet.core.blocks import Block, Message, Role, Text
from neodeskpet.core.token_budget import estimate_tokens
from neodeskpet.core.untrusted import UNTRUSTED_TEXT_RULE, escape_markers, mark_untrusted


class DialogueEnd(StrEnum):
    """Why a talk is over."""

    TURNS = "turns"
    TOKENS = "tokens"
    STOPPED = "stopped"
    FAILED = "failed"
    SILENT = "silent"
    REPEATED = "repeated"


@dataclass(frozen=True, slots=True)
class DialogueBudget:
    """What all of a talk may take: so many `turns` of all who speak, and so many `tokens` that are
    read and written for them.
    """

    turns: int
    tokens: int


class DialogueCourse:
    """Of a talk between so many `speakers`, who speak one after the other. The turn in which the
    tokens run out is the last one; it isn't cut.
    """

    def __init__(self, speakers: int, budget: DialogueBudget) -> None:
        self._speakers = speakers
        self._budget = budget
        self._said: list[str] = []
        self._tokens = 0
        self.ended: DialogueEnd | None = None if speakers > 1 else DialogueEnd.SILENT

    @property
    def speaker(self) -> int:
        """Whose turn it is, from 0."""
        return len(self._said) % self._speakers

    @property
    def turns(self) -> int:
        """How many there were."""
        return len(self._said)

    @property
    def tokens(self) -> int:
        """What they took."""
        return self._tokens

    def record_turn(self, words: str, tokens: int, *, whole: bool) -> None:
        """A turn is over: what was said, and what it took; `whole` if it wasn't cut."""
        plain = " ".join(words.split()).casefold()
        repeated = plain in self._said
        self._said.append(plain)
        self._tokens += tokens
        if self.ended is not None:
            return
        if not whole:
            self.ended = DialogueEnd.FAILED
        elif not plain:
            self.ended = DialogueEnd.SILENT
        elif repeated:
            self.ended = DialogueEnd.REPEATED
        elif len(self._said) >= self._budget.turns:
            self.ended = DialogueEnd.TURNS
        elif self._tokens >= self._budget.tokens:
            self.ended = DialogueEnd.TOKENS

    def stop(self) -> None:
        """The person has had enough."""
        self.ended = self.ended or DialogueEnd.STOPPED


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
