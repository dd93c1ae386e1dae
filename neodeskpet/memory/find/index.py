"""Texts in, out, and found again. All on a connection, inside the caller's transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from neodeskpet.core.blocks import Role
from neodeskpet.core.find.needle import SearchPattern, fold_for_search
from neodeskpet.core.find.passage import Passage, passage_around, searchable_text
from neodeskpet.core.find.terms import SearchQuery, index_text
from neodeskpet.core.records import LATEST_TIME
from neodeskpet.database.columns import from_column, to_column
from neodeskpet.memory.standing import VisibleMessage

_NUMBERS_PER_SECOND = 100
"""Numbers that a second of the clock has: messages said in the same one follow each other."""
_MAX_CANDIDATES = 20_000
"""Texts that are read at most for words of which the index knows a part at best (`C++`)."""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A message that was found: where it stands, who said it when (unix seconds), and the part
    that shows it. `number` orders hits: the later, the higher.
    """

    number: int
    message: str
    conversation: str
    by_user: bool
    time: float
    passage: Passage


def index_messages(connection: sqlite3.Connection, found: Iterable[VisibleMessage]) -> None:
    """Take these in, in the place of what is known of them."""
    for one in found:
        message = one.message
        remove_messages(connection, [message.id])
        text = searchable_text(message)
        number = _free_number(connection, message.created)
        connection.execute(
            "INSERT INTO texts VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                *(number, message.id, one.conversation, message.role is Role.USER),
                *(message.created, one.last_written, to_column(text)),
            ),
        )
        terms = (number, index_text(text))
        connection.execute("INSERT INTO found (rowid, terms) VALUES (?, ?)", terms)


def _free_number(connection: sqlite3.Connection, time: float) -> int:
    """A free one for what was said then. Many at once (a copy of a conversation) come one after
    the other.
    """
    first = number = max(1, int(min(max(time, 0.0), LATEST_TIME) * _NUMBERS_PER_SECOND))
    room = _NUMBERS_PER_SECOND
    while True:
        row = connection.execute("SELECT 1 FROM texts WHERE number = ?", (number,)).fetchone()
        if row is None:
            return number
        (last,) = connection.execute(
            "SELECT max(number) FROM texts WHERE number BETWEEN ? AND ?", (number, first + room - 1)
        ).fetchone()
        number = last + 1
        if number >= first + room:
            room *= 10


def remove_messages(connection: sqlite3.Connection, ids: Iterable[str]) -> int:
    """Take these messages out; how many were there."""
    dropped = 0
    for one in ids:
        row = connection.execute(
            "SELECT number, text FROM texts WHERE message = ?", (one,)
        ).fetchone()
        if row is not None:
            terms = (row[0], index_text(from_column(row[1])))
            connection.execute(
                "INSERT INTO found (found, rowid, terms) VALUES ('delete', ?, ?)", terms
            )
            connection.execute("DELETE FROM texts WHERE number = ?", (row[0],))
            dropped += 1
    return dropped


def overwrite_deleted_text(connection: sqlite3.Connection) -> None:
    """Let nothing of what was taken out lie in the index. To be called outside a transaction."""
    if sqlite3.sqlite_version_info < (3, 42):
        connection.execute("INSERT INTO found (found) VALUES ('optimize')")


def search_messages(
    connection: sqlite3.Connection, question: SearchQuery, *, limit: int, before: int | None
) -> list[SearchHit]:
    """The latest `limit` messages that hold all words, of those with a lower number than `before`
    if that is given.
    """
    if not question.words:
        return []
    needle = question.pattern()
    hits: list[SearchHit] = []
    for row in _candidates(connection, question, before):
        number, message, conversation, person, time, text = row
        shown = passage_around(from_column(text), needle)
        hits.append(SearchHit(number, message, conversation, bool(person), time, shown))
        if len(hits) >= limit:
            break
    return hits


def _candidates(
    connection: sqlite3.Connection, question: SearchQuery, before: int | None
) -> Iterator[tuple[Any, ...]]:
    columns = "t.number, t.message, t.conversation, t.person, t.time, t.text"
    last = before if before is not None else 1 << 62
    if question.match:
        rows = connection.execute(
            f"SELECT {columns} FROM found JOIN texts AS t ON t.number = found.rowid "
            "WHERE found MATCH ? AND found.rowid < ? ORDER BY found.rowid DESC",
            (question.match, last),
        )
    else:
        rows = connection.execute(
            f"SELECT {columns} FROM texts AS t WHERE t.number < ? ORDER BY t.number DESC", (last,)
        )
    if not question.unindexed_words:
        yield from rows
        return
    for looked, row in enumerate(rows):
        if looked > _MAX_CANDIDATES:
            return
        text = fold_for_search(from_column(row[5]))
        if all(sign in text for sign in question.unindexed_words):
            yield row


def count_matches(
    connection: sqlite3.Connection, conversation: str, needle: SearchPattern
) -> dict[str, int]:
    """How often the words stand in each message of a conversation, for those where they do."""
    rows = connection.execute(
        "SELECT message, text FROM texts WHERE conversation = ?", (conversation,)
    )
    found = ((message, needle.count(from_column(text))) for message, text in rows)
    return {message: count for message, count in found if count}
