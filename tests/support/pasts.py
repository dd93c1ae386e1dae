"""Archives like those of ChatGPT and Claude, made for tests: the fields are those of real ones,
from public descriptions and samples.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Json = dict[str, Any]
BEGUN = 1_704_067_200.0  # 2024-01-01


def chatgpt_message(
    role: str,
    content: object,
    *,
    at: float | None = None,
    name: str | None = None,
    recipient: str = "all",
    model: str = "",
    **about: object,
) -> Json:
    if isinstance(content, str):
        content = {"content_type": "text", "parts": [content]}
    more = {"model_slug": model, "default_model_slug": model} if model else {}
    return {
        "author": {"role": role, "name": name, "metadata": {}},
        "create_time": at,
        "update_time": None,
        "content": content,
        "status": "finished_successfully",
        "end_turn": None,
        "weight": 1.0,
        "metadata": {**more, "request_id": "r", "message_type": "next", **about},
        "recipient": recipient,
        "channel": None,
    }


def chatgpt_conversation(
    key: str, title: str, nodes: Sequence[tuple[str, str | None, Json | None]], **more: object
) -> Json:
    """`nodes`: key, parent, message."""
    mapping: Json = {}
    for own, parent, message in nodes:
        told = None if message is None else {"id": own, **message}
        mapping[own] = {"id": own, "message": told, "parent": parent, "children": []}
        if parent in mapping:
            mapping[parent]["children"].append(own)
    return {
        "title": title,
        "create_time": BEGUN,
        "update_time": BEGUN + 60,
        "mapping": mapping,
        "moderation_results": [],
        "current_node": nodes[-1][0] if nodes else None,
        "plugin_ids": None,
        "conversation_id": key,
        "conversation_template_id": None,
        "gizmo_id": None,
        "gizmo_type": None,
        "is_archived": False,
        "is_starred": None,
        "safe_urls": [],
        "blocked_urls": [],
        "default_model_slug": "gpt-4o",
        "voice": None,
        "id": key,
        **more,
    }


def chatgpt_talk(key: str, title: str, *said: str, at: float = BEGUN, **more: object) -> Json:
    """Turn by turn, the user first, below the nodes that always exist."""
    nodes: list[tuple[str, str | None, Json | None]] = [
        (f"{key}-root", None, None),
        (
            f"{key}-system",
            f"{key}-root",
            chatgpt_message("system", "", is_visually_hidden_from_conversation=True),
        ),
    ]
    for place, text in enumerate(said):
        role = "assistant" if place % 2 else "user"
        model = "gpt-4o" if place % 2 else ""
        message = chatgpt_message(role, text, at=at + place, model=model)
        nodes.append((f"{key}-{place}", nodes[-1][0], message))
    return chatgpt_conversation(key, title, nodes, create_time=at, **more)


def claude_message(key: str, sender: str, *content: Json, **more: object) -> Json:
    return {
        "uuid": key,
        "text": "".join(str(block.get("text", "")) for block in content),
        "content": list(content),
        "sender": sender,
        "created_at": "2026-01-15T10:00:00.000000Z",
        "updated_at": "2026-01-15T10:00:00.000000Z",
        "attachments": [],
        "files": [],
        **more,
    }


def claude_conversation(key: str, name: str, *messages: Json, **more: object) -> Json:
    return {
        "uuid": key,
        "name": name,
        "summary": "",
        "created_at": "2026-01-15T10:00:00.000000Z",
        "updated_at": "2026-01-15T10:30:00.000000Z",
        "account": {"uuid": "acct-1"},
        "chat_messages": list(messages),
        **more,
    }


def words(text: str) -> Json:
    return {
        "start_timestamp": "2026-01-15T10:00:00.000000Z",
        "stop_timestamp": None,
        "flags": None,
        "type": "text",
        "text": text,
        "citations": [],
    }


def archive(
    path: Path, conversations: object, files: Mapping[str, bytes | str] | None = None
) -> Path:
    """A zip at `path` with these conversations, and other files."""
    raw = conversations if isinstance(conversations, str) else json.dumps(conversations)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("conversations.json", raw)
        for name, content in (files or {}).items():
            out.writestr(name, content)
    return path


def packed(content: bytes) -> bytes:
    """A zip with one file in it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as into:
        into.writestr("inner.json", content)
    return out.getvalue()
