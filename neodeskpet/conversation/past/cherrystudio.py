"""A backup of Cherry Studio (`data.json`). Pure.

`indexedDB.topics` are the conversations; since version 4 what a message says stands in
`message_blocks`. The names of the topics are in `localStorage`, as JSON within JSON.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from neodeskpet.conversation.past.fields import (
    json_of,
    json_value,
    list_in,
    rows_in,
    size_in,
    table_in,
    text_in,
    time_in,
)
from neodeskpet.conversation.past.parts import (
    Row,
    called,
    code,
    document,
    give,
    picture,
    said,
    thought,
)
from neodeskpet.conversation.past.thread import Node, Thread, thread_of, without_empty

SOURCE = "cherrystudio"
NAME = "Cherry Studio"
_STORE = "persist:cherry-studio"
_QUIET = frozenset({"citation", "unknown", "compact"})


def is_backup(item: Mapping[str, Any]) -> bool:
    return isinstance(table_in(item.get("indexedDB")).get("topics"), list)


def read_backup(
    item: Mapping[str, Any], unknown: Counter[str], *, otherwise: float = 1.0
) -> Iterator[Thread]:
    """Never raises: what can't be read of it is left out."""
    database = table_in(item.get("indexedDB"))
    blocks = {text_in(one.get("id")): one for one in rows_in(database.get("message_blocks"))}
    names = dict(_topics(table_in(item.get("localStorage"))))
    for topic in rows_in(database.get("topics")):
        own = text_in(topic.get("id"))
        about, assistant = names.get(own, ({}, ""))
        messages = rows_in(topic.get("messages"))
        yield thread_of(
            (SOURCE, f"{NAME} · {assistant}" if assistant else NAME),
            own,
            without_empty(_nodes(messages, blocks, unknown)),
            title=text_in(about.get("name")),
            begun=time_in(about.get("createdAt")),
            otherwise=otherwise,
            pinned=about.get("pinned") is True,
        )


def _topics(storage: Mapping[str, Any]) -> Iterator[tuple[str, tuple[Mapping[str, Any], str]]]:
    """What is known of each topic, and the name of its assistant."""
    kept = table_in(json_value(storage.get(_STORE)))
    store = table_in(json_value(kept.get("assistants")))
    for assistant in (table_in(store.get("defaultAssistant")), *rows_in(store.get("assistants"))):
        for topic in rows_in(assistant.get("topics")):
            yield text_in(topic.get("id")), (topic, text_in(assistant.get("name")))


def _nodes(
    messages: list[dict[str, Any]], blocks: Mapping[str, Mapping[str, Any]], unknown: Counter[str]
) -> Iterator[Node]:
    keys = {text_in(one.get("id")) for one in messages}
    before = ""
    for one in messages:
        role = text_in(one.get("role"))
        asked = text_in(one.get("askId"))
        own = text_in(one.get("id"))
        model = text_in(table_in(one.get("model")).get("id")) or text_in(one.get("modelId"))
        node = Node(
            own,
            # Answers of several models to one question are versions of each other.
            asked if role == "assistant" and asked in keys else before,
            user=role == "user",
            at=time_in(one.get("createdAt")),
            model=model if role != "user" else "",
            shown=role in ("user", "assistant"),
        )
        named = [key for key in list_in(one.get("blocks")) if isinstance(key, str)]
        node.rows = [
            *thought(text_in(one.get("reasoning_content"))),
            *said(text_in(one.get("content"))),
        ]
        for key in named:
            node.rows += _block(blocks.get(key, {}), unknown)
        before = own
        yield node


def _block(block: Mapping[str, Any], unknown: Counter[str]) -> list[Row]:
    kind, content = text_in(block.get("type")), text_in(block.get("content"))
    file = table_in(block.get("file"))
    match kind:
        case "main_text" | "translation":
            return said(content)
        case "thinking":
            return thought(content)
        case "code":
            return code(content, text_in(block.get("language")))
        case "tool":
            raw = table_in(table_in(block.get("metadata")).get("rawMcpToolResponse"))
            name = text_in(block.get("toolName")) or text_in(table_in(raw.get("tool")).get("name"))
            asked = block.get("arguments") or raw.get("arguments")
            call = called(name, asked, text_in(block.get("toolId")))
            told = block.get("content") or raw.get("response")
            give(call, told if isinstance(told, str) else json_of(told) if told else "")
            return [call]
        case "image":
            name = text_in(file.get("origin_name"))
            return [picture(text_in(block.get("url")) or text_in(file.get("name")), name)]
        case "file":
            return [document(text_in(file.get("origin_name")), "", size_in(file.get("size")))]
        case "error":
            return said(text_in(table_in(block.get("error")).get("message")))
        case _:
            if kind and kind not in _QUIET:
                unknown[kind[:60]] += 1
            return said(content) if kind not in _QUIET else []
