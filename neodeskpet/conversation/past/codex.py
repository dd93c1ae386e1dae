"""A session of Codex (`~/.codex/sessions/…/rollout-*.jsonl`): a line for each item of the protocol.
Pure.

Newer sessions wrap an item as `{"type": "response_item", "payload": …}`; the older ones are the
items themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from neodeskpet.conversation.past.fields import (
    json_of,
    json_value,
    rows_in,
    table_in,
    text_in,
    time_in,
)
from neodeskpet.conversation.past.parts import Row, called, give, picture, said, thought
from neodeskpet.conversation.past.thread import (
    Node,
    Thread,
    first_words,
    thread_of,
    without_empty,
)

SOURCE = "codex"
NAME = "Codex"
_ITEMS = frozenset(
    {"message", "reasoning", "function_call", "function_call_output", "local_shell_call"}
    | {"custom_tool_call", "custom_tool_call_output", "web_search_call"}
)
_QUIET = frozenset(
    {"ghost_snapshot", "compaction", "compaction_summary", "other", "tool_search_call"}
)
_PROGRAM = (
    *("<environment_context>", "<user_instructions>", "<turn_aborted>", "<permissions"),
    *("<collaboration_mode>", "<skill", "<apps_instructions>", "<plugins_instructions>"),
    *("<subagent_notification>", "<user_shell_command>", "<INSTRUCTIONS>"),
    "# AGENTS.md instructions",
)
"""How texts begin that the program wrote in the person's name."""


def is_session(rows: Sequence[Mapping[str, Any]]) -> bool:
    """`rows`: the first lines."""
    return any(
        (one.get("type") in ("session_meta", "response_item") and "payload" in one)
        or (
            text_in(one.get("type")) in _ITEMS
            and ("role" in one or "call_id" in one or "summary" in one)
        )
        for one in rows
    )


def read_session(
    rows: Sequence[Mapping[str, Any]], unknown: Counter[str], name: str, *, otherwise: float
) -> Thread:
    """Never raises: what can't be read of it is left out."""
    metas = [table_in(one.get("payload")) for one in rows if one.get("type") == "session_meta"]
    head = metas[0] if metas else (rows[0] if rows and "id" in rows[0] else {})
    project = PurePath(text_in(head.get("cwd")).replace("\\", "/")).name
    nodes = without_empty(_nodes(rows, unknown))
    return thread_of(
        (SOURCE, f"{NAME} · {project}" if project else NAME),
        text_in(head.get("id")) or name,
        nodes,
        title=first_words(nodes),
        begun=time_in(head.get("timestamp")),
        otherwise=otherwise,
    )


def _nodes(rows: Sequence[Mapping[str, Any]], unknown: Counter[str]) -> Iterator[Node]:
    calls: dict[str, Row] = {}
    model = ""
    for place, one in enumerate(rows):
        item = table_in(one.get("payload")) if "payload" in one else one
        if one.get("type") == "turn_context":
            model = text_in(item.get("model")) or model
        if "payload" in one and one.get("type") != "response_item":
            continue
        kind = text_in(item.get("type"))
        if kind not in _ITEMS:
            if kind and kind not in _QUIET and "payload" in one:
                unknown[kind[:60]] += 1
            continue
        role = text_in(item.get("role"))
        user = kind == "message" and role == "user"
        node = Node(f"#{place}", None, user=user, at=time_in(one.get("timestamp")))
        node.model = "" if user else model
        node.shown = kind != "message" or role in ("user", "assistant")
        if node.shown:
            node.rows = list(_item(kind, item, calls, user=user))
        yield node


def _item(
    kind: str, item: Mapping[str, Any], calls: dict[str, Row], *, user: bool
) -> Iterator[Row]:
    own = text_in(item.get("call_id")) or text_in(item.get("id"))
    match kind:
        case "message":
            yield from _content(item, user=user)
        case "reasoning":
            parts = [*rows_in(item.get("summary")), *rows_in(item.get("content"))]
            yield from thought("\n\n".join(filter(None, (text_in(p.get("text")) for p in parts))))
        case "function_call_output" | "custom_tool_call_output":
            call = calls.get(own)
            if call is not None:
                give(call, _output(item.get("output")))
        case "function_call":
            calls[own] = called(
                text_in(item.get("name")), json_value(text_in(item.get("arguments"))), own
            )
            yield calls[own]
        case "custom_tool_call":
            calls[own] = called(text_in(item.get("name")), {"input": item.get("input")}, own)
            yield calls[own]
        case _:
            name = "web_search" if kind == "web_search_call" else "shell"
            calls[own] = called(name, item.get("action"), own)
            yield calls[own]


def _content(item: Mapping[str, Any], *, user: bool) -> Iterator[Row]:
    for part in rows_in(item.get("content")):
        text = text_in(part.get("text"))
        if part.get("type") == "input_image":
            yield picture(text_in(part.get("image_url")))
        elif not (user and text.lstrip().startswith(_PROGRAM)):
            yield from said(text)


def _output(output: object) -> str:
    """A text, an object with one, or a text that is such an object."""
    value = json_value(output) if isinstance(output, str) and output.startswith("{") else output
    if isinstance(value, dict):
        told = text_in(value.get("output")) or text_in(value.get("content"))
        return told or json_of(value)
    parts = "\n".join(filter(None, (text_in(one.get("text")) for one in rows_in(value))))
    return value if isinstance(value, str) else parts
