"""Reads a conversation of a ChatGPT archive. Pure.

It is a tree of nodes (`mapping`); `current_node` is the last one shown. All kinds of content known
from archives up to 2026 are read; of other kinds only the text is taken, and they are counted in
`unknown`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
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
    picture_rows,
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
from neodeskpet.core.json_text import MOST_DEPTH, read_json

SOURCE = "chatgpt"
NAME = "ChatGPT"
_CITATION_MARK = re.compile(
    "\ue200[^\ue200\ue201]*\ue201|\u3010\\d+(?::\\d+)?\u2020[^\u3010\u3011]*\u3011"
)
_CANVAS = "canmore.create_textdoc"


def is_conversation(item: Mapping[str, Any]) -> bool:
    return isinstance(item.get("mapping"), dict)


def read_conversation(
    item: Mapping[str, Any], unknown: Counter[str], *, otherwise: float = 1.0
) -> ImportedThread:
    """Read the conversation. Never raises: unreadable parts are left out. `otherwise`: the time to
    use if it has none.
    """
    key = text_of(item.get("conversation_id")) or text_of(item.get("id"))
    title = text_of(item.get("title"))
    begun = time_of(item.get("create_time"))
    nodes = hide_empty(
        _node(name, object_of(value), unknown) for name, value in item["mapping"].items()
    )
    return build_thread(
        (SOURCE, NAME),
        key,
        nodes,
        title=title,
        begun=begun,
        otherwise=otherwise,
        current=text_of(item.get("current_node")),
        pinned=item.get("is_starred") is True or time_of(item.get("pinned_time")) is not None,
        archived=item.get("is_archived") is True,
    )


def _node(key: str, value: Mapping[str, Any], unknown: Counter[str]) -> ArchiveNode:
    message = object_of(value.get("message"))
    author = object_of(message.get("author"))
    about = object_of(message.get("metadata"))
    role = text_of(author.get("role"))
    node = ArchiveNode(
        key,
        text_of(value.get("parent")),
        user=role == "user",
        time=time_of(message.get("create_time")),
        model=text_of(about.get("model_slug")) if role != "user" else "",
    )
    hidden = about.get("is_visually_hidden_from_conversation") is True
    node.visible = role in ("user", "assistant", "tool") and not hidden
    if node.visible:
        content = message.get("content")
        whole = (
            {"content_type": "text", "parts": [content]} if isinstance(content, str) else content
        )
        _fill_node(node, message, author, object_of(whole), unknown)
    return node


def _fill_node(
    node: ArchiveNode,
    message: Mapping[str, Any],
    author: Mapping[str, Any],
    content: Mapping[str, Any],
    unknown: Counter[str],
) -> None:
    about = object_of(message.get("metadata"))
    recipient = text_of(message.get("recipient")) or "all"
    if author.get("role") == "tool":
        name = text_of(author.get("name")) or "tool"
        node.rows = _result(name, content, about, unknown)
        node.answers = name if node.rows else ""
    elif recipient != "all" and not node.user:
        node.rows = _call(recipient, _all_text(content, about))
    else:
        node.rows = _content_rows(content, about, unknown)
    if node.user:
        node.rows = [*_attachments(about, content), *node.rows]


def _content_rows(
    content: Mapping[str, Any], about: Mapping[str, Any], unknown: Counter[str]
) -> list[BlockRow]:
    kind = text_of(content.get("content_type"))
    read = _KINDS.get(kind)
    if read is None:
        unknown[kind[:60] or "?"] += 1
        return text_rows(_all_text(content, about))
    return read(content, about)


def _part_rows(content: Mapping[str, Any], about: Mapping[str, Any]) -> list[BlockRow]:
    """Return text, pictures, and transcribed speech, in their order."""
    rows: list[BlockRow] = []
    for part in list_of(content.get("parts")):
        if isinstance(part, str):
            rows += text_rows(_with_citations(part, about))
        elif isinstance(part, dict):
            rows += _part_row(part)
    return rows


def _part_row(part: Mapping[str, Any]) -> list[BlockRow]:
    pointer = text_of(part.get("asset_pointer"))
    if part.get("content_type") == "image_asset_pointer" and pointer:
        made = object_of(object_of(part.get("metadata")).get("dalle"))
        return [picture_rows(pointer, text_of(made.get("prompt")))]
    return text_rows(text_of(part.get("text")))


def _code_rows(content: Mapping[str, Any], _about: Mapping[str, Any]) -> list[BlockRow]:
    language = text_of(content.get("language"))
    return code_rows(text_of(content.get("text")), "" if language == "unknown" else language)


def _thoughts_rows(content: Mapping[str, Any], _about: Mapping[str, Any]) -> list[BlockRow]:
    texts = []
    for one in objects_of(content.get("thoughts")):
        head, body = text_of(one.get("summary")), text_of(one.get("content"))
        texts.append("\n".join(part for part in (f"**{head}**" if head else "", body) if part))
    return thinking_rows("\n\n".join(part for part in texts if part))


def _no_rows(_content: Mapping[str, Any], _about: Mapping[str, Any]) -> list[BlockRow]:
    return []


_KINDS: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any]], list[BlockRow]]] = {
    "text": _part_rows,
    "multimodal_text": _part_rows,
    "code": _code_rows,
    "thoughts": _thoughts_rows,
    "reasoning_recap": _no_rows,  # the duration of the thinking
    "user_editable_context": _no_rows,  # instructions, repeated in each conversation
    "model_editable_context": _no_rows,
}
_RESULTS = frozenset(
    {
        "text",
        "multimodal_text",
        "code",
        "execution_output",
        "system_error",
        "tether_quote",
        "tether_browsing_display",
        "tether_browsing_code",
        "sonic_webpage",
        "computer_output",
        "super_widget",
        "citable_code_output",
    }
)


def _call(recipient: str, words: str) -> list[BlockRow]:
    try:
        arguments: object = read_json(words, depth=MOST_DEPTH)
    except (ValueError, RecursionError):
        arguments = {"code": words} if words else {}
    call = call_rows(recipient, arguments)
    if recipient == _CANVAS and isinstance(arguments, dict):
        return [call, *_canvas_rows(arguments)]
    return [call]


def _canvas_rows(arguments: Mapping[str, Any]) -> list[BlockRow]:
    """Return the text of the canvas, which is part of the conversation."""
    kind, text = text_of(arguments.get("type")), text_of(arguments.get("content"))
    body = code_rows(text, kind.partition("/")[2]) if kind.startswith("code") else text_rows(text)
    name = text_of(arguments.get("name"))
    return [*text_rows(f"**{name}**\n\n" if name and body else ""), *body]


def _result(
    name: str, content: Mapping[str, Any], about: Mapping[str, Any], unknown: Counter[str]
) -> list[BlockRow]:
    """Return a result without its call, and the pictures it made."""
    kind = text_of(content.get("content_type"))
    if kind not in _RESULTS and kind not in _KINDS:
        unknown[kind[:60] or "?"] += 1
    words = _all_text(content, about)
    pictures = [
        row
        for part in objects_of(content.get("parts"))
        for row in _part_row(part)
        if row["kind"] == "image"
    ]
    if not words.strip() and not pictures:
        return []
    call = call_rows(name, {})
    add_call_result(call, words, error=kind == "system_error")
    return [call, *pictures]


def _all_text(content: Mapping[str, Any], about: Mapping[str, Any]) -> str:
    """Return all text in the content."""
    texts = [text_of(content.get(name)) for name in ("title", "url", "name", "text", "result")]
    parts = list_of(content.get("parts"))
    texts += [_with_citations(part, about) for part in parts if isinstance(part, str)]
    texts += [text_of(part.get("text")) for part in parts if isinstance(part, dict)]
    texts.append(text_of(content.get("content")))
    return "\n".join(part for part in texts if part.strip())


def _with_citations(text: str, about: Mapping[str, Any]) -> str:
    """Replace citation marks by links to their sources."""
    if "\ue200" not in text and "\u3010" not in text:
        return text
    for one in objects_of(about.get("content_references"))[:200]:
        mark = text_of(one.get("matched_text"))
        if len(mark) > 1:
            text = text.replace(mark, text_of(one.get("alt")))
    return _CITATION_MARK.sub("", text)


def _attachments(about: Mapping[str, Any], content: Mapping[str, Any]) -> list[BlockRow]:
    """Return attached files; pictures within the text were read already."""
    shown = str([part.get("asset_pointer") for part in objects_of(content.get("parts"))])
    rows: list[BlockRow] = []
    for one in objects_of(about.get("attachments")):
        own = text_of(one.get("id"))
        if own and own in shown:
            continue
        name = text_of(one.get("name")) or own
        if text_of(one.get("mime_type")).startswith("image/"):
            rows.append(picture_rows(own, name))
        elif name:
            rows.append(document_rows(name, "", size_of(one.get("size"))) | {"pointer": own})
    return rows
