"""Written streams, one for each rule of the protocols, as bytes and with several splits.

Each case has the received bytes and the expected events. `calls` are those that were closed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from neodeskpet.core.errors import LlmError
from neodeskpet.core.wire import (
    RefusalDelta,
    ResponseFinished,
    TextDelta,
    TextRetracted,
    ThinkingDelta,
    ThinkingRetracted,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    UsageReported,
    WireEvent,
)
from neodeskpet.llm.protocols.body_reader import BodyReader
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS


@dataclass
class Told:
    text: str = ""
    thinking: str = ""
    refusal: str = ""
    calls: list[tuple[str, str]] = field(default_factory=list)
    aclose: str | None = None
    input_tokens: int = 0
    error: str = ""


def tell(protocol: str, chunks: list[bytes]) -> Told:
    reader = BodyReader(PROTOCOLS[protocol].new_decoder())
    told = Told()
    calls: dict[int, tuple[str, str]] = {}
    try:
        for event in (e for chunk in [*chunks, None] for e in _feed(reader, chunk)):
            _note_words(told, event)
            _note_call(told, calls, event)
    except LlmError as error:
        told.error = error.code
    return told


def _note_words(told: Told, event: WireEvent) -> None:
    match event:
        case TextDelta(text=text):
            told.text += text
        case ThinkingDelta(text=text):
            told.thinking += text
        case ThinkingRetracted(opening=opening):
            told.text, told.thinking = told.text + opening + told.thinking, ""
        case TextRetracted():
            told.thinking, told.text = told.thinking + told.text, ""
        case RefusalDelta(text=text):
            told.refusal += text
        case UsageReported(input_tokens=tokens):
            told.input_tokens = tokens
        case ResponseFinished(raw=finish):
            told.aclose = finish or "none"
        case _:
            pass


def _note_call(told: Told, calls: dict[int, tuple[str, str]], event: WireEvent) -> None:
    match event:
        case ToolCallStarted(index=index, name=name):
            calls[index] = (name, "")
        case ToolArgsDelta(index=index, json=piece):
            name, raw = calls[index]
            calls[index] = (name, raw + piece)
        case ToolCallReady(index=index):
            told.calls.append(calls[index])
        case _:
            pass


def _feed(reader: BodyReader, chunk: bytes | None) -> Any:
    return reader.end() if chunk is None else reader.feed(chunk)


def sse(*items: Any) -> bytes:
    words = (item if isinstance(item, str) else json.dumps(item) for item in items)
    return "".join(f"data: {line}\n\n" for line in words).encode()


def delta(content: Any = None, finish: Any = None, **more: Any) -> dict[str, Any]:
    told = ({"content": content} if content is not None else {}) | more
    return {"choices": [{"index": 0, "delta": told, "finish_reason": finish}]}


def tool(name: Any = None, args: Any = None, **more: Any) -> dict[str, Any]:
    return delta(tool_calls=[{"function": {"name": name, "arguments": args}, **more}])


DONE = "[DONE]"
X1 = '{"x":1}'
X2 = '{"x":2}'
OPENAI: dict[str, tuple[bytes, Told]] = {
    "comments, CR, CRLF, no space, several data lines": (
        b': OPENROUTER PROCESSING\r\rdata:{"choices":\r\ndata: [{"delta":'
        b'{"content":"a"}}]}\r\n\r\n' + sse(DONE),
        Told("a", aclose="none"),
    ),
    "a BOM, and a last event without its blank line": (
        b"\xef\xbb\xbf" + sse(delta("a")) + b'data: {"choices":[{"finish_reason":"stop"}]}',
        Told("a", aclose="stop"),
    ),
    "an early end": (sse(delta("a")), Told("a", error="stream_broken")),
    "an error object inside HTTP 200": (
        sse(delta("a"), {"error": {"message": "no"}}),
        Told("a", error="reply_error"),
    ),
    "an error beside a finish reason": (
        sse({**delta("a", "length"), "error": {"message": "no"}}),
        Told("a", error="reply_error"),
    ),
    "event: error with a failed generation": (
        sse(delta("a")) + b'event: error\ndata: {"error":{"failed_generation":"x"}}\n\n',
        Told("a", error="reply_error"),
    ),
    "a chunk that isn't JSON": (sse(delta("a"), "{broken", DONE), Told("a", error="stream_broken")),
    "another response id in every chunk": (
        sse({"id": "1", **delta("a")}, {"id": "2", **delta("b", "stop")}),
        Told("ab", aclose="stop"),
    ),
    "text and a call in one chunk, and in the finish chunk": (
        sse(
            delta("a", tool_calls=[{"index": 0, "id": "1", "function": {"name": "f"}}]),
            delta("b", "tool_calls", tool_calls=[{"index": 0, "function": {"arguments": "{}"}}]),
        ),
        Told("ab", calls=[("f", "{}")], aclose="tool_calls"),
    ),
    "calls without an index": (
        sse(tool("f", "", id="1"), tool(None, '{"x":1}'), tool("f", '{"x":2}', id="2"), DONE),
        Told(calls=[("f", '{"x":1}'), ("f", '{"x":2}')], aclose="none"),
    ),
    "an index that is always 0": (
        sse(tool("f", "{}", id="1", index=0), tool("g", "{}", id="2", index=0), DONE),
        Told(calls=[("f", "{}"), ("g", "{}")], aclose="none"),
    ),
    "empty ids and names, null arguments and calls later": (
        sse(
            tool("f", None, id="1", index=0),
            tool("", '{"x"', id="", index=0),
            delta(tool_calls=None),
            tool(None, ":1}", id="", index=0),
            delta(None, "tool_calls"),
        ),
        Told(calls=[("f", '{"x":1}')], aclose="tool_calls"),
    ),
    "a name in every delta": (
        sse(tool("f", '{"x"', id="1", index=0), tool("f", ":1}", index=0), DONE),
        Told(calls=[("f", '{"x":1}')], aclose="none"),
    ),
    "arguments before the name": (
        sse(tool(None, '{"x"', id="1", index=0), tool("f", ":1}", index=0), DONE),
        Told(calls=[("f", '{"x":1}')], aclose="none"),
    ),
    "a whole call that was never closed": (
        sse(tool("f", "{}", id="1", index=0)),
        Told(error="stream_broken"),
    ),
    "a forced call ends with stop": (
        sse(tool("f", "{}", id="1", index=0), delta(None, "stop"), DONE),
        Told(calls=[("f", "{}")], aclose="stop"),
    ),
    "the same reasoning under two names": (
        sse(delta("", reasoning="hm", reasoning_content="hm"), delta("a", "stop")),
        Told("a", "hm", aclose="stop"),
    ),
    "think tags in the content": (
        sse(*map(delta, ("<th", "ink>h", "m</thi", "nk>a")), delta(None, "stop")),
        Told("a", "hm", aclose="stop"),
    ),
    "a closing think tag without its opening": (
        sse(*map(delta, ("Hm, ", "well.\n</thi", "nk>\n\nYes.")), delta(None, "stop")),
        Told("\n\nYes.", "Hm, well.\n", aclose="stop"),
    ),
    "an end token": (
        sse(delta("Yes.<|im"), delta("_end|>"), delta(None, "stop")),
        Told("Yes.", aclose="stop"),
    ),
    **{
        f"thinking in {field}": (
            sse(delta(**{field: words}), delta("a", "stop")),
            Told("a", "hm", aclose="stop"),
        )
        for field, words in {
            "thinking": "hm",
            "reasoning_text": "hm",
            "thinking_blocks": [{"type": "thinking", "thinking": "hm", "signature": "s"}],
        }.items()
    },
    "{} before the real arguments": (
        sse(tool("f", "{}", id="1", index=0), tool(None, X1, index=0), DONE),
        Told(calls=[("f", "{}" + X1)], aclose="none"),
    ),
    "a new id on each delta": (
        sse(
            tool("f", "", id="1", index=0),
            tool(None, '{"x"', id="2", index=0),
            tool(None, ":1}", id="3", index=0),
            tool(None, "", id="4", index=0),
            tool("f", '{"x"', id="5", index=1),
            tool("f", ":2}", id="6", index=1),
            DONE,
        ),
        Told(calls=[("f", X1), ("f", X2)], aclose="none"),
    ),
    "one id and index for two calls": (
        sse(tool("f", X1, id="1", index=0), tool("g", X2, id="1", index=0), DONE),
        Told(calls=[("f", X1), ("g", X2)], aclose="none"),
    ),
    "one id and index for two calls of one tool": (
        sse(tool("f", X1, id="1", index=0), tool("f", X2, id="1", index=0), DONE),
        Told(calls=[("f", X1), ("f", X2)], aclose="none"),
    ),
    "a call told again as a whole": (
        sse(
            tool("f", '{"x"', id="1", index=0),
            tool(None, ":1}", index=0),
            tool("f", X1, id="1", index=0),
            tool("f", X1, index=0),
            delta(None, "tool_calls"),
        ),
        Told(calls=[("f", X1)], aclose="tool_calls"),
    ),
    "a last message": (
        sse(
            delta("Hel", reasoning_content="hm"),
            delta("lo"),
            tool("f", X1, id="1", index=0),
            {
                "choices": [
                    {
                        "finish_reason": "tool_calls",
                        "message": {
                            "content": "Hello",
                            "reasoning_content": "hm",
                            "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": X1}}],
                        },
                    }
                ]
            },
        ),
        Told("Hello", "hm", calls=[("f", X1)], aclose="tool_calls"),
    ),
    "the whole text in the last delta": (
        sse(delta("Hel"), delta("lo"), delta("Hello", "stop")),
        Told("Hello", aclose="stop"),
    ),
    "a long text told again": (
        sse(delta("Once upon "), delta("a time."), delta("Once upon a time."), DONE),
        Told("Once upon a time.", aclose="none"),
    ),
    "the same short word twice": (
        sse(delta("ha"), delta("ha"), delta("haha"), delta(None, "stop")),
        Told("hahahaha", aclose="stop"),
    ),
    "unclosed thinking stays thinking": (
        sse(delta("<think>hm"), delta(None, "length")),
        Told("", "hm", aclose="length"),
    ),
    "a list of parts as content": (
        sse(delta([{"type": "text", "text": "a"}, {"type": "thinking", "thinking": "hm"}], "stop")),
        Told("a", "hm", aclose="stop"),
    ),
    "a refusal": (sse(delta(refusal="no"), delta(None, "stop")), Told(refusal="no", aclose="stop")),
    "the first of two choices": (
        sse(
            delta("a"), {"choices": [{"index": 1, "delta": {"content": "x"}}]}, delta(None, "stop")
        ),
        Told("a", aclose="stop"),
    ),
    "usage before the finish, and again after it": (
        sse(
            {**delta("a"), "usage": {"prompt_tokens": 1}},
            delta(None, "stop"),
            {"choices": [], "usage": {"prompt_tokens": 2}},
            DONE,
        ),
        Told("a", aclose="stop", input_tokens=2),
    ),
    "unknown events, fields and finish reasons": (
        b"event: new\nid: 1\n" + sse({"new": 1}, delta("a", "new_reason", new={})),
        Told("a", aclose="new_reason"),
    ),
    "a whole reply where a stream was due": (
        b'{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}',
        Told("a", aclose="stop"),
    ),
    "a page where a stream was due": (b"<html>no</html>", Told(error="bad_reply")),
    "words where a stream was due": (b"Bad gateway", Told(error="bad_reply")),
    "nothing": (b"", Told(error="bad_reply")),
}


def claude(*items: Any, end: bool = True) -> bytes:
    start = {"type": "message_start", "message": {"usage": {"input_tokens": 3}}}
    return sse(start, *items, *([{"type": "message_stop"}] if end else []))


def block(index: int, *deltas: dict[str, Any], **content: Any) -> list[dict[str, Any]]:
    grown = [{"type": "content_block_delta", "index": index, "delta": d} for d in deltas]
    start = {"type": "content_block_start", "index": index, "content_block": content}
    return [start, *grown, {"type": "content_block_stop", "index": index}]


def piece(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


def reason(word: str) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": word}}


ANTHROPIC: dict[str, tuple[bytes, Told]] = {
    "pings, no event lines, the reason on message_delta": (
        claude(
            {"type": "ping"}, *block(0, piece("text_delta", text="a"), type="text", text=""),
            {"type": "ping"}, reason("end_turn"),
        ),
        Told("a", aclose="end_turn", input_tokens=3),
    ),
    "input at the start of its block, and empty pieces": (
        claude(
            *block(
                0, piece("input_json_delta", partial_json=""),
                type="tool_use", id="1", name="f", input={"x": 1},
            ),
            *block(1, type="tool_use", id="2", name="g", input={}),
            reason("tool_use"),
        ),
        Told(calls=[("f", '{"x":1}'), ("g", "")], aclose="tool_use", input_tokens=3),
    ),
    "content and the reason inside message_start": (
        sse(
            {
                "type": "message_start",
                "message": {"content": [{"type": "text", "text": "a"}], "stop_reason": "end_turn"},
            },
            {"type": "message_stop"},
        ),
        Told("a", aclose="end_turn"),
    ),
    "think tags in the text": (
        claude(
            *block(0, piece("text_delta", text="<thin"), piece("text_delta", text="k>hm</think>a"),
                   type="text", text=""),
            *block(1, piece("text_delta", text="b<"), type="text", text=""),
        ),
        Told("ab<", "hm", aclose="none", input_tokens=3),
    ),
    "a reason, and no end": (
        claude(*block(0, piece("text_delta", text="a"), type="text", text=""), reason("end_turn"),
               end=False),
        Told("a", aclose="end_turn", input_tokens=3),
    ),
    "server tools are no calls": (
        claude(
            *block(0, type="server_tool_use", id="s", name="web_search", input={"q": 1}),
            *block(1, type="web_search_tool_result", content=[]),
            *block(2, piece("new_delta", text="x"), type="new_block"),
            *block(3, type="text", text="a"),
        ),
        Told("a", aclose="none", input_tokens=3),
    ),
    "thinking that is only a signature": (
        claude(*block(0, piece("signature_delta", signature="s"), type="thinking", thinking="")),
        Told(aclose="none", input_tokens=3),
    ),
    "an error first, without its event line": (
        sse({"type": "error", "error": {"type": "overloaded_error", "message": "no"}}),
        Told(error="reply_error"),
    ),
    "an early end with a whole call": (
        claude(*block(0, type="tool_use", id="1", name="f")[:1], end=False),
        Told(input_tokens=3, error="stream_broken"),
    ),
}  # fmt: skip


def part(*parts: dict[str, Any], finish: str = "", **more: Any) -> dict[str, Any]:
    ended = {"finishReason": finish} if finish else {}
    return {"candidates": [{"content": {"parts": list(parts)}, **ended}], **more}


GEMINI: dict[str, tuple[bytes, Told]] = {
    "thoughts, text, usage on every chunk": (
        sse(
            part({"text": "hm", "thought": True}, usageMetadata={"promptTokenCount": 1}),
            part({"text": "a"}, finish="STOP", usageMetadata={"promptTokenCount": 2}),
        ),
        Told("a", "hm", aclose="STOP", input_tokens=2),
    ),
    "the same function twice, without ids, ending with STOP": (
        sse(
            part({"functionCall": {"name": "f", "args": {"x": 1}}}),
            part({"functionCall": {"name": "f", "args": {"x": 2}}}, finish="STOP"),
        ),
        Told(calls=[("f", '{"x":1}'), ("f", '{"x":2}')], aclose="STOP"),
    ),
    "arguments in pieces": (
        sse(
            part({"functionCall": {"name": "f", "willContinue": True}}),
            part(
                {
                    "functionCall": {
                        "partialArgs": [{"jsonPath": "$.x[0].y", "stringValue": "z"}],
                        "willContinue": True,
                    }
                }
            ),
            part({"functionCall": {}}, finish="STOP"),
        ),
        Told(calls=[("f", '{"x":[{"y":"z"}]}')], aclose="STOP"),
    ),
    "missing content, parts and candidates": (
        sse({}, {"candidates": [{}]}, {"candidates": [{"content": {}}]}, part(finish="NEW")),
        Told(aclose="NEW"),
    ),
    "think tags in the text": (
        sse(part({"text": "hm\n</th"}), part({"text": "ink>\na"}, finish="STOP")),
        Told("\na", "hm\n", aclose="STOP"),
    ),
    "a blocked prompt": (
        sse({"promptFeedback": {"blockReason": "SAFETY"}}),
        Told(aclose="SAFETY"),
    ),
    "an error body": (b'{"error":{"code":400,"message":"no"}}', Told(error="reply_error")),
    "an early end": (sse(part({"text": "a"})), Told("a", error="stream_broken")),
}


def said(kind: str, piece: str, item: str = "", at: Any = 0, **more: Any) -> dict[str, Any]:
    told = {"type": f"response.{kind}", "delta": piece, "content_index": 0, **more}
    return told | ({"item_id": item} if item else {}) | ({} if at is None else {"output_index": at})


def spoken(piece: str, item: str = "m1", at: Any = 0) -> dict[str, Any]:
    return said("output_text.delta", piece, item, at)


def message(text: str, item: str = "m1") -> dict[str, Any]:
    content = [{"type": "output_text", "text": text}]
    return {"type": "message", "id": item, "role": "assistant", "content": content}


def function(name: str, arguments: str, item: str = "fc1", call: str = "c1") -> dict[str, Any]:
    told = {"name": name, "arguments": arguments, "call_id": call}
    return {"type": "function_call", "id": item, **told}


def of_item(kind: str, item: dict[str, Any], at: Any = 0) -> dict[str, Any]:
    told = {"type": f"response.output_item.{kind}", "item": item}
    return told if at is None else told | {"output_index": at}


def grown(piece: str, item: str = "fc1", at: Any = 0) -> dict[str, Any]:
    return said("function_call_arguments.delta", piece, item, at)


def over(*output: Any, status: str = "completed", **more: Any) -> dict[str, Any]:
    whole = {"status": status, "output": list(output), **more}
    return {"type": f"response.{status}", "response": whole}


REASON = {"type": "reasoning", "id": "rs1", "summary": [{"type": "summary_text", "text": "hm"}]}
RESPONSES: dict[str, tuple[bytes, Told]] = {
    "text, told four times": (
        sse(
            {"type": "response.created", "response": {"status": "in_progress"}},
            of_item("added", {**message(""), "content": []}),
            *map(spoken, ("Hel", "lo")),
            {**spoken(""), "type": "response.output_text.done", "text": "Hello"},
            {"type": "response.content_part.done", "item_id": "m1", "content_index": 0,
             "part": {"type": "output_text", "text": "Hello"}},
            of_item("done", message("Hello")),
            over(message("Hello"), usage={"input_tokens": 2}),
        ),
        Told("Hello", aclose="completed", input_tokens=2),
    ),
    "text only in output_text.done": (
        sse({**spoken(""), "type": "response.output_text.done", "text": "Hello"}, over()),
        Told("Hello", aclose="completed"),
    ),
    "text only in content_part.done": (
        sse(
            {"type": "response.content_part.done", "part": {"type": "output_text", "text": "a"}},
            over(message("a")),
        ),
        Told("a", aclose="completed"),
    ),
    "text only in output_item.done": (
        sse(of_item("done", message("Hello")), over(message("Hello"))),
        Told("Hello", aclose="completed"),
    ),
    "text only in response.completed": (
        sse(over(REASON, message("Hello"))),
        Told("Hello", "hm", aclose="completed"),
    ),
    "the last delta is missing": (
        sse(spoken("Hel"), of_item("done", message("Hello")), over()),
        Told("Hello", aclose="completed"),
    ),
    "another item id in every event": (
        sse(
            of_item("added", message("", "m0")),
            spoken("Hel", "m1"), spoken("lo", "m2"), of_item("done", message("Hello", "m3")),
            of_item("added", function("f", "", "a"), 1), grown('{"x"', "b", 1),
            grown(":1}", "c", 1), of_item("done", function("f", X1, "d"), 1),
            over(message("Hello", "m4"), function("f", X1, "e")),
        ),
        Told("Hello", calls=[("f", X1)], aclose="completed"),
    ),
    "two messages": (
        sse(
            spoken("Commentary."), of_item("done", message("Commentary.")),
            spoken("Final ", "m2", 1), spoken("answer.", "m2", 1),
            over(message("Commentary."), message("Final answer.", "m2")),
        ),
        Told("Commentary.\n\nFinal answer.", aclose="completed"),
    ),
    "two messages that come only at the end": (
        sse(over(message("Commentary."), message("Final answer.", "m2"))),
        Told("Commentary.\n\nFinal answer.", aclose="completed"),
    ),
    "think tags in the text": (
        sse(spoken("<think>hm</thi"), spoken("nk>a</s"), spoken(">"), over(message("a"))),
        Told("a", "hm", aclose="completed"),
    ),
    "a reused output_index": (
        sse(
            of_item("added", function("f", "")),
            of_item("added", function("g", "", "fc2", "c2")),
            grown('{"x"'), grown(X2, "fc2"), grown(":1}"),
            of_item("done", function("f", X1)),
            of_item("done", function("g", X2, "fc2", "c2")),
            over(function("f", X1), function("g", X2, "fc2", "c2")),
        ),
        Told(calls=[("f", X1), ("g", X2)], aclose="completed"),
    ),
    "a missing output_index": (
        sse(
            of_item("added", function("f", ""), None), grown(X1, at=None),
            of_item("done", function("f", X1), None),
            of_item("added", function("f", "", "fc2", "c2"), None), grown(X2, "fc2", None),
            of_item("done", function("f", X2, "fc2", "c2"), None), over(),
        ),
        Told(calls=[("f", X1), ("f", X2)], aclose="completed"),
    ),
    "one call id for two calls": (
        sse(
            of_item("added", function("f", "")), grown(X1), of_item("done", function("f", X1)),
            of_item("added", function("g", "", "fc2"), 1), grown(X2, "fc2", 1),
            of_item("done", function("g", X2, "fc2"), 1), over(),
        ),
        Told(calls=[("f", X1), ("g", X2)], aclose="completed"),
    ),
    "a call without output_item.done": (
        sse(of_item("added", function("f", "")), grown(X1), over()),
        Told(calls=[("f", X1)], aclose="completed"),
    ),
    "a call that ends with its arguments": (
        sse(
            of_item("added", function("f", "")), grown('{"x"'),
            {"type": "response.function_call_arguments.done", "item_id": "fc1", "arguments": X1},
            spoken("a"), over(),
        ),
        Told("a", calls=[("f", X1)], aclose="completed"),
    ),
    "a call only in response.completed": (
        sse(over(function("f", X1))),
        Told(calls=[("f", X1)], aclose="completed"),
    ),
    "an item announced twice": (
        sse(*[of_item("added", function("f", ""))] * 2, *[of_item("done", function("f", X1))] * 2,
            over()),
        Told(calls=[("f", X1)], aclose="completed"),
    ),
    "a call in a reply that was cut": (
        sse(of_item("added", function("f", "")), grown('{"x"'), over(status="incomplete")),
        Told(aclose="incomplete"),
    ),
    "a summary in paragraphs": (
        sse(
            said("reasoning_summary_text.delta", "one", "r1", summary_index=0),
            said("reasoning_summary_text.delta", "two", "r1", summary_index=1),
            {"type": "response.output_item.done", "output_index": 0, "item": REASON | {
                "id": "r1", "summary": [{"text": "one"}, {"text": "two"}]}},
            spoken("a", at=1), over(),
        ),
        Told("a", "one\n\ntwo", aclose="completed"),
    ),
    "thinking in the open": (
        sse(said("reasoning_text.delta", "hm", "r1"),
            {"type": "response.reasoning_text.done", "item_id": "r1", "text": "hm",
             "output_index": 0, "content_index": 0}, spoken("a", at=1), over()),
        Told("a", "hm", aclose="completed"),
    ),
    "a refusal that comes whole": (
        sse({"type": "response.refusal.done", "item_id": "m1", "refusal": "no"}, over()),
        Told(refusal="no", aclose="completed"),
    ),
    "the reason of a cut": (
        sse(spoken("a"), over(status="incomplete", incomplete_details={"reason": "max_tokens"})),
        Told("a", aclose="max_tokens"),
    ),
    "a failed response": (
        sse(spoken("a"), over(status="failed", error={"message": "no"})),
        Told("a", error="reply_error"),
    ),
    "an error without a frame": (sse({"error": {"message": "no"}}), Told(error="reply_error")),
    "an event of type error": (
        sse(spoken("a"), {"type": "error", "code": "server_error", "message": "no"}),
        Told("a", error="reply_error"),
    ),
    "an early end": (sse(spoken("a"), of_item("done", message("a"))),
                     Told("a", error="stream_broken")),
    "items and events nobody knows": (
        sse({"type": "response.new"}, of_item("added", {"type": "web_search_call", "id": "w"}),
            of_item("done", {"type": "new", "id": "n"}), spoken("a"), over()),
        Told("a", aclose="completed"),
    ),
    "a whole reply where a stream was due": (
        json.dumps(over(message("a"), function("f", X1))["response"]).encode(),
        Told("a", calls=[("f", X1)], aclose="completed"),
    ),
    "the end is called response.done": (
        sse(spoken("a"), {"type": "response.done", "response": {}}),
        Told("a", aclose="none"),
    ),
}  # fmt: skip

CASES = [
    pytest.param(protocol, body, told, id=f"{protocol}: {name}")
    for protocol, cases in (
        ("openai", OPENAI),
        ("anthropic", ANTHROPIC),
        ("gemini", GEMINI),
        ("openai-responses", RESPONSES),
    )
    for name, (body, told) in cases.items()
]


@pytest.mark.parametrize(("protocol", "body", "told"), CASES)
def test_a_rule(protocol: str, body: bytes, told: Told) -> None:
    assert tell(protocol, [body]) == told
    assert tell(protocol, [body[i : i + 1] for i in range(len(body))]) == told
    for place in range(0, len(body), 7):
        assert tell(protocol, [body[:place], body[place:]]) == told
