"""Dialogues between companions: whose turn it is, when the dialogue ends, and which messages each
companion gets. A speaker's own turns are assistant messages for it; the turns of the others are
untrusted text. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from neodeskpet.core.blocks import Block, Message, Role, Text
from neodeskpet.core.token_budget import estimate_tokens
from neodeskpet.core.untrusted import UNTRUSTED_TEXT_RULE, escape_markers, mark_untrusted


class DialogueEnd(StrEnum):
    """Why a dialogue ended."""

    TURNS = "turns"
    TOKENS = "tokens"
    STOPPED = "stopped"
    FAILED = "failed"
    SILENT = "silent"
    REPEATED = "repeated"


@dataclass(frozen=True, slots=True)
class DialogueBudget:
    """Limits of a whole dialogue: `turns` of all speakers together, and `tokens` read and written
    for them.
    """

    turns: int
    tokens: int


class DialogueCourse:
    """The course of a dialogue between `speakers` companions, who speak one after the other. The
    turn that exceeds the token limit is the last one; it isn't cut.
    """

    def __init__(self, speakers: int, budget: DialogueBudget) -> None:
        self._speakers = speakers
        self._budget = budget
        self._said: list[str] = []
        self._tokens = 0
        self.ended: DialogueEnd | None = None if speakers > 1 else DialogueEnd.SILENT

    @property
    def speaker(self) -> int:
        """The index of the next speaker."""
        return len(self._said) % self._speakers

    @property
    def turns(self) -> int:
        """The number of completed turns."""
        return len(self._said)

    @property
    def tokens(self) -> int:
        """The tokens that were used."""
        return self._tokens

    def record_turn(self, words: str, tokens: int, *, whole: bool) -> None:
        """Record a completed turn with its text and its tokens. `whole`: it wasn't cut."""
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
        """End the dialogue on the user's request."""
        self.ended = self.ended or DialogueEnd.STOPPED


DIALOGUE = (
    "You are talking with {others}, who live on the same desktop, while the user listens. What "
    "{others} said is between ⟦foreign: …⟧ and ⟦/foreign⟧; answer as yourself, in one to three "
    "short sentences and in the language of the talk, without your name before it. Tools can't be "
    "used in this talk. Say nothing that you have said before, and nothing for {others}."
)


def dialogue_instructions(names: Sequence[str], speaker: int) -> str:
    """Return the instructions for `speaker`."""
    others = ", ".join(name for number, name in enumerate(names) if number != speaker)
    return f"{DIALOGUE.format(others=others)}\n\n{UNTRUSTED_TEXT_RULE}"


def speaker_block(name: str) -> Text:
    """Return the block that begins each turn of this speaker."""
    return Text(0, 0, f"**{_plain(name)}**")


def messages_for_speaker(
    messages: Sequence[Message], names: Sequence[str], speaker: int
) -> list[Message]:
    """Return `messages` from the point of view of `speaker`. A reply without a speaker's name is
    the first companion's: the user joined in, and it answered.
    """
    return [_as_heard(message, names, speaker) for message in messages]


def turn_tokens(messages: Sequence[Message], reply: Message) -> int:
    """Return the tokens of a turn: as reported, otherwise an estimate."""
    usage = reply.usage
    if usage is not None and usage.input_tokens + usage.output_tokens:
        return usage.input_tokens + usage.output_tokens
    return sum(estimate_tokens(one.text) for one in (*messages, reply))


def spoken_text(message: Message) -> str:
    """Return the text of a turn without the speaker's name."""
    return replace(message, blocks=without_speaker_block(message.blocks)).text


def without_speaker_block(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return the blocks without the one with the speaker's name."""
    return tuple(blocks[1:] if _is_sign(blocks) else blocks)


def _as_heard(message: Message, names: Sequence[str], speaker: int) -> Message:
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
    """Return the name on one line, without Markdown."""
    return " ".join(escape_markers(name).replace("*", "").split()) or "?"
