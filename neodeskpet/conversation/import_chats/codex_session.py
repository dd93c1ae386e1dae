"""Reads a session of Codex (`~/.codex/sessions/…/rollout-*.jsonl`): a line for each item of the
protocol. Pure.

Newer sessions wrap an item as `{"type": "response_item", "payload": …}`; in older ones each line is
an item.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from neodeskpet.conversation.import_chats.format_helpers import (
    BlockRow,
    add_call_result,
    call_rows,
    json_value,
    object_of,
    objects_of,
    picture_rows,
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
    title_from_nodes,
)

SOURCE = "codex"
NAME = "Codex"
_ITEM_KINDS = frozenset(
    {"message", "reasoning", "function_call", "function_call_output", "local_shell_call"}
    | {"custom_tool_call", "custom_tool_call_output", "web_search_call"}
)
_IGNORED_KINDS = frozenset(
    {"ghost_snapshot", "compaction", "compaction_summary", "other", "tool_search_call"}
)
_PROGRAM_TEXTS = (
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<permissions",
    "<collaboration_mode>",
    "<skill",
    "<apps_instructions>",
    "<plugins_instructions>",
    "<subagent_notification>",
    "<user_shell_command>",
    "<INSTRUCTIONS>",
    "# AGENTS.md instructions",
)
"""Beginnings of texts that the program wrote in the user's name."""


def is_session(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether these first lines are of such a session."""
    return any(
        (one.get("type") in ("session_meta", "response_item") and "payload" in one)
        or (
            text_of(one.get("type")) in _ITEM_KINDS
            and ("role" in one or "call_id" in one or "summary" in one)
        )
        for one in rows
    )


def read_session(
    rows: Sequence[Mapping[str, Any]], unknown: Counter[str], name: str, *, otherwise: float
) -> ImportedThread:
    """Read the session. Never raises: unreadable parts are left out."""
    metas = [object_of(one.get("payload")) for one in rows if one.get("type") == "session_meta"]
    head = metas[0] if metas else (rows[0] if rows and "id" in rows[0] else {})
    project = PurePath(text_of(head.get("cwd")).replace("\\", "/")).name
    nodes = hide_empty(_nodes(rows, unknown))
    return build_thread(
        (SOURCE, f"{NAME} · {project}" if project else NAME),
        text_of(head.get("id")) or name,
        nodes,
        title=title_from_nodes(nodes),
        begun=time_of(head.get("timestamp")),
        otherwise=otherwise,
    )


def _nodes(rows: Sequence[Mapping[str, Any]], unknown: Counter[str]) -> Iterator[ArchiveNode]:
    calls: dict[str, BlockRow] = {}
    model = ""
    for place, one in enumerate(rows):
        item = object_of(one.get("payload")) if "payload" in one else one
        if one.get("type") == "turn_context":
            model = text_of(item.get("model")) or model
        if "payload" in one and one.get("type") != "response_item":
            continue
        kind = text_of(item.get("type"))
        if kind not in _ITEM_KINDS:
            if kind and kind not in _IGNORED_KINDS and "payload" in one:
                unknown[kind[:60]] += 1
            continue
        role = text_of(item.get("role"))
        user = kind == "message" and role == "user"
        node = ArchiveNode(f"#{place}", None, user=user, time=time_of(one.get("timestamp")))
        node.model = "" if user else model
        node.visible = kind != "message" or role in ("user", "assistant")
        if node.visible:
            node.rows = list(_item(kind, item, calls, user=user))
        yield node


def _item(
    kind: str, item: Mapping[str, Any], calls: dict[str, BlockRow], *, user: bool
) -> Iterator[BlockRow]:
    own = text_of(item.get("call_id")) or text_of(item.get("id"))
    match kind:
        case "message":
            yield from _content(item, user=user)
        case "reasoning":
            parts = [*objects_of(item.get("summary")), *objects_of(item.get("content"))]
            yield from thinking_rows(
                "\n\n".join(filter(None, (text_of(p.get("text")) for p in parts)))
            )
        case "function_call_output" | "custom_tool_call_output":
            call = calls.get(own)
            if call is not None:
                add_call_result(call, _output_text(item.get("output")))
        case "function_call":
            calls[own] = call_rows(
                text_of(item.get("name")), json_value(text_of(item.get("arguments"))), own
            )
            yield calls[own]
        case "custom_tool_call":
            calls[own] = call_rows(text_of(item.get("name")), {"input": item.get("input")}, own)
            yield calls[own]
        case _:
            name = "web_search" if kind == "web_search_call" else "shell"
            calls[own] = call_rows(name, item.get("action"), own)
            yield calls[own]


def _content(item: Mapping[str, Any], *, user: bool) -> Iterator[BlockRow]:
    for part in objects_of(item.get("content")):
        text = text_of(part.get("text"))
        if part.get("type") == "input_image":
            yield picture_rows(text_of(part.get("image_url")))
        elif not (user and text.lstrip().startswith(_PROGRAM_TEXTS)):
            yield from text_rows(text)


def _output_text(output: object) -> str:
    """Return the text of an output: a text, an object with one, or a text that is such an
    object.
    """
    value = json_value(output) if isinstance(output, str) and output.startswith("{") else output
    if isinstance(value, dict):
        known = text_of(value.get("output")) or text_of(value.get("content"))
        return known or to_json(value)
    parts = "\n".join(filter(None, (text_of(one.get("text")) for one in objects_of(value))))
    return value if isinstance(value, str) else parts
