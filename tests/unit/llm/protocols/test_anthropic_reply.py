from __future__ import annotations

import json
from typing import Any

import pytest

from neodeskpet.core.errors import BadReply, LlmError, ReplyError, StreamBroken
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
from neodeskpet.llm.protocols.anthropic_reply import AnthropicDecoder
from neodeskpet.llm.protocols.protocol import HttpRequest, read_opaque
from neodeskpet.llm.protocols.stream.sse import SseEvent
from tests.unit.llm.protocols.decoding import decode, finished, words

START = {"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 3}}}
STOP = {"type": "message_stop"}
PING = {"type": "ping"}


def block(index: int, **content: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": content}


def delta(index: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def end(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def reason(word: str, **usage: int) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": word}, "usage": usage}


def text(index: int, *pieces: str) -> list[dict[str, Any]]:
    grown = [delta(index, "text_delta", text=piece) for piece in pieces]
    return [block(index, type="text", text=""), *grown, end(index)]


def tool(index: int, name: str, *pieces: str, given: Any = None) -> list[dict[str, Any]]:
    begun = block(index, type="tool_use", id=f"id{index}", name=name, input=given or {})
    return [begun, *(delta(index, "input_json_delta", partial_json=p) for p in pieces), end(index)]


def read(
    *events: Any, decoder: AnthropicDecoder | None = None
) -> tuple[list[WireEvent], LlmError | None]:
    return decode(decoder or AnthropicDecoder(), events)


def good(*events: Any) -> list[WireEvent]:
    return finished(*read(*events))


def calls(events: list[WireEvent]) -> list[tuple[str, str]]:
    """(name, arguments) of the calls that became ready."""
    names = {e.index: e.name for e in events if isinstance(e, ToolCallStarted)}
    ready = [e.index for e in events if isinstance(e, ToolCallReady)]
    pieces = [(e.index, e.json) for e in events if isinstance(e, ToolArgsDelta)]
    return [(names[i], "".join(piece for at, piece in pieces if at == i)) for i in ready]


def test_text_a_call_and_usage() -> None:
    events = good(
        START, PING, *text(0, "Hel", "lo"), *tool(1, "f", "", '{"a"', ":1}"),
        reason("tool_use", output_tokens=7), STOP,
    )  # fmt: skip
    assert words(events, TextDelta) == "Hello"
    assert calls(events) == [("f", '{"a":1}')]
    usage = {"input_tokens": 3, "output_tokens": 7}
    assert events[-2] == UsageReported(3, 7, raw=usage)
    assert events[-1] == ResponseFinished(StopReason.TOOLS, "tool_use")
    assert [e.call_id for e in events if isinstance(e, ToolCallStarted)] == ["id1"]


def test_a_call_is_ready_when_its_block_ends() -> None:
    out, error = read(START, *tool(0, "f", "{}"), *text(1, "then"))
    assert calls(out) == [("f", "{}")]
    assert isinstance(error, StreamBroken)
    cut, _ = read(START, *tool(0, "f", "{}")[:-1])
    assert calls(cut) == []


def test_input_may_come_at_the_start_of_its_block() -> None:
    assert calls(good(START, *tool(0, "f", "", given={"a": 1}), STOP)) == [("f", '{"a":1}')]
    assert calls(good(START, *tool(0, "f", '{"b":2}', given={"a": 1}), STOP)) == [("f", '{"b":2}')]
    assert calls(good(START, *tool(0, "f"), STOP)) == [("f", "")]


def test_content_and_the_stop_reason_may_come_at_the_start_of_the_message() -> None:
    content = [
        {"type": "text", "text": "a"},
        {"type": "tool_use", "id": "1", "name": "f", "input": {"x": 1}},
    ]
    start = {"type": "message_start", "message": {"content": content, "stop_reason": "tool_use"}}
    events = good(start, STOP)
    assert words(events, TextDelta) == "a"
    assert calls(events) == [("f", '{"x":1}')]
    assert events[-1] == ResponseFinished(StopReason.TOOLS, "tool_use")


def test_thinking_with_its_signature() -> None:
    events = good(
        START,
        block(0, type="thinking", thinking="", signature=""),
        delta(0, "thinking_delta", thinking="hm"),
        delta(0, "thinking_delta", thinking=""),
        delta(0, "signature_delta", signature="sig"),
        end(0),
        *text(1, "a"),
        STOP,
    )
    assert words(events, ThinkingDelta) == "hm"
    thinking = [event for event in events if isinstance(event, ThinkingDelta)]
    assert len({event.index for event in thinking}) == 1
    assert read_opaque(thinking[-1].opaque, "anthropic") == {"signature": "sig"}


def test_a_signature_without_text_and_redacted_thinking() -> None:
    events = good(
        START,
        block(0, type="thinking", thinking="", signature="sig"),
        end(0),
        block(1, type="redacted_thinking", data="xyz"),
        end(1),
        block(2, type="redacted_thinking", data="uvw"),
        end(2),
        STOP,
    )
    thinking = [event for event in events if isinstance(event, ThinkingDelta)]
    assert len({event.index for event in thinking}) == 3
    assert [read_opaque(event.opaque, "anthropic") for event in thinking] == [
        {"signature": "sig"},
        {"redacted": "xyz"},
        {"redacted": "uvw"},
    ]


def test_server_tools_and_unknown_blocks_are_no_calls() -> None:
    events = good(
        START,
        *text(0, "a"),
        block(1, type="server_tool_use", id="s", name="web_search", input={}),
        delta(1, "input_json_delta", partial_json='{"q":1}'),
        end(1),
        block(2, type="web_search_tool_result", content=[{"text": "x"}]),
        end(2),
        block(3, type="compaction", content=None),
        delta(3, "compaction_delta", content="so far"),
        end(3),
        block(4, type="new_thing"),
        delta(4, "new_delta", text="x"),
        delta(4, "text_delta", text="x"),
        end(4),
        *text(5, "b"),
        {"type": "new_event"},
        reason("end_turn"),
        STOP,
    )
    assert calls(events) == []
    assert words(events, TextDelta) == "ab"
    assert len({e.index for e in events if isinstance(e, TextDelta)}) == 2
    assert events[-1] == ResponseFinished(StopReason.END, "end_turn")


def test_neighbouring_text_blocks_are_one_part() -> None:
    """Citations split a sentence into blocks."""
    cited = delta(1, "citations_delta", citation={"url": "x"})
    parts = text(1, "b")
    events = good(START, *text(0, "a"), parts[0], cited, *parts[1:], STOP)
    assert {e.index for e in events if isinstance(e, TextDelta)} == {0}


def test_streams_without_names_and_with_only_names() -> None:
    named = [
        SseEvent("message_start", '{"message": {}}'),
        SseEvent(
            "content_block_delta", '{"index": 0, "delta": {"type": "text_delta", "text": "a"}}'
        ),
        SseEvent("message_stop", "{}"),
    ]
    assert words(good(*named), TextDelta) == "a"


def test_errors() -> None:
    error = {"type": "overloaded_error", "message": "Overloaded"}
    for event in (
        {"type": "error", "error": error},
        SseEvent("error", json.dumps({"type": "error", "error": error})),
        SseEvent("error", json.dumps({"error": error})),
        {"error": error},
        SseEvent("error", json.dumps(error)),
    ):
        out, failed = read(event)
        assert out == []
        assert isinstance(failed, ReplyError)
        assert failed.raw == error
        assert failed.status == 529
    out, failed = read(START, *text(0, "a"), {"type": "error", "error": error})
    assert words(out, TextDelta) == "a"
    assert isinstance(failed, ReplyError)


def test_an_end_without_its_terminator() -> None:
    for events in ([], [START], [START, *text(0, "a")]):
        assert isinstance(read(*events)[1], StreamBroken)
    whole = good(START, *text(0, "a"), reason("end_turn"))
    assert whole[-1] == ResponseFinished(StopReason.END, "end_turn")
    out, error = read(START, *text(0, "a"), SseEvent("", '{"type": "content'))
    assert words(out, TextDelta) == "a"
    assert isinstance(error, StreamBroken)


@pytest.mark.parametrize(
    ("raw", "stop"),
    [
        ("end_turn", StopReason.END), ("stop_sequence", StopReason.END),
        ("max_tokens", StopReason.LENGTH),
        ("model_context_window_exceeded", StopReason.LENGTH), ("refusal", StopReason.FILTER),
        ("pause_turn", StopReason.OTHER), ("new_reason", StopReason.OTHER),
    ],
)  # fmt: skip
def test_stop_reasons(raw: str, stop: StopReason) -> None:
    assert good(START, *text(0, "a"), reason(raw), STOP)[-1] == ResponseFinished(stop, raw)


def test_cached_input_counts_as_input() -> None:
    usage = {"input_tokens": 1, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 300}
    start = {"type": "message_start", "message": {"usage": usage}}
    events = good(start, reason("end_turn", output_tokens=4), STOP)
    report = [event for event in events if isinstance(event, UsageReported)][-1]
    assert (report.input_tokens, report.output_tokens, report.cached_tokens) == (321, 4, 20)


def test_a_second_message_start_is_ignored() -> None:
    events = good(START, *tool(0, "f", '{"a":"Spa')[:-1], START, *tool(0, "f", '{"a":1}'), STOP)
    assert calls(events) == [("f", '{"a":1}')]


def test_a_reply_that_is_not_streamed() -> None:
    body = {
        "type": "message",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "text", "text": "a"},
            {"type": "tool_use", "id": "1", "name": "f", "input": {}},
        ],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 1, "output_tokens": 2},
    }
    decoder = AnthropicDecoder()
    events = [*decoder.read_body(body), *decoder.end()]
    assert words(events, ThinkingDelta) == "hm"
    assert words(events, TextDelta) == "a"
    assert calls(events) == [("f", "")]
    assert events[-1] == ResponseFinished(StopReason.TOOLS, "tool_use")
    with pytest.raises(ReplyError):
        list(AnthropicDecoder().read_body({"type": "error", "error": {"message": "no"}}))
    for other in ({}, [], 3, {"choices": []}):
        with pytest.raises(BadReply):
            list(AnthropicDecoder().read_body(other))


def test_invalid_events_are_ignored() -> None:
    odd: list[Any] = [
        None, 3, [], {}, {"type": 3}, {"type": "content_block_start"}, end(9),
        {"type": "content_block_delta"}, {"type": "content_block_delta", "index": [], "delta": {}},
        {"type": "message_delta", "usage": None}, delta(9, "input_json_delta", partial_json="x"),
        {"type": "content_block_start", "index": {}, "content_block": {"type": "text"}},
    ]  # fmt: skip
    assert words(good(START, *odd, *text(0, "a"), SseEvent("", "[DONE]"), STOP), TextDelta) == "a"


def test_a_paused_turn_continues_with_its_content() -> None:
    decoder = AnthropicDecoder()
    first, error = read(
        START,
        block(0, type="server_tool_use", id="s", name="search", input={}),
        delta(0, "input_json_delta", partial_json='{"q":'),
        delta(0, "input_json_delta", partial_json='"x"}'),
        end(0),
        block(1, type="server_tool_use", id="t", name="search", input={}),
        delta(1, "input_json_delta", partial_json="{broken"),
        end(1),
        block(2, type="text", text="a"),
        delta(2, "text_delta", text="b"),
        delta(2, "citations_delta", citation={"url": "u"}),
        end(2),
        reason("pause_turn"),
        STOP,
        decoder=decoder,
    )
    assert error is None
    asked = {"role": "user", "content": "hi"}
    again = decoder.resume(HttpRequest("POST", "u", {}, {"messages": [asked], "model": "m"}))
    assert again is not None
    assert again.body == {
        "model": "m",
        "messages": [
            asked,
            {
                "role": "assistant",
                "content": [
                    {"type": "server_tool_use", "id": "s", "name": "search", "input": {"q": "x"}},
                    {"type": "server_tool_use", "id": "t", "name": "search", "input": {}},
                    {"type": "text", "text": "ab", "citations": [{"url": "u"}]},
                ],
            },
        ],
    }
    second, error = read(START, *text(0, "c"), reason("end_turn"), STOP, decoder=decoder)
    assert error is None
    assert decoder.resume(again) is None
    indexes = [e.index for e in [*first, *second] if isinstance(e, TextDelta)]
    assert indexes[0] == indexes[1]
    assert words([*first, *second], TextDelta) == "abc"
