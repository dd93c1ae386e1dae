"""Sources, files and passages as rows. All functions run inside the caller's transaction."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from neodeskpet.core.attachments import read_omitted
from neodeskpet.memory.knowledge.knowledge_child import line_digest
from neodeskpet.memory.knowledge.knowledge_types import (
    KnowledgeSource,
    KnownFile,
    KnownPassage,
    SourceKind,
)
from neodeskpet.memory.knowledge.passage_reader import IndexedPassage
from neodeskpet.memory.knowledge.passage_splitter import Passage
from neodeskpet.memory.recall.memory_index import remove_items
from neodeskpet.memory.recall.recall_types import ItemSide
from neodeskpet.storage.database_schema import from_column, to_column

_WORD = re.compile(r"\w")
_SELECT_SOURCES = """
    SELECT id, kind, address, added, title, fault,
        (SELECT count(*) FROM files WHERE source = sources.id AND why = ''),
        (SELECT count(*) FROM items WHERE conversation = sources.id),
        (SELECT count(*) FROM files WHERE source = sources.id AND why <> ''),
        (SELECT count(*) FROM files WHERE source = sources.id AND omitted <> '[]'),
        encoding, skipped
    FROM sources
"""
_SELECT_FILES = (
    "SELECT id, source, path, name, stamp, size, pages, cut, why, omitted, encoding FROM files"
)
_SELECT_PASSAGES = """
    SELECT items.id, text, start, line, page, heading FROM items
    JOIN places ON places.item = items.id
"""


def read_sources(connection: sqlite3.Connection) -> list[KnowledgeSource]:
    """Return the sources in the order in which they were added."""
    rows = connection.execute(f"{_SELECT_SOURCES} ORDER BY added, id")
    return [
        KnowledgeSource(
            key,
            SourceKind(kind),
            from_column(address),
            added,
            title=from_column(title),
            fault=fault,
            files=files,
            passages=passages,
            refused=refused,
            incomplete=incomplete,
            encoding=encoding,
            skipped=_decode_counts(skipped),
        )
        for (
            key,
            kind,
            address,
            added,
            title,
            fault,
            files,
            passages,
            refused,
            incomplete,
            encoding,
            skipped,
        ) in rows
    ]


def _decode_counts(column: str) -> tuple[tuple[str, int], ...]:
    """Decode the pairs in a column."""
    return tuple((str(name), int(count)) for name, count in json.loads(column))


def add_source(connection: sqlite3.Connection, source: KnowledgeSource) -> str:
    """Insert a source and return its id, or the id of the existing one with this address."""
    address = to_column(source.address)
    row = connection.execute("SELECT id FROM sources WHERE address = ?", (address,)).fetchone()
    if row is not None:
        return str(row[0])
    connection.execute(
        "INSERT INTO sources (id, kind, address, added, title) VALUES (?, ?, ?, ?, ?)",
        (source.id, source.kind.value, address, source.added, to_column(source.title)),
    )
    return source.id


def delete_source(connection: sqlite3.Connection, source: str) -> tuple[bool, list[str]]:
    """Delete a source with its content. Return whether it existed, and the ids of its files and
    passages.
    """
    gone = delete_files(connection, [one.id for one in read_files(connection, source)])
    there = connection.execute("DELETE FROM sources WHERE id = ?", (source,)).rowcount
    return bool(there), gone


def read_files(connection: sqlite3.Connection, source: str) -> list[KnownFile]:
    rows = connection.execute(f"{_SELECT_FILES} WHERE source = ? ORDER BY name", (source,))
    return [_to_file(row) for row in rows]


def read_refused_files(connection: sqlite3.Connection, source: str, most: int) -> list[KnownFile]:
    rows = connection.execute(
        f"{_SELECT_FILES} WHERE source = ? AND why <> '' ORDER BY name LIMIT ?", (source, most)
    )
    return [_to_file(row) for row in rows]


def read_incomplete_files(
    connection: sqlite3.Connection, source: str, most: int
) -> list[KnownFile]:
    rows = connection.execute(
        f"{_SELECT_FILES} WHERE source = ? AND omitted <> '[]' ORDER BY name LIMIT ?",
        (source, most),
    )
    return [_to_file(row) for row in rows]


def set_encoding(connection: sqlite3.Connection, source: str, encoding: str) -> bool:
    """Set the encoding of a source; return whether it changed."""
    changed = connection.execute(
        "UPDATE sources SET encoding = ?1 WHERE id = ?2 AND encoding <> ?1", (encoding, source)
    ).rowcount
    return bool(changed)


def update_skipped(
    connection: sqlite3.Connection, source: str, skipped: Sequence[tuple[str, int]]
) -> bool:
    """Store the counts of files without text in a folder; return whether they changed."""
    changed = connection.execute(
        "UPDATE sources SET skipped = ?1 WHERE id = ?2 AND skipped <> ?1",
        (json.dumps(skipped), source),
    ).rowcount
    return bool(changed)


def mark_cut_files_unread(connection: sqlite3.Connection, limit: int) -> None:
    """Mark files to be read again if a new limit of characters affects them: those that reached the
    old limit, or that reach the new one.
    """
    row = connection.execute("SELECT value FROM state WHERE key = 'longest'").fetchone()
    before = int(row[0]) if row is not None else 0
    if before == limit:
        return
    connection.execute("UPDATE files SET stamp = '' WHERE cut = 1 OR size > ?", (limit,))
    connection.execute("INSERT OR REPLACE INTO state VALUES ('longest', ?)", (str(limit),))


def read_file_row(connection: sqlite3.Connection, key: str) -> KnownFile | None:
    row = connection.execute(f"{_SELECT_FILES} WHERE id = ?", (key,)).fetchone()
    return _to_file(row) if row is not None else None


def _to_file(row: Sequence[object]) -> KnownFile:
    key, source, path, name, stamp, size, pages, cut, why, omitted, encoding = row
    return KnownFile(
        str(key),
        str(source),
        from_column(path),  # type: ignore[arg-type]
        from_column(name),  # type: ignore[arg-type]
        str(stamp),
        int(size),  # type: ignore[call-overload]
        int(pages),  # type: ignore[call-overload]
        bool(cut),
        str(why),
        read_omitted(json.loads(str(omitted))),
        str(encoding),
    )


@dataclass(frozen=True, slots=True)
class FileChange:
    """The added and the removed passages of a file."""

    added: Sequence[str]
    deleted: Sequence[str]


def put_file(
    connection: sqlite3.Connection, file: KnownFile, passages: Sequence[IndexedPassage]
) -> FileChange | None:
    """Store a file as read (or refused), replacing its earlier content; return None if its source
    no longer exists.
    """
    known = connection.execute("SELECT 1 FROM sources WHERE id = ?", (file.source,)).fetchone()
    if known is None:
        return None
    connection.execute(
        "INSERT OR REPLACE INTO files "
        "(id, source, path, name, stamp, size, pages, cut, why, omitted, encoding) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            file.id,
            file.source,
            to_column(file.path),
            to_column(file.name),
            file.fingerprint,
            file.size,
            file.pages,
            int(file.is_truncated),
            file.refusal,
            json.dumps([asdict(one) for one in file.omitted]),
            file.encoding,
        ),
    )
    new = _with_ids(file.id, passages)
    terms = connection.execute("SELECT id, terms FROM items WHERE message = ?", (file.id,))
    same = {str(one) for one, has in terms if one in new and new[one].terms == has}
    gone = [one for one in _passage_ids(connection, file.id) if one not in same]
    _delete_passages(connection, gone)
    for one, passage in new.items():
        if one not in same:
            _put_passage(connection, file, passage, one)
        _put_passage_place(connection, one, passage.passage)
    added = [passage.length for one, passage in new.items() if one not in same]
    connection.execute(
        "UPDATE sums SET rows = rows + ?, length = length + ?", (len(added), sum(added))
    )
    return FileChange(
        [one for one in new if one not in same], [one for one in gone if one not in new]
    )


def _passage_ids(connection: sqlite3.Connection, file: str) -> list[str]:
    rows = connection.execute("SELECT id FROM items WHERE message = ?", (file,))
    return [str(one) for (one,) in rows]


def _with_ids(file: str, passages: Sequence[IndexedPassage]) -> dict[str, IndexedPassage]:
    """Return the passages by an id that depends only on their text."""
    found: dict[str, IndexedPassage] = {}
    seen: Counter[str] = Counter()
    for one in passages:
        said = hashlib.sha256(one.passage.text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        seen[said] += 1
        found[f"{file}.{said}.{seen[said]}"] = one
    return found


def _put_passage(
    connection: sqlite3.Connection, file: KnownFile, one: IndexedPassage, passage_id: str
) -> None:
    passage = one.passage
    # No time: the date of a file says nothing about the days that a question names.
    cursor = connection.execute(
        "INSERT INTO items (id, message, conversation, side, speaker, time, text, terms, length) "
        "VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?)",
        (
            passage_id,
            file.id,
            file.source,
            ItemSide.DOCUMENT.value,
            "document",
            to_column(passage.text),
            one.terms,
            one.length,
        ),
    )
    connection.execute(
        "INSERT INTO found (rowid, terms) VALUES (?, ?)", (cursor.lastrowid, one.terms)
    )


def _put_passage_place(connection: sqlite3.Connection, passage_id: str, passage: Passage) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO places VALUES (?, ?, ?, ?, ?)",
        (passage_id, passage.start, passage.line, passage.page, to_column(passage.heading)),
    )


def delete_files(connection: sqlite3.Connection, keys: Sequence[str]) -> list[str]:
    """Delete files; return the ids of the files and their passages."""
    gone: list[str] = []
    for key in keys:
        gone += _passage_ids(connection, key)
        connection.execute("DELETE FROM files WHERE id = ?", (key,))
    _delete_passages(connection, gone)
    return [*keys, *gone]


def _delete_passages(connection: sqlite3.Connection, ids: Sequence[str]) -> None:
    remove_items(connection, ids)
    connection.executemany("DELETE FROM places WHERE item = ?", [(one,) for one in ids])


def read_file_passages(connection: sqlite3.Connection, file: str) -> list[KnownPassage]:
    """Return all passages of a file in order."""
    rows = connection.execute(f"{_SELECT_PASSAGES} WHERE message = ? ORDER BY start", (file,))
    return [_to_passage(row) for row in rows]


def read_passages(
    connection: sqlite3.Connection, ids: Sequence[str]
) -> dict[str, tuple[KnownPassage, KnownFile]]:
    """Return passages with their files, by id."""
    found: dict[str, tuple[KnownPassage, KnownFile]] = {}
    for one in ids:
        row = connection.execute(f"{_SELECT_PASSAGES} WHERE items.id = ?", (one,)).fetchone()
        file = read_file_row(connection, one.partition(".")[0]) if row is not None else None
        if file is not None:
            found[one] = _to_passage(row), file
    return found


def read_terms(connection: sqlite3.Connection, ids: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return the terms of passages, by id."""
    marks = ", ".join("?" * len(ids))
    found = connection.execute(f"SELECT id, terms FROM items WHERE id IN ({marks})", tuple(ids))
    return {str(one): frozenset(str(terms).split()) for one, terms in found}


def _to_passage(row: Sequence[object]) -> KnownPassage:
    key, text, start, line, page, heading = row
    return KnownPassage(
        str(key),
        from_column(text),  # type: ignore[arg-type]
        int(start),  # type: ignore[call-overload]
        int(line),  # type: ignore[call-overload]
        int(page),  # type: ignore[call-overload]
        from_column(heading),  # type: ignore[arg-type]
    )


def path_digest(path: str) -> str:
    """Return a digest of a path, for places that must not contain the path itself."""
    return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def forget_passages(connection: sqlite3.Connection, ids: Sequence[str]) -> list[str]:
    """Delete passages permanently: their lines don't return when the file is read again. Returns
    the existing ones.
    """
    gone = []
    for one, (passage, file) in read_passages(connection, ids).items():
        key = path_digest(file.path)
        marks = {line_digest(key, line) for line in passage.text.splitlines() if _WORD.search(line)}
        connection.executemany(
            "INSERT OR IGNORE INTO forgotten VALUES (?, ?)",
            [(f"{key}/{mark}", time.time()) for mark in marks],
        )
        _delete_passages(connection, [one])
        gone.append(one)
    return gone


def read_forgotten(connection: sqlite3.Connection, path: str) -> list[str]:
    """Return the digests of the deleted lines of this file."""
    key = path_digest(path)
    rows = connection.execute(
        "SELECT id FROM forgotten WHERE id > ? AND id < ?", (f"{key}/", f"{key}0")
    )
    return [str(one).partition("/")[2] for (one,) in rows]
