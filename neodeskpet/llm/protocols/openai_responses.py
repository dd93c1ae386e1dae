"""OpenAI responses. Nothing is stored there: what the model needs of its own reasoning goes back
encrypted with the next request.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from typing import Any, assert_never

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
from neodeskpet.core.wire import (
    RefusalDelta,
    ResponseFinished,
    Stop,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    UsageReported,
)
from neodeskpet.llm.protocols import openai_request
from neodeskpet.llm.protocols.parts import ReplyDecoder, Words, cut_short
from neodeskpet.llm.protocols.protocol import (
    HttpRequest,
    ModelOptions,
    ModelProtocol,
    as_count,
    as_dict,
    as_list,
    as_text,
    compact,
    read_ids,
    read_opaque,
    route,
    write_opaque,
)
from neodeskpet.llm.protocols.provider_errors import bad_reply, error_in, reply_error
from neodeskpet.llm.protocols.sse import SseEvent
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

_STOPS = {
    "completed": Stop.END,
    "max_output_tokens": Stop.LENGTH,
    "content_filter": Stop.FILTER,
}
_Item = dict[str, object]


# The request


def build_request(options: ModelOptions, prompt: ModelRequest) -> HttpRequest:
    """The POST for one call."""
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
        if prompt.tool_choice != "auto":
            body["tool_choice"] = _tool_choice(prompt.tool_choice, names)
        if not options.parallel:
            body["parallel_tool_calls"] = False
    if options.max_tokens is not None:
        body["max_output_tokens"] = options.max_tokens
    if options.temperature is not None:
        body["temperature"] = options.temperature
    if options.thinking in ("low", "medium", "high"):
        body["reasoning"] = {"effort": options.thinking, "summary": "auto"}
        body["include"] = ["reasoning.encrypted_content"]
    body.update(options.extra)
    for name in options.dropped:
        body.pop(name, None)
    url = route(options.base_url, "/v1", PATH, ends=(openai_request.PATH, "/models"))
    return HttpRequest("POST", url, openai_request.headers(options), body)


def _items(message: ModelMessage, names: ToolNames) -> Iterable[_Item]:
    match message:
        case UserTurn(parts=parts):
            content = [said for part in parts for said in _said(part)]
            return [{"role": "user", "content": content}] if content else []
        case AssistantTurn(parts=parts):
            return [item for part in parts for item in _answered(part, names)]
        case ToolResults(results=results):
            return [
                {
                    "type": "function_call_output",
                    "call_id": result.call_id,
                    "output": result.output if result.ok else f"Error: {result.output}",
                }
                for result in results
            ]
        case _:
            assert_never(message)


def _said(part: TextPart | ImagePart) -> list[_Item]:
    if isinstance(part, TextPart):
        return [{"type": "input_text", "text": part.text}]
    if not part.data:
        return []
    data = base64.b64encode(part.data).decode("ascii")
    return [{"type": "input_image", "image_url": f"data:{part.media_type};base64,{data}"}]


def _answered(part: TextPart | ThinkingPart | CallPart, names: ToolNames) -> list[_Item]:
    match part:
        case TextPart(text=text):
            return [{"role": "assistant", "content": [{"type": "output_text", "text": text}]}]
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


def _tool_choice(choice: str, names: ToolNames) -> object:
    if choice in ("none", "required"):
        return choice
    return {"type": "function", "name": names.wire(choice)}


# The reply

# Event -> the words it brings
_WORDS: dict[str, Words] = {
    "response.output_text.delta": TextDelta,
    "response.refusal.delta": RefusalDelta,
    "response.reasoning_summary_text.delta": ThinkingDelta,
    "response.reasoning_text.delta": ThinkingDelta,
}
_ENDS = ("response.completed", "response.incomplete", "response.failed", "response.done")


class _Call:
    """A call while it streams. `told`: some of its arguments were passed on."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.told = False


class ResponsesDecoder(ReplyDecoder):
    """Reads `response.created` … `response.completed`, or one whole `response`."""

    def __init__(self) -> None:
        super().__init__()
        self._open: dict[object, _Call] = {}
        self._calls = 0
        self._paragraph: object = None

    def read_event(self, event: SseEvent) -> None:
        data = self.parse(event)
        kind = as_text(data.get("type")) or event.event
        if kind in _WORDS:
            self._read_words(kind, data)
        elif kind == "response.function_call_arguments.delta":
            self._read_arguments(data.get("output_index"), as_text(data.get("delta")))
        elif kind == "response.output_item.added":
            self._start(data.get("output_index"), as_dict(data.get("item")))
        elif kind == "response.output_item.done":
            self._finish_item(data.get("output_index"), as_dict(data.get("item")))
        elif kind in _ENDS:
            self._end(as_dict(data.get("response")))
        elif kind == "error" or data.get("error"):
            raise reply_error(data.get("error") or data)

    def read_whole(self, body: object) -> None:
        response = as_dict(body)
        if "output" not in response:
            error = error_in(body, "output")
            raise bad_reply(compact(body)) if error is None else reply_error(error)
        for number, item in enumerate(as_list(response["output"])):
            self._read_item(number, as_dict(item))
        self._end(response)

    def finish(self) -> None:
        if not self.done:
            raise cut_short()
        stop = _STOPS.get(self.finish_reason or "completed", Stop.OTHER)
        if stop is Stop.END and self._calls:
            stop = Stop.TOOLS
        self.emit(ResponseFinished(stop, self.finish_reason))

    def _read_words(self, kind: str, data: dict[str, Any]) -> None:
        text = as_text(data.get("delta"))
        if not text:
            return
        if _WORDS[kind] is ThinkingDelta:
            # The paragraphs of a summary come without a blank line between them.
            paragraph = (data.get("output_index"), data.get("summary_index"))
            if self._kind is ThinkingDelta and paragraph != self._paragraph:
                text = "\n\n" + text
            self._paragraph = paragraph
        self.write(_WORDS[kind], text)

    def _start(self, key: object, item: dict[str, Any]) -> None:
        if item.get("type") != "function_call":
            return
        call = _Call(self.new_part())
        self._open[_hashable(key)] = call
        self._calls += 1
        call_id = as_text(item.get("call_id")) or as_text(item.get("id"))
        self.emit(ToolCallStarted(call.index, call_id, as_text(item.get("name"))))
        self._read_arguments(key, as_text(item.get("arguments")))

    def _read_arguments(self, key: object, piece: str) -> None:
        call = self._open.get(_hashable(key))
        if call is not None and piece:
            call.told = True
            self.emit(ToolArgsDelta(call.index, piece))

    def _finish_item(self, key: object, item: dict[str, Any]) -> None:
        if item.get("type") == "reasoning":
            if item.get("encrypted_content"):
                kept = ("type", "id", "summary", "encrypted_content")
                self.write_opaque(write_opaque(NAME, {k: item[k] for k in kept if k in item}))
            self.new_part()
            return
        if item.get("type") == "function_call" and _hashable(key) not in self._open:
            self._start(key, item)  # it was never announced
        call = self._open.pop(_hashable(key), None)
        if call is None:
            return
        if not call.told and item.get("arguments"):
            self.emit(ToolArgsDelta(call.index, as_text(item["arguments"])))
        self.emit(ToolCallReady(call.index))

    def _read_item(self, number: int, item: dict[str, Any]) -> None:
        """One item of a whole reply."""
        for part in as_list(item.get("summary")):
            self._read_words(
                "response.reasoning_summary_text.delta",
                {"delta": as_dict(part).get("text"), "output_index": number, "summary_index": part},
            )
        if item.get("type") == "message":
            for part in map(as_dict, as_list(item.get("content"))):
                kind = RefusalDelta if part.get("type") == "refusal" else TextDelta
                text = as_text(part.get("refusal")) or as_text(part.get("text"))
                if text:
                    self.write(kind, text)
        self._finish_item(number, item)

    def _end(self, response: dict[str, Any]) -> None:
        self.done = True
        why = as_dict(response.get("incomplete_details")).get("reason")
        self.finish_reason = as_text(why) or as_text(response.get("status")) or None
        usage = response.get("usage")
        if isinstance(usage, dict) and usage:
            self.emit(_usage_of(usage))
        if response.get("error") or response.get("status") == "failed":
            raise reply_error(response.get("error") or {"message": "", "status": "failed"})


def _usage_of(usage: dict[str, Any]) -> UsageReported:
    return UsageReported(
        as_count(usage.get("input_tokens")),
        as_count(usage.get("output_tokens")),
        as_count(as_dict(usage.get("input_tokens_details")).get("cached_tokens")),
        as_count(as_dict(usage.get("output_tokens_details")).get("reasoning_tokens")),
        usage,
    )


def _hashable(key: object) -> object:
    return key if isinstance(key, int | str) else None


PROTOCOL = ModelProtocol(
    NAME, build_request, ResponsesDecoder, openai_request.build_listing, read_ids, REFUSABLE
)
