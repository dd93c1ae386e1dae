"""The store of facts.

Each fact has messages of the user as sources and is deleted with them. A fact that contradicts
another is stored beside it until the user decides which is right.
"""

from __future__ import annotations

import asyncio
import sqlite3
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol, TypeVar

from neodeskpet.core import data_labels
from neodeskpet.memory.facts import fact_rows
from neodeskpet.memory.facts.fact import Fact, FactClaim, FactOutcome, FactSource, StoredFact
from neodeskpet.memory.facts.fact_extraction import find_claim, normalized
from neodeskpet.memory.recall.recall_query import MAX_QUESTION
from neodeskpet.memory.recall.text_terms import is_dense, is_single_character, terms_of
from neodeskpet.platform.observers import Observers

T = TypeVar("T")


class FactFile(Protocol):
    """The memory database."""

    async def change(self, work: Callable[[sqlite3.Connection], T]) -> T: ...

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T: ...

    async def wipe(self, ids: Sequence[str]) -> None: ...

    def subscribe(self, tell: Callable[[], object]) -> None: ...


MemoryScope = Callable[[str], str]


def shared_memory(_conversation: str) -> str:
    """The scope of all conversations if characters have no memory of their own."""
    return ""


class FactStore:
    """All coroutines raise only StoreError. `scope` returns the memory to which the messages of a
    conversation belong, "" for the shared one; facts of different memories are not compared.
    """

    def __init__(self, file: FactFile, scope: MemoryScope = shared_memory) -> None:
        self._file = file
        self.file = file
        self.scope = scope
        self._changed: Observers[[]] = Observers()

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` on the loop whenever facts change; return a function that
        unsubscribes.
        """
        return self._changed.subscribe(observer)

    def notify_changed(self) -> None:
        self._changed.notify()

    async def list_facts(self, query: str = "") -> list[Fact]:
        """Return the facts with all words of `query`, pinned ones first, then the newest."""
        found = await self._file.read(fact_rows.read_facts)
        wanted = query.casefold().split()
        return [one for one in found if all(word in one.text.casefold() for word in wanted)]

    async def list_relevant(self, text: str, count: int, conversation: str = "") -> list[Fact]:
        """Return at most `count` facts of the memory of `conversation`: pinned ones, then those
        with most words of `text`, then the newest.
        """
        found = await self._file.read(fact_rows.read_facts)
        known = [one for one in found if self.is_known(one, conversation)]
        return (await asyncio.to_thread(by_relevance, known, text[:MAX_QUESTION]))[:count]

    def is_known(self, fact: Fact, conversation: str) -> bool:
        """Return whether a fact belongs to the memory of this conversation. Facts written by hand
        belong to the shared memory.
        """
        scopes = {self.scope(one.conversation) for one in fact.sources} or {""}
        return self.scope(conversation) in scopes

    # Adding

    async def add(
        self,
        text: str,
        claim: FactClaim,
        source: FactSource | None,
        now: datetime,
        *,
        own: bool = False,
        untrusted: Sequence[data_labels.DataSource] = (),
    ) -> StoredFact:
        """Store a fact that was said in `source`, or written by the user (`own`). `untrusted` are
        the untrusted sources that were read when it was written.
        """

        def work(connection: sqlite3.Connection) -> StoredFact:
            there = source.conversation if source is not None else ""
            known = [one for one in fact_rows.read_facts(connection) if self.is_known(one, there)]
            sources = (source,) if source is not None else ()
            for one in known:
                if is_same(one, text, claim):
                    said = replace(one, time=max(one.time, now), sources=sources)
                    fact_rows.put_fact(connection, said)
                    return StoredFact(
                        replace(said, sources=(*one.sources, *sources)), FactOutcome.KNOWN
                    )
            rival = next((one for one in known if contradicts(one, claim)), None)
            fact = Fact(
                str(uuid.uuid4()),
                text,
                now,
                claim,
                sources,
                by_user=own,
                untrusted=tuple(untrusted),
            )
            if rival is not None:
                fact = replace(fact, conflicting_id=rival.id)
            fact_rows.put_fact(connection, fact)
            fact_rows.delete_oldest_facts(connection)
            return StoredFact(
                fact, FactOutcome.NEW if rival is None else FactOutcome.CONTRADICTS, rival
            )

        return await self._notify_after(self._file.change(work))

    async def update(self, fact_id: str, text: str, now: datetime) -> Fact | None:
        """Replace the text of a fact by the user's text; return None if there is no such fact."""

        def work(connection: sqlite3.Connection) -> Fact | None:
            fact = _get(connection, fact_id)
            if fact is None:
                return None
            changed = replace(
                fact, text=text, claim=find_claim(text), time=now, by_user=True, conflicting_id=""
            )
            changed = replace(changed, untrusted=())
            fact_rows.put_fact(connection, changed)
            return changed

        changed = await self._file.change(work)
        await self._file.wipe([fact_id])  # remove the old text completely
        self._changed.notify()
        return changed

    async def replace(
        self,
        fact_id: str,
        text: str,
        claim: FactClaim,
        source: FactSource,
        now: datetime,
        untrusted: Sequence[data_labels.DataSource] = (),
    ) -> Fact | None:
        """Update a fact from a new statement in `source` and resolve its conflicts; return None if
        there is no such fact.
        """

        def work(connection: sqlite3.Connection) -> tuple[Fact | None, list[str]]:
            fact = _get(connection, fact_id)
            if fact is None:
                return None, []
            rivals = [
                one.id for one in fact_rows.read_facts(connection) if one.conflicting_id == fact_id
            ]
            gone = fact_rows.delete_facts(
                connection, [*rivals, *filter(None, [fact.conflicting_id])]
            )
            revised = replace(
                fact,
                text=text,
                claim=claim,
                time=now,
                sources=(source,),
                conflicting_id="",
                by_user=False,
            )
            revised = replace(revised, untrusted=tuple(untrusted))
            fact_rows.put_fact(connection, revised)
            return revised, gone

        revised, gone = await self._file.change(work)
        await self._file.wipe([fact_id, *gone])
        self._changed.notify()
        return revised

    async def set_pinned(self, fact_id: str, pinned: bool) -> None:
        """Pin or unpin a fact. Pinned facts come first in the context, and stay when their sources
        are deleted.
        """
        await self._notify_after(
            self._file.change(
                lambda db: db.execute(
                    "UPDATE facts SET pinned = ? WHERE id = ?", (int(pinned), fact_id)
                )
            )
        )

    # Contradictions

    async def resolve_conflict(self, right: str, wrong: str) -> None:
        """Resolve a conflict: delete the fact that the user calls wrong."""
        await self._file.change(
            lambda db: db.execute("UPDATE facts SET rival = '' WHERE id = ?", (right,))
        )
        await self.delete([wrong])

    async def keep_both(self, fact_id: str) -> None:
        """Resolve a conflict: both facts are right."""
        await self._notify_after(
            self._file.change(
                lambda db: db.execute("UPDATE facts SET rival = '' WHERE id = ?", (fact_id,))
            )
        )

    # Deleting

    async def delete(self, ids: Sequence[str]) -> list[str]:
        """Delete facts permanently: their messages aren't read for facts again. Returns the ids of
        these messages, which still exist.
        """

        def work(connection: sqlite3.Connection) -> list[str]:
            found = [
                message for one in ids for message in fact_rows.read_fact_sources(connection, one)
            ]
            fact_rows.mark_read(connection, found)
            fact_rows.delete_facts(connection, ids)
            return [*dict.fromkeys(found)]

        messages = await self._file.change(work)
        await self._file.wipe(ids)
        self._changed.notify()
        return messages

    # Messages read, and facts told

    async def unread_messages(self, messages: Sequence[str]) -> list[str]:
        """Return the messages that were not yet read for facts, without those whose facts were
        deleted.
        """

        def work(connection: sqlite3.Connection) -> list[str]:
            return [one for one in messages if not fact_rows.is_read(connection, one)]

        return await self._file.read(work)

    async def mark_read(self, messages: Sequence[str]) -> None:
        """Mark these messages as read for facts."""
        await self._file.change(lambda db: fact_rows.mark_read(db, messages))

    async def record_recalled(self, reply: str, facts: Sequence[str]) -> None:
        """Record the facts in the context of the message `reply`."""
        await self._file.change(lambda db: fact_rows.record_recalled(db, reply, facts))

    async def recalled_for(self, reply: str) -> list[Fact]:
        """Return the facts in the context of the message `reply`, without those deleted since."""

        def work(connection: sqlite3.Connection) -> list[Fact]:
            known = {fact.id: fact for fact in fact_rows.read_facts(connection)}
            return [
                known[one] for one in fact_rows.read_recalled(connection, reply) if one in known
            ]

        return await self._file.read(work)

    async def _notify_after(self, work: Awaitable[T]) -> T:
        done = await work
        self._changed.notify()
        return done


def is_same(known: Fact, text: str, claim: FactClaim) -> bool:
    """Return whether `known` is the same fact as this text and claim."""
    if claim.topic and claim.value and known.claim == claim:
        return True
    return normalized(known.text) == normalized(text)


def contradicts(known: Fact, claim: FactClaim) -> bool:
    """Return whether the two can't both be true."""
    return bool(claim.topic) and known.claim.topic == claim.topic and known.claim != claim


def by_relevance(facts: Sequence[Fact], text: str) -> list[Fact]:
    """Return pinned facts first, then those with most words of `text`; otherwise the
    order stays.
    """
    asked = _terms(text)

    def distance(fact: Fact) -> tuple[bool, int]:
        return not fact.pinned, -len(asked & _terms(fact.text))

    return sorted(facts, key=distance)


def _terms(text: str) -> set[str]:
    return {one for one in terms_of(text) if not (is_dense(one) and is_single_character(one))}


def _get(connection: sqlite3.Connection, fact_id: str) -> Fact | None:
    return next((one for one in fact_rows.read_facts(connection) if one.id == fact_id), None)
