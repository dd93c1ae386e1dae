"""Blocks and messages ↔ rows: exact in both directions.

A block's growing text is the column `body` (text, thinking, raw arguments), so that it can grow by
segments; everything else is one JSON object in `fields`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass, replace
from dataclasses import fields as dataclass_fields
from enum import Enum
from functools import cache
from typing import Any, cast, get_args, get_origin, get_type_hints

from neodeskpet.core.blocks import (
    BLOCK_KINDS,
    Block,
    Message,
    MessageState,
    Notice,
    Role,
    Text,
    ToolStatus,
    ToolUse,
    Usage,
)
from neodeskpet.core.errors import StoreError
from neodeskpet.core.json_text import MOST_DEPTH, TooDeep, nests_deeper
from neodeskpet.core.labels import EARLIER_LABELS, DataSource, SourceKind, add_sources, labels_of
from neodeskpet.database.columns import StoredText, from_column, to_column

_log = logging.getLogger(__name__)

MESSAGE_COLUMNS = "number, id, role, state, created, ended, usage, rounds, model, paused, synced"


def shown_chars(block: Block) -> int:
    """How many characters the block adds to the text of its message."""
    return len(block.text) if isinstance(block, Text) and block.text.strip() else 0


def encode_block(block: Block) -> tuple[str, StoredText, StoredText]:
    """Kind, fields, body."""
    fields = {name: getattr(block, name) for name in block.__slots__ if name != "index"}
    body = fields.pop(block.grows) if block.grows else ""
    if isinstance(block, ToolUse):
        fields["arguments"] = _json_arguments(block.arguments)
    written = json.dumps(fields, ensure_ascii=False, default=_to_json)
    return block.kind, to_column(written), to_column(body)


def _to_json(value: Any) -> dict[str, Any]:
    """A mapping, or a part of a block; one that is of several kinds says its own."""
    if not is_dataclass(value):
        return dict(value)
    named = {part.name: getattr(value, part.name) for part in dataclass_fields(value)}
    return {"kind": value.kind, **named} if hasattr(value, "kind") else named


def _json_arguments(arguments: Mapping[str, object] | None) -> dict[str, object] | None:
    """`arguments` if they are JSON. Others are a bug, which must not cost the whole message."""
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
    """A row that can't be read becomes a notice in its place; the rest of the message stays."""
    try:
        return _decode(index, kind, _read_fields(fields), body)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        detail = f"Block {index} ({kind}): {error!r}"
        return Notice(index, 0, StoreError.code, detail=detail, resolved=True)


def _read_fields(fields: StoredText) -> dict[str, Any]:
    """Exactly what was stored. Raises ValueError: an earlier version stored arguments of any
    depth.
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
    """A value of JSON as the field wants it: enums, parts of blocks, and tuples of them."""
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(value)
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        made: Any = hint
        return made(**{name: _to_typed(hints[name], one) for name, one in value.items()})
    if get_origin(hint) is tuple:
        return tuple(_to_typed(get_args(hint)[0], one) for one in value)
    parts = [
        one for one in get_args(hint) if is_dataclass(one)
    ]  # `ToolFault | None`, `Shown | None`
    if parts and value is not None:
        kinds = {getattr(one, "kind", ""): one for one in parts}
        rest = {name: one for name, one in value.items() if name != "kind"}
        return _to_typed(kinds[value.get("kind", "")], rest)
    return value


def encode_usage(usage: Usage | None) -> str | None:
    return None if usage is None else json.dumps(asdict(usage))


def decode_message(row: Mapping[str, Any], blocks: tuple[Block, ...]) -> Message:
    """`row` holds MESSAGE_COLUMNS. What of it can't be read is taken for the likeliest. With
    `synced` its text came from the sync server, where others may have written it: it is untrusted.
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
