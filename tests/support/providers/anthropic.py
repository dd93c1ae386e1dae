"""Anthropic messages."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from tests.support.providers.provider import KEY, Call, Provider, Say, Think
from tests.support.providers.rules import (
    check_key,
    check_names,
    check_object_schema,
    digest,
    need,
    only,
    pieces,
)
from tests.support.sseserver import Part, Request, event

_FIELDS = (
    "model",
    "max_tokens",
    "messages",
    "system",
    "stream",
    "tools",
    "tool_choice",
    "thinking",
    "temperature",
    "top_p",
    "top_k",
    "stop_sequences",
    "metadata",
    "output_config",
    "mcp_servers",
    "cache_control",
    "context_management",
)
_BLOCKS = {
    "text": ("type", "text", "citations", "cache_control"),
    "image": ("type", "source", "cache_control"),
    "tool_use": ("type", "id", "name", "input", "cache_control"),
    "tool_result": ("type", "tool_use_id", "content", "is_error", "cache_control"),
    "thinking": ("type", "thinking", "signature"),
    "redacted_thinking": ("type", "data"),
}
_SIDES = {
    "user": {"text", "image", "tool_result"},
    "assistant": {"text", "tool_use", "thinking", "redacted_thinking"},
}
_LEAST_BUDGET = 1024


class Anthropic(Provider):
    name = "anthropic"
    model = "claude-sonnet-4-5-test"

    def __init__(self) -> None:
        self._block = -1
        self._called = False

    # Rules

    def check_head(self, request: Request) -> None:
        check_key(request.headers, request.path, "x-api-key", KEY, KEY)
        need(request.path == "/v1/messages", "not_found_error", 404)
        need(request.headers.get("anthropic-version") == "2023-06-01", "anthropic-version: missing")
        need(request.headers.get("content-type") == "application/json", "Not JSON", 415)

    def check_body(self, body: Any) -> None:
        fields = only(body, _FIELDS, "body")
        need(isinstance(fields.get("model"), str) and fields["model"], "model: Field required")
        most = fields.get("max_tokens")
        need(isinstance(most, int) and most > 0, "max_tokens: Field required")
        need(fields.get("messages"), "messages: at least one message is required")
        need(fields.get("system", "x"), "system: text content blocks must be non-empty")
        for tool in fields.get("tools", ()):
            _check_tool(tool)
        check_names((tool["name"] for tool in fields.get("tools", ())), "tools")
        _check_options(fields)
        for number, message in enumerate(fields["messages"]):
            _check_message(message, f"messages.{number}")
        _check_order(fields["messages"])
        _check_pairs(fields)
        _check_thinking(fields)

    def error(self, words: str, status: int) -> dict[str, Any]:
        kinds = {401: "authentication_error", 404: "not_found_error", 529: "overloaded_error"}
        kind = kinds.get(status, "invalid_request_error")
        return {"type": "error", "error": {"type": kind, "message": words}}

    def said(self, body: Any) -> list[str]:
        blocks = (b for m in body["messages"] if m["role"] == "user" for b in m["content"])
        return [block["text"] for block in blocks if block["type"] == "text"]

    # Words

    def start(self) -> list[Part]:
        self._block, self._called = -1, False
        started = {"id": "msg_1", "type": "message", "role": "assistant", "content": []}
        counts = {"input_tokens": 10, "output_tokens": 1}
        return [_event("message_start", message={**started, "usage": counts}), _event("ping")]

    def write(self, step: Say | Think | Call, number: int) -> list[Part]:
        self._block += 1
        match step:
            case Say(text=text):
                deltas = [{"type": "text_delta", "text": piece} for piece in pieces(text)]
                return self._grow({"type": "text", "text": ""}, deltas)
            case Think(text=text):
                deltas = [{"type": "thinking_delta", "thinking": p} for p in pieces(text)]
                deltas.append({"type": "signature_delta", "signature": _seal(text)})
                return self._grow({"type": "thinking", "thinking": "", "signature": ""}, deltas)
            case Call():
                self._called = True
                words = step.half or json.dumps(dict(step.arguments))
                deltas = [{"type": "input_json_delta", "partial_json": p} for p in pieces(words)]
                opened = {"type": "tool_use", "id": f"toolu_{number}", "name": step.name}
                return self._grow({**opened, "input": {}}, deltas, closed=not step.half)

    def _grow(
        self, opened: dict[str, Any], deltas: list[dict[str, str]], *, closed: bool = True
    ) -> list[Part]:
        at = self._block
        parts: list[Part] = [_event("content_block_start", index=at, content_block=opened)]
        parts += [_event("content_block_delta", index=at, delta=delta) for delta in deltas]
        return [*parts, _event("content_block_stop", index=at)] if closed else parts

    def stop(self) -> list[Part]:
        reason = "tool_use" if self._called else "end_turn"
        stop = {"stop_reason": reason, "stop_sequence": None}
        return [
            _event("message_delta", delta=stop, usage={"output_tokens": 5}),
            _event("message_stop"),
        ]


def _event(kind: str, **fields: object) -> Part:
    return event({"type": kind, **fields}, kind)


def _seal(thought: str) -> str:
    return f"sig-{digest(thought)}"


def _check_tool(tool: Any) -> None:
    if "type" in tool and tool["type"] != "custom":
        need(tool.get("name"), "tools: a server tool without a name")
        return
    known = ("type", "name", "description", "input_schema", "cache_control")
    fields = only(tool, known, "tools")
    need("name" in fields and "input_schema" in fields, "tools: Field required")
    check_object_schema(fields["input_schema"], f"tools.{fields['name']}.input_schema")


def _check_options(fields: dict[str, Any]) -> None:
    thinking = fields.get("thinking", {"type": "disabled"})
    kind = only(thinking, ("type", "budget_tokens", "display"), "thinking").get("type")
    need(kind in ("enabled", "adaptive", "disabled"), f"thinking.type: {kind!r}")
    if kind == "enabled":
        budget = thinking.get("budget_tokens", 0)
        need(budget >= _LEAST_BUDGET, "thinking.budget_tokens: should be at least 1024")
        need(budget < fields["max_tokens"], "`max_tokens` must be greater than the budget")
    if kind != "disabled":
        need(fields.get("temperature", 1) == 1, "`temperature` may only be 1 with thinking")
    choice = only(
        fields.get("tool_choice", {"type": "auto"}),
        ("type", "name", "disable_parallel_tool_use"),
        "tool_choice",
    )
    need(choice.get("type") in ("auto", "any", "tool", "none"), "tool_choice: unknown type")
    need("tool_choice" not in fields or fields.get("tools"), "tool_choice: no tools are given")
    if choice["type"] in ("any", "tool"):
        need(kind == "disabled", "Thinking may not be enabled when tool_choice forces tool use.")
    if choice["type"] == "tool":
        names = [tool["name"] for tool in fields["tools"]]
        need(choice.get("name") in names, "tool_choice: names no tool")


def _check_message(message: Any, place: str) -> None:
    fields = only(message, ("role", "content"), place)
    role, content = fields.get("role"), fields.get("content")
    need(role in _SIDES, f"{place}: role {role!r}")
    if isinstance(content, str):
        need(content.strip(), f"{place}: text content blocks must be non-empty")
        return
    need(isinstance(content, list) and content, f"{place}: content must not be empty")
    for number, block in enumerate(content or ()):
        _check_block(block, str(role), f"{place}.content.{number}")


def _check_block(block: Any, role: str, place: str) -> None:
    kind = block.get("type") if isinstance(block, dict) else None
    need(kind in _BLOCKS, f"{place}: unknown type {kind!r}")
    need(kind in _SIDES[role], f"{place}: {kind!r} can't be in a message of the {role}")
    fields = only(block, _BLOCKS[str(kind)], place)
    match kind:
        case "text":
            need(str(fields.get("text", "")).strip(), f"{place}: text must contain non-whitespace")
        case "thinking":
            seal = _seal(fields.get("thinking", ""))
            need(fields.get("signature") == seal, f"{place}: Invalid `signature` in `thinking`")
        case "redacted_thinking":
            need(str(fields.get("data", "")).startswith("hidden-"), f"{place}: Invalid `data`")
        case "tool_use":
            need(isinstance(fields.get("input"), dict), f"{place}: input should be an object")
            check_names([fields.get("id", "")], f"{place}.id")
            check_names([fields.get("name", "")], f"{place}.name")
        case "tool_result":
            need("tool_use_id" in fields, f"{place}: tool_use_id: Field required")
            need(isinstance(fields.get("content", ""), str | list), f"{place}: content")
        case _:
            need(fields.get("source", {}).get("type") in ("base64", "url"), f"{place}: source")


def _check_order(messages: list[dict[str, Any]]) -> None:
    need(messages[0]["role"] == "user", "messages: first message must use the user role")
    for before, after in pairwise(messages):
        need(before["role"] != after["role"], "messages: roles must alternate")
    last = messages[-1]
    if last["role"] == "assistant":
        said = last["content"]
        text = said if isinstance(said, str) else str(said[-1].get("text", ""))
        need(text == text.rstrip(), "messages: final assistant content ends with white space")


def _blocks(message: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    content = message["content"]
    return [] if isinstance(content, str) else [b for b in content if b["type"] == kind]


def _check_pairs(fields: dict[str, Any]) -> None:
    """The results of a round are all in the next message, and come first in it."""
    waiting: list[str] = []
    seen: set[str] = set()
    for number, message in enumerate(fields["messages"]):
        place = f"messages.{number}"
        results = [block["tool_use_id"] for block in _blocks(message, "tool_result")]
        known = sorted(results) == sorted(waiting)
        unknown = [one for one in results if one not in waiting]
        need(not unknown, f"{place}: unexpected `tool_use_id` found in `tool_result`: {unknown}")
        need(known, f"{place}: `tool_use` ids were found without `tool_result` after: {waiting}")
        if results:
            first = message["content"][: len(results)]
            need(
                all(block["type"] == "tool_result" for block in first),
                f"{place}: `tool_result` blocks stand first",
            )
        waiting = [block["id"] for block in _blocks(message, "tool_use")]
        need(not seen & set(waiting), f"{place}: `tool_use` ids must be unique")
        need(len(set(waiting)) == len(waiting), f"{place}: `tool_use` ids must be unique")
        seen |= set(waiting)
    need(not waiting, f"`tool_use` ids were found without `tool_result` after: {waiting}")
    need(not seen or fields.get("tools"), "Requests with `tool_use` blocks must define tools")


def _check_thinking(fields: dict[str, Any]) -> None:
    """Thinking comes first in its message; while it is on, the rounds since the last question begin
    with it.
    """
    on = fields.get("thinking", {}).get("type") in ("enabled", "adaptive")
    current = True
    for number in reversed(range(len(fields["messages"]))):
        message = fields["messages"][number]
        if message["role"] == "user":
            current = current and bool(_blocks(message, "tool_result"))
            continue
        kinds = (
            [] if isinstance(message["content"], str) else [b["type"] for b in message["content"]]
        )
        thinks = [kind.endswith("thinking") for kind in kinds]
        place = f"messages.{number}.content.0.type"
        if on and current:
            need(thinks and thinks[0], f"{place}: Expected `thinking`, but found {kinds[:1]}")
        need(not any(thinks) or thinks[0], f"{place}: thinking must be the first block")
