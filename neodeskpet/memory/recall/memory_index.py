"""The index of items: insert, delete and search. All functions run inside the caller's transaction.

A search doesn't score all rows that contain one of its words (that would take longer the larger the
memory is). It asks the index for the rows of each word, rarest first and at most `_MAX_ROWS` of
them, and scores the rows with the highest sums of rarities (`ranking`). Words in more rows than
that carry little information and are only examined in these rows.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

from neodeskpet.core.schedule.parsing.named_days import NamedDays
from neodeskpet.core.text_search import is_token
from neodeskpet.memory.recall import user_edits
from neodeskpet.memory.recall.ranking import (
    SIMILARITY_LIMIT,
    Candidate,
    IndexStatistics,
    ScoredCandidate,
    Similarity,
    expand_query,
    rank,
    remove_repeats,
)
from neodeskpet.memory.recall.recall_query import RecallQuery, build_query, use_single_characters
from neodeskpet.memory.recall.recall_types import ItemSide, MemoryItem
from neodeskpet.memory.recall.text_terms import (
    MAX_CHARACTERS,
    NO_TERMS,
    JoinedTexts,
    TermText,
    count_words,
    date_terms,
    is_empty_answer,
    is_question,
    is_single_character,
    span_terms,
    split_questions,
    terms_of,
)
from neodeskpet.memory.recall.user_edits import UserEdit
from neodeskpet.storage.database_schema import from_column, restore_automerge, to_column

SESSION_GAP = timedelta(hours=2)
"""A longer pause ends the session: the next message is not a neighbour."""
_MAX_ROWS = 3000
"""Highest number of rows examined for a word."""
_MAX_SCORED, _MAX_WITH_NEIGHBOURS, _MAX_OF_DAYS, _MAX_TRIED = 140, 40, 150, 30
"""Numbers of rows that are scored; whose neighbours are scored too; that are taken from named days;
and that are scored first to find the common words.
"""
_MAX_PASSED = 10
"""Factor by which more rows are examined if most rows are not allowed."""
_RARE_WEIGHT = 0.4
"""Minimum weight of a word for the row lookup."""
_COMMON_SHARE = 0.05
"""A word with a lower weight in more than this share of rows is skipped."""
_ROWS_OF = (
    "SELECT group_concat(rowid) FROM "
    "(SELECT rowid FROM found WHERE found MATCH ? ORDER BY rowid DESC LIMIT ?)"
)
_COUNTS_OF = (
    "SELECT value, (SELECT count(*) FROM "
    "(SELECT 1 FROM found WHERE found MATCH '\"' || value || '\"' LIMIT ?1)) FROM json_each(?2)"
)
_BATCH = 500
_NO_EDIT = UserEdit()
MAX_SEGMENTS = 6
"""Highest number of index segments: with fourteen a search takes twice as long."""

_CORRECTION = re.compile(
    r"(?i)\b(?:actually|no longer|not .{1,30} (?:but|any ?more)|instead|correction|changed|"
    r"switched|moved|now|i meant|turns out|from now on|these days|updated?)\b"
    r"|其实|不对|不是.{1,20}(?:是|而是)|更正|纠正|改成|改为|改到|换成|换了|"
    r"搬到|搬去|现在|不再|说错|记错|刚改"
)
_QUESTION_SEPARATOR = "¿"
"""Separates the terms of statements from those of questions; not a word for the index."""
_STORED_SEPARATOR = _QUESTION_SEPARATOR.encode()
ITEM_TABLE_START = """
        CREATE TABLE items (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            message TEXT NOT NULL DEFAULT '',
            conversation TEXT NOT NULL DEFAULT '',
            side TEXT NOT NULL,
            speaker TEXT NOT NULL,
            time REAL NOT NULL,
            text TEXT NOT NULL,
            terms TEXT NOT NULL,
            length INTEGER NOT NULL,
"""
"""The beginning of the items table in the first migration of each database with an index. Never
change it, nor `INDEX_TABLES`: they were released.
"""
INDEX_TABLES = """
        CREATE INDEX items_by_time ON items (time);
        CREATE INDEX speakers ON items (speaker);
        CREATE TABLE sums (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            rows INTEGER NOT NULL,
            length INTEGER NOT NULL
        );
        INSERT INTO sums VALUES (1, 0, 0);
        CREATE VIRTUAL TABLE found USING fts5 (
            terms, content = 'items', content_rowid = 'number', detail = none, columnsize = 0,
            tokenize = "unicode61 remove_diacritics 0"
        );
        CREATE TABLE forgotten (id TEXT PRIMARY KEY, time REAL NOT NULL);
        CREATE TABLE recalled (
            reply TEXT NOT NULL,
            place INTEGER NOT NULL,
            item TEXT NOT NULL,
            relevance REAL NOT NULL,
            PRIMARY KEY (reply, place)
        );
        CREATE INDEX recalled_items ON recalled (item);
"""
"""The index tables of `items`, in the first migration of each database with one."""

ITEM_COLUMNS = (
    "number, id, message, conversation, side, speaker, time, "
    "CASE corrected WHEN '' THEN text ELSE corrected END, pinned, corrected <> '', untrusted, "
    "synced"
)
"""The columns that `item_of` reads."""
ORIGINAL_ITEM_COLUMNS = (
    "number, id, message, conversation, side, speaker, time, text, pinned, corrected <> '', "
    "untrusted, 0"
)
"""The same columns with an item's original text."""


FindSimilar = Callable[[Sequence[str]], Mapping[str, Similarity]]
"""Gets the ids of the items found by words; returns their similarity and that of the nearest items,
by id. Empty if it isn't known in time.
"""


@dataclass(slots=True)
class TermFrequencies:
    """The number of rows that contain a word, cached until the number of rows has changed by a
    tenth. `absent` are words in no row, cached until anything is written.
    """

    rows: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    absent: set[str] = field(default_factory=set)
    version: tuple[int, int] = (0, 0)

    def adapt(self, rows: int, version: tuple[int, int]) -> None:
        """Forget what may be wrong for so many rows in this version of the database."""
        if abs(rows - self.rows) > self.rows // 10:
            self.rows = rows
            self.counts.clear()
        if version != self.version:
            self.version = version
            self.absent.clear()

    def add(self, counts: Mapping[str, int]) -> None:
        self.counts |= counts
        self.absent.update(term for term, count in counts.items() if not count)


@dataclass(frozen=True, slots=True)
class FoundItem:
    """A found `item` with its relevance; `replaced_by` is the id of a newer item that
    replaces it.
    """

    item: MemoryItem
    score: float
    relevance: float
    replaced_by: str = ""


# Adding and removing


def add_items(connection: sqlite3.Connection, items: Sequence[MemoryItem]) -> int:
    """Insert or replace `items` by id (beside their neighbours); return how many. Deleted items are
    not inserted again.
    """
    ids = [item.id for item in items]
    known = _known_ids(connection, "forgotten", ids)
    known |= _known_ids(connection, "forgotten", [item.message for item in items if item.message])
    kept = [item for item in items if not {item.id, item.message} & known]
    there = _known_ids(connection, "items", ids)
    edited = _known_ids(connection, "by_hand", ids, "item") if _has_edits(connection) else set()
    length, count = 0, 0
    for item in kept:
        if item.pinned:
            _put_user_edit(connection, item, pinned=True)
            edited.add(item.id)
        number = _unindex_item(connection, item.id) if item.id in there else None
        if item.text.strip():  # an empty text would be found by its neighbours' words
            done = user_edits.read_edit(connection, item.id) if item.id in edited else _NO_EDIT
            length += _write_item(connection, item, number, done)
            count += 1
            there.add(item.id)
    _add_to_sums(connection, count, length)
    return len(kept)


def set_pinned(connection: sqlite3.Connection, item_id: str, *, pinned: bool) -> None:
    """Pin or unpin an item, if it exists."""
    item = _original_item(connection, item_id)
    if item is not None:
        _put_user_edit(connection, item, pinned=pinned)
        query = "UPDATE items SET pinned = ? WHERE id = ?"
        connection.execute(query, (int(pinned), to_column(item_id)))


def correct_item(connection: sqlite3.Connection, item_id: str, text: str) -> bool:
    """Use `text` instead of the text of an item ("": its original text) in all searches; return
    whether the item exists.
    """
    item = _original_item(connection, item_id)
    if item is None:
        return False
    corrected = "" if text == item.text else text
    _put_user_edit(connection, item, original=item.text, correction=corrected, synced=False)
    return reindex_item(connection, item_id)


def reindex_item(connection: sqlite3.Connection, item_id: str) -> bool:
    """Index an item with the user's edits; return whether it exists."""
    item = _original_item(connection, item_id)
    if item is not None:
        _index_item(connection, item, _unindex_item(connection, item_id))
    return item is not None


def _put_user_edit(connection: sqlite3.Connection, item: MemoryItem, **done: Any) -> None:
    now = replace(user_edits.read_edit(connection, item.id), **done)
    home = replace(now, message=item.message, conversation=item.conversation)
    user_edits.put_edit(connection, item.id, home)


def _original_item(connection: sqlite3.Connection, item_id: str) -> MemoryItem | None:
    """Return an item with its original text."""
    row = connection.execute(
        f"SELECT {ORIGINAL_ITEM_COLUMNS} FROM items WHERE id = ?", (to_column(item_id),)
    ).fetchone()
    return None if row is None else item_of(row)


def _index_item(connection: sqlite3.Connection, item: MemoryItem, number: int | None) -> None:
    """Index an item with the user's edits, which are kept when the item is inserted again."""
    done = user_edits.read_edit(connection, item.id)
    _add_to_sums(connection, 1, _write_item(connection, item, number, done))


def _write_item(
    connection: sqlite3.Connection, item: MemoryItem, number: int | None, done: UserEdit
) -> int:
    """Write the row and the index entry of an item with the edit `done`; return its length."""
    corrected = done.correction if done.original == item.text else ""
    counts = corrected or item.text
    answer, asked = counts[:MAX_CHARACTERS], ""
    if item.side is not ItemSide.DOCUMENT and not corrected:
        answer, asked = split_questions(answer)
    terms = [*terms_of(answer), *date_terms(counts[:MAX_CHARACTERS], item.time)]
    asked_for = terms_of(asked)
    written = " ".join((*terms, _QUESTION_SEPARATOR, *asked_for) if asked_for else terms)
    length = count_words([*terms, *asked_for])
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
            int(bool(corrected or _CORRECTION.search(item.text[:400]))),
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
    return length


def _add_to_sums(connection: sqlite3.Connection, rows: int, length: int) -> None:
    connection.execute("UPDATE sums SET rows = rows + ?, length = length + ?", (rows, length))


def _has_edits(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM by_hand LIMIT 1").fetchone() is not None


def item_ids(connection: sqlite3.Connection, messages: Sequence[str]) -> dict[str, list[str]]:
    """Return the items of messages, by message."""
    found: dict[str, list[str]] = {message: [] for message in messages}
    for start in range(0, len(messages), _BATCH):
        batch = messages[start : start + _BATCH]
        marks = ", ".join("?" * len(batch))
        # The condition is repeated because the partial index has only these rows and isn't used
        # without it.
        query = f"SELECT message, id FROM items WHERE message IN ({marks}) AND message <> ''"
        for message, one in connection.execute(query, batch):
            found[message].append(from_column(one))
    return found


def remove_items(connection: sqlite3.Connection, ids: Iterable[str]) -> None:
    """Remove items."""
    for one in ids:
        _unindex_item(connection, one)
        connection.execute("DELETE FROM recalled WHERE item = ?", (to_column(one),))


def _unindex_item(connection: sqlite3.Connection, item_id: str) -> int | None:
    """Remove an item from the index; return its number."""
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


def forget_items(connection: sqlite3.Connection, ids: Sequence[str], now: float) -> None:
    """Delete items permanently: items with these ids are not inserted again."""
    remove_items(connection, ids)
    user_edits.delete_edits(connection, ids)
    user_edits.delete_edits_of_messages(connection, ids)
    connection.executemany(
        "INSERT OR IGNORE INTO forgotten VALUES (?, ?)", [(to_column(one), now) for one in ids]
    )


def prepare_index(connection: sqlite3.Connection) -> None:
    """Have deleted index entries overwritten, if SQLite supports it (otherwise
    `overwrite_deleted_text` does it), and segments merged.
    """
    restore_automerge(connection, "found")
    if sqlite3.sqlite_version_info >= (3, 42):
        connection.execute("INSERT INTO found (found, rank) VALUES ('secure-delete', 1)")


def rebuild_index(connection: sqlite3.Connection) -> tuple[int, int]:
    """Rebuild the index and the sums from the existing items; return their number and the highest
    item number.
    """
    connection.execute(
        "UPDATE sums SET (rows, length) = (SELECT count(*), total(length) FROM items)"
    )
    connection.execute("INSERT INTO found (found) VALUES ('rebuild')")
    query = "SELECT count(*), coalesce(max(number), 0) FROM items"
    count, last = connection.execute(query).fetchone()
    return int(count), int(last)


def merge_segments(connection: sqlite3.Connection, at_most: int = MAX_SEGMENTS) -> bool:
    """Merge the index segments if there are more than `at_most`, because each word is looked up in
    all of them: it takes half a second for 100,000 items. Return whether they were merged.
    """
    (parts,) = connection.execute("SELECT count(DISTINCT segid) FROM found_idx").fetchone()
    if parts > at_most:
        # Not incrementally ('merge'): with SQLite 3.40 the index then fails its integrity check.
        connection.execute("INSERT INTO found (found) VALUES ('optimize')")
    return bool(parts > at_most)


def overwrite_deleted_text(connection: sqlite3.Connection) -> None:
    """Erase deleted text from the index. Call it outside a transaction."""
    if sqlite3.sqlite_version_info < (3, 42):
        connection.execute("INSERT INTO found (found) VALUES ('optimize')")


def _known_ids(
    connection: sqlite3.Connection, table: str, ids: Sequence[str], column: str = "id"
) -> set[str]:
    """Return those of `ids` that a table has in its `column`."""
    found: set[str] = set()
    for start in range(0, len(ids), _BATCH):
        batch = [to_column(one) for one in ids[start : start + _BATCH]]
        marks = ", ".join("?" * len(batch))
        rows = connection.execute(
            f"SELECT {column} FROM {table} WHERE {column} IN ({marks})", batch
        )
        found.update(from_column(row) for (row,) in rows)
    return found


# Searching


def search_items(
    connection: sqlite3.Connection,
    text: str,
    now: datetime,
    frequencies: TermFrequencies,
    *,
    count: int,
    wanted: Callable[[MemoryItem], bool] | None = None,
    picky: bool = False,
    nearness: FindSimilar | None = None,
) -> list[FoundItem]:
    """Return up to `count` items that are `wanted`, best first (`wanted` gets them without their
    texts); `picky`: only few may be wanted.
    """
    rows, length = connection.execute("SELECT rows, length FROM sums").fetchone()
    if not rows:
        return []
    # Writes of others, and own ones, which a database in memory has.
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    frequencies.adapt(rows, (version, connection.total_changes))
    query = build_query(text, now, _speakers(connection))
    look = _Search(connection, frequencies, rows, length / rows, wanted, nearness, picky=picky)
    return look.run(query, now, count)


def warm_up(connection: sqlite3.Connection, now: datetime, frequencies: TermFrequencies) -> None:
    """Search once for the latest text, so that pages and tables are in memory for the first
    question.
    """
    row = connection.execute("SELECT text FROM items ORDER BY number DESC LIMIT 1").fetchone()
    if row is not None:
        search_items(connection, from_column(row[0]), now, frequencies, count=1)


def _speakers(connection: sqlite3.Connection) -> list[str]:
    """Return all speakers by jumps through the index: there are few."""
    found: list[str] = []
    (name,) = connection.execute("SELECT min(speaker) FROM items").fetchone()
    while name is not None and len(found) < _BATCH:
        found.append(from_column(name))
        (name,) = connection.execute(
            "SELECT min(speaker) FROM items WHERE speaker > ?", (name,)
        ).fetchone()
    return found


class _Search:
    """One search, with the rows it has read."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        frequencies: TermFrequencies,
        rows: int,
        mean_length: float,
        wanted: Callable[[MemoryItem], bool] | None,
        nearness: FindSimilar | None,
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
        self._terms: dict[int, TermText] = {}
        self._asked: dict[int, TermText] = {}
        self._beside: dict[int, list[int]] = {}
        self._sums: dict[int, float] = {}
        self._with_term: dict[str, Sequence[int]] = {}

    def run(self, query: RecallQuery, now: datetime, count: int) -> list[FoundItem]:
        query = self._collect_rows(query)
        taken = self._rows_to_score(query.spans)
        tried = self._candidates(taken[:_MAX_TRIED])
        first = self._rank(replace(query, asks_for_past=True), tried, now)
        by_number = {one.number: one for one in tried}
        wider = self._expand(query, remove_repeats(by_number[one.number] for one in first))
        if wider is not query:
            taken = self._rows_to_score(query.spans)
        close = self._similarities(taken)
        taken = [*dict.fromkeys((*taken, *close))]
        candidates = self._candidates(taken, beside=True)
        return self._to_found_items(self._rank(wider, candidates, now, close, count))

    def _rank(
        self,
        query: RecallQuery,
        candidates: Sequence[Candidate],
        now: datetime,
        close: Mapping[int, Similarity] | None = None,
        count: int | None = None,
    ) -> list[ScoredCandidate]:
        return rank(query, candidates, self._statistics(), now, close, count, self._count_terms)

    # Looking up words

    def _collect_rows(self, query: RecallQuery) -> RecallQuery:
        """Find the rows; return the query without words that are everywhere and have
        little weight.
        """
        self._counts([*query.weights, *query.synonyms])
        query = use_single_characters(query, self._frequencies.counts)
        weights = dict(query.weights)
        heavy = [term for term, weight in weights.items() if weight >= _RARE_WEIGHT]
        if query.is_single_character:
            heavy = [term for term in weights if is_single_character(term)] or heavy
        for term in heavy:
            self._add_rows(term, weights[term])
        for term, asked in query.synonyms.items():
            self._add_rows(term, SIMILARITY_LIMIT * weights.get(asked, 0.0))
        if not self._sums:
            for term in weights.keys() - set(heavy):
                self._add_rows(term, weights[term])
        if not self._sums:  # all words are everywhere: use the latest rows
            for term in heavy[:4]:
                self._add_rows(term, weights[term], at_most=True)
        for term, weight in query.weights.items():
            if weight < _RARE_WEIGHT and self._count(term) > max(
                self._count_of_rows * _COMMON_SHARE, 50
            ):
                del weights[term]
        return replace(query, weights=weights or query.weights)

    def _add_rows(self, term: str, weight: float, *, at_most: bool = False) -> None:
        if not is_token(term) or (not at_most and self._count(term) >= _MAX_ROWS):
            return
        if term in self._frequencies.absent:
            return
        # As one text: SQLite switches threads for each row that it returns.
        (found,) = self._run(_ROWS_OF, (f'"{term}"', _MAX_ROWS)).fetchone()
        worth = weight * self._statistics().inverse_frequency(term)
        sums, known = self._sums, self._sums.get
        numbers: list[int] = json.loads(f"[{found or ''}]")
        if len(numbers) < _MAX_ROWS:
            self._with_term[term] = numbers
        for number in numbers:
            sums[number] = known(number, 0.0) + worth

    def _count(self, term: str) -> int:
        """Return the number of rows with a term, at most `_MAX_ROWS`."""
        return self._counts([term])[0]

    def _counts(self, terms: Sequence[str]) -> list[int]:
        """Return the counts of `terms`; unknown ones are queried together."""
        known = self._frequencies.counts
        unknown = [term for term in terms if term not in known]
        if unknown:
            # Terms of rows from an earlier version may not be tokens, which would make the query
            # fail.
            asked = [term for term in unknown if is_token(term)]
            known.update(dict.fromkeys(unknown, 0))
            self._frequencies.add(dict(self._run(_COUNTS_OF, (_MAX_ROWS, json.dumps(asked)))))
        return [known[term] for term in terms]

    def _statistics(self) -> IndexStatistics:
        return IndexStatistics(self._count_of_rows, self._mean_length, self._frequencies.counts)

    def _expand(self, query: RecallQuery, best: Sequence[Candidate]) -> RecallQuery:
        if not query.weights or not best:
            return query
        said = {
            term for one in best for term in one.terms.split()[:80] if not is_single_character(term)
        }
        terms = sorted(said)
        counts = dict(zip(terms, self._counts(terms), strict=True))
        rare = [
            Candidate(
                one.number,
                one.speaker,
                one.side,
                one.time,
                TermText.of(
                    term for term in one.terms.split() if 1 < counts.get(term, 0) < _MAX_ROWS
                ),
                one.length,
            )
            for one in best
        ]
        wider, words = expand_query(query, rare, self._statistics())
        for word in words:
            self._add_rows(word, wider.weights[word])
        return wider if words else query

    def _count_terms(
        self, candidates: Sequence[Candidate], wanted: frozenset[str]
    ) -> dict[TermText, Mapping[str, float]]:
        """Count the `wanted` terms in the texts of candidates and of their neighbours. A term that
        was looked up is counted only in the texts that the index names.
        """
        numbers = {one.number for one in candidates}
        numbers.update(
            other for one in candidates if one.neighbours for other in self._beside[one.number]
        )
        texts = JoinedTexts({number: self._terms_of(number) for number in numbers})
        found: dict[int, dict[str, float]] = {}
        for term in sorted(wanted - self._frequencies.absent):  # sums depend on the order
            listed = self._with_term.get(term)
            among = None if listed is None else numbers.intersection(listed)
            for number, often in texts.count(term, among).items():
                found.setdefault(number, {})[term] = often
        counts: dict[TermText, Mapping[str, float]] = {
            self._terms[number]: said for number, said in found.items()
        }
        for one in candidates:
            for part in (one.answers, one.asked):
                if part is not NO_TERMS and part not in counts:
                    counts[part] = part.count(wanted)
        return counts

    # Rows

    def _rows_to_score(self, spans: Sequence[NamedDays]) -> list[int]:
        """Return the rows to score: those with the highest sums, and those of the named days."""
        order = self._best_rows(_MAX_SCORED * _MAX_PASSED if self._picky else _MAX_SCORED)
        if self._picky:
            order = self._first_allowed(order)
        taken = dict.fromkeys(order[:_MAX_SCORED])
        for span in spans:
            first = datetime.combine(span.first, datetime.min.time(), UTC).timestamp()
            rows = self._run(
                "SELECT number FROM items WHERE time >= ? AND time < ? ORDER BY time DESC LIMIT ?",
                (first, first + span.days * 86400, _MAX_OF_DAYS),
            )
            taken |= dict.fromkeys(number for (number,) in rows)
            if marks := " OR ".join(span_terms(span)):
                rows = self._run(
                    "SELECT rowid FROM found WHERE found MATCH ? ORDER BY rowid DESC LIMIT ?",
                    (marks, _MAX_OF_DAYS),
                )
                taken |= dict.fromkeys(number for (number,) in rows)
        self._read_rows(taken)
        said = [number for number in order[:_MAX_WITH_NEIGHBOURS] if self._has_neighbours(number)]
        self._read_rows(number + step for number in said for step in (-1, 1, -2, 2))
        # A neighbour of a good row may answer, although it contains no word of the question.
        for number in said:
            taken |= dict.fromkeys(self._neighbours(number))
        return self._allowed(taken)

    def _best_rows(self, count: int) -> list[int]:
        """Return the rows with the highest sums, newest first among equals."""
        sums = self._sums
        if len(sums) > count:
            least = sorted(sums.values())[-count]
            pairs = [(worth, number) for number, worth in sums.items() if worth >= least]
        else:
            pairs = [(worth, number) for number, worth in sums.items()]
        pairs.sort(reverse=True)
        return [number for _, number in pairs[:count]]

    def _allowed(self, numbers: Iterable[int]) -> list[int]:
        """Return the rows that exist and are wanted."""
        found = [number for number in numbers if number in self._rows]
        wanted = self._wanted
        return (
            [one for one in found if wanted(_item_without_text(self._rows[one]))]
            if wanted
            else found
        )

    def _similarities(self, taken: Sequence[int]) -> dict[int, Similarity]:
        """Return the similarities of these rows and of the nearest rows."""
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
        self._read_rows(known)
        said = [number for number in known if self._has_neighbours(number)]
        self._read_rows(number + step for number in said for step in (-1, 1, -2, 2))
        return {number: known[number] for number in self._allowed(known)}

    def _first_allowed(self, order: Sequence[int]) -> list[int]:
        """Return the first wanted rows, if unwanted ones would take all places."""
        picked: list[int] = []
        for start in range(0, min(len(order), _MAX_SCORED * _MAX_PASSED), _MAX_SCORED):
            batch = order[start : start + _MAX_SCORED]
            self._read_rows(batch)
            picked += self._allowed(batch)
            if len(picked) >= _MAX_SCORED:
                break
        return picked

    def _read_rows(self, numbers: Iterable[int]) -> None:
        known = self._rows
        missing = [number for number in dict.fromkeys(numbers) if number not in known]
        # One parameter, so that the statement is always the same and prepared only once.
        for row in map(_Row._make, self._run(_ROWS_WITH_NUMBERS, (json.dumps(missing),))):
            known[row.number] = row

    def _terms_of(self, number: int) -> TermText:
        terms = self._terms.get(number)
        if terms is None:
            said, separator, asked = self._rows[number].terms.partition(_STORED_SEPARATOR)
            terms = self._terms[number] = TermText(said + asked)
            if separator:
                self._asked[number] = TermText(asked)
        return terms

    def _question_terms(self, number: int) -> TermText:
        """Return the terms of a row that are in questions."""
        self._terms_of(number)
        return self._asked.get(number, NO_TERMS)

    def _answered_terms(self, number: int, neighbours: Sequence[int]) -> TermText:
        """Return the terms that another speaker asked for just before."""
        if neighbours[0] > number:
            return NO_TERMS
        before = neighbours[0]
        if self._rows[before].speaker == self._rows[number].speaker:
            return NO_TERMS
        asked = self._question_terms(before)
        is_empty = asked is not NO_TERMS and is_empty_answer(self._terms_of(number).split())
        return NO_TERMS if is_empty else asked

    def _has_neighbours(self, number: int) -> bool:
        """Return whether a row has neighbours; passages of documents have none."""
        row = self._rows.get(number)
        return row is not None and row.side != _DOCUMENT

    def _neighbours(self, number: int) -> Sequence[int]:
        """Return the rows just before and just after, in the same session."""
        known = self._beside.get(number)
        if known is not None:
            return known
        found: list[int] = []
        get = self._rows.get
        here = get(number)
        if here is not None and here.side != _DOCUMENT:
            talk = here.conversation
            for step in (-1, 1):
                there = get(number + step)
                if there is None or there.conversation != talk:
                    there = get(number + 2 * step)
                    if there is None or there.conversation != talk:
                        continue
                if _is_same_session(here, there):
                    found.append(there.number)
        self._beside[number] = found
        return found

    def _candidates(self, numbers: Iterable[int], *, beside: bool = False) -> list[Candidate]:
        """Return the candidates of rows; `beside`: with the terms of their neighbours."""
        rows, terms_of, asked = self._rows, self._terms_of, self._asked
        found = []
        for number in numbers:
            row = rows[number]
            terms = terms_of(number)
            neighbours: Sequence[int] = self._neighbours(number) if beside else ()
            said: list[TermText] = []
            length = 0
            for one in neighbours:
                said.append(terms_of(one))
                length += rows[one].length
            found.append(
                Candidate(
                    number,
                    _speaker_of(row.speaker),
                    _SIDES.get(row.side, ItemSide.TOOL),
                    wall_time(row.time),
                    terms,
                    row.length,
                    said,
                    row.corrects != 0,
                    row.asks != 0,
                    row.pinned != 0,
                    asked.get(number, NO_TERMS),
                    self._answered_terms(number, neighbours) if neighbours else NO_TERMS,
                    length,
                )
            )
        return found

    def _to_found_items(self, scored: Sequence[ScoredCandidate]) -> list[FoundItem]:
        """Return the items of scored rows; their texts are read only now."""
        newer = (one.replaced_by for one in scored if one.replaced_by is not None)
        numbers = [*dict.fromkeys([*(one.number for one in scored), *newer])]
        items: dict[int, MemoryItem] = {}
        for start in range(0, len(numbers), _BATCH):
            batch = numbers[start : start + _BATCH]
            marks = ", ".join("?" * len(batch))
            rows = self._run(f"SELECT {ITEM_COLUMNS} FROM items WHERE number IN ({marks})", batch)
            items |= {row[0]: item_of(row) for row in rows}
        return [
            FoundItem(
                items[one.number],
                one.score,
                one.relevance,
                "" if one.replaced_by is None else items[one.replaced_by].id,
            )
            for one in scored
        ]


class _Row(NamedTuple):
    """A row of the index. Texts are read as bytes: most are never used, and decoding takes time."""

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


_SEARCHED_COLUMNS = (
    "number, CAST(id AS BLOB), CAST(message AS BLOB), CAST(conversation AS BLOB), "
    "CAST(side AS BLOB), CAST(speaker AS BLOB), time, pinned, corrected <> '', "
    "CAST(terms AS BLOB), length, corrects, asks"
)
_ROWS_WITH_NUMBERS = (
    f"SELECT {_SEARCHED_COLUMNS} FROM items WHERE number IN (SELECT value FROM json_each(?))"
)


@lru_cache(maxsize=64)
def _speaker_of(stored: bytes) -> str:
    return from_column(stored)


def _is_same_session(here: _Row, there: _Row) -> bool:
    return there.side != _DOCUMENT and abs(here.time - there.time) < _SESSION_SECONDS


def _item_without_text(row: _Row) -> MemoryItem:
    about = (row.number, row.stored_id, row.message, row.conversation, row.side, row.speaker)
    return item_of((*about, row.time, "", row.pinned, row.corrected, False, False))


def item_of(row: Sequence[object]) -> MemoryItem:
    """Return the item of a row with ITEM_COLUMNS; texts may be bytes."""
    _, one, message, conversation, side, speaker, time, text, *more = row
    pinned, corrected, untrusted, synced = more
    return MemoryItem(
        from_column(one),  # type: ignore[arg-type]
        from_column(speaker),  # type: ignore[arg-type]
        _SIDES.get(side, ItemSide.TOOL),
        wall_time(float(time)),  # type: ignore[arg-type]
        from_column(text),  # type: ignore[arg-type]
        from_column(message),  # type: ignore[arg-type]
        from_column(conversation),  # type: ignore[arg-type]
        bool(pinned),
        bool(corrected),
        bool(untrusted) or bool(synced),
        corrected_elsewhere=bool(synced),
    )


_SIDES: Mapping[object, ItemSide] = {
    stored: side for side in ItemSide for stored in (side.value, side.value.encode())
}
_DOCUMENT = ItemSide.DOCUMENT.value.encode()
_SESSION_SECONDS = SESSION_GAP.total_seconds()
_EPOCH = datetime(1970, 1, 1)


def wall_time(stored: float) -> datetime:
    """Return a stored time as local clock time."""
    return _EPOCH + timedelta(seconds=stored)
