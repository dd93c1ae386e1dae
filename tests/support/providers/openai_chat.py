"""OpenAI chat/completions, with the thinking of gateways that require it back while tools run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.support import sseserver
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
from tests.support.sseserver import Part, chunk, done, finish, usage

_FIELDS = (
    "model",
    "messages",
    "stream",
    "stream_options",
    "tools",
    "tool_choice",
    "n",
    "stop",
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "top_p",
    "reasoning_effort",
    "seed",
    "response_format",
    "parallel_tool_calls",
    "user",
    "frequency_penalty",
    "presence_penalty",
)
_MESSAGE = {
    "system": ("role", "content", "name"),
    "developer": ("role", "content", "name"),
    "user": ("role", "content", "name"),
    "assistant": ("role", "content", "name", "refusal", "tool_calls", "reasoning_content"),
    "tool": ("role", "content", "tool_call_id"),
}


class OpenAIChat(OpenAI):
    name = "openai"
    path = "/v1/chat/completions"

    def __init__(self) -> None:
        self._thought = ""
        self._slot = -1

    # Rules

    def check_body(self, body: Any) -> None:
        fields = only(body, _FIELDS, "body")
        need(isinstance(fields.get("model"), str) and fields["model"], "you must provide a model")
        need(fields.get("messages"), "messages: too short")
        self._check_options(fields)
        for tool in fields.get("tools", ()):
            _check_tool(tool)
        check_names((t["function"]["name"] for t in fields.get("tools", ())), "tools")
        _check_choice(fields)
        for number, message in enumerate(fields["messages"]):
            _check_message(message, f"messages[{number}]")
        wrong = sseserver.check_history(fields)
        need(wrong is None, wrong or "")
        need(
            all(m["role"] not in ("system", "developer") for m in fields["messages"][1:]),
            "the system message stands first",
        )
        _check_echo(fields["messages"])

    def _check_options(self, fields: dict[str, Any]) -> None:
        need("tools" not in fields or fields["tools"], "[] is too short - 'tools'")
        need(
            "stream_options" not in fields or fields.get("stream"), "stream_options without stream"
        )
        for name in ("max_tokens", "max_completion_tokens"):
            need(int(fields.get(name, 1)) > 0, f"{name} is too low")
        effort = fields.get("reasoning_effort", "low")
        need(effort in EFFORTS, f"reasoning_effort: {effort!r}")

    def said(self, body: Any) -> list[str]:
        return [m["content"] for m in body["messages"] if m["role"] == "user"]

    # Words

    def start(self) -> list[Part]:
        self._thought, self._slot = "", -1
        return [chunk({"role": "assistant", "content": ""})]

    def write(self, step: Say | Think | Call, number: int) -> list[Part]:
        match step:
            case Say(text=text):
                return [chunk({"content": piece}) for piece in pieces(text)]
            case Think(text=text):
                self._thought += text
                return [chunk({"reasoning_content": piece}) for piece in pieces(text)]
            case Call():
                return self._call(step, number)

    def _call(self, call: Call, number: int) -> list[Part]:
        self._slot += 1
        mark = digest(self._thought) if self._thought else "plain"
        opened = {"name": call.name, "arguments": ""}
        first = {"index": self._slot, "id": f"chat_{mark}_{number}", "type": "function"}
        deltas: list[dict[str, Any]] = [first | {"function": opened}]
        deltas += (
            {"index": self._slot, "function": {"arguments": piece}}
            for piece in pieces(call.half or json.dumps(dict(call.arguments)))
        )
        return [chunk({"tool_calls": [delta]}) for delta in deltas]

    def stop(self) -> list[Part]:
        return [finish("stop" if self._slot < 0 else "tool_calls"), usage(), done()]


def _check_tool(tool: Any) -> None:
    fields = only(tool, ("type", "function"), "tools")
    need(fields.get("type") == "function", "tools: type must be 'function'")
    known = ("name", "description", "parameters", "strict")
    function = only(fields.get("function"), known, "tools.function")
    need("name" in function, "tools.function: missing name")
    if "parameters" in function:
        check_object_schema(function["parameters"], f"Invalid schema for {function['name']}")


def _check_choice(fields: dict[str, Any]) -> None:
    choice = fields.get("tool_choice")
    if choice is None:
        return
    need(fields.get("tools"), "'tool_choice' is only allowed when 'tools' are specified")
    if isinstance(choice, dict):
        names = [tool["function"]["name"] for tool in fields["tools"]]
        need(choice.get("function", {}).get("name") in names, "tool_choice names no tool")
    else:
        need(choice in ("auto", "none", "required"), f"tool_choice: {choice!r}")


def _check_message(message: Any, place: str) -> None:
    role = message.get("role") if isinstance(message, dict) else None
    need(role in _MESSAGE, f"{place}: role {role!r} is not one of {sorted(_MESSAGE)}")
    fields = only(message, _MESSAGE[str(role)], place)
    content = fields.get("content")
    if role == "assistant" and content is None:
        need(fields.get("tool_calls"), f"{place}: content or tool_calls must be set")
    elif isinstance(content, list):
        need(content, f"{place}: content is empty")
        for part in content:
            _check_part(part, place)
    else:
        need(isinstance(content, str), f"{place}: content must be text")
        need(content or role == "tool", f"{place}: content is empty")
    need("tool_calls" not in fields or fields["tool_calls"], f"{place}: empty tool_calls")
    for call in fields.get("tool_calls") or ():
        _check_call(call, place)


def _check_part(part: Any, place: str) -> None:
    kind = part.get("type") if isinstance(part, dict) else None
    need(kind in ("text", "image_url"), f"{place}: content type {kind!r}")
    fields = only(part, ("type", str(kind)), place)
    if kind == "text":
        need(fields.get("text"), f"{place}: empty text part")
    else:
        address = only(fields.get("image_url"), ("url", "detail"), place).get("url", "")
        need(address.startswith(("data:image/", "https://")), f"{place}: invalid image url")


def _check_call(call: Any, place: str) -> None:
    fields = only(call, ("id", "type", "function"), f"{place}.tool_calls")
    need(fields.get("id"), f"{place}: a call without an id")
    need(fields.get("type") == "function", f"{place}: a call's type is 'function'")
    function = only(fields.get("function"), ("name", "arguments"), f"{place}.function")
    check_names([function.get("name", "")], place)
    try:
        arguments = json.loads(function.get("arguments", ""))
    except (TypeError, ValueError):
        raise Refused(f"{place}: arguments are not JSON text") from None
    need(isinstance(arguments, dict), f"{place}: arguments are not an object")


def _check_echo(messages: list[dict[str, Any]]) -> None:
    """A thought is sent back unchanged with the calls that followed it, until the next question."""
    asked = max((n for n, m in enumerate(messages) if m["role"] == "user"), default=-1)
    for number, message in enumerate(messages):
        if message["role"] != "assistant":
            continue
        thought, place = message.get("reasoning_content"), f"messages[{number}]"
        if number < asked:
            need(thought is None, f"{place}: reasoning_content of an earlier turn")
            continue
        marks = set(_marks(message))
        need(not marks or thought, f"{place}: Missing `reasoning_content` of the calls")
        need(thought is None or marks == {digest(thought)}, f"{place}: altered reasoning_content")


def _marks(message: dict[str, Any]) -> Iterator[str]:
    for call in message.get("tool_calls") or ():
        words = call["id"].split("_")
        if words[0] == "chat" and words[1:2] != ["plain"]:
            yield "".join(words[1:2])
