"""A session of Claude Code (`~/.claude/projects/*/*.jsonl`): a line for each message or block of an
answer. Pure.

What tools gave back stands in lines of the "user". Lines of agents beside the conversation
(`isSidechain`) and what the program told the model (`isMeta`) aren't shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from neodeskpet.conversation.past.fields import rows_in, table_in, text_in, time_in
from neodeskpet.conversation.past.parts import Row, called, give, picture, said, thought
from neodeskpet.conversation.past.thread import (
    Node,
    Thread,
    first_words,
    thread_of,
    without_empty,
)

SOURCE = "claude-code"
NAME = "Claude Code"
_PROGRAM = ("<command-", "<local-command-", "<system-reminder>", "<bash-", "<task-notification>")
"""How texts begin that the program wrote in the person's name."""
_HIDDEN = ("isSidechain", "isMeta", "isCompactSummary")
_TITLES = {"summary": "summary", "ai-title": "aiTitle", "custom-title": "customTitle"}
"""Lines with a title, and the field it is in."""


def is_session(rows: Sequence[Mapping[str, Any]]) -> bool:
    """`rows`: the first lines."""
    return any(
        ("sessionId" in one and one.get("type") in ("user", "assistant") and "message" in one)
        or (one.get("type") == "summary" and "leafUuid" in one)
        for one in rows
    )


def read_session(
    rows: Sequence[Mapping[str, Any]], unknown: Counter[str], name: str, *, otherwise: float
) -> Thread:
    """Never raises: what can't be read of it is left out."""
    nodes = without_empty(_nodes(rows, unknown))
    titles = {text_in(one.get("type")): one for one in rows if text_in(one.get("type")) in _TITLES}
    title = next(
        (text_in(titles[kind].get(_TITLES[kind])) for kind in reversed(_TITLES) if kind in titles),
        "",
    )
    folder = next((text_in(one.get("cwd")) for one in rows if text_in(one.get("cwd"))), "")
    project = PurePath(folder.replace("\\", "/")).name
    session = next((text_in(one.get("sessionId")) for one in rows if one.get("sessionId")), "")
    return thread_of(
        (SOURCE, f"{NAME} · {project}" if project else NAME),
        session or name,
        nodes,
        title=title or first_words(nodes),
        begun=None,
        otherwise=otherwise,
    )


def _nodes(rows: Sequence[Mapping[str, Any]], unknown: Counter[str]) -> Iterator[Node]:
    calls: dict[str, Row] = {}
    begun = False
    for one in rows:
        kind = text_in(one.get("type"))
        own = text_in(one.get("uuid"))
        if not own:
            continue
        message = table_in(one.get("message"))
        above = text_in(one.get("parentUuid")) or text_in(one.get("logicalParentUuid"))
        hidden = any(
            one.get(name) is True for name in ("isSidechain", "isMeta", "isCompactSummary")
        )
        node = Node(
            own,
            above or (None if begun else ""),
            user=kind == "user",
            at=time_in(one.get("timestamp")),
            model=text_in(message.get("model")) if kind == "assistant" else "",
            shown=kind in ("user", "assistant") and not hidden,
        )
        begun = True
        if node.shown:
            node.rows = list(_content(message.get("content"), calls, unknown, user=node.user))
        yield node


def _content(
    content: object, calls: dict[str, Row], unknown: Counter[str], *, user: bool
) -> Iterator[Row]:
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else rows_in(content)
    for block in blocks:
        match block.get("type"):
            case "text":
                text = text_in(block.get("text"))
                if not (user and text.lstrip().startswith(_PROGRAM)):
                    yield from said(text)
            case "thinking":
                yield from thought(text_in(block.get("thinking")))
            case "tool_use" | "server_tool_use":
                own = text_in(block.get("id"))
                calls[own] = called(text_in(block.get("name")), block.get("input"), own)
                yield calls[own]
            case "tool_result":
                call = calls.get(text_in(block.get("tool_use_id")))
                if call is not None:
                    give(call, _words(block.get("content")), error=block.get("is_error") is True)
            case "image":
                source = table_in(block.get("source"))
                data = text_in(source.get("data"))
                kind = text_in(source.get("media_type")) or "image/png"
                yield picture(f"data:{kind};base64,{data}" if data else text_in(source.get("url")))
            case "redacted_thinking":
                continue
            case other:
                unknown[text_in(other)[:60] or "?"] += 1


def _words(content: object) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(filter(None, (text_in(one.get("text")) for one in rows_in(content))))
