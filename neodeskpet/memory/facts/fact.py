"""What a fact is. Values only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto

from neodeskpet.core import labels

MAX_FACT = 300
"""Characters of a fact: what is longer is no fact any more."""


@dataclass(frozen=True, slots=True)
class FactSource:
    """The message of the person in which they said it."""

    message: str
    conversation: str


@dataclass(frozen=True, slots=True)
class FactClaim:
    """What a sentence says of the person who wrote it. Of one `topic` only one `value` can hold
    ("home": "berlin"); "" where several can.
    """

    topic: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """`time` is when it was said last, by the clock on the wall. `own`: the person wrote or changed
    it by hand. `rival` is the id of an older fact that says otherwise, until the person has said
    which is right. `untrusted` are the untrusted sources that were read when it was written.
    """

    id: str
    text: str
    time: datetime
    claim: FactClaim = FactClaim()
    sources: tuple[FactSource, ...] = ()
    pinned: bool = False
    by_user: bool = False
    conflicting_id: str = ""
    untrusted: tuple[labels.DataSource, ...] = ()


class FactOutcome(Enum):
    """KNOWN: it was there already. CONTRADICTS: another fact says otherwise, which is asked."""

    NEW = auto()
    KNOWN = auto()
    CONTRADICTS = auto()


@dataclass(frozen=True, slots=True)
class StoredFact:
    """What became of something that was said; `rival` is what it contradicts."""

    fact: Fact
    outcome: FactOutcome
    conflicting_fact: Fact | None = None
