"""Builds requests of the Anthropic Messages API."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from typing import assert_never
from urllib.parse import urlsplit

from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import ToolNames, ToolSpec
from neodeskpet.core.transcript import (
    AssistantTurn,
    CallPart,
    ImagePart,
    ModelMessage,
    ResultPart,
    TextPart,
    ThinkingPart,
    ToolResults,
    UserTurn,
)
from neodeskpet.llm.protocols.protocol import (
    HttpRequest,
    ModelOptions,
    as_dict,
    endpoint_url,
    read_opaque,
)
from neodeskpet.llm.protocols.tool_schema import object_schema

NAME = "anthropic"
PATH = "/messages"
VERSION = "2023-06-01"
REFUSABLE = {
    "max_tokens": r"\bmax_tokens\b",
    "temperature": r"\btemperature\b",
    "stop_sequences": r"\bstop_sequences\b",
    "thinking": r"\bthinking\b|adaptive|output_config|budget_tokens",
}

_MAX_TOKENS = 8192  # the API requires a number
_FEWER_TOKENS = 4096  # the limit of the oldest models
_BUDGETS = {"on": 10_000, "low": 2048, "medium": 8192, "high": 24576}
_LEAST_BUDGET = 1024
_ANSWER = 4096  # tokens left for the answer besides the thinking

_Block = dict[str, object]


def build_request(options: ModelOptions, prompt: ModelRequest) -> HttpRequest:
    """Build the POST request for one call."""
    names = ToolNames(spec.name for spec in prompt.tools)
    forced = bool(prompt.tools) and prompt.tool_choice not in ("auto", "none")
    body: dict[str, object] = {
        "model": options.model,
        "max_tokens": _max_tokens(options),
        "messages": _messages(prompt.messages, names),
        "stream": options.stream,
    }
    if prompt.system.strip():
        body["system"] = prompt.system
    if prompt.tools:
        body["tools"] = [_tool(spec, names) for spec in prompt.tools]
        choice = _tool_choice(prompt.tool_choice, names)
        if not options.parallel and prompt.tool_choice != "none":
            body["tool_choice"] = choice | {"disable_parallel_tool_use": True}
        elif prompt.tool_choice != "auto":
            body["tool_choice"] = choice
    thinking = {} if forced or not _may_think(prompt.messages) else _thinking(options)
    if options.temperature is not None and not thinking and "temperature" not in options.dropped:
        body["temperature"] = options.temperature
    body |= thinking
    if prompt.stops and "stop_sequences" not in options.dropped:
        body["stop_sequences"] = list(prompt.stops)
    body.update(options.extra)
    url = endpoint_url(options.base_url, "/v1", PATH, ends=("/chat/completions", "/models"))
    return HttpRequest("POST", url, _headers(options), body)


def build_listing(options: ModelOptions) -> HttpRequest:
    """Build the GET request for the list of models."""
    url = endpoint_url(options.base_url, "/v1", "/models", ends=("/chat/completions", PATH))
    return HttpRequest("GET", url, _headers(options))


def _headers(options: ModelOptions) -> dict[str, str]:
    out = {"anthropic-version": VERSION}
    if options.key:
        out["x-api-key"] = options.key
        host = urlsplit(endpoint_url(options.base_url, "/v1", PATH)).hostname or ""
        if not host.endswith("anthropic.com"):  # some gateways only know this header
            out["Authorization"] = f"Bearer {options.key}"
    return out | dict(options.headers)


def _max_tokens(options: ModelOptions) -> int:
    """Return the output limit: larger than the thinking budget."""
    most = options.max_tokens or _MAX_TOKENS
    if "max_tokens" in options.dropped:
        most = min(most, _FEWER_TOKENS)
    elif options.max_tokens is None and options.thinking in _BUDGETS:
        most = max(most, _BUDGETS[options.thinking] + _ANSWER)
    return most


def _thinking(options: ModelOptions) -> dict[str, object]:
    """Set a thinking budget, or an effort for models that refuse a budget."""
    if options.thinking not in _BUDGETS or "thinking!" in options.dropped:
        return {}
    if "thinking" in options.dropped:
        return {
            "thinking": {"type": "adaptive", "display": "summarized"},
            **({} if options.thinking == "on" else {"output_config": {"effort": options.thinking}}),
        }
    budget = min(_BUDGETS[options.thinking], _max_tokens(options) - _LEAST_BUDGET)
    if budget < _LEAST_BUDGET:
        return {}
    return {"thinking": {"type": "enabled", "budget_tokens": budget}}


def _may_think(messages: Sequence[ModelMessage]) -> bool:
    """Return whether thinking is possible in this request. A round of tools that began without
    thinking (or whose thinking was lost) must continue without it, or the API refuses the request.
    A question that directly follows results is in the same message, so it doesn't end the round.
    """
    for number in reversed(range(len(messages))):
        message = messages[number]
        if isinstance(message, UserTurn):
            if not (number and isinstance(messages[number - 1], ToolResults)):
                return True
        elif isinstance(message, AssistantTurn) and not any(map(_echoed, message.parts)):
            return False
    return True


# Messages


def _messages(messages: Iterable[ModelMessage], names: ToolNames) -> list[dict[str, object]]:
    messages = list(messages)
    ids = ToolNames(
        part.call_id
        for message in messages
        if isinstance(message, AssistantTurn)
        for part in message.parts
        if isinstance(part, CallPart)
    )
    out: list[tuple[str, list[_Block]]] = []
    for message in messages:
        role, blocks = _message(message, names, ids)
        if out and out[-1][0] == role:
            out[-1][1].extend(blocks)
        elif blocks:
            out.append((role, blocks))
    return [{"role": role, "content": blocks} for role, blocks in out]


def _message(message: ModelMessage, names: ToolNames, ids: ToolNames) -> tuple[str, list[_Block]]:
    match message:
        case UserTurn(parts=parts):
            return "user", [block for part in parts for block in _text_block(part)]
        case AssistantTurn():
            return "assistant", _assistant(message, names, ids)
        case ToolResults(results=results):
            return "user", [_result(result, ids) for result in results]
        case _:
            assert_never(message)


def _text_block(part: TextPart | ImagePart) -> list[_Block]:
    """Return the text, or a placeholder: the API refuses blank text."""
    if isinstance(part, TextPart):
        return [{"type": "text", "text": part.text}] if part.text.strip() else []
    if part.url:
        return [{"type": "image", "source": {"type": "url", "url": part.url}}]
    if not part.data:
        return []
    data = base64.b64encode(part.data).decode("ascii")
    source = {"type": "base64", "media_type": part.media_type, "data": data}
    return [{"type": "image", "source": source}]


def _assistant(turn: AssistantTurn, names: ToolNames, ids: ToolNames) -> list[_Block]:
    """Put the thinking first, unchanged; thinking of other providers is left out."""
    parts = [part for part in turn.parts if not isinstance(part, ThinkingPart) or _echoed(part)]
    if parts and not isinstance(parts[0], ThinkingPart):
        parts.sort(key=lambda part: not isinstance(part, ThinkingPart))
    blocks: list[_Block] = []
    for part in parts:
        match part:
            case TextPart(text=text):
                if text.strip():
                    blocks.append({"type": "text", "text": text})
            case ThinkingPart():
                blocks += [echo] if (echo := _echoed(part)) else []
            case CallPart():
                blocks.append(
                    {
                        "type": "tool_use",
                        "id": ids.wire(part.call_id),
                        "name": names.wire(part.name),
                        "input": dict(part.arguments),
                    }
                )
            case _:
                assert_never(part)
    return blocks


def _echoed(part: TextPart | ThinkingPart | CallPart) -> _Block | None:
    """Return the block that a thinking part came from, None for everything else."""
    if not isinstance(part, ThinkingPart):
        return None
    opaque = as_dict(read_opaque(part.opaque, NAME))
    if "redacted" in opaque:
        return {"type": "redacted_thinking", "data": opaque["redacted"]}
    if "signature" in opaque:
        return {"type": "thinking", "thinking": part.text, "signature": opaque["signature"]}
    return None


def _result(result: ResultPart, ids: ToolNames) -> _Block:
    block: _Block = {
        "type": "tool_result",
        "tool_use_id": ids.wire(result.call_id),
        "content": result.output,
    }
    return block if result.ok else block | {"is_error": True}


# Tools


def _tool(spec: ToolSpec, names: ToolNames) -> _Block:
    return {
        "name": names.wire(spec.name),
        "description": spec.description,
        "input_schema": object_schema(spec.parameters),
    }


def _tool_choice(choice: str, names: ToolNames) -> dict[str, object]:
    match choice:
        case "auto":
            return {"type": "auto"}
        case "none":
            return {"type": "none"}
        case "required":
            return {"type": "any"}
        case _:
            return {"type": "tool", "name": names.wire(choice)}
