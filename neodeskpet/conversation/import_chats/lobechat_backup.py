"""Reads a backup of LobeChat: one object with all tables. Pure.

Older backups have the tables in `state`, those of its database in `data`. A conversation is a
topic, or the messages of a session outside of its topics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from neodeskpet.conversation.import_chats.format_helpers import (
    BlockRow,
    add_call_result,
    call_rows,
    json_value,
    object_of,
    objects_of,
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

SOURCE = "lobechat"
NAME = "LobeChat"


def is_backup(item: Mapping[str, Any]) -> bool:
    return bool(_tables(item))


def _tables(item: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in ("state", "data"):
        tables = object_of(item.get(name))
        if isinstance(tables.get("messages"), list) and (
            "exportType" in item or "topics" in tables
        ):
            return tables
    return {}


def read_backup(
    item: Mapping[str, Any], unknown: Counter[str], *, otherwise: float = 1.0
) -> Iterator[ImportedThread]:
    """Read the backup. Never raises: unreadable parts are left out."""
    tables = _tables(item)
    topics = {text_of(one.get("id")): one for one in objects_of(tables.get("topics"))}
    sessions = {text_of(one.get("id")): one for one in objects_of(tables.get("sessions"))}
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for one in objects_of(tables.get("messages")):
        key = (_field(one, "sessionId", "session_id"), _field(one, "topicId", "topic_id"))
        groups.setdefault(key, []).append(one)
    for (session, topic), messages in groups.items():
        about = topics.get(topic, {})
        place = sessions.get(session, {})
        named = text_of(object_of(place.get("meta")).get("title")) or text_of(place.get("title"))
        messages.sort(key=lambda one: _time(one) or 0.0)
        yield build_thread(
            (SOURCE, f"{NAME} · {named}" if named else NAME),
            topic or f"session:{session}",
            hide_empty(_nodes(messages, unknown)),
            title=text_of(about.get("title")) or named,
            begun=_time(about),
            otherwise=otherwise,
            pinned=about.get("favorite") in (True, 1),
        )


def _field(item: Mapping[str, Any], *names: str) -> str:
    return next((text_of(item.get(name)) for name in names if text_of(item.get(name))), "")


def _time(item: Mapping[str, Any]) -> float | None:
    return time_of(item.get("createdAt")) or time_of(item.get("created_at"))


def _nodes(messages: list[Mapping[str, Any]], unknown: Counter[str]) -> Iterator[ArchiveNode]:
    calls: dict[str, BlockRow] = {}
    for one in messages:
        role = text_of(one.get("role"))
        node = ArchiveNode(
            text_of(one.get("id")),
            None,
            user=role == "user",
            time=_time(one),
            model=text_of(one.get("model")) if role != "user" else "",
            visible=role in ("user", "assistant", "tool"),
        )
        content = text_of(one.get("content"))
        if role == "tool":
            call = calls.get(_field(one, "tool_call_id", "toolCallId"))
            if call is not None:
                add_call_result(call, content)
            else:
                node.rows = [call_rows(text_of(object_of(one.get("plugin")).get("apiName")), {})]
                add_call_result(node.rows[0], content)
        else:
            reasoning = one.get("reasoning")
            thinking = text_of(reasoning) or text_of(object_of(reasoning).get("content"))
            node.rows = [*thinking_rows(thinking), *text_rows(content), *_tools(one, calls)]
        if not node.visible:
            unknown[role[:60] or "?"] += role != "system"
        yield node


def _tools(message: Mapping[str, Any], calls: dict[str, BlockRow]) -> Iterator[BlockRow]:
    for one in objects_of(message.get("tools")):
        own = text_of(one.get("id"))
        name = text_of(one.get("apiName")) or text_of(one.get("identifier"))
        call = call_rows(name, json_value(text_of(one.get("arguments"))), own)
        calls[own] = call
        yield call
