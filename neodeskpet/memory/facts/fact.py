"""A fact, and its form as a line of an exported memory."""

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
"""Highest number of characters of a fact."""


@dataclass(frozen=True, slots=True)
class FactSource:
    """The message in which the user stated it."""

    message: str
    conversation: str


@dataclass(frozen=True, slots=True)
class FactClaim:
    """The statement of a sentence about its writer. For each `topic` only one `value` can be true
    ("home": "berlin"); "" if several can.
    """

    topic: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """`time` is when it was last said, in local clock time. `by_user`: the user wrote or changed it
    by hand. `conflicting_id` is the id of an older fact that contradicts it, until the user has
    decided which is right. `untrusted` are the untrusted sources that were read when it was
    written.
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
    """KNOWN: the fact was already stored. CONTRADICTS: it contradicts another fact, so the user is
    asked.
    """

    NEW = auto()
    KNOWN = auto()
    CONTRADICTS = auto()


@dataclass(frozen=True, slots=True)
class StoredFact:
    """The result of storing a statement; `conflicting_fact` is the fact that it contradicts."""

    fact: Fact
    outcome: FactOutcome
    conflicting_fact: Fact | None = None


FACT_TYPE = "fact"
"""The `side` of a fact in an export."""
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


def parse_fact(record: Mapping[str, Any]) -> Fact:
    """Read a fact from a line. Raises KeyError, TypeError and ValueError if it isn't one."""
    return Fact(
        plain_id(record["id"]),
        str(record["text"])[:MAX_FACT],
        datetime.fromisoformat(str(record["time"])).replace(tzinfo=None),
        FactClaim(str(record.get("topic", "")), str(record.get("value", ""))),
        tuple(
            FactSource(plain_id(message), plain_id(where))
            for message, where in record.get("sources", ())
        ),
        bool(record.get("pinned", False)),
        bool(record.get("own", False)),
        untrusted=IMPORTED_LABELS.untrusted,  # anybody may have written the file
    )


def plain_id(foreign: object) -> str:
    """Return an id from a file. An id that this program doesn't generate, and that the sync server
    might not store, is replaced by a fixed other one; "" stays.
    """
    text = str(foreign)
    if text.isprintable() and len(text) <= _LONGEST_ID:
        return text
    return str(uuid.uuid5(uuid.NAMESPACE_OID, ascii(text)))
