"""A chat of Open WebUI's export ("Export chats"). Pure.

`chat.history.messages` is a tree by `parentId`; what the model thought and the tools that ran stand
in its text as `<details type="…">`.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from neodeskpet.conversation.past.fields import (
    json_value,
    list_in,
    rows_in,
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

SOURCE = "openwebui"
NAME = "Open WebUI"
_BEGIN = re.compile(r'<details type="([a-z_]{1,40})"([^<>]{0,200000})>')
_END = "</details>"
_ATTRIBUTE = re.compile(r'([a-z_]{1,40})="([^"]*)"')
_SUMMARY = re.compile(r"\s*<summary>[^<]*</summary>\s*")


def is_conversation(item: Mapping[str, Any]) -> bool:
    chat = table_in(item.get("chat"))
    return isinstance(table_in(chat.get("history")).get("messages"), dict) or (
        isinstance(chat.get("messages"), list)
    )


def read_conversation(
    item: Mapping[str, Any], unknown: Counter[str], *, otherwise: float = 1.0
) -> Thread:
    """Never raises: what can't be read of it is left out. `otherwise`: the time of one that bears
    none.
    """
    chat = table_in(item["chat"])
    history = table_in(chat.get("history"))
    messages = table_in(history.get("messages"))
    rows = [table_in(one) | {"id": key} for key, one in messages.items()]
    nodes = [_node(one, unknown) for one in rows or rows_in(chat.get("messages"))]
    return thread_of(
        (SOURCE, NAME),
        text_in(item.get("id")) or text_in(chat.get("id")),
        without_empty(nodes),
        title=text_in(item.get("title")) or text_in(chat.get("title")),
        begun=time_in(item.get("created_at")) or time_in(chat.get("timestamp")),
        otherwise=otherwise,
        current=text_in(history.get("currentId")) or text_in(history.get("current_id")),
        pinned=item.get("pinned") is True,
        archived=item.get("archived") is True,
    )


def _node(message: Mapping[str, Any], unknown: Counter[str]) -> Node:
    role = text_in(message.get("role"))
    node = Node(
        text_in(message.get("id")),
        text_in(message.get("parentId")) if "parentId" in message else None,
        user=role == "user",
        at=time_in(message.get("timestamp")),
        model=text_in(message.get("model")) if role != "user" else "",
        shown=role in ("user", "assistant"),
    )
    node.rows = [*_files(message), *_content(message.get("content"), unknown)]
    return node


def _files(message: Mapping[str, Any]) -> Iterator[Row]:
    for one in rows_in(message.get("files")):
        name, url = text_in(one.get("name")), text_in(one.get("url"))
        if one.get("type") == "image" and url:
            yield picture(url, name)
        elif name:
            inside = table_in(table_in(one.get("file")).get("data"))
            yield document(name, text_in(inside.get("content")))


def _content(content: object, unknown: Counter[str]) -> Iterator[Row]:
    if not isinstance(content, str):
        parts = (text_in(one.get("text")) for one in rows_in(list_in(content)))
        yield from said("\n".join(filter(None, parts)))
        return
    at = 0
    while (found := _BEGIN.search(content, at)) is not None:
        end = content.find(_END, found.end())
        if end < 0:
            break
        yield from said(content[at : found.start()].strip("\n"))
        about = {key: html.unescape(value) for key, value in _ATTRIBUTE.findall(found[2])}
        yield from _details(found[1], about, content[found.end() : end], unknown)
        at = end + len(_END)
    yield from said(content[at:].strip("\n"))


def _details(
    kind: str, about: Mapping[str, str], inside: str, unknown: Counter[str]
) -> Iterator[Row]:
    body = _SUMMARY.sub("", inside, count=1)
    match kind:
        case "reasoning":
            lines = (line.removeprefix(">").removeprefix(" ") for line in body.split("\n"))
            yield from thought(html.unescape("\n".join(lines)).strip())
        case "tool_calls":
            asked = json_value(about.get("arguments", ""))
            if isinstance(asked, str):
                asked = json_value(asked)
            call = called(about.get("name", ""), asked, about.get("id", ""))
            give(call, str(json_value(about.get("result", ""))))
            yield call
        case "code_interpreter":
            call = called("code_interpreter", {"code": body.strip()})
            give(call, about.get("output", ""))
            yield call
        case _:
            unknown[kind] += 1
            yield from code(body.strip())
