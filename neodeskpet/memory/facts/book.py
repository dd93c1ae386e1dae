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

from neodeskpet.core import labels
from neodeskpet.memory.facts import rows
from neodeskpet.memory.facts.fact import Claim, Fact, Kept, Outcome, Source
from neodeskpet.memory.facts.reading import claim_of
from neodeskpet.memory.facts.sentences import squeezed
from neodeskpet.memory.recall.query import LONGEST
from neodeskpet.memory.recall.words import is_dense, is_single, terms_of
from neodeskpet.observers import Observers

T = TypeVar("T")


class File(Protocol):
    """The memory's file."""

    async def change(self, work: Callable[[sqlite3.Connection], T]) -> T: ...

    async def look(self, work: Callable[[sqlite3.Connection], T]) -> T: ...

    async def wipe(self, ids: Sequence[str]) -> None: ...

    def follow(self, tell: Callable[[], object]) -> None: ...


class FactBook:
    """All coroutines raise StoreError and nothing else. `scope` tells of a conversation whose
    memory what is said there belongs to, "" for the one that is shared; facts of one say nothing of
    those of another.
    """

    def __init__(self, file: File) -> None:
        self._file = file
        self.file = file
        self.scope: Callable[[str], str] = lambda conversation: ""
        self._changed: Observers[[]] = Observers()

    def observe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` on the loop whenever the facts are others; returns what ends it."""
        return self._changed.add(observer)

    def tell_changed(self) -> None:
        self._changed.tell()

    async def all(self, query: str = "") -> list[Fact]:
        """The pinned first, then the newest; only those with all the words of `query`."""
        found = await self._file.look(rows.read_facts)
        wanted = query.casefold().split()
        return [one for one in found if all(word in one.text.casefold() for word in wanted)]

    async def near(self, text: str, count: int, conversation: str = "") -> list[Fact]:
        """At most `count` of those that are known in `conversation`: the pinned, then those that
        have most of the words of `text`, then the newest.
        """
        found = await self._file.look(rows.read_facts)
        known = [one for one in found if self.known(one, conversation)]
        return (await asyncio.to_thread(by_nearness, known, text[:LONGEST]))[:count]

    def known(self, fact: Fact, conversation: str) -> bool:
        """Whether a fact belongs to the memory of this conversation. What the person wrote by hand
        is in the one that is shared.
        """
        scopes = {self.scope(one.conversation) for one in fact.sources} or {""}
        return self.scope(conversation) in scopes

    # In

    async def keep(
        self,
        text: str,
        claim: Claim,
        source: Source | None,
        now: datetime,
        *,
        own: bool = False,
        untrusted: Sequence[labels.Source] = (),
    ) -> Kept:
        """Keep a fact that was said in `source`, or that the person wrote (`own`). `untrusted` are
        the untrusted sources that were read when it was written.
        """

        def work(connection: sqlite3.Connection) -> Kept:
            there = source.conversation if source is not None else ""
            known = [one for one in rows.read_facts(connection) if self.known(one, there)]
            sources = (source,) if source is not None else ()
            for one in known:
                if is_same(one, text, claim):
                    said = replace(one, time=max(one.time, now), sources=sources)
                    rows.put(connection, said)
                    return Kept(replace(said, sources=(*one.sources, *sources)), Outcome.KNOWN)
            rival = next((one for one in known if contradicts(one, claim)), None)
            fact = Fact(
                *(str(uuid.uuid4()), text, now, claim, sources),
                own=own,
                untrusted=tuple(untrusted),
            )
            if rival is not None:
                fact = replace(fact, rival=rival.id)
            rows.put(connection, fact)
            rows.thin_out(connection)
            return Kept(fact, Outcome.NEW if rival is None else Outcome.CONTRADICTS, rival)

        return await self._tell_after(self._file.change(work))

    async def change(self, fact_id: str, text: str, now: datetime) -> Fact | None:
        """Have the person's words in the place of a fact's; None where there is no such fact."""

        def work(connection: sqlite3.Connection) -> Fact | None:
            fact = _of(connection, fact_id)
            if fact is None:
                return None
            changed = replace(fact, text=text, claim=claim_of(text), time=now, own=True, rival="")
            changed = replace(changed, untrusted=())
            rows.put(connection, changed)
            return changed

        changed = await self._file.change(work)
        await self._file.wipe([fact_id])  # what it said before is nowhere any more
        self._changed.tell()
        return changed

    async def revise(
        self,
        fact_id: str,
        text: str,
        claim: Claim,
        source: Source,
        now: datetime,
        untrusted: Sequence[labels.Source] = (),
    ) -> Fact | None:
        """The person has said something else in `source`: this fact says so from now on, and what
        contradicted it is settled. None where there is no such fact.
        """

        def work(connection: sqlite3.Connection) -> tuple[Fact | None, list[str]]:
            fact = _of(connection, fact_id)
            if fact is None:
                return None, []
            rivals = [one.id for one in rows.read_facts(connection) if one.rival == fact_id]
            gone = rows.remove(connection, [*rivals, *filter(None, [fact.rival])])
            revised = replace(
                fact, text=text, claim=claim, time=now, sources=(source,), rival="", own=False
            )
            revised = replace(revised, untrusted=tuple(untrusted))
            rows.put(connection, revised)
            return revised, gone

        revised, gone = await self._file.change(work)
        await self._file.wipe([fact_id, *gone])
        self._changed.tell()
        return revised

    async def pin(self, fact_id: str, pinned: bool) -> None:
        """A pinned one is told first, and stays when what it is from goes."""
        await self._tell_after(
            self._file.change(
                lambda db: db.execute(
                    "UPDATE facts SET pinned = ? WHERE id = ?", (int(pinned), fact_id)
                )
            )
        )

    # Contradictions

    async def decide(self, right: str, wrong: str) -> None:
        """The person says which of two is right: the other is forgotten."""
        await self._file.change(
            lambda db: db.execute("UPDATE facts SET rival = '' WHERE id = ?", (right,))
        )
        await self.forget([wrong])

    async def keep_both(self, fact_id: str) -> None:
        """Both hold."""
        await self._tell_after(
            self._file.change(
                lambda db: db.execute("UPDATE facts SET rival = '' WHERE id = ?", (fact_id,))
            )
        )

    # Out

    async def forget(self, ids: Sequence[str]) -> list[str]:
        """Forget facts for ever: the messages they are from aren't read for facts again. The ids of
        these messages, which still stand.
        """

        def work(connection: sqlite3.Connection) -> list[str]:
            found = [message for one in ids for message in rows.sources_of(connection, one)]
            rows.leave_unread(connection, found)
            rows.remove(connection, ids)
            return [*dict.fromkeys(found)]

        messages = await self._file.change(work)
        await self._file.wipe(ids)
        self._changed.tell()
        return messages

    # What was read, and told

    async def unread(self, messages: Sequence[str]) -> list[str]:
        """Those of these messages that weren't read for facts, with none forgotten of theirs."""

        def work(connection: sqlite3.Connection) -> list[str]:
            return [one for one in messages if not rows.is_read(connection, one)]

        return await self._file.look(work)

    async def mark_read(self, messages: Sequence[str]) -> None:
        """Nothing of these messages is read for facts any more."""
        await self._file.change(lambda db: rows.leave_unread(db, messages))

    async def note_told(self, reply: str, facts: Sequence[str]) -> None:
        """Remember which facts the message `reply` was told."""
        await self._file.change(lambda db: rows.note_told(db, reply, facts))

    async def told_to(self, reply: str) -> list[Fact]:
        """The facts that the message `reply` was told, without what was forgotten since."""

        def work(connection: sqlite3.Connection) -> list[Fact]:
            known = {fact.id: fact for fact in rows.read_facts(connection)}
            return [known[one] for one in rows.told_to(connection, reply) if one in known]

        return await self._file.look(work)

    async def _tell_after(self, work: Awaitable[T]) -> T:
        done = await work
        self._changed.tell()
        return done


def is_same(known: Fact, text: str, claim: Claim) -> bool:
    """Whether `known` says what a new fact of these words and this claim says."""
    if claim.topic and claim.value and known.claim == claim:
        return True
    return squeezed(known.text) == squeezed(text)


def contradicts(known: Fact, claim: Claim) -> bool:
    """Whether only one of the two can hold."""
    return bool(claim.topic) and known.claim.topic == claim.topic and known.claim != claim


def by_nearness(facts: Sequence[Fact], text: str) -> list[Fact]:
    """The pinned, then those that have most of the words of `text`; as they were else."""
    asked = _words(text)

    def distance(fact: Fact) -> tuple[bool, int]:
        return not fact.pinned, -len(asked & _words(fact.text))

    return sorted(facts, key=distance)


def _words(text: str) -> set[str]:
    return {one for one in terms_of(text) if not (is_dense(one) and is_single(one))}


def _of(connection: sqlite3.Connection, fact_id: str) -> Fact | None:
    return next((one for one in rows.read_facts(connection) if one.id == fact_id), None)
