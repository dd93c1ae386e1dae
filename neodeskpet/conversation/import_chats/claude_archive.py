"""Reads a conversation of a Claude archive. Pure.

Its messages are a list; newer archives also say which message each follows. A message has blocks
(`content`), the text of attached files, and `text`, a fallback for old clients. What Claude
remembered of the user (`memories.json`) becomes a conversation of its own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from neodeskpet.conversation.import_chats.format_helpers import (
    BlockRow,
    add_call_result,
    call_rows,
    code_rows,
    document_rows,
    list_of,
    object_of,
    objects_of,
    size_of,
    text_of,
    text_rows,
    thinking_rows,
    time_of,
)
from neodeskpet.conversation.import_chats.thread_builder import (
    ArchiveNode,
    ImportedThread,
    ThreadBuilder,
    derive_id,
    hide_empty,
)
from neodeskpet.core.i18n import N_
from neodeskpet.language import tr

SOURCE = "claude"
NAME = "Claude"
_ROOT_ID = "00000000-0000-4000-8000-000000000000"
_IGNORED_KINDS = frozenset({"token_budget", "flag", "injected_context"})
"""Blocks that were not shown."""


def is_conversation(item: Mapping[str, Any]) -> bool:
    return isinstance(item.get("chat_messages"), list)


def read_conversation(
    item: Mapping[str, Any],
    unknown: Counter[str],
    projects: Mapping[str, str] | None = None,
    *,
    otherwise: float = 1.0,
) -> ImportedThread:
    """Read the conversation. Never raises: unreadable parts are left out. `projects`: names by id;
    `otherwise`: the time to use if it has none.
    """
    title = text_of(item.get("name"))
    begun = time_of(item.get("created_at"))
    messages = objects_of(item["chat_messages"])
    tree = any(text_of(one.get("parent_message_uuid")) for one in messages)
    nodes = hide_empty(_node(place, one, unknown, tree=tree) for place, one in enumerate(messages))
    at = begun or min((node.time for node in nodes if node.time is not None), default=otherwise)
    own = derive_id(SOURCE, text_of(item.get("uuid")) or f"{title}:{begun}")
    builder = ThreadBuilder(own, nodes, joined=False, at=at)
    rows, current = builder.build(text_of(item.get("current_leaf_message_uuid")))
    project = object_of(item.get("project"))
    named = text_of(project.get("name")) or (projects or {}).get(text_of(project.get("uuid")), "")
    return ImportedThread(
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
    """Return the names of projects by id."""
    found = {text_of(one.get("uuid")): text_of(one.get("name")) for one in objects_of(value)}
    return {key: name for key, name in found.items() if key and name}


def read_memories(value: object, at: float, projects: Mapping[str, str]) -> ImportedThread | None:
    """Return the memories as a message of Claude at the time `at`; None if there are none."""
    texts: list[str] = []
    account = ""
    for one in objects_of(value):
        account = account or text_of(one.get("account_uuid"))
        texts.append(text_of(one.get("conversations_memory")))
        for key, text in object_of(one.get("project_memories")).items():
            name = projects.get(key, "")
            texts.append(f"## {name}\n\n{text_of(text)}" if name else text_of(text))
    whole = "\n\n".join(part for part in texts if part.strip())
    if not whole:
        return None
    own = derive_id(SOURCE, f"memories:{account}")
    node = ArchiveNode(f"memories:{content_hash(whole)}", "", time=at, rows=text_rows(whole))
    rows, current = ThreadBuilder(own, [node], joined=False, at=at).build("")
    return ImportedThread(
        own, tr("What Claude remembered"), at, at, rows, folder=NAME, current=current
    )


def read_project(value: Mapping[str, Any], otherwise: float) -> ImportedThread | None:
    """Return the description, instructions and documents of a project as a conversation in the
    project's folder; None if it has none.
    """
    rows: list[BlockRow] = []
    for heading, key in (
        (N_("Description"), "description"),
        (N_("Instructions"), "prompt_template"),
    ):
        text = text_of(value.get(key))
        if text.strip():
            rows += text_rows(f"## {tr(heading)}\n\n{text}")
    for one in objects_of(value.get("docs")):
        text = text_of(one.get("content"))
        if text.strip():
            rows.append(document_rows(text_of(one.get("filename")) or tr("File"), text))
    if not rows:
        return None
    name = text_of(value.get("name"))
    at = time_of(value.get("created_at")) or otherwise
    own = derive_id(SOURCE, f"project:{text_of(value.get('uuid')) or name}")
    key = content_hash(json.dumps(rows, sort_keys=True, ensure_ascii=False))
    node = ArchiveNode(f"project:{key}", "", user=True, time=at, rows=rows)
    thread, current = ThreadBuilder(own, [node], joined=False, at=at).build("")
    folder = f"{NAME} · {name}" if name else NAME
    title = tr("Project “{name}”", name=name)
    return ImportedThread(own, title, at, at, thread, folder=folder, current=current)


def content_hash(text: str) -> str:
    """Return a hash that identifies the text in a later archive, which may contain more."""
    return derive_id(SOURCE, text)


def _node(place: int, one: Mapping[str, Any], unknown: Counter[str], *, tree: bool) -> ArchiveNode:
    parent = text_of(one.get("parent_message_uuid"))
    node = ArchiveNode(
        text_of(one.get("uuid")) or f"#{place}",
        ("" if parent == _ROOT_ID else parent or None) if tree else None,
        user=one.get("sender") == "human",
        time=time_of(one.get("created_at")),
        visible=one.get("sender") in ("human", "assistant"),
    )
    blocks = _blocks(list_of(one.get("content")), unknown)
    node.rows = [*_files(one), *(blocks or text_rows(text_of(one.get("text"))))]
    return node


def _blocks(content: list[Any], unknown: Counter[str]) -> list[BlockRow]:
    rows: list[BlockRow] = []
    calls: dict[str, BlockRow] = {}
    for block in content:
        if isinstance(block, str):
            rows += text_rows(block)
        elif isinstance(block, dict):
            rows += _block(block, calls, unknown)
    return rows


def _block(
    block: Mapping[str, Any], calls: dict[str, BlockRow], unknown: Counter[str]
) -> list[BlockRow]:
    kind = text_of(block.get("type"))
    if kind == "text":
        return text_rows(text_of(block.get("text")))
    if kind == "thinking":
        return thinking_rows(text_of(block.get("thinking")))
    if kind == "tool_use":
        return _call(block, calls)
    if kind == "tool_result":
        return _result(block, calls)
    if kind in _IGNORED_KINDS:
        return []
    words = [text_of(block.get(name)) for name in ("title", "text", "content")]
    if kind != "voice_note":
        unknown[kind[:60] or "?"] += 1
    return text_rows("\n".join(part for part in words if part.strip()))


def _call(block: Mapping[str, Any], calls: dict[str, BlockRow]) -> list[BlockRow]:
    asked = object_of(block.get("input"))
    call = call_rows(text_of(block.get("name")) or "tool", asked, text_of(block.get("id")))
    calls[text_of(block.get("id"))] = calls[""] = call
    written = text_of(asked.get("content"))
    if call["name"] != "artifacts" or not written:
        return [call]
    title, kind = text_of(asked.get("title")), text_of(asked.get("type"))
    plain = kind in ("text/markdown", "text/plain")
    body = text_rows(written) if plain else code_rows(written, text_of(asked.get("language")))
    return [call, *text_rows(f"**{title}**\n\n" if title else ""), *body]


def _result(block: Mapping[str, Any], calls: dict[str, BlockRow]) -> list[BlockRow]:
    content = block.get("content")
    texts = [content] if isinstance(content, str) else []
    for part in objects_of(content):
        texts += [text_of(part.get(name)) for name in ("title", "url", "text")]
    words = "\n".join(part for part in texts if part.strip())
    call = calls.get(text_of(block.get("tool_use_id"))) or calls.get("")
    made = call is None
    if call is None:
        if not words:
            return []
        call = call_rows(text_of(block.get("name")) or "tool", {})
    add_call_result(call, words, error=block.get("is_error") is True)
    return [call] if made else []


def _files(one: Mapping[str, Any]) -> list[BlockRow]:
    rows: list[BlockRow] = []
    for file in objects_of(one.get("attachments")):
        text = text_of(file.get("extracted_content"))
        if text.strip():
            name = text_of(file.get("file_name")) or tr("File")
            rows.append(document_rows(name, text, size_of(file.get("file_size"))))
    named = [text_of(file.get("file_name")) for file in objects_of(one.get("files"))]
    return rows + [document_rows(name, "") for name in named if name]
