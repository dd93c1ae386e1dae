"""A backup of LobeChat: one object with all its tables. Pure.

Older ones hold them in `state`, those of its database in `data`. A conversation is a topic, or what
was said in a session outside of its topics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from neodeskpet.conversation.past.fields import (
    json_value,
    rows_in,
    table_in,
    text_in,
    time_in,
)
from neodeskpet.conversation.past.parts import Row, called, give, said, thought
from neodeskpet.conversation.past.thread import Node, Thread, thread_of, without_empty

SOURCE = "lobechat"
NAME = "LobeChat"


def is_backup(item: Mapping[str, Any]) -> bool:
    return bool(_tables(item))


def _tables(item: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in ("state", "data"):
        tables = table_in(item.get(name))
        if isinstance(tables.get("messages"), list) and (
            "exportType" in item or "topics" in tables
        ):
            return tables
    return {}


def read_backup(
    item: Mapping[str, Any], unknown: Counter[str], *, otherwise: float = 1.0
) -> Iterator[Thread]:
    """Never raises: what can't be read of it is left out."""
    tables = _tables(item)
    topics = {text_in(one.get("id")): one for one in rows_in(tables.get("topics"))}
    sessions = {text_in(one.get("id")): one for one in rows_in(tables.get("sessions"))}
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for one in rows_in(tables.get("messages")):
        key = (_field(one, "sessionId", "session_id"), _field(one, "topicId", "topic_id"))
        groups.setdefault(key, []).append(one)
    for (session, topic), messages in groups.items():
        about = topics.get(topic, {})
        place = sessions.get(session, {})
        named = text_in(table_in(place.get("meta")).get("title")) or text_in(place.get("title"))
        messages.sort(key=lambda one: _time(one) or 0.0)
        yield thread_of(
            (SOURCE, f"{NAME} · {named}" if named else NAME),
            topic or f"session:{session}",
            without_empty(_nodes(messages, unknown)),
            title=text_in(about.get("title")) or named,
            begun=_time(about),
            otherwise=otherwise,
            pinned=about.get("favorite") in (True, 1),
        )


def _field(item: Mapping[str, Any], *names: str) -> str:
    return next((text_in(item.get(name)) for name in names if text_in(item.get(name))), "")


def _time(item: Mapping[str, Any]) -> float | None:
    return time_in(item.get("createdAt")) or time_in(item.get("created_at"))


def _nodes(messages: list[Mapping[str, Any]], unknown: Counter[str]) -> Iterator[Node]:
    calls: dict[str, Row] = {}
    for one in messages:
        role = text_in(one.get("role"))
        node = Node(
            text_in(one.get("id")),
            None,
            user=role == "user",
            at=_time(one),
            model=text_in(one.get("model")) if role != "user" else "",
            shown=role in ("user", "assistant", "tool"),
        )
        content = text_in(one.get("content"))
        if role == "tool":
            call = calls.get(_field(one, "tool_call_id", "toolCallId"))
            if call is not None:
                give(call, content)
            else:
                node.rows = [called(text_in(table_in(one.get("plugin")).get("apiName")), {})]
                give(node.rows[0], content)
        else:
            reasoning = one.get("reasoning")
            told = text_in(reasoning) or text_in(table_in(reasoning).get("content"))
            node.rows = [*thought(told), *said(content), *_tools(one, calls)]
        if not node.shown:
            unknown[role[:60] or "?"] += role != "system"
        yield node


def _tools(message: Mapping[str, Any], calls: dict[str, Row]) -> Iterator[Row]:
    for one in rows_in(message.get("tools")):
        own = text_in(one.get("id"))
        name = text_in(one.get("apiName")) or text_in(one.get("identifier"))
        call = called(name, json_value(text_in(one.get("arguments"))), own)
        calls[own] = call
        yield call
