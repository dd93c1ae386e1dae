"""What the windows of the memory ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from typing import Protocol


class Kind(Enum):
    """What the person or the companion said, what a tool brought, a document of the person's, or a
    fact about them.
    """

    PERSON = auto()
    COMPANION = auto()
    TOOL = auto()
    DOCUMENT = auto()
    FACT = auto()


@dataclass(frozen=True, slots=True)
class Spot:
    """A message, and what its conversation is called; or a passage (`message`) of a `document`."""

    message: str
    conversation: str
    title: str
    document: bool = False


@dataclass(frozen=True, slots=True)
class Remembered:
    """`relevance` is 0 to 1, None where nothing was searched for; `source` names a tool or a
    document. `rival` is what this fact contradicts. `elsewhere`: it was written or corrected on
    another computer, and came over a server without encryption.
    """

    id: str
    kind: Kind
    text: str
    time: datetime
    spots: tuple[Spot, ...] = ()
    source: str = ""
    relevance: float | None = None
    pinned: bool = False
    corrected: bool = False
    rival: Remembered | None = None
    elsewhere: bool = False


class MemoryPort(Protocol):
    """Coroutines raise KnownError."""

    async def told(self, reply: str) -> list[Remembered]:
        """What the message `reply` was told of the past."""
        ...

    async def facts(self, query: str) -> list[Remembered]:
        """The facts with all words of `query`; contradictions first."""
        ...

    async def add(self, text: str) -> None:
        """Keep a fact that the person writes."""
        ...

    async def correct(self, one: Remembered, text: str) -> None: ...

    async def pin(self, one: Remembered, pinned: bool) -> None: ...

    async def forget(self, one: Remembered) -> Sequence[str]:
        """For ever; the messages that still stand, if it was a fact of these."""
        ...

    async def forget_messages(self, ids: Sequence[str]) -> None:
        """For ever, with their answers."""
        ...

    async def decide(self, right: Remembered, wrong: Remembered) -> None:
        """Of two that contradict each other the person says which is right."""
        ...

    async def keep_both(self, one: Remembered) -> None: ...

    def observe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` whenever the facts are others; returns what ends it."""
        ...
