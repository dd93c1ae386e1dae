"""Reads an exported conversation: the JSON that `conversation/export_chats/text_export.py` writes.

The file is untrusted: unreadable parts are left out or replaced by a notice, and no file is opened
except pictures in the folder beside it whose content matches their name.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from neodeskpet.core.attachments import Picture, name_by_content
from neodeskpet.core.blocks import (
    BLOCK_KINDS,
    LATEST_TIME,
    Block,
    Image,
    Message,
    MessageNode,
    MessageState,
    Text,
    ToolUse,
)
from neodeskpet.core.data_labels import IMPORTED_LABELS, add_sources
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.json_text import read_members
from neodeskpet.platform.private_files import first_bytes, read_regular
from neodeskpet.settings.config_files import read_error_reason
from neodeskpet.storage.message_rows import decode_block, decode_message
from neodeskpet.storage.message_tree import LooseMessage, repair_nodes

MAX_PICTURE_BYTES = 64_000_000
"""Most bytes of a picture."""
MAX_EXPORT_BYTES = 256_000_000
"""Most bytes of an exported conversation; its pictures are separate files."""
_HEAD_BYTES = 512
_MAX_DEPTH = 80
_MAX_TITLE = 200
"""Most characters of a folder's name."""


@dataclass(frozen=True, slots=True)
class ImportedConversation:
    """An imported conversation. `messages` have new ids and are in the order of their time; `nodes`
    are their tree.
    """

    title: str
    messages: Sequence[Message]
    nodes: Sequence[MessageNode]
    pictures: Sequence[Picture]
    folder: str = ""
    pinned: bool = False
    archived: bool = False


class NotAnExport(KnownError):
    """The file can't be imported; `why` is shown to the user."""

    code = "not_an_export"
    what = N_("“{name}” can't be imported.")
    hint = ""

    def __init__(self, path: Path, why: Reason) -> None:
        super().__init__(name=path.name, reason=why.text, **why.params)


def read_export(path: Path, most: int = MAX_EXPORT_BYTES) -> ImportedConversation:
    """Read the file and the pictures beside it. Slow: call it on a thread. Raises NotAnExport. The
    first bytes decide whether the rest is read, at most `most` bytes.
    """
    try:
        wrong = _start_fault(first_bytes(path, _HEAD_BYTES))
        if wrong:
            raise NotAnExport(path, Reason(wrong))
        data = read_members(read_regular(path, most).decode("utf-8-sig"), depth=_MAX_DEPTH)
    except (OSError, ValueError, RecursionError, MemoryError) as error:
        raise NotAnExport(path, read_error_reason(error)) from error
    if not isinstance(data.get("messages"), list):
        raise NotAnExport(path, Reason(N_("It contains no messages of a conversation.")))
    shown = _rows(data["messages"])
    rows = [*shown, *_rows(data.get("versions"))]
    order = {id(row): _number(row.get("number"), place) for place, row in enumerate(rows)}
    rows.sort(key=lambda row: order[id(row)])
    ids = {str(row.get("id")): str(uuid4()) for row in rows}
    loose, messages = [], []
    seen: set[str] = set()
    on_path = {id(row) for row in shown}
    for row in rows:
        own = str(row.get("id"))
        if own in seen:
            continue
        seen.add(own)
        parent = row.get("parent")
        known = parent if parent == "" else ids.get(str(parent))
        chosen = bool(row.get("chosen", True))
        loose.append(LooseMessage(ids[own], known, chosen, shown=id(row) in on_path))
        messages.append(read_message(row, ids[own]))
    return ImportedConversation(
        str(data.get("title") or ""),
        messages,
        repair_nodes(loose).nodes(),
        _pictures(path, rows),
        str(data.get("folder") or "")[:_MAX_TITLE],
        data.get("pinned") is True,
        data.get("archived") is True,
    )


def _start_fault(head: bytes) -> str:
    """Return why a file with this beginning can't be an exported conversation; "" if it
    may be one.
    """
    if not head:
        return N_("The file is empty.")
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return N_("The archive is incomplete or damaged. Download it again.")
    if not head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n").startswith(b"{"):
        return N_("It is neither an exported conversation (JSON) nor an archive (zip).")
    return ""


def _rows(value: object) -> list[dict[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _number(value: object, otherwise: float) -> float:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    possible = plain and math.isfinite(value) and 0 <= value <= LATEST_TIME  # type: ignore[arg-type, operator]
    return float(value) if possible else otherwise  # type: ignore[arg-type]


def read_message(row: Mapping[str, Any], own: str) -> Message:
    """Read a message of the file and give it the id `own`."""
    usage = row.get("usage")
    read = {
        "id": own,
        "role": str(row.get("role")),
        "state": str(row.get("state")),
        "created": _number(row.get("created"), 0.0),
        "ended": None if row.get("ended") is None else _number(row["ended"], 0.0),
        "usage": json.dumps(usage) if isinstance(usage, dict) else None,
        "rounds": int(_number(row.get("rounds"), 0.0)),
        "model": str(row.get("model") or ""),
        "paused": _number(row.get("paused"), 0.0),
        "synced": 0,
    }
    blocks = enumerate(_rows(row.get("blocks")))
    message = decode_message(read, tuple(_block(place, one) for place, one in blocks))
    message = replace(message, blocks=tuple(map(_as_untrusted, message.blocks)))
    if message.state is MessageState.RUNNING:  # no turn is writing it any more
        return replace(message, state=MessageState.CANCELLED)
    return message


def _as_untrusted(block: Block) -> Block:
    """Label the block as untrusted, because anybody may have written the file."""
    match block:
        case Text(untrusted=untrusted):
            return replace(block, untrusted=add_sources(untrusted, IMPORTED_LABELS.untrusted))
        case ToolUse(labels=labels):
            return replace(block, labels=labels | IMPORTED_LABELS)
        case _:
            return block


def _block(place: int, row: Mapping[str, Any]) -> Block:
    kind = str(row.get("kind"))
    fields = {name: value for name, value in row.items() if name not in ("kind", "index", "file")}
    body = (
        fields.pop(BLOCK_KINDS[kind].grows, "")
        if kind in BLOCK_KINDS and BLOCK_KINDS[kind].grows
        else ""
    )
    return decode_block(place, kind, json.dumps(fields), str(body))


def _pictures(path: Path, rows: Iterable[Mapping[str, Any]]) -> list[Picture]:
    """Return the pictures in the folder beside the file whose content matches their name."""
    found: dict[str, Picture] = {}
    for row in rows:
        for digest, named, media_type in _named_pictures(row):
            if digest not in found:
                picture = _picture(path.parent, digest, named, media_type)
                if picture is not None:
                    found[digest] = picture
    return list(found.values())


def _named_pictures(row: Mapping[str, Any]) -> Iterator[tuple[str, object, str]]:
    """Yield digest, file and type of the pictures of a message and of its tool results."""
    files = row.get("files")
    for block in _rows(row.get("blocks")):
        if block.get("kind") == Image.kind:
            yield str(block.get("digest")), block.get("file"), _media_type(block)
        for image in _rows(block.get("images")):
            digest = str(image.get("digest"))
            yield digest, files.get(digest) if isinstance(files, dict) else None, _media_type(image)


def _media_type(image: Mapping[str, Any]) -> str:
    return str(image.get("media_type") or "image/png")


def _picture(folder: Path, digest: str, named: object, media_type: str) -> Picture | None:
    if not isinstance(named, str) or not named or "\0" in named:
        return None
    try:
        file = (folder / named).resolve()
        if not file.is_relative_to(folder.resolve()) or file.stat().st_size > MAX_PICTURE_BYTES:
            return None
        data = file.read_bytes()
    except OSError:
        return None
    return Picture(digest, data, media_type) if name_by_content(data) == digest else None
