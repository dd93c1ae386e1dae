"""The facts of the memory, and what can be done with them.

Each stands on messages of the person and goes with them. What contradicts another waits beside it
until the person has said which is right.
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
    """The memory's file."""

    async def change(self, work: Callable[[sqlite3.Connection], T]) -> T: ...

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T: ...

    async def wipe(self, ids: Sequence[str]) -> None: ...

    def subscribe(self, tell: Callable[[], object]) -> None: ...


MemoryScope = Callable[[str], str]


def shared_memory(_conversation: str) -> str:
    """The scope of all conversations where characters have no memory of their own."""
    return ""


class FactStore:
    """All coroutines raise StoreError and nothing else. `scope` gives the memory that the messages
    of a conversation belong to, "" for the shared one; facts of one memory are not compared with
    those of another.
    """

    def __init__(self, file: FactFile, scope: MemoryScope = shared_memory) -> None:
        self._file = file
        self.file = file
        self.scope = scope
        self._changed: Observers[[]] = Observers()

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` on the loop whenever the facts are others; returns what ends it."""
        return self._changed.subscribe(observer)

    def notify_changed(self) -> None:
        self._changed.notify()

    async def list_facts(self, query: str = "") -> list[Fact]:
        """The pinned first, then the newest; only those with all the words of `query`."""
        found = await self._file.read(fact_rows.read_facts)
        wanted = query.casefold().split()
        return [one for one in found if all(word in one.text.casefold() for word in wanted)]

    async def list_relevant(self, text: str, count: int, conversation: str = "") -> list[Fact]:
        """At most `count` of those that are known in `conversation`: the pinned, then those that
        have most of the words of `text`, then the newest.
        """
        found = await self._file.read(fact_rows.read_facts)
        known = [one for one in found if self.is_known(one, conversation)]
        return (await asyncio.to_thread(by_relevance, known, text[:MAX_QUESTION]))[:count]

    def is_known(self, fact: Fact, conversation: str) -> bool:
        """Whether a fact belongs to the memory of this conversation. What the person wrote by hand
        is in the one that is shared.
        """
        scopes = {self.scope(one.conversation) for one in fact.sources} or {""}
        return self.scope(conversation) in scopes

    # In

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
        """Keep a fact that was said in `source`, or that the person wrote (`own`). `untrusted` are
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
        """Have the person's words in the place of a fact's; None where there is no such fact."""

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
        await self._file.wipe([fact_id])  # what it said before is nowhere any more
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
        """The person has said something else in `source`: this fact says so from now on, and what
        contradicted it is settled. None where there is no such fact.
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
        """A pinned one is told first, and stays when what it is from goes."""
        await self._notify_after(
            self._file.change(
                lambda db: db.execute(
                    "UPDATE facts SET pinned = ? WHERE id = ?", (int(pinned), fact_id)
                )
            )
        )

    # Contradictions

    async def resolve_conflict(self, right: str, wrong: str) -> None:
        """The person says which of two is right: the other is forgotten."""
        await self._file.change(
            lambda db: db.execute("UPDATE facts SET rival = '' WHERE id = ?", (right,))
        )
        await self.delete([wrong])

    async def keep_both(self, fact_id: str) -> None:
        """Both hold."""
        await self._notify_after(
            self._file.change(
                lambda db: db.execute("UPDATE facts SET rival = '' WHERE id = ?", (fact_id,))
            )
        )

    # Out

    async def delete(self, ids: Sequence[str]) -> list[str]:
        """Forget facts for ever: the messages they are from aren't read for facts again. The ids of
        these messages, which still stand.
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

    # What was read, and told

    async def unread_messages(self, messages: Sequence[str]) -> list[str]:
        """Those of these messages that weren't read for facts, with none forgotten of theirs."""

        def work(connection: sqlite3.Connection) -> list[str]:
            return [one for one in messages if not fact_rows.is_read(connection, one)]

        return await self._file.read(work)

    async def mark_read(self, messages: Sequence[str]) -> None:
        """Nothing of these messages is read for facts any more."""
        await self._file.change(lambda db: fact_rows.mark_read(db, messages))

    async def record_told(self, reply: str, facts: Sequence[str]) -> None:
        """Remember which facts the message `reply` was told."""
        await self._file.change(lambda db: fact_rows.record_told(db, reply, facts))

    async def facts_told(self, reply: str) -> list[Fact]:
        """The facts that the message `reply` was told, without what was forgotten since."""

        def work(connection: sqlite3.Connection) -> list[Fact]:
            known = {fact.id: fact for fact in fact_rows.read_facts(connection)}
            return [known[one] for one in fact_rows.read_told(connection, reply) if one in known]

        return await self._file.read(work)

    async def _notify_after(self, work: Awaitable[T]) -> T:
        done = await work
        self._changed.notify()
        return done


def is_same(known: Fact, text: str, claim: FactClaim) -> bool:
    """Whether `known` says what a new fact of these words and this claim says."""
    if claim.topic and claim.value and known.claim == claim:
        return True
    return normalized(known.text) == normalized(text)


def contradicts(known: Fact, claim: FactClaim) -> bool:
    """Whether only one of the two can hold."""
    return bool(claim.topic) and known.claim.topic == claim.topic and known.claim != claim


def by_relevance(facts: Sequence[Fact], text: str) -> list[Fact]:
    """The pinned, then those that have most of the words of `text`; as they were else."""
    asked = _terms(text)

    def distance(fact: Fact) -> tuple[bool, int]:
        return not fact.pinned, -len(asked & _terms(fact.text))

    return sorted(facts, key=distance)


def _terms(text: str) -> set[str]:
    return {one for one in terms_of(text) if not (is_dense(one) and is_single_character(one))}


def _get(connection: sqlite3.Connection, fact_id: str) -> Fact | None:
    return next((one for one in fact_rows.read_facts(connection) if one.id == fact_id), None)
