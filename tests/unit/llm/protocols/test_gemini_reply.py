from __future__ import annotations

import json
from typing import Any

import pytest

from neodeskpet.core.errors import BadReply, LlmError, ReplyError, StreamBroken
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.transcript import (
    AssistantTurn,
    CallPart,
    ModelMessage,
    ResultPart,
    TextPart,
    ThinkingPart,
    ToolResults,
    UserTurn,
)
from neodeskpet.core.wire import (
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
from neodeskpet.llm.protocols.gemini_reply import GeminiDecoder, build_request
from neodeskpet.llm.protocols.protocol import ModelOptions
from neodeskpet.llm.protocols.stream.sse import SseEvent
from tests.unit.llm.protocols.decoding import decode, finished, words


def parts(*contents: dict[str, Any], finish: str = "", **fields: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(contents)}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], **fields}


def call(name: str = "", signature: str = "", **fields: Any) -> dict[str, Any]:
    function = ({"name": name} if name else {}) | fields
    return {"functionCall": function} | ({"thoughtSignature": signature} if signature else {})


def piece(path: str, text: str, goes_on: bool = True) -> dict[str, Any]:
    part = {"jsonPath": path, "stringValue": text} | ({"willContinue": True} if goes_on else {})
    return call(partialArgs=[part], willContinue=True)


def read(*chunks: Any) -> tuple[list[WireEvent], LlmError | None]:
    return decode(GeminiDecoder(), chunks)


def good(*chunks: Any) -> list[WireEvent]:
    return finished(*read(*chunks))


def calls(events: list[WireEvent]) -> list[tuple[str, Any]]:
    """(name, arguments) of the calls that became ready."""
    names = {e.index: e.name for e in events if isinstance(e, ToolCallStarted)}
    ready = [e.index for e in events if isinstance(e, ToolCallReady)]
    raw = {e.index: e.json for e in events if isinstance(e, ToolArgsDelta)}
    return [(names[index], json.loads(raw[index])) for index in ready]


def test_text_thinking_and_usage_on_every_chunk() -> None:
    last = {"promptTokenCount": 3, "candidatesTokenCount": 4, "thoughtsTokenCount": 5}
    events = good(
        parts({"text": "hm", "thought": True}, usageMetadata={"promptTokenCount": 3}),
        parts({"text": "a"}, usageMetadata={"promptTokenCount": 3}),
        parts({"text": "b"}, finish="STOP", usageMetadata=last),
    )
    assert words(events, ThinkingDelta) == "hm"
    assert words(events, TextDelta) == "ab"
    assert events[-2] == UsageReported(3, 9, 0, 5, last)
    assert events[-1] == ResponseFinished(StopReason.END, "STOP")


def test_whole_calls_in_parallel_and_of_one_function() -> None:
    events = good(
        parts(call("f", args={"a": 1}), call("f", args={"a": 2}), call("now")), parts(finish="STOP")
    )
    assert calls(events) == [("f", {"a": 1}), ("f", {"a": 2}), ("now", {})]
    assert events[-1] == ResponseFinished(StopReason.TOOLS, "STOP")
    assert {e.call_id for e in events if isinstance(e, ToolCallStarted)} == {""}


def test_arguments_in_pieces() -> None:
    events = good(
        parts(call("f", "sig", willContinue=True)),
        parts(piece("$.a", "Bos")),
        parts(piece("$.a", "ton", goes_on=False)),
        parts(call(willContinue=True)),
        parts(call()),
        parts(call("g", args={}), finish="STOP"),
    )
    assert calls(events) == [("f", {"a": "Boston"}), ("g", {})]


def test_a_call_that_was_not_closed_is_not_ready() -> None:
    cut = parts(call("f", willContinue=True)), parts(piece("$.a", "Bos"))
    for chunks in ([*cut, parts(finish="MAX_TOKENS")], list(cut), [*cut, parts(call("g"))]):
        out, _ = read(*chunks)
        assert ("f", {"a": "Bos"}) not in calls(out)
        assert ToolArgsDelta(0, '{"a":"Bos"}') in out
    assert isinstance(read(*cut)[1], StreamBroken)


def test_a_continuation_without_a_call_is_skipped() -> None:
    assert calls(good(parts(call(), piece("$.a", "x")), parts(finish="STOP"))) == []


def test_any_field_may_be_missing() -> None:
    odd: list[Any] = [
        {}, {"candidates": None}, {"candidates": [None]}, {"candidates": [{}]},
        {"candidates": [{"content": None}]}, {"candidates": [{"content": {"parts": None}}]},
        {"candidates": [{"content": {"parts": [None, {}, {"text": None}, {"inlineData": {}}]}}]},
        {"candidates": [{"finishReason": 3}]}, {"usageMetadata": 3}, {"promptFeedback": None},
        {"candidates": [{"index": 1, "content": {"parts": [{"text": "other"}]}}]},
        None, [], 3,
    ]  # fmt: skip
    events = good(parts({"text": "a"}), *odd, SseEvent("", "[DONE]"), parts(finish="STOP"))
    assert words(events, TextDelta) == "a"


@pytest.mark.parametrize(
    ("raw", "stop"),
    [
        ("STOP", StopReason.END), ("MAX_TOKENS", StopReason.LENGTH), ("SAFETY", StopReason.FILTER),
        ("RECITATION", StopReason.FILTER), ("MALFORMED_FUNCTION_CALL", StopReason.MALFORMED),
        ("NEW", StopReason.OTHER),
    ],
)  # fmt: skip
def test_finish_reasons(raw: str, stop: StopReason) -> None:
    assert good(parts({"text": "a"}, finish=raw))[-1] == ResponseFinished(stop, raw)


def test_the_last_finish_reason_counts() -> None:
    events = good(parts({"text": "a"}, finish="STOP"), {"candidates": [{"finishReason": "SAFETY"}]})
    assert events[-1] == ResponseFinished(StopReason.FILTER, "SAFETY")


def test_a_blocked_prompt_is_reported_as_filtered_without_a_finish_reason() -> None:
    decoder = GeminiDecoder()
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}}
    out = [*decoder.feed(SseEvent("", json.dumps(blocked))), *decoder.end()]
    assert out == [ResponseFinished(StopReason.FILTER, "SAFETY")]
    assert decoder.finish_reason is None
    rated = {"promptFeedback": {"safetyRatings": []}, "candidates": [{"content": {}}]}
    assert isinstance(read(rated)[1], StreamBroken)


def test_errors_and_early_ends() -> None:
    error = {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}
    for last in ({"error": error}, SseEvent("error", json.dumps(error))):
        out, failed = read(parts({"text": "a"}), last)
        assert words(out, TextDelta) == "a"
        assert isinstance(failed, ReplyError)
        assert failed.raw == error
        assert failed.status == 503
    assert isinstance(read(parts({"text": "a"}))[1], StreamBroken)
    assert isinstance(read(parts({"text": "a"}), SseEvent("", "{"))[1], StreamBroken)


def test_a_reply_that_is_not_streamed() -> None:
    reply = parts({"text": "a"}, finish="STOP")
    for body in (reply, [parts({"text": "a"}), parts(finish="STOP")]):
        decoder = GeminiDecoder()
        assert words([*decoder.read_body(body), *decoder.end()], TextDelta) == "a"
    for error in ({"error": {"message": "no"}}, [{"error": {"message": "no"}}]):
        with pytest.raises(ReplyError):
            list(GeminiDecoder().read_body(error))
    for other in ({}, [], 3, {"choices": []}, [[]]):
        with pytest.raises(BadReply):
            list(GeminiDecoder().read_body(other))


# What is sent back


def echoed(*chunks: Any) -> list[dict[str, Any]]:
    """The model's parts in the next request, after a reply of `chunks` that is stored as the turn
    does.
    """
    kept: list[Any] = []
    for event in good(*chunks):
        match event:
            case TextDelta(text=text):
                last = kept.pop().text if kept and isinstance(kept[-1], TextPart) else ""
                kept.append(TextPart(last + text))
            case ThinkingDelta(text=text, opaque=opaque):
                last = kept.pop().text if kept and isinstance(kept[-1], ThinkingPart) else ""
                kept.append(ThinkingPart(last + text, opaque))
            case ToolCallStarted(index=index, call_id=call_id, name=name, opaque=opaque):
                kept.append(CallPart(call_id or f"c{index}", name, {}, opaque))
            case _:
                pass
    results = [
        ResultPart(p.call_id, p.name, "ok", ok=True) for p in kept if isinstance(p, CallPart)
    ]
    turns: list[ModelMessage] = [
        UserTurn((TextPart("hi"),)),
        AssistantTurn(tuple(kept)),
        ToolResults(tuple(results)),
    ]
    request = build_request(ModelOptions("https://h", "gemini-3-pro"), ModelRequest("", turns))
    contents: Any = json.loads(json.dumps(request.body))["contents"]
    ids = [part["functionResponse"].get("id") for part in contents[2]["parts"]] if results else []
    assert ids == [
        part["functionCall"].get("id") for part in contents[1]["parts"] if "functionCall" in part
    ]
    return list(contents[1]["parts"])


def test_a_signature_is_sent_back_on_its_call() -> None:
    assert echoed(parts(call("f", "sig"), call("f", id="9")), parts(finish="STOP")) == [
        {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "sig"},
        {"functionCall": {"name": "f", "args": {}, "id": "9"}},
    ]


def test_a_signature_is_sent_back_on_an_empty_text() -> None:
    empty = {"text": "", "thoughtSignature": "sig"}
    assert echoed(parts({"text": "a"}), parts(empty, finish="STOP")) == [{"text": "a"}, empty]


def test_a_signature_is_sent_back_on_its_text() -> None:
    signed = {"text": "b", "thoughtSignature": "sig"}
    assert echoed(parts({"text": "a"}), parts(signed), parts({"text": "c"}, finish="STOP")) == [
        {"text": "a"},
        signed,
        {"text": "c"},
    ]
    assert echoed(parts(signed, finish="STOP")) == [signed]


def test_a_signature_is_sent_back_on_its_thought() -> None:
    thought = {"text": "hm", "thought": True, "thoughtSignature": "sig"}
    assert echoed(parts(thought), parts({"text": "a"}, finish="STOP")) == [thought, {"text": "a"}]
    plain = {"text": "hm", "thought": True}
    assert echoed(parts(plain), parts({"text": "a"}, finish="STOP")) == [{"text": "a"}]
