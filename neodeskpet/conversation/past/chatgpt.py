"""A conversation of ChatGPT's archive. Pure.

It is a tree of nodes (`mapping`), in which `current_node` is the last that was shown. The kinds of
content are those that archives up to 2026 are known to hold; of any other what is text is taken,
and it is counted in `unknown`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from neodeskpet.conversation.past.fields import (
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
from neodeskpet.core.json_text import DEPTH, read_json

SOURCE = "chatgpt"
NAME = "ChatGPT"
_REFERENCE = re.compile(
    "\ue200[^\ue200\ue201]*\ue201|\u3010\\d+(?::\\d+)?\u2020[^\u3010\u3011]*\u3011"
)
_CANVAS = "canmore.create_textdoc"


def is_conversation(item: Mapping[str, Any]) -> bool:
    return isinstance(item.get("mapping"), dict)


def read_conversation(
    item: Mapping[str, Any], unknown: Counter[str], *, otherwise: float = 1.0
) -> Thread:
    """Never raises: what can't be read of it is left out. `otherwise`: the time of one that bears
    none.
    """
    key = text_in(item.get("conversation_id")) or text_in(item.get("id"))
    title = text_in(item.get("title"))
    begun = time_in(item.get("create_time"))
    nodes = without_empty(
        _node(name, table_in(value), unknown) for name, value in item["mapping"].items()
    )
    return thread_of(
        (SOURCE, NAME),
        key,
        nodes,
        title=title,
        begun=begun,
        otherwise=otherwise,
        current=text_in(item.get("current_node")),
        pinned=item.get("is_starred") is True or time_in(item.get("pinned_time")) is not None,
        archived=item.get("is_archived") is True,
    )


def _node(key: str, value: Mapping[str, Any], unknown: Counter[str]) -> Node:
    message = table_in(value.get("message"))
    author = table_in(message.get("author"))
    about = table_in(message.get("metadata"))
    role = text_in(author.get("role"))
    node = Node(
        key,
        text_in(value.get("parent")),
        user=role == "user",
        at=time_in(message.get("create_time")),
        model=text_in(about.get("model_slug")) if role != "user" else "",
    )
    hidden = about.get("is_visually_hidden_from_conversation") is True
    node.shown = role in ("user", "assistant", "tool") and not hidden
    if node.shown:
        content = message.get("content")
        whole = (
            {"content_type": "text", "parts": [content]} if isinstance(content, str) else content
        )
        _fill(node, message, author, table_in(whole), unknown)
    return node


def _fill(
    node: Node,
    message: Mapping[str, Any],
    author: Mapping[str, Any],
    content: Mapping[str, Any],
    unknown: Counter[str],
) -> None:
    about = table_in(message.get("metadata"))
    recipient = text_in(message.get("recipient")) or "all"
    if author.get("role") == "tool":
        name = text_in(author.get("name")) or "tool"
        node.rows = _result(name, content, about, unknown)
        node.answers = name if node.rows else ""
    elif recipient != "all" and not node.user:
        node.rows = _call(recipient, _words(content, about))
    else:
        node.rows = _content(content, about, unknown)
    if node.user:
        node.rows = [*_attachments(about, content), *node.rows]


def _content(
    content: Mapping[str, Any], about: Mapping[str, Any], unknown: Counter[str]
) -> list[Row]:
    kind = text_in(content.get("content_type"))
    read = _KINDS.get(kind)
    if read is None:
        unknown[kind[:60] or "?"] += 1
        return said(_words(content, about))
    return read(content, about)


def _parts(content: Mapping[str, Any], about: Mapping[str, Any]) -> list[Row]:
    """Text, pictures, and what was said aloud, in their order."""
    rows: list[Row] = []
    for part in list_in(content.get("parts")):
        if isinstance(part, str):
            rows += said(_cited(part, about))
        elif isinstance(part, dict):
            rows += _part(part)
    return rows


def _part(part: Mapping[str, Any]) -> list[Row]:
    pointer = text_in(part.get("asset_pointer"))
    if part.get("content_type") == "image_asset_pointer" and pointer:
        made = table_in(table_in(part.get("metadata")).get("dalle"))
        return [picture(pointer, text_in(made.get("prompt")))]
    return said(text_in(part.get("text")))


def _code(content: Mapping[str, Any], _about: Mapping[str, Any]) -> list[Row]:
    language = text_in(content.get("language"))
    return code(text_in(content.get("text")), "" if language == "unknown" else language)


def _thoughts(content: Mapping[str, Any], _about: Mapping[str, Any]) -> list[Row]:
    told = []
    for one in rows_in(content.get("thoughts")):
        head, body = text_in(one.get("summary")), text_in(one.get("content"))
        told.append("\n".join(part for part in (f"**{head}**" if head else "", body) if part))
    return thought("\n\n".join(part for part in told if part))


def _nothing(_content: Mapping[str, Any], _about: Mapping[str, Any]) -> list[Row]:
    return []


_KINDS: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any]], list[Row]]] = {
    "text": _parts,
    "multimodal_text": _parts,
    "code": _code,
    "thoughts": _thoughts,
    "reasoning_recap": _nothing,  # how long it thought
    "user_editable_context": _nothing,  # instructions, told anew in each conversation
    "model_editable_context": _nothing,
}
_RESULTS = frozenset(
    {
        *("text", "multimodal_text", "code", "execution_output", "system_error"),
        *("tether_quote", "tether_browsing_display", "tether_browsing_code", "sonic_webpage"),
        *("computer_output", "super_widget", "citable_code_output"),
    }
)


def _call(recipient: str, words: str) -> list[Row]:
    try:
        arguments: object = read_json(words, depth=DEPTH)
    except (ValueError, RecursionError):
        arguments = {"code": words} if words else {}
    call = called(recipient, arguments)
    if recipient == _CANVAS and isinstance(arguments, dict):
        return [call, *_canvas(arguments)]
    return [call]


def _canvas(arguments: Mapping[str, Any]) -> list[Row]:
    """What was written beside the conversation is a part of what was said."""
    kind, text = text_in(arguments.get("type")), text_in(arguments.get("content"))
    body = code(text, kind.partition("/")[2]) if kind.startswith("code") else said(text)
    name = text_in(arguments.get("name"))
    return [*said(f"**{name}**\n\n" if name and body else ""), *body]


def _result(
    name: str, content: Mapping[str, Any], about: Mapping[str, Any], unknown: Counter[str]
) -> list[Row]:
    """A call without its beginning, and the pictures it made."""
    kind = text_in(content.get("content_type"))
    if kind not in _RESULTS and kind not in _KINDS:
        unknown[kind[:60] or "?"] += 1
    words = _words(content, about)
    pictures = [
        row
        for part in rows_in(content.get("parts"))
        for row in _part(part)
        if row["kind"] == "image"
    ]
    if not words.strip() and not pictures:
        return []
    call = called(name, {})
    give(call, words, error=kind == "system_error")
    return [call, *pictures]


def _words(content: Mapping[str, Any], about: Mapping[str, Any]) -> str:
    """All that is text in it."""
    told = [text_in(content.get(name)) for name in ("title", "url", "name", "text", "result")]
    parts = list_in(content.get("parts"))
    told += [_cited(part, about) for part in parts if isinstance(part, str)]
    told += [text_in(part.get("text")) for part in parts if isinstance(part, dict)]
    told.append(text_in(content.get("content")))
    return "\n".join(part for part in told if part.strip())


def _cited(text: str, about: Mapping[str, Any]) -> str:
    """Marks that led to sources in their window, as the links that stand in their place there."""
    if "\ue200" not in text and "\u3010" not in text:
        return text
    for one in rows_in(about.get("content_references"))[:200]:
        mark = text_in(one.get("matched_text"))
        if len(mark) > 1:
            text = text.replace(mark, text_in(one.get("alt")))
    return _REFERENCE.sub("", text)


def _attachments(about: Mapping[str, Any], content: Mapping[str, Any]) -> list[Row]:
    """Files beside the words; those that stand among them as pictures were read there."""
    shown = str([part.get("asset_pointer") for part in rows_in(content.get("parts"))])
    rows: list[Row] = []
    for one in rows_in(about.get("attachments")):
        own = text_in(one.get("id"))
        if own and own in shown:
            continue
        name = text_in(one.get("name")) or own
        if text_in(one.get("mime_type")).startswith("image/"):
            rows.append(picture(own, name))
        elif name:
            rows.append(document(name, "", size_in(one.get("size"))) | {"pointer": own})
    return rows
