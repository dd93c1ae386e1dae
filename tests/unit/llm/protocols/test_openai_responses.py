from __future__ import annotations

import json
from typing import Any

import pytest

from neodeskpet.core.errors import BadReply, LlmError, ReplyError, StreamBroken
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import ToolSpec
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
from neodeskpet.core.wire import (
    RefusalDelta,
    ResponseFinished,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    UsageReported,
    WireEvent,
)
from neodeskpet.llm.protocols.openai_responses import ResponsesDecoder
from neodeskpet.llm.protocols.protocol import ModelOptions
from neodeskpet.llm.protocols.responses_request import build_request
from neodeskpet.llm.protocols.stream.sse import SseEvent
from tests.unit.llm.protocols.decoding import decode, finished, words


def say(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", **fields}


def text(piece: str, kind: str = "output_text", **fields: Any) -> dict[str, Any]:
    return say(f"{kind}.delta", delta=piece, output_index=0, **fields)


def item(kind: str, index: int, **fields: Any) -> dict[str, Any]:
    return say(f"output_item.{kind}", output_index=index, item=fields)


def args(index: int, piece: str) -> dict[str, Any]:
    return say("function_call_arguments.delta", output_index=index, delta=piece)


def end(status: str = "completed", **fields: Any) -> dict[str, Any]:
    return say(status, response={"status": status, **fields})


CALL: dict[str, Any] = {"type": "function_call", "id": "fc", "call_id": "c1", "name": "f"}


def read(*events: Any) -> tuple[list[WireEvent], LlmError | None]:
    return decode(ResponsesDecoder(), events)


def good(*events: Any) -> list[WireEvent]:
    return finished(*read(*events))


def calls(events: list[WireEvent]) -> list[tuple[str, str, str]]:
    started = {e.index: e for e in events if isinstance(e, ToolCallStarted)}
    ready = [e.index for e in events if isinstance(e, ToolCallReady)]
    pieces = [(e.index, e.json) for e in events if isinstance(e, ToolArgsDelta)]
    return [
        (started[i].call_id, started[i].name, "".join(piece for at, piece in pieces if at == i))
        for i in ready
    ]


def test_text_and_usage() -> None:
    usage = {
        "input_tokens": 3,
        "input_tokens_details": {"cached_tokens": 1},
        "output_tokens": 4,
        "output_tokens_details": {"reasoning_tokens": 2},
    }
    events = good(
        say("created", response={}),
        item("added", 0, type="message"),
        text("a"),
        text(""),
        text("b"),
        say("output_text.done", text="ab"),
        item("done", 0, type="message"),
        end(usage=usage),
    )
    assert events == [
        TextDelta(0, "a"),
        TextDelta(0, "b"),
        UsageReported(3, 4, 1, 2, usage),
        ResponseFinished(StopReason.END, "completed"),
    ]


def test_calls() -> None:
    events = good(
        item("added", 0, **CALL, arguments=""),
        args(0, '{"a"'),
        item("added", 1, **CALL | {"call_id": "c2"}),
        args(1, "{}"),
        args(0, ":1}"),
        say("function_call_arguments.done", output_index=0, arguments='{"a":1}'),
        item("done", 0, **CALL, arguments='{"a":1}'),
        item("done", 1, **CALL | {"call_id": "c2"}, arguments="{}"),
        item("done", 2, **CALL | {"id": "fc3", "call_id": ""}, arguments="{}"),
        end(),
    )
    assert calls(events) == [("c1", "f", '{"a":1}'), ("c2", "f", "{}"), ("fc3", "f", "{}")]
    assert events[-1] == ResponseFinished(StopReason.TOOLS, "completed")


def test_arguments_that_come_only_with_the_complete_item() -> None:
    events = good(item("added", 0, **CALL), item("done", 0, **CALL, arguments='{"a":1}'), end())
    assert calls(events) == [("c1", "f", '{"a":1}')]


def test_a_call_that_was_not_closed_is_not_ready() -> None:
    out, error = read(item("added", 0, **CALL), args(0, "{}"))
    assert calls(out) == []
    assert isinstance(error, StreamBroken)
    cut = good(item("added", 0, **CALL), args(0, "{}"), end("incomplete"))
    assert calls(cut) == []


def test_reasoning_and_what_is_sent_back_of_it() -> None:
    summary = "reasoning_summary_text"
    reasoning = {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "xyz"}
    events = good(
        item("added", 0, type="reasoning"),
        text("one", summary, summary_index=0),
        text("!", summary, summary_index=0),
        text("two", summary, summary_index=1),
        item("done", 0, **reasoning, status=None),
        text("a"),
        end(),
    )
    assert words(events, ThinkingDelta) == "one!\n\ntwo"
    opaque = [e.opaque for e in events if isinstance(e, ThinkingDelta) and e.opaque]
    sent = body(UserTurn((TextPart("hi"),)), AssistantTurn((ThinkingPart("one", opaque[0]),)))
    assert sent["input"][1:] == [reasoning]
    silent = good(item("done", 0, type="reasoning", summary=[]), text("a"), end())
    assert not any(isinstance(event, ThinkingDelta) for event in silent)


def test_refusal() -> None:
    assert words(good(text("I won't", "refusal"), end()), RefusalDelta) == "I won't"


@pytest.mark.parametrize(
    ("why", "stop"),
    [
        ("max_output_tokens", StopReason.LENGTH),
        ("content_filter", StopReason.FILTER),
        ("new", StopReason.OTHER),
    ],
)
def test_incomplete_replies(why: str, stop: StopReason) -> None:
    events = good(text("a"), end("incomplete", incomplete_details={"reason": why}))
    assert events[-1] == ResponseFinished(stop, why)


def test_errors_and_early_ends() -> None:
    error = {"code": "server_error", "message": "no"}
    for last in (
        {"type": "error", **error},
        {"type": "error", "error": error},
        {"error": error},
        SseEvent("error", json.dumps(error)),
        end("failed", error=error),
    ):
        out, failed = read(text("a"), last)
        assert words(out, TextDelta) == "a"
        assert isinstance(failed, ReplyError)
        assert failed.detail == "no"
        assert failed.status == 500
    assert isinstance(read(end("failed"))[1], ReplyError)
    assert isinstance(read(text("a"))[1], StreamBroken)
    assert isinstance(read(text("a"), SseEvent("", "{"))[1], StreamBroken)


def test_invalid_events_are_skipped() -> None:
    odd: list[Any] = [
        None, 3, {}, {"type": 3}, say("output_item.added"), say("output_item.done"),
        say("web_search_call.searching"), item("added", 3, type="web_search_call"),
        item("done", 3, type="web_search_call"), args(9, "x"),
        say("function_call_arguments.delta", output_index=[], delta=None),
    ]  # fmt: skip
    assert words(good(text("a"), *odd, end()), TextDelta) == "a"


def test_a_reply_that_is_not_streamed() -> None:
    reply = {
        "status": "completed",
        "output": [
            {"type": "reasoning", "summary": [{"text": "hm"}, {"text": "so"}]},
            {"type": "message", "content": [{"type": "output_text", "text": "a"}]},
            {"type": "message", "content": [{"type": "refusal", "refusal": "no"}, {}]},
            {**CALL, "arguments": "{}"},
        ],
        "usage": {"input_tokens": 1},
    }
    decoder = ResponsesDecoder()
    events = [*decoder.read_body(reply), *decoder.end()]
    assert words(events, ThinkingDelta) == "hm\n\nso"
    assert words(events, TextDelta) == "a"
    assert words(events, RefusalDelta) == "no"
    assert calls(events) == [("c1", "f", "{}")]
    with pytest.raises(ReplyError):
        list(ResponsesDecoder().read_body({"error": {"message": "no"}}))
    for other in ({}, [], {"choices": []}):
        with pytest.raises(BadReply):
            list(ResponsesDecoder().read_body(other))


# The request

TOOL = ToolSpec("live2d.motion", "Move.", {"type": "object", "properties": {"a": {}}})


def body(*messages: ModelMessage, **request: Any) -> dict[str, Any]:
    options = request.pop("options", None) or ModelOptions("https://h", "m", "sk-key")
    built = build_request(options, ModelRequest("", messages, **request))
    return dict(json.loads(json.dumps(built.body)))


@pytest.mark.parametrize("base", ["h", "h/v1/", "h/v1/responses", "h/v1/chat/completions"])
def test_address_and_key(base: str) -> None:
    built = build_request(ModelOptions(base, "m", "sk-key"), ModelRequest("You are Neo.", []))
    assert built.url == "https://h/v1/responses"
    assert built.headers["Authorization"] == "Bearer sk-key"
    assert built.body == {
        "model": "m",
        "input": [],
        "instructions": "You are Neo.",
        "stream": True,
        "store": False,
    }


def test_messages() -> None:
    said = UserTurn(
        (TextPart("hi"), ImagePart("d", "image/png", b"\x89P"), ImagePart("lost", "image/png"))
    )
    call = CallPart("c1", "live2d.motion", {"a": "点"})
    results = (
        ResultPart("c1", "live2d.motion", "ok", ok=True),
        ResultPart("c2", "x", "gone", ok=False),
    )
    foreign = ThinkingPart("hm", '{"anthropic":{}}')
    sent = body(
        said,
        UserTurn((ImagePart("lost", "image/png"),)),
        AssistantTurn((foreign, TextPart("so"), call)),
        ToolResults(results),
        tools=(TOOL,),
    )
    assert sent["input"] == [
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_text", "text": "hi"},
                {"type": "input_image", "image_url": "data:image/png;base64,iVA="},
            ],
        },
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "so"}],
        },
        {
            "type": "function_call",
            "call_id": "c1",
            "name": "live2d_motion",
            "arguments": '{"a": "点"}',
        },
        {"type": "function_call_output", "call_id": "c1", "output": "ok"},
        {"type": "function_call_output", "call_id": "c2", "output": "Error: gone"},
    ]
    assert sent["tools"] == [
        {
            "type": "function",
            "name": "live2d_motion",
            "description": "Move.",
            "parameters": {"type": "object", "properties": {"a": {}}},
            "strict": False,
        }
    ]


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("none", "none"),
        ("required", "required"),
        ("live2d.motion", {"type": "function", "name": "live2d_motion"}),
    ],
)
def test_tool_choice(choice: str, sent: object) -> None:
    assert body(tools=(TOOL,), tool_choice=choice)["tool_choice"] == sent
    assert "tool_choice" not in body(tools=(TOOL,))


def test_options() -> None:
    options = ModelOptions("h", "m", max_tokens=9, temperature=0.5, thinking="low", stream=False)
    sent = body(options=options)
    assert sent["max_output_tokens"] == 9
    assert sent["temperature"] == 0.5
    assert sent["reasoning"] == {"effort": "low", "summary": "auto"}
    assert sent["include"] == ["reasoning.encrypted_content"]
    assert sent["stream"] is False
    dropped = ModelOptions("h", "m", thinking="low", dropped=frozenset({"include", "reasoning"}))
    assert set(body(options=dropped)) == {"model", "input", "stream", "store"}
