"""What a fact is, and how it is written as a line of an exported memory."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from typing import Any

from neodeskpet.core import data_labels
from neodeskpet.core.data_labels import IMPORTED_LABELS, write_sources

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
    untrusted: tuple[data_labels.DataSource, ...] = ()


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


FACT_TYPE = "fact"
"""The `side` of such a line."""
_LONGEST_ID = 200


def format_fact(fact: Fact) -> dict[str, object]:
    return {
        "side": FACT_TYPE,
        "id": fact.id,
        "time": fact.time.isoformat(),
        "text": fact.text,
        "topic": fact.claim.topic,
        "value": fact.claim.value,
        "pinned": fact.pinned,
        "own": fact.by_user,
        "untrusted": write_sources(fact.untrusted),
        "sources": [[one.message, one.conversation] for one in fact.sources],
    }


def parse_fact(told: Mapping[str, Any]) -> Fact:
    """Raises KeyError, TypeError and ValueError for what is no fact."""
    return Fact(
        plain_id(told["id"]),
        str(told["text"])[:MAX_FACT],
        datetime.fromisoformat(str(told["time"])).replace(tzinfo=None),
        FactClaim(str(told.get("topic", "")), str(told.get("value", ""))),
        tuple(
            FactSource(plain_id(message), plain_id(where))
            for message, where in told.get("sources", ())
        ),
        bool(told.get("pinned", False)),
        bool(told.get("own", False)),
        untrusted=IMPORTED_LABELS.untrusted,  # whatever the file says, anybody may have written it
    )


def plain_id(foreign: object) -> str:
    """An id from a file. One that no program of ours makes, which the sync server might not store,
    gets another id that is always the same; "" stays.
    """
    told = str(foreign)
    if told.isprintable() and len(told) <= _LONGEST_ID:
        return told
    return str(uuid.uuid5(uuid.NAMESPACE_OID, ascii(told)))
