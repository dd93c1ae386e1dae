"""Builds requests of OpenAI responses. Nothing is stored at the service: the reasoning that the
model needs again is sent back encrypted with the next request.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import assert_never

from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import ToolNames, ToolSpec
from neodeskpet.core.transcript import (
    AssistantTurn,
    CallPart,
    ImagePart,
    ModelMessage,
    TextPart,
    ThinkingPart,
    ToolResults,
    UserTurn,
)
from neodeskpet.llm.protocols import openai_request
from neodeskpet.llm.protocols.protocol import (
    HttpRequest,
    ModelOptions,
    as_dict,
    endpoint_url,
    read_opaque,
)
from neodeskpet.llm.protocols.tool_schema import object_schema

NAME = "openai-responses"
PATH = "/responses"
REFUSABLE = {
    "include": r"\binclude\b|encrypted",
    "reasoning": r"\breasoning\b",
    "temperature": r"\btemperature\b",
    "max_output_tokens": r"\bmax_output_tokens\b",
    "store": r"\bstore\b",
    "parallel_tool_calls": r"\bparallel_tool_calls\b",
}

_Item = dict[str, object]


def build_request(options: ModelOptions, prompt: ModelRequest) -> HttpRequest:
    """Build the POST request for one call."""
    names = ToolNames(spec.name for spec in prompt.tools)
    body: dict[str, object] = {
        "model": options.model,
        "input": [item for message in prompt.messages for item in _items(message, names)],
        "stream": options.stream,
        "store": False,
    }
    if prompt.system:
        body["instructions"] = prompt.system
    if prompt.tools:
        body["tools"] = [_tool(spec, names) for spec in prompt.tools]
        openai_request.choose_tools(
            body,
            options,
            prompt.tool_choice,
            lambda name: {"type": "function", "name": names.wire(name)},
        )
    if options.max_tokens is not None:
        body["max_output_tokens"] = options.max_tokens
    if options.temperature is not None:
        body["temperature"] = options.temperature
    if options.thinking:
        effort = openai_request.reasoning_effort(options)
        reasoning = {"effort": effort} if effort else {}
        body["reasoning"] = reasoning | ({} if options.thinking == "off" else {"summary": "auto"})
        body["include"] = ["reasoning.encrypted_content"]
    openai_request.finish_body(body, options)
    url = endpoint_url(options.base_url, "/v1", PATH, ends=(openai_request.PATH, "/models"))
    return HttpRequest("POST", url, openai_request.headers(options), body)


def _items(message: ModelMessage, names: ToolNames) -> Iterable[_Item]:
    match message:
        case UserTurn(parts=parts):
            content = [said for part in parts for said in _user_items(part)]
            return [{"type": "message", "role": "user", "content": content}] if content else []
        case AssistantTurn(parts=parts):
            return [item for part in parts for item in _answered(part, names)]
        case ToolResults(results=results):
            return [
                {
                    "type": "function_call_output",
                    "call_id": result.call_id,
                    "output": openai_request.output_text(result),
                }
                for result in results
            ]
        case _:
            assert_never(message)


def _user_items(part: TextPart | ImagePart) -> list[_Item]:
    if isinstance(part, TextPart):
        return [{"type": "input_text", "text": part.text}]
    if not (part.data or part.url):
        return []
    return [{"type": "input_image", "image_url": openai_request.data_url(part)}]


def _answered(part: TextPart | ThinkingPart | CallPart, names: ToolNames) -> list[_Item]:
    match part:
        case TextPart(text=text):
            content = [{"type": "output_text", "text": text}]
            # llama.cpp's server requires the type of an item.
            return [{"type": "message", "role": "assistant", "content": content}]
        case ThinkingPart(opaque=opaque):
            item = as_dict(read_opaque(opaque, NAME))
            return [item] if item else []
        case CallPart():
            return [
                {
                    "type": "function_call",
                    "call_id": part.call_id,
                    "name": names.wire(part.name),
                    "arguments": json.dumps(part.arguments, ensure_ascii=False),
                }
            ]
        case _:
            assert_never(part)


def _tool(spec: ToolSpec, names: ToolNames) -> _Item:
    return {
        "type": "function",
        "name": names.wire(spec.name),
        "description": spec.description,
        "parameters": object_schema(spec.parameters),
        "strict": False,
    }
