"""Sources, files and passages as rows. All on a connection, inside the caller's transaction."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from neodeskpet.core.omissions import read_omitted
from neodeskpet.database.columns import from_column, to_column
from neodeskpet.memory.knowledge.child import line_mark
from neodeskpet.memory.knowledge.library import (
    KnownFile,
    KnownPassage,
    Source,
    SourceKind,
)
from neodeskpet.memory.knowledge.passages import Passage
from neodeskpet.memory.knowledge.reading import Indexed
from neodeskpet.memory.recall.index import remove
from neodeskpet.memory.recollection import Side

_WORD = re.compile(r"\w")
_SOURCES = """
    SELECT id, kind, address, added, title, fault,
        (SELECT count(*) FROM files WHERE source = sources.id AND why = ''),
        (SELECT count(*) FROM items WHERE conversation = sources.id),
        (SELECT count(*) FROM files WHERE source = sources.id AND why <> ''),
        (SELECT count(*) FROM files WHERE source = sources.id AND omitted <> '[]'),
        encoding, skipped
    FROM sources
"""
_FILES = "SELECT id, source, path, name, stamp, size, pages, cut, why, omitted, encoding FROM files"
_PASSAGES = """
    SELECT items.id, text, start, line, page, heading FROM items
    JOIN places ON places.item = items.id
"""


def read_sources(connection: sqlite3.Connection) -> list[Source]:
    """In the order in which they were added."""
    rows = connection.execute(f"{_SOURCES} ORDER BY added, id")
    return [
        Source(
            *(key, SourceKind(kind), from_column(address), added, from_column(title)),
            *(*rest, _counts(skipped)),
        )
        for key, kind, address, added, title, *rest, skipped in rows
    ]


def _counts(column: str) -> tuple[tuple[str, int], ...]:
    """Pairs as they are stored in a column."""
    return tuple((str(name), int(count)) for name, count in json.loads(column))


def add_source(connection: sqlite3.Connection, source: Source) -> str:
    """Its id; that of the one with this address, if there is one."""
    address = to_column(source.address)
    row = connection.execute("SELECT id FROM sources WHERE address = ?", (address,)).fetchone()
    if row is not None:
        return str(row[0])
    connection.execute(
        "INSERT INTO sources (id, kind, address, added, title) VALUES (?, ?, ?, ?, ?)",
        (source.id, source.kind.value, address, source.added, to_column(source.title)),
    )
    return source.id


def drop_source(connection: sqlite3.Connection, source: str) -> tuple[bool, list[str]]:
    """It and all that was read of it; whether it was there, and the ids of files and passages that
    went.
    """
    gone = drop_files(connection, [one.id for one in files_of(connection, source)])
    there = connection.execute("DELETE FROM sources WHERE id = ?", (source,)).rowcount
    return bool(there), gone


def files_of(connection: sqlite3.Connection, source: str) -> list[KnownFile]:
    rows = connection.execute(f"{_FILES} WHERE source = ? ORDER BY name", (source,))
    return [_file(row) for row in rows]


def refused_files(connection: sqlite3.Connection, source: str, most: int) -> list[KnownFile]:
    rows = connection.execute(
        f"{_FILES} WHERE source = ? AND why <> '' ORDER BY name LIMIT ?", (source, most)
    )
    return [_file(row) for row in rows]


def incomplete_files(connection: sqlite3.Connection, source: str, most: int) -> list[KnownFile]:
    rows = connection.execute(
        f"{_FILES} WHERE source = ? AND omitted <> '[]' ORDER BY name LIMIT ?", (source, most)
    )
    return [_file(row) for row in rows]


def set_encoding(connection: sqlite3.Connection, source: str, encoding: str) -> bool:
    """How the texts of a source are decoded from now on; whether that is another way."""
    changed = connection.execute(
        "UPDATE sources SET encoding = ?1 WHERE id = ?2 AND encoding <> ?1", (encoding, source)
    ).rowcount
    return bool(changed)


def note_skipped(
    connection: sqlite3.Connection, source: str, skipped: Sequence[tuple[str, int]]
) -> bool:
    """Which files of a folder hold no text; whether they are others than before."""
    changed = connection.execute(
        "UPDATE sources SET skipped = ?1 WHERE id = ?2 AND skipped <> ?1",
        (json.dumps(skipped), source),
    ).rowcount
    return bool(changed)


def read_cut_anew(connection: sqlite3.Connection, limit: int) -> None:
    """If the limit of characters is another than last time, the files that reached the old one, or
    reach the new one, are read anew.
    """
    row = connection.execute("SELECT value FROM state WHERE key = 'longest'").fetchone()
    before = int(row[0]) if row is not None else 0
    if before == limit:
        return
    connection.execute("UPDATE files SET stamp = '' WHERE cut = 1 OR size > ?", (limit,))
    connection.execute("INSERT OR REPLACE INTO state VALUES ('longest', ?)", (str(limit),))


def file_of(connection: sqlite3.Connection, key: str) -> KnownFile | None:
    row = connection.execute(f"{_FILES} WHERE id = ?", (key,)).fetchone()
    return _file(row) if row is not None else None


def _file(row: Sequence[object]) -> KnownFile:
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
class Put:
    """The passages that came with a file, and those that went."""

    new: Sequence[str]
    gone: Sequence[str]


def put_file(
    connection: sqlite3.Connection, file: KnownFile, passages: Sequence[Indexed]
) -> Put | None:
    """Keep a file as it was read (or refused), in the place of what was known of it; None if its
    source is there no more.
    """
    known = connection.execute("SELECT 1 FROM sources WHERE id = ?", (file.source,)).fetchone()
    if known is None:
        return None
    connection.execute(
        "INSERT OR REPLACE INTO files "
        "(id, source, path, name, stamp, size, pages, cut, why, omitted, encoding) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(file.id, file.source, to_column(file.path), to_column(file.name), file.stamp),
            *(file.size, file.pages, int(file.cut), file.why),
            *(json.dumps([asdict(one) for one in file.omitted]), file.encoding),
        ),
    )
    new = _with_ids(file.id, passages)
    terms = connection.execute("SELECT id, terms FROM items WHERE message = ?", (file.id,))
    same = {str(one) for one, has in terms if one in new and new[one].terms == has}
    gone = [one for one in _ids_of(connection, file.id) if one not in same]
    _drop_passages(connection, gone)
    for one, passage in new.items():
        if one not in same:
            _put_passage(connection, file, passage, one)
        _put_place(connection, one, passage.passage)
    added = [passage.length for one, passage in new.items() if one not in same]
    connection.execute(
        "UPDATE sums SET rows = rows + ?, length = length + ?", (len(added), sum(added))
    )
    return Put([one for one in new if one not in same], [one for one in gone if one not in new])


def _ids_of(connection: sqlite3.Connection, file: str) -> list[str]:
    rows = connection.execute("SELECT id FROM items WHERE message = ?", (file,))
    return [str(one) for (one,) in rows]


def _with_ids(file: str, passages: Sequence[Indexed]) -> dict[str, Indexed]:
    """By an id that stays the same while the words do."""
    found: dict[str, Indexed] = {}
    seen: Counter[str] = Counter()
    for one in passages:
        said = hashlib.sha256(one.passage.text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        seen[said] += 1
        found[f"{file}.{said}.{seen[said]}"] = one
    return found


def _put_passage(
    connection: sqlite3.Connection, file: KnownFile, one: Indexed, passage_id: str
) -> None:
    passage = one.passage
    # No time: when a file was written says nothing of the days that a question names.
    cursor = connection.execute(
        "INSERT INTO items (id, message, conversation, side, speaker, time, text, terms, length) "
        "VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?)",
        (
            *(passage_id, file.id, file.source, Side.DOCUMENT.value, "document"),
            *(to_column(passage.text), one.terms, one.length),
        ),
    )
    connection.execute(
        "INSERT INTO found (rowid, terms) VALUES (?, ?)", (cursor.lastrowid, one.terms)
    )


def _put_place(connection: sqlite3.Connection, passage_id: str, passage: Passage) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO places VALUES (?, ?, ?, ?, ?)",
        (passage_id, passage.start, passage.line, passage.page, to_column(passage.heading)),
    )


def drop_files(connection: sqlite3.Connection, keys: Sequence[str]) -> list[str]:
    """The ids of all that went: these, and their passages."""
    gone: list[str] = []
    for key in keys:
        gone += _ids_of(connection, key)
        connection.execute("DELETE FROM files WHERE id = ?", (key,))
    _drop_passages(connection, gone)
    return [*keys, *gone]


def _drop_passages(connection: sqlite3.Connection, ids: Sequence[str]) -> None:
    remove(connection, ids)
    connection.executemany("DELETE FROM places WHERE item = ?", [(one,) for one in ids])


def passages_of(connection: sqlite3.Connection, file: str) -> list[KnownPassage]:
    """All of a file, in their order."""
    rows = connection.execute(f"{_PASSAGES} WHERE message = ? ORDER BY start", (file,))
    return [_passage(row) for row in rows]


def passages(
    connection: sqlite3.Connection, ids: Sequence[str]
) -> dict[str, tuple[KnownPassage, KnownFile]]:
    """These, with the file each is of; by id."""
    found: dict[str, tuple[KnownPassage, KnownFile]] = {}
    for one in ids:
        row = connection.execute(f"{_PASSAGES} WHERE items.id = ?", (one,)).fetchone()
        file = file_of(connection, one.partition(".")[0]) if row is not None else None
        if file is not None:
            found[one] = _passage(row), file
    return found


def terms_of(connection: sqlite3.Connection, ids: Sequence[str]) -> dict[str, frozenset[str]]:
    """The terms that passages are found by, by their ids."""
    marks = ", ".join("?" * len(ids))
    found = connection.execute(f"SELECT id, terms FROM items WHERE id IN ({marks})", tuple(ids))
    return {str(one): frozenset(str(terms).split()) for one, terms in found}


def _passage(row: Sequence[object]) -> KnownPassage:
    key, text, start, line, page, heading = row
    return KnownPassage(
        str(key),
        from_column(text),  # type: ignore[arg-type]
        int(start),  # type: ignore[call-overload]
        int(line),  # type: ignore[call-overload]
        int(page),  # type: ignore[call-overload]
        from_column(heading),  # type: ignore[arg-type]
    )


def path_key(path: str) -> str:
    """What stands for a path where its letters mustn't."""
    return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def forget(connection: sqlite3.Connection, ids: Sequence[str]) -> list[str]:
    """Take passages out for ever: their lines don't come back with the file. What was there."""
    gone = []
    for one, (passage, file) in passages(connection, ids).items():
        key = path_key(file.path)
        marks = {line_mark(key, line) for line in passage.text.splitlines() if _WORD.search(line)}
        connection.executemany(
            "INSERT OR IGNORE INTO forgotten VALUES (?, ?)",
            [(f"{key}/{mark}", time.time()) for mark in marks],
        )
        _drop_passages(connection, [one])
        gone.append(one)
    return gone


def forgotten_of(connection: sqlite3.Connection, path: str) -> list[str]:
    """The marks of the lines of this file that were forgotten."""
    key = path_key(path)
    rows = connection.execute(
        "SELECT id FROM forgotten WHERE id > ? AND id < ?", (f"{key}/", f"{key}0")
    )
    return [str(one).partition("/")[2] for (one,) in rows]
