"""The interface between the windows of the memory and the memory itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from typing import Protocol


class MemoryKind(Enum):
    """A message of the user or the companion, a tool's result, a document of the user, or a fact
    about the user.
    """

    USER = auto()
    COMPANION = auto()
    TOOL = auto()
    DOCUMENT = auto()
    FACT = auto()


@dataclass(frozen=True, slots=True)
class MemorySource:
    """A message with the title of its conversation; or a passage (`message`) of a `document`."""

    message: str
    conversation: str
    title: str
    document: bool = False


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """`source` names a tool or a document. `contradicted` is the fact that this one contradicts.
    `is_unverified_remote`: it was written or corrected on another computer and received from a
    server without encryption. Found items are in their order, without figures: it also depends on
    their age and their speakers, so that figures would not descend.
    """

    id: str
    kind: MemoryKind
    text: str
    time: datetime
    sources: tuple[MemorySource, ...] = ()
    source: str = ""
    pinned: bool = False
    corrected: bool = False
    contradicted: MemoryItem | None = None
    is_unverified_remote: bool = False


class MemoryPort(Protocol):
    """The memory. Coroutines raise KnownError."""

    async def used_in_reply(self, reply: str) -> list[MemoryItem]:
        """Return the memories that the message `reply` was given."""
        ...

    async def facts(self, query: str) -> list[MemoryItem]:
        """Return the facts with all words of `query`; contradictions first."""
        ...

    async def add(self, text: str) -> None:
        """Add a fact that the user wrote."""
        ...

    async def correct(self, one: MemoryItem, text: str) -> None: ...

    async def pin(self, one: MemoryItem, pinned: bool) -> None: ...

    async def forget(self, one: MemoryItem) -> Sequence[str]:
        """Forget it permanently; return the ids of the remaining messages that a fact was
        based on.
        """
        ...

    async def forget_messages(self, ids: Sequence[str]) -> None:
        """Delete these messages and their replies permanently."""
        ...

    async def resolve_conflict(self, right: MemoryItem, wrong: MemoryItem) -> None:
        """Resolve a contradiction by the user's choice."""
        ...

    async def keep_both(self, one: MemoryItem) -> None: ...

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` when the facts change; return a function that unsubscribes."""
        ...
