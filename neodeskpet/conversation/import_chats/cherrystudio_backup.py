"""Reads a backup of Cherry Studio (`data.json`). Pure.

`indexedDB.topics` are the conversations; since version 4 the content of messages is in
`message_blocks`. The names of topics are in `localStorage`, as JSON inside JSON.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from neodeskpet.conversation.import_chats.format_helpers import (
    BlockRow,
    add_call_result,
    call_rows,
    code_rows,
    document_rows,
    json_value,
    list_of,
    object_of,
    objects_of,
    picture_rows,
    size_of,
    text_of,
    text_rows,
    thinking_rows,
    time_of,
    to_json,
)
from neodeskpet.conversation.import_chats.thread_builder import (
    ArchiveNode,
    ImportedThread,
    build_thread,
    hide_empty,
)

SOURCE = "cherrystudio"
NAME = "Cherry Studio"
_STORE = "persist:cherry-studio"
_IGNORED_KINDS = frozenset({"citation", "unknown", "compact"})


def is_backup(item: Mapping[str, Any]) -> bool:
    return isinstance(object_of(item.get("indexedDB")).get("topics"), list)


def read_backup(
    item: Mapping[str, Any], unknown: Counter[str], *, otherwise: float = 1.0
) -> Iterator[ImportedThread]:
    """Read the backup. Never raises: unreadable parts are left out."""
    database = object_of(item.get("indexedDB"))
    blocks = {text_of(one.get("id")): one for one in objects_of(database.get("message_blocks"))}
    names = dict(_topics(object_of(item.get("localStorage"))))
    for topic in objects_of(database.get("topics")):
        own = text_of(topic.get("id"))
        about, assistant = names.get(own, ({}, ""))
        messages = objects_of(topic.get("messages"))
        yield build_thread(
            (SOURCE, f"{NAME} · {assistant}" if assistant else NAME),
            own,
            hide_empty(_nodes(messages, blocks, unknown)),
            title=text_of(about.get("name")),
            begun=time_of(about.get("createdAt")),
            otherwise=otherwise,
            pinned=about.get("pinned") is True,
        )


def _topics(storage: Mapping[str, Any]) -> Iterator[tuple[str, tuple[Mapping[str, Any], str]]]:
    """Yield each topic's data and the name of its assistant."""
    kept = object_of(json_value(storage.get(_STORE)))
    store = object_of(json_value(kept.get("assistants")))
    for assistant in (
        object_of(store.get("defaultAssistant")),
        *objects_of(store.get("assistants")),
    ):
        for topic in objects_of(assistant.get("topics")):
            yield text_of(topic.get("id")), (topic, text_of(assistant.get("name")))


def _nodes(
    messages: list[dict[str, Any]], blocks: Mapping[str, Mapping[str, Any]], unknown: Counter[str]
) -> Iterator[ArchiveNode]:
    keys = {text_of(one.get("id")) for one in messages}
    before = ""
    for one in messages:
        role = text_of(one.get("role"))
        asked = text_of(one.get("askId"))
        own = text_of(one.get("id"))
        model = text_of(object_of(one.get("model")).get("id")) or text_of(one.get("modelId"))
        node = ArchiveNode(
            own,
            # Answers of several models to one question are versions of each other.
            asked if role == "assistant" and asked in keys else before,
            user=role == "user",
            time=time_of(one.get("createdAt")),
            model=model if role != "user" else "",
            visible=role in ("user", "assistant"),
        )
        named = [key for key in list_of(one.get("blocks")) if isinstance(key, str)]
        node.rows = [
            *thinking_rows(text_of(one.get("reasoning_content"))),
            *text_rows(text_of(one.get("content"))),
        ]
        for key in named:
            node.rows += _block(blocks.get(key, {}), unknown)
        before = own
        yield node


def _block(block: Mapping[str, Any], unknown: Counter[str]) -> list[BlockRow]:
    kind, content = text_of(block.get("type")), text_of(block.get("content"))
    file = object_of(block.get("file"))
    match kind:
        case "main_text" | "translation":
            return text_rows(content)
        case "thinking":
            return thinking_rows(content)
        case "code":
            return code_rows(content, text_of(block.get("language")))
        case "tool":
            raw = object_of(object_of(block.get("metadata")).get("rawMcpToolResponse"))
            name = text_of(block.get("toolName")) or text_of(object_of(raw.get("tool")).get("name"))
            asked = block.get("arguments") or raw.get("arguments")
            call = call_rows(name, asked, text_of(block.get("toolId")))
            output = block.get("content") or raw.get("response")
            add_call_result(
                call, output if isinstance(output, str) else to_json(output) if output else ""
            )
            return [call]
        case "image":
            name = text_of(file.get("origin_name"))
            return [picture_rows(text_of(block.get("url")) or text_of(file.get("name")), name)]
        case "file":
            return [document_rows(text_of(file.get("origin_name")), "", size_of(file.get("size")))]
        case "error":
            return text_rows(text_of(object_of(block.get("error")).get("message")))
        case _:
            if kind and kind not in _IGNORED_KINDS:
                unknown[kind[:60]] += 1
            return text_rows(content) if kind not in _IGNORED_KINDS else []
