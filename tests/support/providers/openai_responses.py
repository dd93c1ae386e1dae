"""OpenAI responses, requested to store nothing: its reasoning is sent back sealed."""

from __future__ import annotations

import json
from typing import Any

from tests.support.providers.openai import EFFORTS, OpenAI
from tests.support.providers.provider import Call, Say, Think
from tests.support.providers.rules import (
    Refused,
    check_names,
    check_object_schema,
    digest,
    need,
    only,
    pieces,
)
from tests.support.sseserver import Part, event

_FIELDS = (
    "model",
    "input",
    "instructions",
    "stream",
    "store",
    "tools",
    "tool_choice",
    "include",
    "max_output_tokens",
    "temperature",
    "top_p",
    "reasoning",
    "text",
    "metadata",
    "truncation",
    "parallel_tool_calls",
    "previous_response_id",
    "service_tier",
    "user",
)
_ITEMS = {
    "message": ("type", "id", "role", "content", "status"),
    "function_call": ("type", "id", "call_id", "name", "arguments", "status"),
    "function_call_output": ("type", "id", "call_id", "output", "status"),
    "reasoning": ("type", "id", "summary", "encrypted_content", "status", "content"),
}
_CONTENT = {
    "user": ("input_text", "input_image", "input_file"),
    "system": ("input_text",),
    "developer": ("input_text",),
    "assistant": ("output_text", "refusal"),
}


class OpenAIResponses(OpenAI):
    name = "openai-responses"
    path = "/v1/responses"

    def __init__(self) -> None:
        self._thought = ""
        self._item = -1

    # Rules

    def check_body(self, body: Any) -> None:
        fields = only(body, _FIELDS, "body")
        need(isinstance(fields.get("model"), str) and fields["model"], "you must provide a model")
        need(fields.get("input"), "input is missing")
        need(fields.get("store") is False, "this organization stores nothing: set store to false")
        for tool in fields.get("tools", ()):
            _check_tool(tool)
        check_names((tool["name"] for tool in fields.get("tools", ())), "tools")
        _check_options(fields)
        for number, item in enumerate(fields["input"]):
            _check_item(item, f"input[{number}]")
        _check_order(fields["input"])
        _check_reasoning(fields["input"])

    def said(self, body: Any) -> list[str]:
        items = (item for item in body["input"] if item.get("role") == "user")
        return [part["text"] for item in items for part in item["content"]]

    # Words

    def start(self) -> list[Part]:
        self._thought, self._item = "", -1
        return [_event("response.created", response={"id": "resp_1", "status": "in_progress"})]

    def write(self, step: Say | Think | Call, number: int) -> list[Part]:
        self._item += 1
        match step:
            case Say(text=text):
                return self._say(text, number)
            case Think(text=text):
                return self._think(text, number)
            case Call():
                return self._call(step, number)

    def _say(self, text: str, number: int) -> list[Part]:
        item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": []}
        deltas = [self._about("response.output_text.delta", delta=p) for p in pieces(text)]
        whole = {**item, "content": [{"type": "output_text", "text": text}]}
        return self._item_of(item, deltas, whole)

    def _think(self, text: str, number: int) -> list[Part]:
        self._thought = f"rs_{number}"
        kind = "response.reasoning_summary_text.delta"
        deltas = [self._about(kind, summary_index=0, delta=piece) for piece in pieces(text)]
        item = {"type": "reasoning", "id": self._thought, "summary": []}
        summary = [{"type": "summary_text", "text": text}]
        whole = {**item, "summary": summary, "encrypted_content": _seal(self._thought, text)}
        return self._item_of(item, deltas, whole)

    def _call(self, call: Call, number: int) -> list[Part]:
        mark = digest(self._thought) if self._thought else "plain"
        words = call.half or json.dumps(dict(call.arguments))
        kind = "response.function_call_arguments.delta"
        deltas = [self._about(kind, delta=piece) for piece in pieces(words)]
        item = {"type": "function_call", "id": f"fc_{number}", "name": call.name, "arguments": ""}
        item["call_id"] = f"call_{mark}_{number}"
        return self._item_of(item, deltas, None if call.half else {**item, "arguments": words})

    def _item_of(
        self, opened: dict[str, Any], deltas: list[Part], whole: dict[str, Any] | None
    ) -> list[Part]:
        parts = [self._about("response.output_item.added", item=opened), *deltas]
        return [*parts, self._about("response.output_item.done", item=whole)] if whole else parts

    def _about(self, kind: str, **fields: object) -> Part:
        return _event(kind, output_index=self._item, **fields)

    def stop(self) -> list[Part]:
        counts = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
        whole = {"id": "resp_1", "status": "completed", "usage": counts}
        return [_event("response.completed", response=whole)]


def _event(kind: str, **fields: object) -> Part:
    return event({"type": kind, **fields}, kind)


def _seal(item: str, summary: str) -> str:
    return f"sealed-{digest(item, summary)}"


def _check_tool(tool: Any) -> None:
    known = ("type", "name", "description", "parameters", "strict")
    fields = only(tool, known, "tools")
    need(fields.get("type") == "function", "tools: type must be 'function'")
    need("name" in fields and "parameters" in fields, "tools: missing name or parameters")
    check_object_schema(fields["parameters"], f"Invalid schema for {fields['name']}")


def _check_options(fields: dict[str, Any]) -> None:
    need("tools" not in fields or fields["tools"], "[] is too short - 'tools'")
    need(fields.get("max_output_tokens", 16) >= 16, "max_output_tokens is too low")
    unknown = set(fields.get("include", ())) - {"reasoning.encrypted_content"}
    need(not unknown, f"include: {sorted(unknown)}")
    reasoning = only(fields.get("reasoning", {}), ("effort", "summary"), "reasoning")
    need(reasoning.get("effort", "low") in EFFORTS, "reasoning.effort: invalid value")
    need(reasoning.get("summary", "auto") in ("auto", "concise", "detailed"), "reasoning.summary")
    choice = fields.get("tool_choice", "auto")
    names = [tool["name"] for tool in fields.get("tools", ())]
    if isinstance(choice, dict):
        right = choice.get("type") == "function" and choice.get("name") in names
        need(right, "tool_choice names no tool")
    else:
        need(choice in ("auto", "none", "required"), f"tool_choice: {choice!r}")


def _kind(item: Any) -> str:
    return str(item.get("type", "message")) if isinstance(item, dict) else ""


def _check_item(item: Any, place: str) -> None:
    kind = _kind(item)
    need(kind in _ITEMS, f"{place}: unknown type {kind!r}")
    fields = only(item, _ITEMS[kind], place)
    # llama.cpp's server, which supports this protocol too, requires it of the assistant's items.
    need("type" in fields or fields.get("role") != "assistant", f"{place}: Cannot determine type")
    match kind:
        case "message":
            _check_message(fields, place)
        case "function_call":
            check_names([fields.get("call_id", ""), fields.get("name", "")], place)
            need(str(fields.get("id", "fc_")).startswith("fc_"), f"{place}.id: must begin with fc_")
            try:
                json.loads(fields.get("arguments", ""))
            except (TypeError, ValueError):
                raise Refused(f"{place}: arguments are not JSON text") from None
        case "function_call_output":
            need(isinstance(fields.get("output"), str | list), f"{place}: missing output")
        case _:
            _check_sealed(fields, place)


def _check_message(fields: dict[str, Any], place: str) -> None:
    role, content = fields.get("role"), fields.get("content")
    need(role in _CONTENT, f"{place}: role {role!r}")
    need(content, f"{place}: content is empty")
    for part in content if isinstance(content, list) else ():
        known = ("type", "text", "refusal", "image_url", "detail", "annotations")
        kind = only(part, known, place).get("type")
        need(kind in _CONTENT[str(role)], f"{place}: {kind!r} in a message of the {role}")
        wanted = "image_url" if kind == "input_image" else "text"
        need(part.get(wanted), f"{place}: empty {wanted}")


def _check_sealed(fields: dict[str, Any], place: str) -> None:
    item, summary = str(fields.get("id", "")), fields.get("summary")
    need(item.startswith("rs_"), f"{place}.id: must begin with rs_")
    need(isinstance(summary, list), f"{place}: missing summary")
    need("encrypted_content" in fields, f"{place}: Item {item!r} not found (nothing is stored)")
    words = "".join(part["text"] for part in summary or ())
    right = fields.get("encrypted_content") == _seal(item, words)
    need(right, f"{place}: the encrypted content could not be verified")


def _check_order(items: list[dict[str, Any]]) -> None:
    """Outputs follow their calls at once, all of them; reasoning is followed by its result."""
    waiting: set[str] = set()
    seen: set[str] = set()
    answering = False
    for number, item in enumerate(items):
        kind, place = _kind(item), f"input[{number}]"
        if kind == "function_call_output":
            answering = True
            need(item["call_id"] in waiting, f"{place}: No tool call found for {item['call_id']}")
            waiting.discard(item["call_id"])
            continue
        stays = kind != "message" or item["role"] == "assistant"
        missing = f"{place}: No tool output found for function call {sorted(waiting)}"
        need(not waiting or (stays and not answering), missing)
        answering = False
        if kind == "function_call":
            need(item["call_id"] not in seen, f"{place}: call_id is there twice")
            seen.add(item["call_id"])
            waiting.add(item["call_id"])
        after = _kind(items[number + 1]) if number + 1 < len(items) else ""
        if kind == "reasoning":
            theirs = after in ("function_call", "reasoning") or (
                after == "message" and items[number + 1]["role"] == "assistant"
            )
            need(theirs, f"{place}: 'reasoning' was provided without its required following item")
    need(not waiting, f"No tool output found for function call {sorted(waiting)}")


def _check_reasoning(items: list[dict[str, Any]]) -> None:
    """Since the last question a call that followed a thought is sent back with it."""
    asked = max((n for n, item in enumerate(items) if item.get("role") == "user"), default=-1)
    thoughts: set[str] = set()
    for number, item in enumerate(items[asked + 1 :], asked + 1):
        kind = _kind(item)
        if kind == "reasoning":
            thoughts.add(digest(item["id"]))
        elif kind == "function_call_output":
            thoughts = set() if _kind(items[number - 1]) != kind else thoughts
        elif kind == "function_call":
            mark = item["call_id"].removeprefix("call_").partition("_")[0]
            needed = len(mark) == 12
            need(
                not needed or mark in thoughts,
                f"input[{number}]: 'function_call' was provided without its 'reasoning' item",
            )
