"""The index: items in, out, and found again. All on a connection, inside the caller's transaction.

A search doesn't score all that holds one of its words (that takes longer the more is remembered),
but asks the index for the rows of each word, rarest first and no more than `_MOST` of them, and
scores the rows with the highest sums of rarities (`ranking`). Words that are in more rows than that
say little, and are looked at in those rows alone.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from neodeskpet.core.find.tokens import is_token
from neodeskpet.core.schedule.words.named_days import Span
from neodeskpet.database.columns import from_column, to_column
from neodeskpet.memory.ranking import (
    ALIKE,
    Candidate,
    Closeness,
    Scored,
    Statistics,
    pick_different,
    rank,
    widen,
)
from neodeskpet.memory.recall import by_hand
from neodeskpet.memory.recall.dates import marks_of, marks_within
from neodeskpet.memory.recall.query import Query, fall_back, shape
from neodeskpet.memory.recall.questions import is_question, part_questions, tells_nothing
from neodeskpet.memory.recall.words import READ, is_single, terms_of
from neodeskpet.memory.recollection import Item, Side

SITTING = timedelta(hours=2)
"""A longer silence ends it: what comes after is no neighbour."""
_MOST = 3000
"""Rows of a word that are looked at."""
_SCORED, _NEIGHBOURED, _OF_DAYS, _TRIED = 140, 40, 150, 30
"""Rows that are scored, whose neighbours are too, that are taken from named days, and that are
scored first for the words they have in common.
"""
_PASSED = 10
"""How many times as many rows are looked at where most aren't wanted."""
_HEAVY = 0.4
"""What a word counts at least that rows are looked up by."""
_COMMON = 0.05
"""Share of rows from which a word that counts less isn't looked at."""
_ROWS_OF = (
    "SELECT group_concat(rowid) FROM "
    "(SELECT rowid FROM found WHERE found MATCH ? ORDER BY rowid DESC LIMIT ?)"
)
_COUNTS_OF = (
    "SELECT value, (SELECT count(*) FROM "
    "(SELECT 1 FROM found WHERE found MATCH '\"' || value || '\"' LIMIT ?1)) FROM json_each(?2)"
)
_BATCH = 500
PARTS = 6
"""Parts of the index that may be: a search takes twice as long with fourteen."""

_CORRECTS = re.compile(
    r"(?i)\b(?:actually|no longer|not .{1,30} (?:but|any ?more)|instead|correction|changed|"
    r"switched|moved|now|i meant|turns out|from now on|these days|updated?)\b"
    r"|其实|不对|不是.{1,20}(?:是|而是)|更正|纠正|改成|改为|改到|换成|换了|"
    r"搬到|搬去|现在|不再|说错|记错|刚改"
)
_THEN_ASKED = "¿"
"""Between the terms of what a text tells and those of what it asks; no word for the index."""
ROW = (
    "number, id, message, conversation, side, speaker, time, "
    "CASE corrected WHEN '' THEN text ELSE corrected END, pinned, corrected <> '', untrusted, "
    "synced"
)
"""What `item_of` reads."""
ROW_AS_SAID = (
    "number, id, message, conversation, side, speaker, time, text, pinned, corrected <> '', "
    "untrusted, 0"
)
"""The same with an item's own words."""


Nearness = Callable[[Sequence[str]], Mapping[str, Closeness]]
"""Told the ids of what the words have found: how near these are in meaning, and the nearest of all,
by id. Nothing where that isn't known in time.
"""


@dataclass(slots=True)
class Frequencies:
    """In how many rows a word is, as far as it was asked for. What was learnt is kept until the
    number of rows has changed by a tenth.
    """

    rows: int = 0
    counts: dict[str, int] = field(default_factory=dict)

    def adapt(self, rows: int) -> None:
        if abs(rows - self.rows) > self.rows // 10:
            self.rows = rows
            self.counts.clear()


@dataclass(frozen=True, slots=True)
class Found:
    """`item` with how well it answers; `replaced_by` is the id of a newer one that counts now."""

    item: Item
    score: float
    relevance: float
    replaced_by: str = ""


# In and out


def add(connection: sqlite3.Connection, items: Sequence[Item]) -> int:
    """Put `items` in, in the place of those of the same ids (and beside their neighbours); how many
    were. What was forgotten stays forgotten.
    """
    known = _taken(connection, "forgotten", [item.id for item in items])
    known |= _taken(connection, "forgotten", [item.message for item in items if item.message])
    kept = [item for item in items if not {item.id, item.message} & known]
    for item in kept:
        if item.pinned:
            _do(connection, item, pinned=True)
        number = _take_out(connection, item.id)
        if item.text.strip():  # what says nothing would be found by its neighbours' words
            _put_in(connection, item, number)
    return len(kept)


def pin(connection: sqlite3.Connection, item_id: str, *, pinned: bool) -> None:
    """Pin an item, if it is there."""
    item = _item_as_said(connection, item_id)
    if item is not None:
        _do(connection, item, pinned=pinned)
        query = "UPDATE items SET pinned = ? WHERE id = ?"
        connection.execute(query, (int(pinned), to_column(item_id)))


def correct(connection: sqlite3.Connection, item_id: str, text: str) -> bool:
    """Have `text` count in the place of what an item says ("": what it says itself), wherever it is
    found; whether it is there.
    """
    item = _item_as_said(connection, item_id)
    if item is None:
        return False
    corrected = "" if text == item.text else text
    _do(connection, item, said=item.text, corrected=corrected, synced=False)
    return put_again(connection, item_id)


def put_again(connection: sqlite3.Connection, item_id: str) -> bool:
    """Have an item be as the person says by hand; whether it is there."""
    item = _item_as_said(connection, item_id)
    if item is not None:
        _put_in(connection, item, _take_out(connection, item_id))
    return item is not None


def _do(connection: sqlite3.Connection, item: Item, **done: Any) -> None:
    now = replace(by_hand.read(connection, item.id), **done)
    home = replace(now, message=item.message, conversation=item.conversation)
    by_hand.put(connection, item.id, home)


def _item_as_said(connection: sqlite3.Connection, item_id: str) -> Item | None:
    """With its own words, whatever counts in their place."""
    row = connection.execute(
        f"SELECT {ROW_AS_SAID} FROM items WHERE id = ?", (to_column(item_id),)
    ).fetchone()
    return None if row is None else item_of(row)


def _put_in(connection: sqlite3.Connection, item: Item, number: int | None) -> None:
    """As what the person did by hand has it: that stays when the same comes again."""
    done = by_hand.read(connection, item.id)
    corrected = done.corrected if done.said == item.text else ""
    counts = corrected or item.text
    told, asked = counts[:READ], ""
    if item.side is not Side.DOCUMENT and not corrected:
        told, asked = part_questions(told)
    terms = [*terms_of(told), *marks_of(counts[:READ], item.time)]
    asked_for = terms_of(asked)
    written = " ".join((*terms, _THEN_ASKED, *asked_for) if asked_for else terms)
    length = sum(not is_single(term) for term in (*terms, *asked_for))
    cursor = connection.execute(
        "INSERT INTO items (number, id, message, conversation, side, speaker, time, text, terms, "
        "length, corrects, asks, pinned, corrected, untrusted, synced) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            number,
            to_column(item.id),
            item.message,
            item.conversation,
            item.side,
            to_column(item.speaker),
            item.time.replace(tzinfo=UTC).timestamp(),
            to_column(item.text),
            written,
            length,
            int(bool(corrected or _CORRECTS.search(item.text[:400]))),
            int(not corrected and is_question(item.text)),
            int(done.pinned),
            to_column(corrected),
            int(item.untrusted),
            int(bool(corrected) and done.synced),
        ),
    )
    connection.execute(
        "INSERT INTO found (rowid, terms) VALUES (?, ?)", (cursor.lastrowid, written)
    )
    connection.execute("UPDATE sums SET rows = rows + 1, length = length + ?", (length,))


def ids_of(connection: sqlite3.Connection, message: str) -> list[str]:
    """The items of a message."""
    # It is said once more that there is one: the index holds no others, and is not used without.
    query = "SELECT id FROM items WHERE message = ? AND message <> ''"
    return [from_column(one) for (one,) in connection.execute(query, (message,))]


def remove(connection: sqlite3.Connection, ids: Iterable[str]) -> None:
    """Take items out."""
    for one in ids:
        _take_out(connection, one)
        connection.execute("DELETE FROM recalled WHERE item = ?", (to_column(one),))


def _take_out(connection: sqlite3.Connection, item_id: str) -> int | None:
    """Take an item out of the index; its number."""
    row = connection.execute(
        "SELECT number, terms, length FROM items WHERE id = ?", (to_column(item_id),)
    ).fetchone()
    if row is None:
        return None
    number, terms, length = row
    connection.execute(
        "INSERT INTO found (found, rowid, terms) VALUES ('delete', ?, ?)", (number, terms)
    )
    connection.execute("DELETE FROM items WHERE number = ?", (number,))
    connection.execute("UPDATE sums SET rows = rows - 1, length = length - ?", (length,))
    return int(number)


def forget(connection: sqlite3.Connection, ids: Sequence[str], now: float) -> None:
    """Take items out for ever: what comes with these ids again is not taken."""
    remove(connection, ids)
    by_hand.drop(connection, ids)
    by_hand.drop_messages(connection, ids)
    connection.executemany(
        "INSERT OR IGNORE INTO forgotten VALUES (?, ?)", [(to_column(one), now) for one in ids]
    )


def prepare_index(connection: sqlite3.Connection) -> None:
    """What is taken out of the index is overwritten, where SQLite can (else by `scrub`)."""
    if sqlite3.sqlite_version_info >= (3, 42):
        connection.execute("INSERT INTO found (found, rank) VALUES ('secure-delete', 1)")


def remake_index(connection: sqlite3.Connection) -> tuple[int, int]:
    """Make the index and the sums anew of the items that are there; how many these are, and the
    largest number that one has.
    """
    connection.execute(
        "UPDATE sums SET (rows, length) = (SELECT count(*), total(length) FROM items)"
    )
    connection.execute("INSERT INTO found (found) VALUES ('rebuild')")
    query = "SELECT count(*), coalesce(max(number), 0) FROM items"
    count, last = connection.execute(query).fetchone()
    return int(count), int(last)


def join_parts(connection: sqlite3.Connection, at_most: int = PARTS) -> bool:
    """Make one of the parts of the index, if there are more than these, for each word is looked up
    in all of them: half a second for 100,000 items. Whether there were.
    """
    (parts,) = connection.execute("SELECT count(DISTINCT segid) FROM found_idx").fetchone()
    if parts > at_most:
        # Not bit by bit ('merge'): with SQLite 3.40 the index fails its own check afterwards.
        connection.execute("INSERT INTO found (found) VALUES ('optimize')")
    return bool(parts > at_most)


def scrub(connection: sqlite3.Connection) -> None:
    """Let nothing of what was taken out lie in the index. To be called outside a transaction."""
    if sqlite3.sqlite_version_info < (3, 42):
        connection.execute("INSERT INTO found (found) VALUES ('optimize')")


def _taken(connection: sqlite3.Connection, table: str, ids: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for start in range(0, len(ids), _BATCH):
        batch = [to_column(one) for one in ids[start : start + _BATCH]]
        marks = ", ".join("?" * len(batch))
        rows = connection.execute(f"SELECT id FROM {table} WHERE id IN ({marks})", batch)
        found.update(from_column(row) for (row,) in rows)
    return found


# Found again


def search(
    connection: sqlite3.Connection,
    text: str,
    now: datetime,
    frequencies: Frequencies,
    *,
    count: int,
    wanted: Callable[[Item], bool] | None = None,
    picky: bool = False,
    nearness: Nearness | None = None,
) -> list[Found]:
    """Up to `count` items, best first, of those that are `wanted` (which is asked of them without
    their texts); `picky`: these may be few.
    """
    rows, length = connection.execute("SELECT rows, length FROM sums").fetchone()
    if not rows:
        return []
    frequencies.adapt(rows)
    query = shape(text, now, _speakers(connection))
    look = _Search(connection, frequencies, rows, length / rows, wanted, nearness, picky=picky)
    return look.run(query, now, count)


def warm(connection: sqlite3.Connection, now: datetime, frequencies: Frequencies) -> None:
    """Search once for the latest text: the first question then finds pages and tables in memory."""
    row = connection.execute("SELECT text FROM items ORDER BY number DESC LIMIT 1").fetchone()
    if row is not None:
        search(connection, from_column(row[0]), now, frequencies, count=1)


def _speakers(connection: sqlite3.Connection) -> list[str]:
    """Who has said something, by hops through the index: there are few."""
    found: list[str] = []
    (name,) = connection.execute("SELECT min(speaker) FROM items").fetchone()
    while name is not None and len(found) < _BATCH:
        found.append(from_column(name))
        (name,) = connection.execute(
            "SELECT min(speaker) FROM items WHERE speaker > ?", (name,)
        ).fetchone()
    return found


class _Search:
    """One search: the rows it has looked at."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        frequencies: Frequencies,
        rows: int,
        mean_length: float,
        wanted: Callable[[Item], bool] | None,
        nearness: Nearness | None,
        *,
        picky: bool,
    ) -> None:
        self._run = connection.execute
        self._picky = picky
        self._frequencies = frequencies
        self._count_of_rows = rows
        self._mean_length = mean_length
        self._wanted = wanted
        self._nearness = nearness
        self._rows: dict[int, _Row] = {}
        self._terms: dict[int, list[str]] = {}
        self._asked: dict[int, Sequence[str]] = {}
        self._beside: dict[int, list[int]] = {}
        self._sums: dict[int, float] = {}

    def run(self, query: Query, now: datetime, count: int) -> list[Found]:
        query = self._look_up(query)
        taken = self._taken(query.spans)
        tried = [self._candidate(number) for number in taken[:_TRIED]]
        first = rank(*(replace(query, past=True), tried, self._statistics(), now))
        best = pick_different(self._candidate(one.number) for one in first)
        wider = self._widen(query, best)
        if wider is not query:
            taken = self._taken(query.spans)
        close = self._close(taken)
        taken = [*dict.fromkeys((*taken, *close))]
        candidates = [self._candidate(number, beside=True) for number in taken]
        return self._found(rank(wider, candidates, self._statistics(), now, close, count))

    # Looking words up

    def _look_up(self, query: Query) -> Query:
        """Find the rows; the query without words that are everywhere and count little."""
        self._counts([*query.weights, *query.alike])
        query = fall_back(query, self._frequencies.counts)
        weights = dict(query.weights)
        heavy = [term for term, weight in weights.items() if weight >= _HEAVY]
        if query.single:
            heavy = [term for term in weights if is_single(term)] or heavy
        for term in heavy:
            self._add_rows(term, weights[term])
        for term, asked in query.alike.items():
            self._add_rows(term, ALIKE * weights.get(asked, 0.0))
        if not self._sums:
            for term in weights.keys() - set(heavy):
                self._add_rows(term, weights[term])
        if not self._sums:  # all that is asked for is everywhere: the latest are as good as others
            for term in heavy[:4]:
                self._add_rows(term, weights[term], at_most=True)
        for term, weight in query.weights.items():
            if weight < _HEAVY and self._count(term) > max(self._count_of_rows * _COMMON, 50):
                del weights[term]
        return replace(query, weights=weights or query.weights)

    def _add_rows(self, term: str, weight: float, *, at_most: bool = False) -> None:
        if not is_token(term) or (not at_most and self._count(term) >= _MOST):
            return
        # As one text: SQLite gives the interpreter away for each row that it hands over.
        (found,) = self._run(_ROWS_OF, (f'"{term}"', _MOST)).fetchone()
        worth = weight * self._statistics().rarity(term)
        sums, known = self._sums, self._sums.get
        for number in json.loads(f"[{found or ''}]"):
            sums[number] = known(number, 0.0) + worth

    def _count(self, term: str) -> int:
        """In how many rows it is, `_MOST` if in more."""
        return self._counts([term])[0]

    def _counts(self, terms: Sequence[str]) -> list[int]:
        """The same of each of `terms`. Those that aren't known are asked for at once."""
        known = self._frequencies.counts
        unknown = [term for term in terms if term not in known]
        if unknown:
            # Terms of rows that an earlier version stored may not be tokens: they would fail all.
            known.update(dict.fromkeys(unknown, 0))
            asked = json.dumps([term for term in unknown if is_token(term)])
            known.update(self._run(_COUNTS_OF, (_MOST, asked)))
        return [known[term] for term in terms]

    def _statistics(self) -> Statistics:
        return Statistics(self._count_of_rows, self._mean_length, self._frequencies.counts)

    def _widen(self, query: Query, best: Sequence[Candidate]) -> Query:
        if not query.weights or not best:
            return query
        said = {term for one in best for term in one.terms[:80] if not is_single(term)}
        terms = sorted(said)
        counts = dict(zip(terms, self._counts(terms), strict=True))
        rare = [
            Candidate(
                one.number,
                one.speaker,
                one.side,
                one.time,
                [term for term in one.terms if 1 < counts.get(term, 0) < _MOST],
                one.length,
            )
            for one in best
        ]
        wider, words = widen(query, rare, self._statistics())
        for word in words:
            self._add_rows(word, wider.weights[word])
        return wider if words else query

    # Rows

    def _taken(self, spans: Sequence[Span]) -> list[int]:
        """The rows to score: the highest sums, and what was said on the days that are named."""
        order = self._highest(_SCORED * _PASSED if self._picky else _SCORED)
        if self._picky:
            order = self._picked(order)
        taken = dict.fromkeys(order[:_SCORED])
        for span in spans:
            first = datetime.combine(span.first, datetime.min.time(), UTC).timestamp()
            rows = self._run(
                "SELECT number FROM items WHERE time >= ? AND time < ? ORDER BY time DESC LIMIT ?",
                (first, first + span.days * 86400, _OF_DAYS),
            )
            taken |= dict.fromkeys(number for (number,) in rows)
            if marks := " OR ".join(marks_within(span)):
                rows = self._run(
                    "SELECT rowid FROM found WHERE found MATCH ? ORDER BY rowid DESC LIMIT ?",
                    (marks, _OF_DAYS),
                )
                taken |= dict.fromkeys(number for (number,) in rows)
        self._read(taken)
        said = [number for number in order[:_NEIGHBOURED] if self._has_neighbours(number)]
        self._read(number + step for number in said for step in (-1, 1, -2, 2))
        # A neighbour of a good row may answer, though it holds no word of the question.
        for number in said:
            taken |= dict.fromkeys(self._neighbours(number))
        return self._wished(taken)

    def _highest(self, count: int) -> list[int]:
        """The rows with the highest sums, of equal ones the newest first."""
        sums = self._sums
        if len(sums) > count:
            least = sorted(sums.values())[-count]
            pairs = [(worth, number) for number, worth in sums.items() if worth >= least]
        else:
            pairs = [(worth, number) for number, worth in sums.items()]
        pairs.sort(reverse=True)
        return [number for _, number in pairs[:count]]

    def _wished(self, numbers: Iterable[int]) -> list[int]:
        """Those that are there and wanted."""
        found = [number for number in numbers if number in self._rows]
        wanted = self._wanted
        return (
            [one for one in found if wanted(_item_without_text(self._rows[one]))]
            if wanted
            else found
        )

    def _close(self, taken: Sequence[int]) -> dict[int, Closeness]:
        """How near these are in meaning, and the nearest of all."""
        if self._nearness is None:
            return {}
        close = self._nearness([self._rows[number].id for number in taken])
        numbers = {self._rows[number].id: number for number in taken}
        others = [to_column(one) for one in close if one not in numbers]
        for start in range(0, len(others), _BATCH):
            batch = others[start : start + _BATCH]
            marks = ", ".join("?" * len(batch))
            rows = self._run(f"SELECT id, number FROM items WHERE id IN ({marks})", batch)
            numbers |= {from_column(one): number for one, number in rows}
        known = {number: close[one] for one, number in numbers.items() if one in close}
        self._read(known)
        said = [number for number in known if self._has_neighbours(number)]
        self._read(number + step for number in said for step in (-1, 1, -2, 2))
        return {number: known[number] for number in self._wished(known)}

    def _picked(self, order: Sequence[int]) -> list[int]:
        """The first that are wanted, where those that aren't would take all the room."""
        picked: list[int] = []
        for start in range(0, min(len(order), _SCORED * _PASSED), _SCORED):
            batch = order[start : start + _SCORED]
            self._read(batch)
            picked += self._wished(batch)
            if len(picked) >= _SCORED:
                break
        return picked

    def _read(self, numbers: Iterable[int]) -> None:
        missing = [number for number in dict.fromkeys(numbers) if number not in self._rows]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            marks = ", ".join("?" * len(batch))
            rows = self._run(f"SELECT {_LOOKED_AT} FROM items WHERE number IN ({marks})", batch)
            for row in map(_Row._make, rows):
                self._rows[row.number] = row

    def _terms_of(self, number: int) -> list[str]:
        terms = self._terms.get(number)
        if terms is None:
            terms = from_column(self._rows[number].terms).split()
            if _THEN_ASKED in terms:
                at = terms.index(_THEN_ASKED)
                del terms[at]
                self._asked[number] = terms[at:]
            self._terms[number] = terms
        return terms

    def _asked_of(self, number: int) -> Sequence[str]:
        """Of these, those of the sentences that ask."""
        self._terms_of(number)
        return self._asked.get(number, ())

    def _answers(self, number: int) -> Sequence[str]:
        """What another asked for just before."""
        before = [one for one in self._neighbours(number) if one < number]
        if not before or self._rows[before[0]].speaker == self._rows[number].speaker:
            return ()
        asked = self._asked_of(before[0])
        return () if asked and tells_nothing(self._terms_of(number)) else asked

    def _has_neighbours(self, number: int) -> bool:
        """Passages of documents have none."""
        row = self._rows.get(number)
        return row is not None and row.side != _DOCUMENT

    def _neighbours(self, number: int) -> list[int]:
        """Those said just before and just after, in the same sitting."""
        known = self._beside.get(number)
        if known is not None:
            return known
        found: list[int] = []
        if self._has_neighbours(number):
            rows = self._rows
            here = rows[number]
            for near, far in ((number - 1, number - 2), (number + 1, number + 2)):
                there = rows.get(near)
                if there is None or there.conversation != here.conversation:
                    there = rows.get(far)
                    if there is None or there.conversation != here.conversation:
                        continue
                if _one_sitting(here, there):
                    found.append(there.number)
        self._beside[number] = found
        return found

    def _candidate(self, number: int, *, beside: bool = False) -> Candidate:
        """`beside`: with what its neighbours say."""
        row = self._rows[number]
        return Candidate(
            number,
            from_column(row.speaker),
            _SIDES.get(row.side, Side.TOOL),
            wall_time(row.time),
            self._terms_of(number),
            row.length,
            [self._terms_of(one) for one in self._neighbours(number)] if beside else (),
            row.corrects != 0,
            row.asks != 0,
            row.pinned != 0,
            self._asked_of(number),
            self._answers(number) if beside else (),
            sum(self._rows[one].length for one in self._neighbours(number)) if beside else 0,
        )

    def _found(self, scored: Sequence[Scored]) -> list[Found]:
        """Their items; the texts are read only now."""
        newer = (one.replaced_by for one in scored if one.replaced_by is not None)
        numbers = [*dict.fromkeys([*(one.number for one in scored), *newer])]
        items: dict[int, Item] = {}
        for start in range(0, len(numbers), _BATCH):
            batch = numbers[start : start + _BATCH]
            marks = ", ".join("?" * len(batch))
            rows = self._run(f"SELECT {ROW} FROM items WHERE number IN ({marks})", batch)
            items |= {row[0]: item_of(row) for row in rows}
        return [
            Found(
                items[one.number],
                one.score,
                one.relevance,
                "" if one.replaced_by is None else items[one.replaced_by].id,
            )
            for one in scored
        ]


class _Row(NamedTuple):
    """Texts are read as bytes: most of a row are never looked at, and decoding takes its time."""

    number: int
    stored_id: bytes
    message: bytes
    conversation: bytes
    side: bytes
    speaker: bytes
    time: float
    pinned: int
    corrected: int
    terms: bytes
    length: int
    corrects: int
    asks: int

    @property
    def id(self) -> str:
        return from_column(self.stored_id)


_LOOKED_AT = (
    "number, CAST(id AS BLOB), CAST(message AS BLOB), CAST(conversation AS BLOB), "
    "CAST(side AS BLOB), CAST(speaker AS BLOB), time, pinned, corrected <> '', "
    "CAST(terms AS BLOB), length, corrects, asks"
)


def _one_sitting(here: _Row, there: _Row) -> bool:
    return there.side != _DOCUMENT and abs(here.time - there.time) < _SITTING_SECONDS


def _item_without_text(row: _Row) -> Item:
    about = (row.number, row.stored_id, row.message, row.conversation, row.side, row.speaker)
    return item_of((*about, row.time, "", row.pinned, row.corrected, False, False))


def item_of(row: Sequence[object]) -> Item:
    """A row of `ROW`; texts may be bytes."""
    _, one, message, conversation, side, speaker, time, text, *more = row
    pinned, corrected, untrusted, synced = more
    return Item(
        from_column(one),  # type: ignore[arg-type]
        from_column(speaker),  # type: ignore[arg-type]
        _SIDES.get(side, Side.TOOL),
        wall_time(float(time)),  # type: ignore[arg-type]
        from_column(text),  # type: ignore[arg-type]
        from_column(message),  # type: ignore[arg-type]
        from_column(conversation),  # type: ignore[arg-type]
        bool(pinned),
        bool(corrected),
        bool(untrusted) or bool(synced),
        corrected_elsewhere=bool(synced),
    )


_SIDES: Mapping[object, Side] = {
    stored: side for side in Side for stored in (side.value, side.value.encode())
}
_DOCUMENT = Side.DOCUMENT.value.encode()
_SITTING_SECONDS = SITTING.total_seconds()
_BEGIN = datetime(1970, 1, 1)


def wall_time(stored: float) -> datetime:
    """A stored time as the clock on the wall showed it."""
    return _BEGIN + timedelta(seconds=stored)
