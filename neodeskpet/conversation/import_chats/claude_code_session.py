"""Reads a session of Claude Code (`~/.claude/projects/*/*.jsonl`): a line for each message or block
of a reply. Pure.

Tool results are in lines of the "user". Lines of sub-agents (`isSidechain`) and messages of the
program to the model (`isMeta`) aren't shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from neodeskpet.conversation.import_chats.format_helpers import (
    BlockRow,
    add_call_result,
    call_rows,
    object_of,
    objects_of,
    picture_rows,
    text_of,
    text_rows,
    thinking_rows,
    time_of,
)
from neodeskpet.conversation.import_chats.thread_builder import (
    ArchiveNode,
    ImportedThread,
    build_thread,
    hide_empty,
    title_from_nodes,
)

SOURCE = "claude-code"
NAME = "Claude Code"
_PROGRAM_TEXTS = (
    "<command-",
    "<local-command-",
    "<system-reminder>",
    "<bash-",
    "<task-notification>",
)
"""Beginnings of texts that the program wrote in the user's name."""
_HIDDEN_FLAGS = ("isSidechain", "isMeta", "isCompactSummary")
_TITLE_KEYS = {"summary": "summary", "ai-title": "aiTitle", "custom-title": "customTitle"}
"""Kinds of lines with a title, and the field with it."""


def is_session(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether these first lines are of such a session."""
    return any(
        ("sessionId" in one and one.get("type") in ("user", "assistant") and "message" in one)
        or (one.get("type") == "summary" and "leafUuid" in one)
        for one in rows
    )


def read_session(
    rows: Sequence[Mapping[str, Any]], unknown: Counter[str], name: str, *, otherwise: float
) -> ImportedThread:
    """Read the session. Never raises: unreadable parts are left out."""
    nodes = hide_empty(_nodes(rows, unknown))
    titles = {
        text_of(one.get("type")): one for one in rows if text_of(one.get("type")) in _TITLE_KEYS
    }
    title = next(
        (
            text_of(titles[kind].get(_TITLE_KEYS[kind]))
            for kind in reversed(_TITLE_KEYS)
            if kind in titles
        ),
        "",
    )
    folder = next((text_of(one.get("cwd")) for one in rows if text_of(one.get("cwd"))), "")
    project = PurePath(folder.replace("\\", "/")).name
    session = next((text_of(one.get("sessionId")) for one in rows if one.get("sessionId")), "")
    return build_thread(
        (SOURCE, f"{NAME} · {project}" if project else NAME),
        session or name,
        nodes,
        title=title or title_from_nodes(nodes),
        begun=None,
        otherwise=otherwise,
    )


def _nodes(rows: Sequence[Mapping[str, Any]], unknown: Counter[str]) -> Iterator[ArchiveNode]:
    calls: dict[str, BlockRow] = {}
    begun = False
    for one in rows:
        kind = text_of(one.get("type"))
        own = text_of(one.get("uuid"))
        if not own:
            continue
        message = object_of(one.get("message"))
        above = text_of(one.get("parentUuid")) or text_of(one.get("logicalParentUuid"))
        hidden = any(
            one.get(name) is True for name in ("isSidechain", "isMeta", "isCompactSummary")
        )
        node = ArchiveNode(
            own,
            above or (None if begun else ""),
            user=kind == "user",
            time=time_of(one.get("timestamp")),
            model=text_of(message.get("model")) if kind == "assistant" else "",
            visible=kind in ("user", "assistant") and not hidden,
        )
        begun = True
        if node.visible:
            node.rows = list(_content(message.get("content"), calls, unknown, user=node.user))
        yield node


def _content(
    content: object, calls: dict[str, BlockRow], unknown: Counter[str], *, user: bool
) -> Iterator[BlockRow]:
    blocks = (
        [{"type": "text", "text": content}] if isinstance(content, str) else objects_of(content)
    )
    for block in blocks:
        match block.get("type"):
            case "text":
                text = text_of(block.get("text"))
                if not (user and text.lstrip().startswith(_PROGRAM_TEXTS)):
                    yield from text_rows(text)
            case "thinking":
                yield from thinking_rows(text_of(block.get("thinking")))
            case "tool_use" | "server_tool_use":
                own = text_of(block.get("id"))
                calls[own] = call_rows(text_of(block.get("name")), block.get("input"), own)
                yield calls[own]
            case "tool_result":
                call = calls.get(text_of(block.get("tool_use_id")))
                if call is not None:
                    add_call_result(
                        call, _text_of(block.get("content")), error=block.get("is_error") is True
                    )
            case "image":
                source = object_of(block.get("source"))
                data = text_of(source.get("data"))
                kind = text_of(source.get("media_type")) or "image/png"
                yield picture_rows(
                    f"data:{kind};base64,{data}" if data else text_of(source.get("url"))
                )
            case "redacted_thinking":
                continue
            case other:
                unknown[text_of(other)[:60] or "?"] += 1


def _text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(filter(None, (text_of(one.get("text")) for one in objects_of(content))))
