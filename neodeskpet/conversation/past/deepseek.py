"""A conversation of DeepSeek's archive (`conversations.json`). Pure.

It has ChatGPT's tree of nodes (`mapping`), but a message is a list of fragments: what was asked
(REQUEST), thought (THINK), searched (SEARCH) and answered (RESPONSE).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from neodeskpet.conversation.past.fields import rows_in, size_in, table_in, text_in, time_in
from neodeskpet.conversation.past.parts import Row, called, document, give, said, thought
from neodeskpet.conversation.past.thread import Node, Thread, thread_of, without_empty

SOURCE = "deepseek"
NAME = "DeepSeek"
_QUIET = frozenset({"TOOL_SEARCH", "TIP"})
"""Fragments that repeat others, or that say nothing of the conversation."""


def is_conversation(item: Mapping[str, Any]) -> bool:
    mapping = item.get("mapping")
    if not isinstance(mapping, dict):
        return False
    messages = (table_in(table_in(node).get("message")) for node in mapping.values())
    return "inserted_at" in item or any("fragments" in message for message in messages)


def read_conversation(
    item: Mapping[str, Any], unknown: Counter[str], *, otherwise: float = 1.0
) -> Thread:
    """Never raises: what can't be read of it is left out. `otherwise`: the time of one that bears
    none.
    """
    nodes = without_empty(
        _node(key, table_in(value), unknown) for key, value in table_in(item["mapping"]).items()
    )
    return thread_of(
        (SOURCE, NAME),
        text_in(item.get("id")),
        nodes,
        title=text_in(item.get("title")),
        begun=time_in(item.get("inserted_at")),
        otherwise=otherwise,
    )


def _node(key: str, value: Mapping[str, Any], unknown: Counter[str]) -> Node:
    message = table_in(value.get("message"))
    fragments = rows_in(message.get("fragments"))
    user = any(one.get("type") == "REQUEST" for one in fragments)
    parent = text_in(value.get("parent"))
    node = Node(
        key,
        parent,
        user=user,
        at=time_in(message.get("inserted_at")),
        model="" if user else text_in(message.get("model")),
        shown=bool(message),
    )
    for one in fragments:
        node.rows += _fragment(one, unknown)
    for file in rows_in(message.get("files")):
        name = text_in(file.get("file_name")) or text_in(file.get("name"))
        if name:
            node.rows.insert(
                0, document(name, text_in(file.get("content")), size_in(file.get("file_size")))
            )
    return node


def _fragment(one: Mapping[str, Any], unknown: Counter[str]) -> list[Row]:
    kind, content = text_in(one.get("type")), text_in(one.get("content"))
    match kind:
        case "REQUEST" | "RESPONSE":
            return said(content)
        case "THINK":
            return thought(content)
        case "SEARCH" | "READ_LINK":
            results = rows_in(one.get("results"))
            told = [f"{text_in(r.get('title'))}\n{text_in(r.get('url'))}".strip() for r in results]
            call = called("search" if kind == "SEARCH" else "read_link", {})
            give(call, "\n\n".join(filter(None, told)) or content)
            return [call]
        case _:
            if kind not in _QUIET:
                unknown[kind[:60] or "?"] += 1
            return [] if kind in _QUIET else said(content)
