"""Helpers of the format readers: fields of untrusted JSON (a wrong type counts as missing), and the
block rows that `storage/chat_export_reader.py` reads. Pure.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from datetime import datetime
from typing import Any

from neodeskpet.core.blocks import Document, Image, Text, Thinking, ToolStatus, ToolUse
from neodeskpet.core.json_text import nests_deeper, read_json

_EARLIEST_TIME, _LATEST_TIME = 0.0, 4_102_444_800.0  # 2100
_FIRST_MILLISECONDS = 1e11
"""Times above this are in milliseconds."""


def text_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def object_of(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def objects_of(value: object) -> list[dict[str, Any]]:
    return [row for row in list_of(value) if isinstance(row, dict)]


def size_of(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 1 << 50 else 0


def time_of(value: object) -> float | None:
    """Return a time in unix seconds, from a number or ISO 8601."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value).timestamp()
        except (ValueError, OverflowError, OSError):
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        seconds = float(value)
    except OverflowError:
        return None
    if math.isfinite(seconds) and seconds > _FIRST_MILLISECONDS:
        seconds /= 1000
    return seconds if _EARLIEST_TIME < seconds < _LATEST_TIME else None


def to_json(value: object) -> str:
    """Return the value as JSON, "" if that isn't possible."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return ""


def json_value(value: object) -> object:
    """Parse JSON text; return the value itself if it isn't JSON."""
    if not isinstance(value, str) or not value:
        return value
    try:
        return read_json(value)
    except (ValueError, RecursionError):
        return value


BlockRow = dict[str, Any]

MAX_TEXT = 1_000_000
"""The largest number of characters of a message."""
_MAX_RESULT = 100_000
_MAX_ARGUMENTS = 100_000
_MAX_TOOL_NAME = 60
_INVALID_NAME_CHARS = re.compile(r"[^A-Za-z0-9_.-]+")
POINTER = "pointer"
"""The field of an image row with its name in the archive, until its picture is found."""


def text_rows(text: str) -> list[BlockRow]:
    """Return a text block; no block for empty text."""
    cut = text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + " …"
    return [{"kind": Text.kind, "round": 0, "text": cut}] if text.strip() else []


def thinking_rows(text: str) -> list[BlockRow]:
    return [{"kind": Thinking.kind, "round": 0, "text": text[:MAX_TEXT]}] if text.strip() else []


def code_rows(text: str, language: str = "") -> list[BlockRow]:
    """Return a code block with a fence that doesn't occur in the code."""
    if not text.strip():
        return []
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    named = language if re.fullmatch(r"[A-Za-z0-9+#.-]{1,20}", language) else ""
    return text_rows(f"{fence}{named}\n{text}\n{fence}")


def call_rows(name: str, arguments: object, call_id: str = "") -> BlockRow:
    """Return a tool call of the other program. It is never run here, and its text is untrusted."""
    if not isinstance(arguments, dict):
        arguments = {"input": arguments} if arguments else {}
    written = to_json(arguments)
    if len(written) > _MAX_ARGUMENTS or nests_deeper(written):
        arguments = {"input": written[:_MAX_ARGUMENTS] + " …"}
        written = to_json(arguments)
    return {
        "kind": ToolUse.kind,
        "round": 0,
        "call_id": call_id[:_MAX_TOOL_NAME] or "call",
        "name": _INVALID_NAME_CHARS.sub("_", name)[:_MAX_TOOL_NAME].strip("_.") or "tool",
        "raw_arguments": written,
        "arguments": arguments,
        "status": ToolStatus.SUCCESS.value,
        "foreign": True,
    }


def add_call_result(call: BlockRow, output: str, *, error: bool = False) -> None:
    """Add a tool result; a further one is appended."""
    field = "error" if error else "output"
    before = call.get(field, "")
    whole = f"{before}\n\n{output}" if before else output
    call[field] = whole if len(whole) <= _MAX_RESULT else whole[:_MAX_RESULT] + " …"
    if error:
        call["status"] = ToolStatus.ERROR.value


def picture_rows(pointer: str, name: str = "") -> BlockRow:
    """Return an image block. A picture that isn't in the archive is shown as missing."""
    gone = hashlib.sha256(f"past:{pointer}".encode()).hexdigest()
    return {
        "kind": Image.kind,
        "round": 0,
        "digest": gone,
        "media_type": "image/png",
        "name": name[:_MAX_TOOL_NAME],
        POINTER: pointer,
    }


def document_rows(name: str, text: str, size: int = 0) -> BlockRow:
    return {
        "kind": Document.kind,
        "round": 0,
        "text": text[:MAX_TEXT],
        "name": name[:200],
        "size": size,
        "cut": len(text) > MAX_TEXT,
    }
