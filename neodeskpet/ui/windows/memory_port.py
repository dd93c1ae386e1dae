"""What the windows of the memory ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from typing import Protocol


class MemoryKind(Enum):
    """What the person or the companion said, what a tool brought, a document of the person's, or a
    fact about them.
    """

    USER = auto()
    COMPANION = auto()
    TOOL = auto()
    DOCUMENT = auto()
    FACT = auto()


@dataclass(frozen=True, slots=True)
class MemorySource:
    """A message, and what its conversation is called; or a passage (`message`) of a `document`."""

    message: str
    conversation: str
    title: str
    document: bool = False


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """`relevance` is 0 to 1, None where nothing was searched for; `source` names a tool or a
    document. `rival` is what this fact contradicts. `elsewhere`: it was written or corrected on
    another computer, and came over a server without encryption.
    """

    id: str
    kind: MemoryKind
    text: str
    time: datetime
    sources: tuple[MemorySource, ...] = ()
    source: str = ""
    relevance: float | None = None
    pinned: bool = False
    corrected: bool = False
    contradicted: MemoryItem | None = None
    is_unverified_remote: bool = False


class MemoryPort(Protocol):
    """Coroutines raise KnownError."""

    async def used_in_reply(self, reply: str) -> list[MemoryItem]:
        """What the message `reply` was told of the past."""
        ...

    async def facts(self, query: str) -> list[MemoryItem]:
        """The facts with all words of `query`; contradictions first."""
        ...

    async def add(self, text: str) -> None:
        """Keep a fact that the person writes."""
        ...

    async def correct(self, one: MemoryItem, text: str) -> None: ...

    async def pin(self, one: MemoryItem, pinned: bool) -> None: ...

    async def forget(self, one: MemoryItem) -> Sequence[str]:
        """For ever; the messages that still stand, if it was a fact of these."""
        ...

    async def forget_messages(self, ids: Sequence[str]) -> None:
        """For ever, with their answers."""
        ...

    async def resolve_conflict(self, right: MemoryItem, wrong: MemoryItem) -> None:
        """Of two that contradict each other the person says which is right."""
        ...

    async def keep_both(self, one: MemoryItem) -> None: ...

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` whenever the facts are others; returns what ends it."""
        ...
