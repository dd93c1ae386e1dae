"""Builds requests of OpenAI chat/completions."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
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
    as_list,
    endpoint_url,
    read_opaque,
)
from neodeskpet.llm.protocols.tool_schema import object_schema

NAME = "openai"
PATH = "/chat/completions"
REFUSABLE = {
    name: rf"\b{name}\b"
    for name in (
        "stream_options",
        "max_tokens",
        "temperature",
        "reasoning_effort",
        "parallel_tool_calls",
        "stop",
    )
}


_LEAST = ((r"gpt-5(?!\.)", "minimal"), (r"o\d|gpt-oss|grok", "low"))
"""The lowest effort of models that don't accept "none"."""


def build_request(options: ModelOptions, prompt: ModelRequest) -> HttpRequest:
    """Build the POST request for one call."""
    names = ToolNames(spec.name for spec in prompt.tools)
    body: dict[str, object] = {
        "model": options.model,
        "messages": _messages(prompt, names),
        "stream": options.stream,
    }
    if options.stream:
        body["stream_options"] = {"include_usage": True}
    if prompt.tools:
        body["tools"] = [_tool(spec, names) for spec in prompt.tools]
        choose_tools(body, options, prompt.tool_choice, lambda name: _named(names.wire(name)))
    if options.max_tokens is not None:
        renamed = "max_tokens" in options.dropped
        body["max_completion_tokens" if renamed else "max_tokens"] = options.max_tokens
    if options.temperature is not None:
        body["temperature"] = options.temperature
    effort = reasoning_effort(options)
    if effort:
        body["reasoning_effort"] = effort
    if prompt.stops:
        body["stop"] = list(prompt.stops)
    finish_body(body, options)
    url = endpoint_url(options.base_url, "/v1", PATH, ends=("/models", "/responses"))
    return HttpRequest("POST", url, headers(options), body)


def choose_tools(
    body: dict[str, object], options: ModelOptions, choice: str, named: Callable[[str], object]
) -> None:
    """Set which tools may be called, and how many at once; `named` requires the tool with this
    name.
    """
    if choice != "auto":
        body["tool_choice"] = choice if choice in ("none", "required") else named(choice)
    if not options.parallel:
        body["parallel_tool_calls"] = False


def finish_body(body: dict[str, object], options: ModelOptions) -> None:
    """Add the user's own fields, and remove the parameters that the service has refused."""
    body.update(options.extra)
    for name in options.dropped:
        body.pop(name, None)


def reasoning_effort(options: ModelOptions) -> str:
    """Return the value for `options.thinking`; "" leaves the choice to the service."""
    if options.thinking != "off":
        return options.thinking if options.thinking in ("low", "medium", "high") else ""
    name = options.model.casefold().rpartition("/")[2]
    return next((least for pattern, least in _LEAST if re.match(pattern, name)), "none")


def build_listing(options: ModelOptions) -> HttpRequest:
    """Build the GET request for the list of models."""
    url = endpoint_url(options.base_url, "/v1", "/models", ends=(PATH, "/responses"))
    return HttpRequest("GET", url, headers(replace(options, stream=False)))


def headers(options: ModelOptions) -> dict[str, str]:
    """Return the headers: the key, as this endpoint expects it, and the user's own headers."""
    out = {"Accept": "text/event-stream" if options.stream else "application/json"}
    if options.key:
        azure = (urlsplit(options.base_url).hostname or "").endswith(".azure.com")
        out |= {"api-key": options.key} if azure else {"Authorization": f"Bearer {options.key}"}
    return out | dict(options.headers)


def _tool(spec: ToolSpec, names: ToolNames) -> dict[str, object]:
    return {
        "type": "function",
        "function": {
            "name": names.wire(spec.name),
            "description": spec.description,
            "parameters": object_schema(spec.parameters),
        },
    }


def _named(name: str) -> object:
    return {"type": "function", "function": {"name": name}}


def _messages(prompt: ModelRequest, names: ToolNames) -> list[dict[str, object]]:
    out: list[dict[str, object]] = []
    if prompt.system:
        out.append({"role": "system", "content": prompt.system})
    asked = max((i for i, m in enumerate(prompt.messages) if isinstance(m, UserTurn)), default=-1)
    for number, message in enumerate(prompt.messages):
        out += _message(message, names, echo=number > asked)
    return out


def _message(message: ModelMessage, names: ToolNames, *, echo: bool) -> list[dict[str, object]]:
    match message:
        case UserTurn(parts=parts):
            return [{"role": "user", "content": _content(parts)}]
        case AssistantTurn():
            return [_assistant(message, names, echo=echo)]
        case ToolResults(results=results):
            return [
                {
                    "role": "tool",
                    "tool_call_id": result.call_id,
                    "content": output_text(result),
                }
                for result in results
            ]
        case _:
            assert_never(message)


def output_text(result: ResultPart) -> str:
    """Return the result of a tool, or its error: the protocol has no field that tells them
    apart.
    """
    return result.output if result.ok else f"Error: {result.output}"


def data_url(picture: ImagePart) -> str:
    """Return the address of an uploaded picture, or an address that contains the picture."""
    if picture.url:
        return picture.url
    data = base64.b64encode(picture.data).decode("ascii")
    return f"data:{picture.media_type};base64,{data}"


def _content(parts: Sequence[TextPart | ImagePart]) -> object:
    if not any(isinstance(part, ImagePart) and (part.data or part.url) for part in parts):
        return "\n\n".join(part.text for part in parts if isinstance(part, TextPart))
    content: list[dict[str, object]] = []
    for part in parts:
        if isinstance(part, TextPart):
            content.append({"type": "text", "text": part.text})
        elif part.data or part.url:
            content.append({"type": "image_url", "image_url": {"url": data_url(part)}})
    return content


def _assistant(turn: AssistantTurn, names: ToolNames, *, echo: bool) -> dict[str, object]:
    """Convert a message of the assistant. `echo` sends the thinking of the rounds since the last
    question back to gateways that require it, in the field in which it came.
    """
    text = "\n\n".join(part.text for part in turn.parts if isinstance(part, TextPart))
    calls = [part for part in turn.parts if isinstance(part, CallPart)]
    out: dict[str, object] = {"role": "assistant", "content": text or (None if calls else "")}
    if calls:
        out["tool_calls"] = [
            {
                "id": call.call_id,
                "type": "function",
                "function": {
                    "name": names.wire(call.name),
                    "arguments": json.dumps(call.arguments, ensure_ascii=False),
                },
            }
            for call in calls
        ]
    if echo:
        out |= _echo([part for part in turn.parts if isinstance(part, ThinkingPart)])
    return out


def _echo(parts: Sequence[ThinkingPart]) -> dict[str, object]:
    details: list[object] = []
    words: list[str] = []
    signed: dict[str, object] = {}
    for part in parts:
        opaque = as_dict(read_opaque(part.opaque, NAME))
        details += as_list(opaque.get("details"))
        if opaque.get("signature"):  # the gateway sent an object, and requires it back
            signed[str(opaque.get("field"))] = {
                "text": part.text,
                "signature": opaque["signature"],
            }
        elif opaque.get("field") == "reasoning_content":
            words.append(part.text)
    out: dict[str, object] = {}
    if details:
        out["reasoning_details"] = details
    if words:
        out["reasoning_content"] = "".join(words)
    return out | signed
