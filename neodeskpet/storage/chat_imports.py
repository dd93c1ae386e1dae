"""Stores conversations that were imported from other programs, and records what came with each
import so that it can be undone or continued after a crash. Ids are derived from the ids in the
archive, so a later archive adds only what is new.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from neodeskpet.core.blocks import Image, Message, MessageNode
from neodeskpet.storage import message_tree
from neodeskpet.storage.chat_export_reader import ImportedConversation
from neodeskpet.storage.database_schema import from_column, to_column
from neodeskpet.storage.picture_folder import shown_pictures

LAST_IMPORT_KEY = "past.last"
"""The state key of the last finished import."""
_IMPORT_KEY = "past.import"
"""The key prefix, followed by the id of an import: its name, its writer and its start."""
_IMPORTED_KEY = "past.came"
"""The key prefix, followed by the ids of a conversation and an import: the ids of the imported
messages, and the digests of pictures about to be stored.
"""

IsProcessRunning = Callable[[str, str], bool]
"""Returns whether this writer still runs this import."""


@dataclass(frozen=True, slots=True)
class ImportBatch:
    """The imported messages by conversation. `at`: the start (unix seconds)."""

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
    """Start an import with the id `own`, or continue an interrupted one that has some of these
    conversations (`among`), under its own id.
    """
    holds = set(among)
    before = unfinished_imports(connection, runs)
    found = next((one for one in before if not holds.isdisjoint(one.messages)), None)
    begun = own if found is None else ImportBatch(found.id, own.name, own.started, found.messages)
    state = {"name": begun.name, "writer": writer, "at": begun.started}
    _put_state(connection, f"{_IMPORT_KEY}:{begun.id}", state)
    return begun


def expect_pictures(
    connection: sqlite3.Connection, of: str, conversation: str, digests: Sequence[str]
) -> None:
    """Record that these pictures are about to be stored, before the messages that show them; or,
    without a conversation, that they are about to be removed.
    """
    part = _read_part(connection, conversation, of)
    _put_part(connection, _ImportPart(conversation, of, part.messages, list(digests)))


def add_imported_messages(
    connection: sqlite3.Connection, of: str, conversation: str, ids: Sequence[str]
) -> None:
    """Record that these messages and their pictures were stored."""
    here = _read_part(connection, conversation, of).messages
    _put_part(connection, _ImportPart(conversation, of, list(dict.fromkeys([*here, *ids])), []))


def end_import(connection: sqlite3.Connection, of: str) -> ImportBatch | None:
    """Finish an import and record it as the last one; returns it, None if it imported nothing."""
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
    """Return whether there is an unfinished import."""
    return any(
        True for kind in (_IMPORT_KEY, _IMPORTED_KEY) for _row in _state_rows(connection, kind)
    )


def unfinished_imports(connection: sqlite3.Connection, runs: IsProcessRunning) -> list[ImportBatch]:
    """Return interrupted imports that stored something, latest first."""
    writers = _writers(connection)
    dead = (one for one in _read_batches(connection) if not runs(one.id, writers.get(one.id, "")))
    return sorted((one for one in dead if one.messages), key=lambda one: -one.started)


def expected_pictures(connection: sqlite3.Connection, runs: IsProcessRunning) -> set[str]:
    """Return the digests of pictures that were about to be stored when an import was
    interrupted.
    """
    return {digest for part in _interrupted_parts(connection, runs) for digest in part.pictures}


def clean_up_imports(connection: sqlite3.Connection, runs: IsProcessRunning) -> None:
    """Clear the expected pictures of interrupted imports, and delete the records of imports of
    which nothing is left.
    """
    for part in _interrupted_parts(connection, runs):
        if part.pictures:
            _put_part(connection, _ImportPart(part.conversation, part.import_id, part.messages, []))
    here = {part.import_id for part in _read_parts(connection)}
    for one, writer in _writers(connection).items():
        if one not in here and not runs(one, writer):
            delete_import(connection, one)


def delete_import(connection: sqlite3.Connection, of: str) -> None:
    """Delete the records of this import."""
    keys = [
        f"{_IMPORT_KEY}:{of}",
        *(part.key for part in _read_parts(connection) if part.import_id == of),
    ]
    connection.executemany("DELETE FROM state WHERE key = ?", [(key,) for key in keys])


def forget_imported_conversations(
    connection: sqlite3.Connection, conversations: Iterable[str]
) -> None:
    """Delete the import records of these conversations."""
    bounds = [(f"{_IMPORTED_KEY}:{one}:", f"{_IMPORTED_KEY}:{one};") for one in conversations]
    connection.executemany("DELETE FROM state WHERE key >= ? AND key < ?", bounds)


# Implementation


def _read_batches(connection: sqlite3.Connection) -> list[ImportBatch]:
    found: dict[str, ImportBatch] = {}
    for key, state in _state_rows(connection, _IMPORT_KEY):
        at = state.get("at")
        name = str(state.get("name", ""))
        found[key] = ImportBatch(key, name, float(at) if isinstance(at, int | float) else 0.0)
    for part in _read_parts(connection):
        if part.messages:
            one = found.setdefault(part.import_id, ImportBatch(part.import_id, "", 0.0))
            one.messages[part.conversation] = part.messages
    return list(found.values())


def _writers(connection: sqlite3.Connection) -> dict[str, str]:
    return {
        key: str(state.get("writer", "")) for key, state in _state_rows(connection, _IMPORT_KEY)
    }


def _interrupted_parts(connection: sqlite3.Connection, runs: IsProcessRunning) -> list[_ImportPart]:
    writers = _writers(connection)
    return [
        one
        for one in _read_parts(connection)
        if not runs(one.import_id, writers.get(one.import_id, ""))
    ]


def _read_parts(connection: sqlite3.Connection) -> Iterator[_ImportPart]:
    for key, state in _state_rows(connection, _IMPORTED_KEY):
        conversation, _, of = key.rpartition(":")
        yield _ImportPart(
            conversation, of, _text_list(state.get("messages")), _text_list(state.get("pictures"))
        )


def _read_part(connection: sqlite3.Connection, conversation: str, of: str) -> _ImportPart:
    empty = _ImportPart(conversation, of, [], [])
    row = connection.execute("SELECT value FROM state WHERE key = ?", (empty.key,)).fetchone()
    state = _parse_state(row[0]) if row else {}
    return _ImportPart(
        conversation, of, _text_list(state.get("messages")), _text_list(state.get("pictures"))
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


def _put_state(connection: sqlite3.Connection, key: str, state: Mapping[str, object]) -> None:
    connection.execute(
        "INSERT INTO state (key, value) VALUES (?, ?) "
        "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (key, to_column(json.dumps(state, ensure_ascii=False))),
    )


def _parse_state(value: str | bytes) -> dict[str, Any]:
    try:
        state = json.loads(from_column(value))
    except ValueError:
        return {}
    return state if isinstance(state, dict) else {}


def _text_list(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


IMPORTED_MARKS_KEY = "past"
"""The key prefix of the marks of imported messages, followed by the id of a conversation."""
_MARK_CHARS = 13

InsertMessage = Callable[[str, Message, str], None]
"""Inserts a message into a conversation, after another."""


@dataclass(frozen=True, slots=True)
class ForeignConversation:
    """A conversation of an archive: `found` with its ids; `current` is the message that was shown
    last. Times are unix seconds.
    """

    id: str
    content: ImportedConversation
    created: float
    updated: float
    current: str = ""


def message_mark(message_id: str) -> str:
    """Return the mark by which a later import recognises a message."""
    return message_id[:_MARK_CHARS]


def read_known_marks(
    connection: sqlite3.Connection, ids: Iterable[str]
) -> dict[str, frozenset[str]]:
    there = "SELECT 1 FROM conversations WHERE id = ? AND discarded IS NULL"
    return {
        one: frozenset(_read_marks(connection, one))
        for one in ids
        if connection.execute(there, (one,)).fetchone() is not None
    }


def new_pictures(connection: sqlite3.Connection, past: ForeignConversation) -> set[str]:
    """Return the digests of pictures that `put_imported` would add, because their
    messages are new.
    """
    new = past.content.messages
    if past.id in read_known_marks(connection, [past.id]):
        taken = _known_marks(connection, past.id)
        new = [one for one in new if message_mark(one.id) not in taken]
    return {block.digest for one in new for block in one.blocks if isinstance(block, Image)}


def put_imported(
    connection: sqlite3.Connection, insert: InsertMessage, past: ForeignConversation, of: str
) -> list[str]:
    """Store the new messages and return their ids, which are recorded for the import `of`. Inside a
    transaction.
    """
    _replace_discarded(connection, past.id)
    ids = _put_new_messages(connection, insert, past)
    add_imported_messages(connection, of, past.id, ids)
    return ids


def _put_new_messages(
    connection: sqlite3.Connection, insert: InsertMessage, past: ForeignConversation
) -> list[str]:
    known = _read_marks(connection, past.id)
    here = _message_ids(connection, past.id)
    taken = _known_marks(connection, past.id)
    new = [one for one in past.content.messages if message_mark(one.id) not in taken]
    row = connection.execute("SELECT 1 FROM conversations WHERE id = ?", (past.id,)).fetchone()
    if not new:
        return []
    if row is None:
        _put_conversation(connection, past)
    shown = message_tree.last_shown_message(connection, past.id)
    nodes = {node.id: node for node in past.content.nodes}
    for message in new:
        insert(past.id, message, _existing_parent(nodes, message.id, here))
        here.add(message.id)
    ids = [one.id for one in new]
    connection.executemany(
        "UPDATE messages SET chosen = ? WHERE id = ?",
        [(int(row is None and nodes[one].chosen), one) for one in ids],
    )
    message_tree.repair_tree(connection, past.id)
    if (
        row is not None
        and past.current in ids
        and (not shown or message_mark(shown) in taken & set(known))
    ):
        message_tree.show_message(connection, past.id, past.current)
    _put_marks(connection, past.id, [*known, *map(message_mark, ids)])
    return ids


def remove_imported(
    connection: sqlite3.Connection, taken: Mapping[str, Sequence[str]], of: str
) -> list[str]:
    """Delete these messages of these conversations and return the ids of everything deleted. Of the
    import `of` only the unused pictures stay recorded, for later removal. Inside a transaction.
    """
    delete_import(connection, of)
    had = shown_pictures(connection)
    gone = _remove_messages(connection, taken)
    expect_pictures(connection, of, "", sorted(had - shown_pictures(connection) if had else had))
    return gone


def _remove_messages(
    connection: sqlite3.Connection, taken: Mapping[str, Sequence[str]]
) -> list[str]:
    gone: list[str] = []
    for conversation, ids in taken.items():
        here = _message_ids(connection, conversation)
        named = [one for one in ids if one in here]
        gone += named
        message_tree.delete_summaries(connection, named)
        if here <= set(named):
            connection.execute("DELETE FROM conversations WHERE id = ?", (conversation,))
            connection.executemany(
                "DELETE FROM state WHERE key = ?",
                [(f"{kind}:{conversation}",) for kind in ("draft", "summary", IMPORTED_MARKS_KEY)],
            )
            forget_imported_conversations(connection, [conversation])
            gone.append(conversation)
            continue
        connection.executemany("DELETE FROM messages WHERE id = ?", [(one,) for one in named])
        message_tree.repair_tree(connection, conversation)
        away = {message_mark(one) for one in ids}
        left = [one for one in _read_marks(connection, conversation) if one not in away]
        _put_marks(connection, conversation, left)
    return gone


def _replace_discarded(connection: sqlite3.Connection, conversation: str) -> None:
    """Delete a discarded conversation for good, so that it can be imported again."""
    connection.execute(
        "DELETE FROM conversations WHERE id = ? AND discarded IS NOT NULL", (conversation,)
    )
    there = "SELECT 1 FROM conversations WHERE id = ?"
    if connection.execute(there, (conversation,)).fetchone() is None:
        _put_marks(connection, conversation, [])
        forget_imported_conversations(connection, [conversation])


def _put_conversation(connection: sqlite3.Connection, past: ForeignConversation) -> None:
    found = past.content
    connection.execute(
        "INSERT INTO conversations (id, title, created, updated, folder, pinned, archived) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            past.id,
            to_column(found.title),
            past.created,
            past.updated,
            to_column(found.folder),
            int(found.pinned),
            int(found.archived),
        ),
    )


def _existing_parent(nodes: Mapping[str, MessageNode], message_id: str, here: set[str]) -> str:
    """Return the nearest ancestor that exists here."""
    parent = nodes[message_id].parent
    while parent and parent not in here:
        parent = nodes[parent].parent if parent in nodes else ""
    return parent


def _message_ids(connection: sqlite3.Connection, conversation: str) -> set[str]:
    query = "SELECT id FROM messages WHERE conversation = ?"
    return {one for (one,) in connection.execute(query, (conversation,))}


def _known_marks(connection: sqlite3.Connection, conversation: str) -> set[str]:
    """Return the marks of all imported and existing messages."""
    here = (message_mark(one) for one in _message_ids(connection, conversation))
    return {*_read_marks(connection, conversation), *here}


def _read_marks(connection: sqlite3.Connection, conversation: str) -> list[str]:
    query = "SELECT value FROM state WHERE key = ?"
    row = connection.execute(query, (f"{IMPORTED_MARKS_KEY}:{conversation}",)).fetchone()
    try:
        return [str(one) for one in json.loads(from_column(row[0]))] if row else []
    except (ValueError, TypeError):
        return []


def _put_marks(connection: sqlite3.Connection, conversation: str, marks: Sequence[str]) -> None:
    key = f"{IMPORTED_MARKS_KEY}:{conversation}"
    connection.execute("DELETE FROM state WHERE key = ?", (key,))
    if marks:
        connection.execute("INSERT INTO state VALUES (?, ?)", (key, to_column(json.dumps(marks))))
