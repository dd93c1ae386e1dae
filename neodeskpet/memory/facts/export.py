"""A fact as a line of an exported memory."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from neodeskpet.core.labels import IMPORTED_LABELS, write_sources
from neodeskpet.memory.facts.fact import MAX_FACT, Fact, FactClaim, FactSource

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
