"""What came with an import, remembered as it comes: each conversation's part is written in the same
transaction as its messages. An import that ends makes one list of it (`LAST`); of one that was
killed it stays, and is known by that nobody runs it any more.

All of it is rows of `state`, which an older version leaves alone. Functions that change something
are called inside a transaction.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from neodeskpet.database.columns import from_column, to_column

LAST_IMPORT_KEY = "past.last"
"""The key of what came with the last import that ended."""
_IMPORT_KEY = "past.import"
"""Before an import's id: what it is called, who runs it, when it began."""
_IMPORTED_KEY = "past.came"
"""Before a conversation's id and an import's: the ids of the messages that came, and the digests of
pictures that were about to come.
"""

IsProcessRunning = Callable[[str, str], bool]
"""Whether this import is run by this writer still."""


@dataclass(frozen=True, slots=True)
class ImportBatch:
    """The messages by conversations. `at`: when it began (unix seconds)."""

    id: str
    name: str
    started: float
    messages: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _ImportPart:
    conversation: str
    import_id: str
    messages: list[str]
    pictures: list[str]

    @property
    def key(self) -> str:
        return f"{_IMPORTED_KEY}:{self.conversation}:{self.import_id}"


def begin_import(
    connection: sqlite3.Connection,
    own: ImportBatch,
    writer: str,
    among: Collection[str],
    runs: IsProcessRunning,
) -> ImportBatch:
    """`own`, or one that was interrupted and of which something is `among` these conversations:
    that goes on under its own id.
    """
    holds = set(among)
    before = unfinished_imports(connection, runs)
    found = next((one for one in before if not holds.isdisjoint(one.messages)), None)
    begun = own if found is None else ImportBatch(found.id, own.name, own.started, found.messages)
    told = {"name": begun.name, "writer": writer, "at": begun.started}
    _put_state(connection, f"{_IMPORT_KEY}:{begun.id}", told)
    return begun


def expect_pictures(
    connection: sqlite3.Connection, of: str, conversation: str, digests: Sequence[str]
) -> None:
    """These pictures are about to be written, and the messages that show them after that; or, with
    no conversation, to be removed.
    """
    part = _read_part(connection, conversation, of)
    _put_part(connection, _ImportPart(conversation, of, part.messages, list(digests)))


def add_imported_messages(
    connection: sqlite3.Connection, of: str, conversation: str, ids: Sequence[str]
) -> None:
    """These messages have come, with their pictures."""
    here = _read_part(connection, conversation, of).messages
    _put_part(connection, _ImportPart(conversation, of, list(dict.fromkeys([*here, *ids])), []))


def end_import(connection: sqlite3.Connection, of: str) -> ImportBatch | None:
    """It is over, and what came with it is what came last; None where nothing did."""
    ended = next((one for one in _read_batches(connection) if one.id == of), None)
    delete_import(connection, of)
    if ended is None or not ended.messages:
        return None
    _put_state(
        connection,
        LAST_IMPORT_KEY,
        {"name": ended.name, "messages": ended.messages, "at": ended.started},
    )
    return ended


def has_unfinished_imports(connection: sqlite3.Connection) -> bool:
    """Whether there is any that hasn't ended."""
    return any(
        True for kind in (_IMPORT_KEY, _IMPORTED_KEY) for _row in _state_rows(connection, kind)
    )


def unfinished_imports(connection: sqlite3.Connection, runs: IsProcessRunning) -> list[ImportBatch]:
    """Those that were interrupted when something had come, the latest first."""
    writers = _writers(connection)
    dead = (one for one in _read_batches(connection) if not runs(one.id, writers.get(one.id, "")))
    return sorted((one for one in dead if one.messages), key=lambda one: -one.started)


def expected_pictures(connection: sqlite3.Connection, runs: IsProcessRunning) -> set[str]:
    """The digests of pictures that were about to come when an import was interrupted."""
    return {digest for part in _interrupted_parts(connection, runs) for digest in part.pictures}


def clean_up_imports(connection: sqlite3.Connection, runs: IsProcessRunning) -> None:
    """Expect no pictures of imports that were interrupted, and forget those of which nothing came
    or is left.
    """
    for part in _interrupted_parts(connection, runs):
        if part.pictures:
            _put_part(connection, _ImportPart(part.conversation, part.import_id, part.messages, []))
    here = {part.import_id for part in _read_parts(connection)}
    for one, writer in _writers(connection).items():
        if one not in here and not runs(one, writer):
            delete_import(connection, one)


def delete_import(connection: sqlite3.Connection, of: str) -> None:
    """Nothing of this import is to be remembered."""
    keys = [
        f"{_IMPORT_KEY}:{of}",
        *(part.key for part in _read_parts(connection) if part.import_id == of),
    ]
    connection.executemany("DELETE FROM state WHERE key = ?", [(key,) for key in keys])


def forget_imported_conversations(
    connection: sqlite3.Connection, conversations: Iterable[str]
) -> None:
    """Nothing of these conversations is to be remembered."""
    bounds = [(f"{_IMPORTED_KEY}:{one}:", f"{_IMPORTED_KEY}:{one};") for one in conversations]
    connection.executemany("DELETE FROM state WHERE key >= ? AND key < ?", bounds)


# Inside


def _read_batches(connection: sqlite3.Connection) -> list[ImportBatch]:
    found: dict[str, ImportBatch] = {}
    for key, told in _state_rows(connection, _IMPORT_KEY):
        at = told.get("at")
        name = str(told.get("name", ""))
        found[key] = ImportBatch(key, name, float(at) if isinstance(at, int | float) else 0.0)
    for part in _read_parts(connection):
        if part.messages:
            one = found.setdefault(part.import_id, ImportBatch(part.import_id, "", 0.0))
            one.messages[part.conversation] = part.messages
    return list(found.values())


def _writers(connection: sqlite3.Connection) -> dict[str, str]:
    return {key: str(told.get("writer", "")) for key, told in _state_rows(connection, _IMPORT_KEY)}


def _interrupted_parts(connection: sqlite3.Connection, runs: IsProcessRunning) -> list[_ImportPart]:
    writers = _writers(connection)
    return [
        one
        for one in _read_parts(connection)
        if not runs(one.import_id, writers.get(one.import_id, ""))
    ]


def _read_parts(connection: sqlite3.Connection) -> Iterator[_ImportPart]:
    for key, told in _state_rows(connection, _IMPORTED_KEY):
        conversation, _, of = key.rpartition(":")
        yield _ImportPart(
            conversation, of, _text_list(told.get("messages")), _text_list(told.get("pictures"))
        )


def _read_part(connection: sqlite3.Connection, conversation: str, of: str) -> _ImportPart:
    empty = _ImportPart(conversation, of, [], [])
    row = connection.execute("SELECT value FROM state WHERE key = ?", (empty.key,)).fetchone()
    told = _parse_state(row[0]) if row else {}
    return _ImportPart(
        conversation, of, _text_list(told.get("messages")), _text_list(told.get("pictures"))
    )


def _put_part(connection: sqlite3.Connection, part: _ImportPart) -> None:
    if part.messages or part.pictures:
        _put_state(connection, part.key, {"messages": part.messages, "pictures": part.pictures})
    else:
        connection.execute("DELETE FROM state WHERE key = ?", (part.key,))


def _state_rows(connection: sqlite3.Connection, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    query = "SELECT key, value FROM state WHERE key >= ? AND key < ? ORDER BY key"
    for key, value in connection.execute(query, (f"{kind}:", f"{kind};")).fetchall():
        yield str(key).removeprefix(f"{kind}:"), _parse_state(value)


def _put_state(connection: sqlite3.Connection, key: str, told: Mapping[str, object]) -> None:
    connection.execute(
        "INSERT INTO state (key, value) VALUES (?, ?) "
        "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (key, to_column(json.dumps(told, ensure_ascii=False))),
    )


def _parse_state(value: str | bytes) -> dict[str, Any]:
    try:
        told = json.loads(from_column(value))
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def _text_list(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []
