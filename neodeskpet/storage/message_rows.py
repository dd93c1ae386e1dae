"""Converts messages and blocks to rows and back, exactly in both directions, and reads
conversations, message heads and whole messages. The growing text of a block is the column
`body`; everything else is one JSON object in `fields`.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass, replace
from dataclasses import fields as dataclass_fields
from enum import Enum
from functools import cache
from typing import Any, cast, get_args, get_origin, get_type_hints

from neodeskpet.core.blocks import (
    BLOCK_KINDS,
    Block,
    ConversationInfo,
    Image,
    Message,
    MessageHead,
    MessageState,
    Notice,
    Role,
    ShownPath,
    Text,
    ToolStatus,
    ToolUse,
    Usage,
)
from neodeskpet.core.data_labels import (
    EARLIER_LABELS,
    DataSource,
    SourceKind,
    add_sources,
    labels_of,
)
from neodeskpet.core.errors import StoreError
from neodeskpet.core.json_text import MOST_DEPTH, TooDeep, nests_deeper
from neodeskpet.storage.database_schema import StoredText, from_column, to_column
from neodeskpet.storage.picture_folder import read_descriptions

_log = logging.getLogger(__name__)

MESSAGE_COLUMNS = "number, id, role, state, created, ended, usage, rounds, model, paused, synced"


def shown_chars(block: Block) -> int:
    """Return how many characters the block adds to the text of its message."""
    return len(block.text) if isinstance(block, Text) and block.text.strip() else 0


def encode_block(block: Block) -> tuple[str, StoredText, StoredText]:
    """Return kind, fields and body."""
    fields = {name: getattr(block, name) for name in block.__slots__ if name != "index"}
    body = fields.pop(block.grows) if block.grows else ""
    if isinstance(block, ToolUse):
        fields["arguments"] = _json_arguments(block.arguments)
    written = json.dumps(fields, ensure_ascii=False, default=_to_json)
    return block.kind, to_column(written), to_column(body)


def _to_json(value: Any) -> dict[str, Any]:
    """Convert a mapping or a part of a block; a part with several types includes its type."""
    if not is_dataclass(value):
        return dict(value)
    named = {part.name: getattr(value, part.name) for part in dataclass_fields(value)}
    return {"kind": value.kind, **named} if hasattr(value, "kind") else named


def _json_arguments(arguments: Mapping[str, object] | None) -> dict[str, object] | None:
    """Return `arguments` if they are JSON. Others are a bug, which must not lose the
    whole message.
    """
    if arguments is None:
        return None
    plain = dict(arguments)
    try:
        if nests_deeper(json.dumps(plain)):
            raise TooDeep
    except (TypeError, ValueError, RecursionError):
        _log.exception("Arguments that aren't JSON can't be stored")
        return None
    return plain


def decode_block(index: int, kind: str, fields: StoredText, body: str) -> Block:
    """Return the block of a row. An unreadable row becomes a notice in its place."""
    try:
        return _decode(index, kind, _read_fields(fields), body)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        detail = f"Block {index} ({kind}): {error!r}"
        return Notice(index, 0, StoreError.code, detail=detail, resolved=True)


def _read_fields(fields: StoredText) -> dict[str, Any]:
    """Parse the fields exactly as stored. Raises ValueError: an earlier version stored arguments of
    any depth.
    """
    text = from_column(fields)
    if nests_deeper(text, MOST_DEPTH + 1):
        raise TooDeep("its fields are nested too deeply")
    return cast("dict[str, Any]", json.loads(text))


def _decode(index: int, kind: str, fields: dict[str, Any], body: str) -> Block:
    if kind not in BLOCK_KINDS:
        raise ValueError(f"{kind} is no kind of block")
    made = BLOCK_KINDS[kind]
    hints = _type_hints(kind)
    values = {name: _to_typed(hints[name], value) for name, value in fields.items()}
    if made is ToolUse and "labels" not in fields and values["status"] in _HAVE_RESULT:
        values["labels"] = EARLIER_LABELS
    if made.grows:
        values[made.grows] = body
    return made(index=index, **values)


_HAVE_RESULT = (ToolStatus.SUCCESS, ToolStatus.ERROR)


@cache
def _type_hints(kind: str) -> dict[str, Any]:
    return get_type_hints(BLOCK_KINDS[kind])


def _to_typed(hint: Any, value: Any) -> Any:
    """Convert a JSON value to the field's type: enums, parts of blocks, and tuples of them."""
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(value)
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        made: Any = hint
        return made(**{name: _to_typed(hints[name], one) for name, one in value.items()})
    if get_origin(hint) is tuple:
        return tuple(_to_typed(get_args(hint)[0], one) for one in value)
    # `ToolFault | None`, `Shown | None`.
    parts = [one for one in get_args(hint) if is_dataclass(one)]
    if parts and value is not None:
        kinds = {getattr(one, "kind", ""): one for one in parts}
        rest = {name: one for name, one in value.items() if name != "kind"}
        return _to_typed(kinds[value.get("kind", "")], rest)
    return value


def encode_usage(usage: Usage | None) -> str | None:
    return None if usage is None else json.dumps(asdict(usage))


def decode_message(row: Mapping[str, Any], blocks: tuple[Block, ...]) -> Message:
    """Return the message of a row with MESSAGE_COLUMNS. Unreadable values get the most likely
    default. With `synced`, its text came from the sync server, where others may have written it: it
    is untrusted.
    """
    if row["synced"]:
        blocks = tuple(_as_synced(one) for one in blocks)
    return Message(
        id=row["id"],
        role=Role(row["role"]) if row["role"] in _ROLES else Role.ASSISTANT,
        blocks=blocks,
        state=MessageState(row["state"]) if row["state"] in _STATES else MessageState.DONE,
        created=row["created"],
        ended=row["ended"],
        usage=_decode_usage(row["usage"]),
        rounds=row["rounds"],
        model=row["model"],
        paused=row["paused"],
    )


_SYNC_SOURCE = DataSource(SourceKind.SYNC)


def _as_synced(block: Block) -> Block:
    if isinstance(block, Text):
        return replace(block, untrusted=add_sources(block.untrusted, (_SYNC_SOURCE,)))
    if isinstance(block, ToolUse):
        labels = block.labels | labels_of(_SYNC_SOURCE, untrusted=True)
        return replace(block, foreign=True, labels=labels)
    return block


_ROLES = frozenset(Role)
_STATES = frozenset(MessageState)


def _decode_usage(stored: str | None) -> Usage | None:
    try:
        return None if stored is None else Usage(**json.loads(stored))
    except (ValueError, TypeError) as error:
        _log.warning("A message's usage can't be read: %s", error)
        return None


_BATCH = 500  # SQLite's old limit of variables in one query is 999


def read_conversations(connection: sqlite3.Connection) -> list[ConversationInfo]:
    """Return the conversations: pinned ones first, then the latest."""
    rows = connection.execute(
        "SELECT id, title, created, updated, pinned, archived, folder FROM conversations "
        "WHERE discarded IS NULL ORDER BY pinned DESC, updated DESC, rowid DESC"
    )
    return [
        ConversationInfo(
            row_id,
            from_column(title),
            created,
            updated,
            bool(pinned),
            bool(archived),
            from_column(folder),
        )
        for row_id, title, created, updated, pinned, archived, folder in rows
    ]


def read_heads(
    connection: sqlite3.Connection, conversation_id: str, after: str = ""
) -> list[MessageHead]:
    """Return the heads of the messages shown below the message `after` ("": all). Only the index is
    read, no blocks.
    """
    number = 0
    if after:
        row = connection.execute("SELECT number FROM messages WHERE id = ?", (after,)).fetchone()
        number = row[0] if row else 0
    shown = connection.execute(
        "SELECT id, role, chars, blocks, number FROM messages "
        "WHERE conversation = ? AND replaced = 0 AND number > ? ORDER BY number",
        (conversation_id, number),
    ).fetchall()
    others: defaultdict[str, list[int]] = defaultdict(list)
    for parent, own in connection.execute(
        "SELECT parent, number FROM messages "
        "WHERE conversation = ? AND replaced = 1 AND number > ?",
        (conversation_id, number),
    ):
        others[parent].append(own)
    heads: list[MessageHead] = []
    for message_id, role, chars, blocks, own in shown:
        beside = others.get(heads[-1].id if heads else after, ())
        version = 1 + sum(number < own for number in beside)
        heads.append(MessageHead(message_id, role, chars, blocks, version, len(beside) + 1))
    return heads


def read_path(connection: sqlite3.Connection, conversation_id: str, after: str) -> ShownPath:
    return ShownPath(after, read_heads(connection, conversation_id, after))


def read_path_to(connection: sqlite3.Connection, message_id: str, limit: int) -> list[Message]:
    """Return this message and its ancestors, the last `limit`, oldest first, shown or not."""
    return _read_whole_messages(
        connection,
        "WHERE number IN (WITH RECURSIVE way (number, parent, room) AS ("
        "SELECT number, parent, ? FROM messages WHERE id = ? UNION ALL "
        "SELECT m.number, m.parent, room - 1 FROM messages AS m JOIN way ON m.id = way.parent "
        "WHERE room > 1) SELECT number FROM way) ORDER BY number",
        (limit, message_id),
    )


def read_messages(connection: sqlite3.Connection, ids: Sequence[str]) -> list[Message]:
    """Return the messages in the order of `ids`; unknown ones are skipped."""
    found: dict[str, Message] = {}
    for start in range(0, len(ids), _BATCH):
        batch = ids[start : start + _BATCH]
        where = f"WHERE id IN ({', '.join('?' * len(batch))})"
        for message in _read_whole_messages(connection, where, batch):
            found[message.id] = message
    return [found[message_id] for message_id in ids if message_id in found]


def read_history(connection: sqlite3.Connection, conversation_id: str, limit: int) -> list[Message]:
    """Return the last `limit` shown messages, oldest first."""
    where = (
        "WHERE number IN (SELECT number FROM messages WHERE conversation = ? AND replaced = 0 "
        "ORDER BY number DESC LIMIT ?) ORDER BY number"
    )
    return _read_whole_messages(connection, where, (conversation_id, limit))


def _read_whole_messages(
    connection: sqlite3.Connection, where: str, values: Sequence[object]
) -> list[Message]:
    names = MESSAGE_COLUMNS.split(", ")
    query = f"SELECT {MESSAGE_COLUMNS} FROM messages {where}"
    rows: list[dict[str, Any]] = [
        dict(zip(names, row, strict=True)) for row in connection.execute(query, tuple(values))
    ]
    blocks = _read_blocks(connection, [row["number"] for row in rows])
    return [decode_message(row, tuple(blocks[row["number"]])) for row in rows]


def _read_blocks(
    connection: sqlite3.Connection, numbers: Sequence[int]
) -> defaultdict[int, list[Block]]:
    """Return the blocks of these messages in order, by message number."""
    blocks: defaultdict[int, list[Block]] = defaultdict(list)
    for start in range(0, len(numbers), _BATCH):
        batch = tuple(numbers[start : start + _BATCH])
        marks = ", ".join("?" * len(batch))
        grown: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
        for message, position, text in connection.execute(
            f"SELECT message, position, text FROM segments WHERE message IN ({marks}) "
            "ORDER BY number",
            batch,
        ):
            grown[message, position].append(from_column(text))
        for message, position, kind, fields, body in connection.execute(
            "SELECT message, position, kind, fields, body FROM blocks "
            f"WHERE message IN ({marks}) ORDER BY message, position",
            batch,
        ):
            whole = "".join((from_column(body), *grown[message, position]))
            blocks[message].append(decode_block(position, kind, fields, whole))
    _add_descriptions(connection, blocks)
    return blocks


def _add_descriptions(
    connection: sqlite3.Connection, blocks: defaultdict[int, list[Block]]
) -> None:
    """Add the descriptions of pictures, which are stored once for all messages."""
    shown = {b.digest for row in blocks.values() for b in row if isinstance(b, Image)}
    known = read_descriptions(connection, sorted(shown)) if shown else {}
    for row in blocks.values() if known else ():
        for place, block in enumerate(row):
            if isinstance(block, Image) and block.digest in known:
                row[place] = replace(block, description=known[block.digest])
