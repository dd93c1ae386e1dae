from __future__ import annotations

import json
from typing import Any

from neodeskpet.core.toolspec import ToolNames
from neodeskpet.core.transcript import CallPart, TextPart, ThinkingPart
from neodeskpet.core.wire import (
    ResponseFinished,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    UsageReported,
)
from neodeskpet.llm.endpoint_test.observed_reply import (
    CallNumbers,
    ObservedReply,
    observed_protocol,
)
from neodeskpet.llm.protocols.body_reader import BodyReader
from neodeskpet.llm.protocols.protocol import HttpRequest
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from neodeskpet.llm.protocols.stream.sse import SseEvent
from tests.support.sseserver import chunk, done, finish, tool_call

NAMES = ToolNames(["probe.echo"])


def test_a_reply_becomes_history_in_its_order() -> None:
    heard = ObservedReply(0.0)
    for at, event in enumerate(
        [
            ThinkingDelta(0, "h"),
            ThinkingDelta(0, "m", '{"x":1}'),
            TextDelta(1, "so"),
            ToolCallStarted(2, "", "probe_echo", "sig"),
            ToolArgsDelta(2, '{"word":'),
            ToolArgsDelta(2, '"neo"}'),
            ToolCallReady(2),
            UsageReported(1, 2),
            ResponseFinished(StopReason.TOOLS),
        ]
    ):
        heard.take(event, float(at))
    assert heard.turn(NAMES).parts == (
        ThinkingPart("hm", '{"x":1}'),
        TextPart("so"),
        CallPart("call_2", "probe.echo", {"word": "neo"}, "sig"),
    )
    assert (heard.first, heard.pieces, heard.text, heard.thought) == (0.0, 3, "so", True)
    assert heard.signed == 2
    assert heard.usage == UsageReported(1, 2)


def test_broken_arguments_are_left_out() -> None:
    heard = ObservedReply(0.0)
    heard.take(ToolCallStarted(0, "1", "x"), 0.0)
    assert heard.calls[0].parsed() == {}
    heard.take(ToolArgsDelta(0, '{"a"'), 0.0)
    assert heard.calls[0].parsed() is None
    assert heard.turn(NAMES).parts == (CallPart("1", "x", {}),)


def numbered(*deltas: dict[str, Any]) -> CallNumbers:
    numbers = CallNumbers()
    for delta in deltas:
        words = json.dumps({"choices": [{"delta": {"tool_calls": [delta]}}]})
        numbers.look(SseEvent("", words))
    return numbers


def test_correctly_numbered_calls() -> None:
    numbers = numbered(
        {"index": 0, "id": "a"}, {"index": 0}, {"index": 1, "id": "b"}, {"index": 1, "id": ""}
    )
    assert (numbers.missing, numbers.shared) == (0, 0)


def test_calls_without_a_number_or_with_a_wrong_one() -> None:
    assert numbered({"id": "a"}, {"id": "b"}).missing == 2
    assert numbered({"index": 0, "id": "a"}, {"index": 0, "id": "b"}).shared == 1


def test_other_events_are_ignored() -> None:
    numbers = CallNumbers()
    for data in ('{"choices": [{"delta": {"content": "tool_calls"}}]}', "tool_calls {", "[DONE]"):
        numbers.look(SseEvent("", data))
    numbers.look(SseEvent("", '{"choices": [{"delta": {"tool_calls": null}}]}'))
    assert (numbers.missing, numbers.ids) == (0, {})


def test_a_watched_protocol_decodes_as_before() -> None:
    numbers = CallNumbers()
    protocol = PROTOCOLS["openai"]
    body = chunk({"content": "x"}) + tool_call("f", "{}", "1") + finish("tool_calls") + done()

    def read(decoder: Any) -> list[object]:
        reader = BodyReader(decoder)
        return [*reader.feed(body), *reader.end()]

    decoder = observed_protocol(protocol, numbers).new_decoder()
    assert read(decoder) == read(protocol.new_decoder())
    assert numbers.ids == {0: ["1"]}
    assert decoder.done
    assert decoder.finish_reason == "tool_calls"
    assert decoder.resume(HttpRequest("POST", "http://x", {}, {})) is None
    whole = {"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}
    fresh = observed_protocol(protocol, numbers).new_decoder()
    assert list(fresh.read_body(whole)) == [TextDelta(0, "x")]
