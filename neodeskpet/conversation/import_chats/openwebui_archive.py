"""Reads a chat of an Open WebUI export ("Export chats"). Pure.

`chat.history.messages` is a tree by `parentId`; thinking and tool calls are in the text as
`<details type="…">`.
"""

from __future__ import annotations

import html
import re
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

SOURCE = "openwebui"
NAME = "Open WebUI"
_DETAILS_BEGIN = re.compile(r'<details type="([a-z_]{1,40})"([^<>]{0,200000})>')
_DETAILS_END = "</details>"
_ATTRIBUTE = re.compile(r'([a-z_]{1,40})="([^"]*)"')
_SUMMARY = re.compile(r"\s*<summary>[^<]*</summary>\s*")


def is_conversation(item: Mapping[str, Any]) -> bool:
    chat = object_of(item.get("chat"))
    return isinstance(object_of(chat.get("history")).get("messages"), dict) or (
        isinstance(chat.get("messages"), list)
    )


def read_conversation(
    item: Mapping[str, Any], unknown: Counter[str], *, otherwise: float = 1.0
) -> ImportedThread:
    """Read the chat. Never raises: unreadable parts are left out. `otherwise`: the time to use if
    it has none.
    """
    chat = object_of(item["chat"])
    history = object_of(chat.get("history"))
    messages = object_of(history.get("messages"))
    rows = [object_of(one) | {"id": key} for key, one in messages.items()]
    nodes = [_node(one, unknown) for one in rows or objects_of(chat.get("messages"))]
    return build_thread(
        (SOURCE, NAME),
        text_of(item.get("id")) or text_of(chat.get("id")),
        hide_empty(nodes),
        title=text_of(item.get("title")) or text_of(chat.get("title")),
        begun=time_of(item.get("created_at")) or time_of(chat.get("timestamp")),
        otherwise=otherwise,
        current=text_of(history.get("currentId")) or text_of(history.get("current_id")),
        pinned=item.get("pinned") is True,
        archived=item.get("archived") is True,
    )


def _node(message: Mapping[str, Any], unknown: Counter[str]) -> ArchiveNode:
    role = text_of(message.get("role"))
    node = ArchiveNode(
        text_of(message.get("id")),
        text_of(message.get("parentId")) if "parentId" in message else None,
        user=role == "user",
        time=time_of(message.get("timestamp")),
        model=text_of(message.get("model")) if role != "user" else "",
        visible=role in ("user", "assistant"),
    )
    node.rows = [*_files(message), *_content(message.get("content"), unknown)]
    return node


def _files(message: Mapping[str, Any]) -> Iterator[BlockRow]:
    for one in objects_of(message.get("files")):
        name, url = text_of(one.get("name")), text_of(one.get("url"))
        if one.get("type") == "image" and url:
            yield picture_rows(url, name)
        elif name:
            inside = object_of(object_of(one.get("file")).get("data"))
            yield document_rows(name, text_of(inside.get("content")))


def _content(content: object, unknown: Counter[str]) -> Iterator[BlockRow]:
    if not isinstance(content, str):
        parts = (text_of(one.get("text")) for one in objects_of(list_of(content)))
        yield from text_rows("\n".join(filter(None, parts)))
        return
    at = 0
    while (found := _DETAILS_BEGIN.search(content, at)) is not None:
        end = content.find(_DETAILS_END, found.end())
        if end < 0:
            break
        yield from text_rows(content[at : found.start()].strip("\n"))
        about = {key: html.unescape(value) for key, value in _ATTRIBUTE.findall(found[2])}
        yield from _details_rows(found[1], about, content[found.end() : end], unknown)
        at = end + len(_DETAILS_END)
    yield from text_rows(content[at:].strip("\n"))


def _details_rows(
    kind: str, about: Mapping[str, str], inside: str, unknown: Counter[str]
) -> Iterator[BlockRow]:
    body = _SUMMARY.sub("", inside, count=1)
    match kind:
        case "reasoning":
            lines = (line.removeprefix(">").removeprefix(" ") for line in body.split("\n"))
            yield from thinking_rows(html.unescape("\n".join(lines)).strip())
        case "tool_calls":
            asked = json_value(about.get("arguments", ""))
            if isinstance(asked, str):
                asked = json_value(asked)
            call = call_rows(about.get("name", ""), asked, about.get("id", ""))
            add_call_result(call, str(json_value(about.get("result", ""))))
            yield call
        case "code_interpreter":
            call = call_rows("code_interpreter", {"code": body.strip()})
            add_call_result(call, about.get("output", ""))
            yield call
        case _:
            unknown[kind] += 1
            yield from code_rows(body.strip())
