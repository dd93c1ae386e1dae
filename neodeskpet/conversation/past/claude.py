"""A conversation of Claude's archive. Pure.

Its messages are a list; newer archives say which one each follows. A message has blocks
(`content`), of which `text` is only what an old window could show, and the text of attached files.
What Claude remembered of the person (`memories.json`) is a conversation of its own, in which it
tells that.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from neodeskpet.conversation.past.fields import (
    list_in,
    rows_in,
    size_in,
    table_in,
    text_in,
    time_in,
)
from neodeskpet.conversation.past.parts import Row, called, code, document, give, said, thought
from neodeskpet.conversation.past.thread import Node, Thread, Weaver, thread_id, without_empty
from neodeskpet.core.wording import N_
from neodeskpet.language import tr

SOURCE = "claude"
NAME = "Claude"
_BEGINNING = "00000000-0000-4000-8000-000000000000"
_QUIET = frozenset({"token_budget", "flag", "injected_context"})
"""Blocks that nobody saw."""


def is_conversation(item: Mapping[str, Any]) -> bool:
    return isinstance(item.get("chat_messages"), list)


def read_conversation(
    item: Mapping[str, Any],
    unknown: Counter[str],
    projects: Mapping[str, str] | None = None,
    *,
    otherwise: float = 1.0,
) -> Thread:
    """Never raises: what can't be read of it is left out. `projects`: names, by their ids;
    `otherwise`: the time of one that bears none.
    """
    title = text_in(item.get("name"))
    begun = time_in(item.get("created_at"))
    messages = rows_in(item["chat_messages"])
    tree = any(text_in(one.get("parent_message_uuid")) for one in messages)
    nodes = without_empty(
        _node(place, one, unknown, tree=tree) for place, one in enumerate(messages)
    )
    at = begun or min((node.at for node in nodes if node.at is not None), default=otherwise)
    own = thread_id(SOURCE, text_in(item.get("uuid")) or f"{title}:{begun}")
    weaver = Weaver(own, nodes, joined=False, at=at)
    rows, current = weaver.weave(text_in(item.get("current_leaf_message_uuid")))
    project = table_in(item.get("project"))
    named = text_in(project.get("name")) or (projects or {}).get(text_in(project.get("uuid")), "")
    return Thread(
        own,
        title[:200],
        at,
        max((row["ended"] for row in rows), default=at),
        rows,
        folder=f"{NAME} · {named}"[:200] if named else NAME,
        pinned=item.get("is_starred") is True,
        current=current,
    )


def read_projects(value: object) -> dict[str, str]:
    """Names, by their ids."""
    found = {text_in(one.get("uuid")): text_in(one.get("name")) for one in rows_in(value)}
    return {key: name for key, name in found.items() if key and name}


def read_memories(value: object, at: float, projects: Mapping[str, str]) -> Thread | None:
    """What it remembered, as something that it said at the time `at`; None for nothing."""
    told: list[str] = []
    account = ""
    for one in rows_in(value):
        account = account or text_in(one.get("account_uuid"))
        told.append(text_in(one.get("conversations_memory")))
        for key, text in table_in(one.get("project_memories")).items():
            name = projects.get(key, "")
            told.append(f"## {name}\n\n{text_in(text)}" if name else text_in(text))
    whole = "\n\n".join(part for part in told if part.strip())
    if not whole:
        return None
    own = thread_id(SOURCE, f"memories:{account}")
    node = Node(f"memories:{hash_of(whole)}", "", at=at, rows=said(whole))
    rows, current = Weaver(own, [node], joined=False, at=at).weave("")
    return Thread(own, tr("What Claude remembered"), at, at, rows, folder=NAME, current=current)


def read_project(value: Mapping[str, Any], otherwise: float) -> Thread | None:
    """The description, instructions and documents of a project, as a conversation in the project's
    folder; None for a project without any.
    """
    rows: list[Row] = []
    for heading, key in (
        (N_("Description"), "description"),
        (N_("Instructions"), "prompt_template"),
    ):
        text = text_in(value.get(key))
        if text.strip():
            rows += said(f"## {tr(heading)}\n\n{text}")
    for one in rows_in(value.get("docs")):
        text = text_in(one.get("content"))
        if text.strip():
            rows.append(document(text_in(one.get("filename")) or tr("File"), text))
    if not rows:
        return None
    name = text_in(value.get("name"))
    at = time_in(value.get("created_at")) or otherwise
    own = thread_id(SOURCE, f"project:{text_in(value.get('uuid')) or name}")
    key = hash_of(json.dumps(rows, sort_keys=True, ensure_ascii=False))
    node = Node(f"project:{key}", "", user=True, at=at, rows=rows)
    woven, current = Weaver(own, [node], joined=False, at=at).weave("")
    folder = f"{NAME} · {name}" if name else NAME
    title = tr("Project “{name}”", name=name)
    return Thread(own, title, at, at, woven, folder=folder, current=current)


def hash_of(text: str) -> str:
    """What it is known by in the next archive, where it may say more."""
    return thread_id(SOURCE, text)


def _node(place: int, one: Mapping[str, Any], unknown: Counter[str], *, tree: bool) -> Node:
    parent = text_in(one.get("parent_message_uuid"))
    node = Node(
        text_in(one.get("uuid")) or f"#{place}",
        ("" if parent == _BEGINNING else parent or None) if tree else None,
        user=one.get("sender") == "human",
        at=time_in(one.get("created_at")),
        shown=one.get("sender") in ("human", "assistant"),
    )
    blocks = _blocks(list_in(one.get("content")), unknown)
    node.rows = [*_files(one), *(blocks or said(text_in(one.get("text"))))]
    return node


def _blocks(content: list[Any], unknown: Counter[str]) -> list[Row]:
    rows: list[Row] = []
    calls: dict[str, Row] = {}
    for block in content:
        if isinstance(block, str):
            rows += said(block)
        elif isinstance(block, dict):
            rows += _block(block, calls, unknown)
    return rows


def _block(block: Mapping[str, Any], calls: dict[str, Row], unknown: Counter[str]) -> list[Row]:
    kind = text_in(block.get("type"))
    if kind == "text":
        return said(text_in(block.get("text")))
    if kind == "thinking":
        return thought(text_in(block.get("thinking")))
    if kind == "tool_use":
        return _call(block, calls)
    if kind == "tool_result":
        return _result(block, calls)
    if kind in _QUIET:
        return []
    words = [text_in(block.get(name)) for name in ("title", "text", "content")]
    if kind != "voice_note":
        unknown[kind[:60] or "?"] += 1
    return said("\n".join(part for part in words if part.strip()))


def _call(block: Mapping[str, Any], calls: dict[str, Row]) -> list[Row]:
    asked = table_in(block.get("input"))
    call = called(text_in(block.get("name")) or "tool", asked, text_in(block.get("id")))
    calls[text_in(block.get("id"))] = calls[""] = call
    written = text_in(asked.get("content"))
    if call["name"] != "artifacts" or not written:
        return [call]
    title, kind = text_in(asked.get("title")), text_in(asked.get("type"))
    plain = kind in ("text/markdown", "text/plain")
    body = said(written) if plain else code(written, text_in(asked.get("language")))
    return [call, *said(f"**{title}**\n\n" if title else ""), *body]


def _result(block: Mapping[str, Any], calls: dict[str, Row]) -> list[Row]:
    content = block.get("content")
    told = [content] if isinstance(content, str) else []
    for part in rows_in(content):
        told += [text_in(part.get(name)) for name in ("title", "url", "text")]
    words = "\n".join(part for part in told if part.strip())
    call = calls.get(text_in(block.get("tool_use_id"))) or calls.get("")
    made = call is None
    if call is None:
        if not words:
            return []
        call = called(text_in(block.get("name")) or "tool", {})
    give(call, words, error=block.get("is_error") is True)
    return [call] if made else []


def _files(one: Mapping[str, Any]) -> list[Row]:
    rows: list[Row] = []
    for file in rows_in(one.get("attachments")):
        text = text_in(file.get("extracted_content"))
        if text.strip():
            name = text_in(file.get("file_name")) or tr("File")
            rows.append(document(name, text, size_in(file.get("file_size"))))
    named = [text_in(file.get("file_name")) for file in rows_in(one.get("files"))]
    return rows + [document(name, "") for name in named if name]
