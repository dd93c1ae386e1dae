"""The course of a talk: whose turn it is, what it may cost, and when it ends."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class End(StrEnum):
    """Why a talk is over."""

    TURNS = "turns"
    TOKENS = "tokens"
    STOPPED = "stopped"
    FAILED = "failed"
    SILENT = "silent"
    REPEATED = "repeated"


@dataclass(frozen=True, slots=True)
class Budget:
    """What all of a talk may take: so many `turns` of all who speak, and so many `tokens` that are
    read and written for them.
    """

    turns: int
    tokens: int


class Course:
    """Of a talk between so many `speakers`, who speak one after the other. The turn in which the
    tokens run out is the last one; it isn't cut.
    """

    def __init__(self, speakers: int, budget: Budget) -> None:
        self._speakers = speakers
        self._budget = budget
        self._said: list[str] = []
        self._tokens = 0
        self.ended: End | None = None if speakers > 1 else End.SILENT

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

    def note(self, words: str, tokens: int, *, whole: bool) -> None:
        """A turn is over: what was said, and what it took; `whole` if it wasn't cut."""
        plain = " ".join(words.split()).casefold()
        repeated = plain in self._said
        self._said.append(plain)
        self._tokens += tokens
        if self.ended is not None:
            return
        if not whole:
            self.ended = End.FAILED
        elif not plain:
            self.ended = End.SILENT
        elif repeated:
            self.ended = End.REPEATED
        elif len(self._said) >= self._budget.turns:
            self.ended = End.TURNS
        elif self._tokens >= self._budget.tokens:
            self.ended = End.TOKENS

    def stop(self) -> None:
        """The person has had enough."""
        self.ended = self.ended or End.STOPPED
