"""A fact as a line of an exported memory."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from neodeskpet.core.labels import IMPORTED, write_sources
from neodeskpet.memory.facts.fact import LONGEST, Claim, Fact, Source

FACT = "fact"
"""The `side` of such a line."""


def write_fact(fact: Fact) -> dict[str, object]:
    return {
        "side": FACT,
        "id": fact.id,
        "time": fact.time.isoformat(),
        "text": fact.text,
        "topic": fact.claim.topic,
        "value": fact.claim.value,
        "pinned": fact.pinned,
        "own": fact.own,
        "untrusted": write_sources(fact.untrusted),
        "sources": [[one.message, one.conversation] for one in fact.sources],
    }


def read_fact(told: Mapping[str, Any]) -> Fact:
    """Raises KeyError, TypeError and ValueError for what is no fact."""
    return Fact(
        str(told["id"]),
        str(told["text"])[:LONGEST],
        datetime.fromisoformat(str(told["time"])).replace(tzinfo=None),
        Claim(str(told.get("topic", "")), str(told.get("value", ""))),
        tuple(Source(str(message), str(where)) for message, where in told.get("sources", ())),
        bool(told.get("pinned", False)),
        bool(told.get("own", False)),
        untrusted=IMPORTED.untrusted,  # whatever the file says, anybody may have written it
    )
