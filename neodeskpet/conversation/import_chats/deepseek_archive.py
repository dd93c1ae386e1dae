"""Reads a conversation of a DeepSeek archive (`conversations.json`). Pure.

It has a tree of nodes (`mapping`) as in ChatGPT's archives, but a message is a list of fragments:
question (REQUEST), thinking (THINK), search (SEARCH) and answer (RESPONSE).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from neodeskpet.conversation.import_chats.format_helpers import (
    BlockRow,
    add_call_result,
    call_rows,
    document_rows,
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
    build_thread,
    hide_empty,
)

SOURCE = "deepseek"
NAME = "DeepSeek"
_IGNORED_KINDS = frozenset({"TOOL_SEARCH", "TIP"})
"""Fragments that repeat others or don't belong to the conversation."""


def is_conversation(item: Mapping[str, Any]) -> bool:
    mapping = item.get("mapping")
    if not isinstance(mapping, dict):
        return False
    messages = (object_of(object_of(node).get("message")) for node in mapping.values())
    return "inserted_at" in item or any("fragments" in message for message in messages)


def read_conversation(
    item: Mapping[str, Any], unknown: Counter[str], *, otherwise: float = 1.0
) -> ImportedThread:
    """Read the conversation. Never raises: unreadable parts are left out. `otherwise`: the time to
    use if it has none.
    """
    nodes = hide_empty(
        _node(key, object_of(value), unknown) for key, value in object_of(item["mapping"]).items()
    )
    return build_thread(
        (SOURCE, NAME),
        text_of(item.get("id")),
        nodes,
        title=text_of(item.get("title")),
        begun=time_of(item.get("inserted_at")),
        otherwise=otherwise,
    )


def _node(key: str, value: Mapping[str, Any], unknown: Counter[str]) -> ArchiveNode:
    message = object_of(value.get("message"))
    fragments = objects_of(message.get("fragments"))
    user = any(one.get("type") == "REQUEST" for one in fragments)
    parent = text_of(value.get("parent"))
    node = ArchiveNode(
        key,
        parent,
        user=user,
        time=time_of(message.get("inserted_at")),
        model="" if user else text_of(message.get("model")),
        visible=bool(message),
    )
    for one in fragments:
        node.rows += _fragment(one, unknown)
    for file in objects_of(message.get("files")):
        name = text_of(file.get("file_name")) or text_of(file.get("name"))
        if name:
            node.rows.insert(
                0, document_rows(name, text_of(file.get("content")), size_of(file.get("file_size")))
            )
    return node


def _fragment(one: Mapping[str, Any], unknown: Counter[str]) -> list[BlockRow]:
    kind, content = text_of(one.get("type")), text_of(one.get("content"))
    match kind:
        case "REQUEST" | "RESPONSE":
            return text_rows(content)
        case "THINK":
            return thinking_rows(content)
        case "SEARCH" | "READ_LINK":
            results = objects_of(one.get("results"))
            lines = [f"{text_of(r.get('title'))}\n{text_of(r.get('url'))}".strip() for r in results]
            call = call_rows("search" if kind == "SEARCH" else "read_link", {})
            add_call_result(call, "\n\n".join(filter(None, lines)) or content)
            return [call]
        case _:
            if kind not in _IGNORED_KINDS:
                unknown[kind[:60] or "?"] += 1
            return [] if kind in _IGNORED_KINDS else text_rows(content)
