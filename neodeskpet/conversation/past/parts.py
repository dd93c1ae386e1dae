"""Blocks of a message that was said elsewhere, as the rows in which `memory/importing.py` reads
messages. Pure.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

from neodeskpet.conversation.past.fields import json_of
from neodeskpet.core.blocks import Document, Image, Text, Thinking, ToolStatus, ToolUse
from neodeskpet.core.json_text import nests_deeper

Row = dict[str, Any]

LONGEST = 1_000_000
"""Characters of what somebody said."""
_RESULT = 100_000
_ARGUMENTS = 100_000
_NAME = 60
_ODD = re.compile(r"[^A-Za-z0-9_.-]+")
POINTER = "pointer"
"""Where an image's row says what it is called in the archive, until its picture is found."""


def said(text: str) -> list[Row]:
    """Markdown; nothing for nothing."""
    cut = text if len(text) <= LONGEST else text[:LONGEST] + " …"
    return [{"kind": Text.kind, "round": 0, "text": cut}] if text.strip() else []


def thought(text: str) -> list[Row]:
    return [{"kind": Thinking.kind, "round": 0, "text": text[:LONGEST]}] if text.strip() else []


def code(text: str, language: str = "") -> list[Row]:
    """Between fences that nothing in it closes."""
    if not text.strip():
        return []
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    named = language if re.fullmatch(r"[A-Za-z0-9+#.-]{1,20}", language) else ""
    return said(f"{fence}{named}\n{text}\n{fence}")


def called(name: str, arguments: object, call_id: str = "") -> Row:
    """A tool of theirs, which ran there: nothing runs here by it, and its words are foreign."""
    if not isinstance(arguments, dict):
        arguments = {"input": arguments} if arguments else {}
    written = json_of(arguments)
    if len(written) > _ARGUMENTS or nests_deeper(written):
        arguments = {"input": written[:_ARGUMENTS] + " …"}
        written = json_of(arguments)
    return {
        "kind": ToolUse.kind,
        "round": 0,
        "call_id": call_id[:_NAME] or "call",
        "name": _ODD.sub("_", name)[:_NAME].strip("_.") or "tool",
        "raw_arguments": written,
        "arguments": arguments,
        "status": ToolStatus.SUCCESS.value,
        "foreign": True,
    }


def give(call: Row, output: str, *, error: bool = False) -> None:
    """What the tool gave back; more of it is put behind."""
    field = "error" if error else "output"
    before = call.get(field, "")
    whole = f"{before}\n\n{output}" if before else output
    call[field] = whole if len(whole) <= _RESULT else whole[:_RESULT] + " …"
    if error:
        call["status"] = ToolStatus.ERROR.value


def picture(pointer: str, name: str = "") -> Row:
    """One that isn't in the archive is shown as gone: nothing is called like this."""
    gone = hashlib.sha256(f"past:{pointer}".encode()).hexdigest()
    return {
        "kind": Image.kind,
        "round": 0,
        "digest": gone,
        "media_type": "image/png",
        "name": name[:_NAME],
        POINTER: pointer,
    }


def document(name: str, text: str, size: int = 0) -> Row:
    return {
        "kind": Document.kind,
        "round": 0,
        "text": text[:LONGEST],
        "name": name[:200],
        "size": size,
        "cut": len(text) > LONGEST,
    }
