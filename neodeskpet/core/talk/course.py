"""The course of a talk: whose turn it is, what it may cost, and when it ends."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
