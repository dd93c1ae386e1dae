from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
from neodeskpet.llm.protocols.openai_chat import OpenAIChatDecoder
from neodeskpet.llm.protocols.openai_request import build_request
from neodeskpet.llm.protocols.protocol import ModelOptions
from neodeskpet.llm.protocols.stream.sse import SseEvent

DONE = "[DONE]"


def chunk(delta: Any = None, finish: Any = None, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish}], **fields}


def call(
    name: Any = None, arguments: Any = None, call_id: Any = None, index: Any = 0, **extra: Any
) -> dict[str, Any]:
    entry: dict[str, Any] = {"function": {"name": name, "arguments": arguments}, **extra}
    if call_id is not None:
        entry["id"] = call_id
    if index is not None:
        entry["index"] = index
    return {"tool_calls": [entry]}


class Heard:
    """The events of a stream, and the error that ended it."""

    def __init__(self, *chunks: Any) -> None:
        self.events: list[WireEvent] = []
        self.error: LlmError | None = None
        self.decoder = OpenAIChatDecoder()
        try:
            for item in chunks:
                event = item if isinstance(item, SseEvent) else SseEvent("", _data(item))
                for wire in self.decoder.feed(event):
                    self.events.append(wire)
            for wire in self.decoder.end():
                self.events.append(wire)
        except LlmError as error:
            self.error = error

    def load_text(self, kind: type[TextDelta | ThinkingDelta | RefusalDelta]) -> str:
        return "".join(event.text for event in self.events if isinstance(event, kind))

    @property
    def text(self) -> str:
        return self.load_text(TextDelta)

    @property
    def thinking(self) -> str:
        return self.load_text(ThinkingDelta)

    @property
    def calls(self) -> list[tuple[str, str, str]]:
        """(id, name, arguments) of the calls that became ready."""
        started = {e.index: e for e in self.events if isinstance(e, ToolCallStarted)}
        pieces: dict[int, str] = dict.fromkeys(started, "")
        ready = []
        for event in self.events:
            if isinstance(event, ToolArgsDelta):
                assert event.index not in ready, "arguments after the call was closed"
                pieces[event.index] += event.json
            elif isinstance(event, ToolCallReady):
                assert event.index not in ready, "closed twice"
                ready.append(event.index)
        return [(started[i].call_id, started[i].name, pieces[i]) for i in sorted(ready)]

    @property
    def finished(self) -> ResponseFinished:
        assert self.error is None, self.error
        ends = [event for event in self.events if isinstance(event, ResponseFinished)]
        assert len(ends) == 1
        assert self.events[-1] is ends[0]
        return ends[0]

    @property
    def usage(self) -> UsageReported:
        return [event for event in self.events if isinstance(event, UsageReported)][-1]


def _data(item: Any) -> str:
    return item if isinstance(item, str) else json.dumps(item)


def test_text_finish_usage_done() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    heard = Heard(
        chunk({"role": "assistant", "content": ""}),
        chunk({"content": "Hel"}),
        chunk({"content": "lo"}),
        chunk({}, "stop"),
        {"choices": [], "usage": usage},
        DONE,
    )
    assert heard.events == [
        TextDelta(0, "Hel"),
        TextDelta(0, "lo"),
        UsageReported(3, 2, raw=usage),
        ResponseFinished(StopReason.END, "stop"),
    ]
    assert heard.decoder.done


def test_content_and_calls_in_the_same_chunk_and_in_the_finish_chunk() -> None:
    heard = Heard(
        chunk({"content": "a", **call("f", '{"x":', "1")}),
        chunk({"content": "b", **call(None, "1}")}, "tool_calls"),
        DONE,
    )
    assert heard.text == "ab"
    assert heard.calls == [("1", "f", '{"x":1}')]
    assert heard.finished == ResponseFinished(StopReason.TOOLS, "tool_calls")


@pytest.mark.parametrize("index", [0, None])
def test_calls_without_a_usable_index_are_distinguished_by_their_ids(index: int | None) -> None:
    heard = Heard(
        chunk(call("f", "", "a", index)),
        chunk(call(None, '{"x":1}', None, index)),
        chunk(call("f", '{"x"', "b", index)),
        chunk(call(None, ":2}", "", index)),
        chunk({}, "tool_calls"),
    )
    assert heard.calls == [("a", "f", '{"x":1}'), ("b", "f", '{"x":2}')]


def test_two_calls_of_one_function_without_ids_are_not_merged() -> None:
    heard = Heard(
        chunk(call("f", '{"x":1}', "", 0)),
        chunk(call("f", '{"x":2}', "", 0)),
        chunk({}, "tool_calls"),
    )
    assert heard.calls == [("", "f", '{"x":1}'), ("", "f", '{"x":2}')]
    one_chunk = {
        "tool_calls": [
            {"function": {"name": "f", "arguments": '{"x":1}'}},
            {"function": {"name": "g", "arguments": "{}"}},
        ]
    }
    assert Heard(chunk(one_chunk), DONE).calls == [("", "f", '{"x":1}'), ("", "g", "{}")]


def test_parallel_calls_may_be_interleaved() -> None:
    heard = Heard(
        chunk(call("f", '{"a"', "1", 0)),
        chunk(call("g", '{"b"', "2", 1)),
        chunk(call(None, ":1}", None, 0)),
        chunk(call(None, ":2}", None, 1)),
        chunk({}, "tool_calls"),
    )
    assert heard.calls == [("1", "f", '{"a":1}'), ("2", "g", '{"b":2}')]


def test_repeated_names_and_ids_count_once() -> None:
    for call_id in ("1", None):
        heard = Heard(
            chunk(call("f", '{"a":', "1")),
            chunk(call("f", '"x', call_id)),
            chunk(call("f", '"}', call_id)),
            chunk(call("f", "", call_id)),
            chunk({}, "tool_calls"),
        )
        assert heard.calls == [("1", "f", '{"a":"x"}')]


def test_empty_and_null_fields_in_later_deltas() -> None:
    heard = Heard(
        chunk(call("f", None, "1")),
        chunk({"tool_calls": None, "content": None}),
        chunk(call("", '{"a"', "")),
        chunk(call(None, None, None)),
        chunk(call(None, ":1}", "", type=None)),
        chunk({"tool_calls": []}, ""),
        chunk({}, "tool_calls"),
    )
    assert heard.calls == [("1", "f", '{"a":1}')]


def test_arguments_before_the_name() -> None:
    heard = Heard(
        chunk(call(None, '{"a"', "1")),
        chunk(call(None, ":1", "")),
        chunk(call("f", "}", "")),
        chunk({}, "tool_calls"),
    )
    assert heard.calls == [("1", "f", '{"a":1}')]
    late_id = Heard(chunk(call(None, '{"a"')), chunk(call("f", ":1}", "1")), DONE)
    assert late_id.calls == [("1", "f", '{"a":1}')]


def test_a_call_without_a_name_is_still_shown() -> None:
    assert Heard(chunk(call(None, "{}", "1")), DONE).calls == [("1", "", "{}")]


def test_a_continuation_under_another_index_belongs_to_the_only_open_call() -> None:
    heard = Heard(chunk(call("f", '{"a"', "1", 0)), chunk(call(None, ":1}", None, 1)), DONE)
    assert heard.calls == [("1", "f", '{"a":1}')]


def test_a_complete_call_and_done_without_a_finish_reason() -> None:
    heard = Heard(chunk(call("f", "{}", "1")), DONE)
    assert heard.calls == [("1", "f", "{}")]
    assert heard.finished == ResponseFinished(StopReason.TOOLS, None)


def test_forced_tool_choice_ends_with_stop() -> None:
    heard = Heard(chunk(call("f", "{}", "1")), chunk({}, "stop"), DONE)
    assert heard.finished == ResponseFinished(StopReason.TOOLS, "stop")


def test_a_finish_reason_without_done_is_complete() -> None:
    assert Heard(chunk({"content": "a"}, "stop")).finished.raw == "stop"


def test_a_call_that_looks_complete_but_was_not_closed_is_not_ready() -> None:
    heard = Heard(chunk(call("f", "{}", "1")))
    assert isinstance(heard.error, StreamBroken)
    assert heard.calls == []


def test_a_complete_call_is_ready_when_something_follows() -> None:
    heard = Heard(chunk(call("f", '{"a":"}"}', "1")), chunk({"content": "then"}))
    assert heard.calls == [("1", "f", '{"a":"}"}')]
    assert isinstance(heard.events[-2], ToolCallReady)
    half = Heard(chunk(call("f", '{"a":{}', "1")), chunk({"content": "then"}))
    assert half.calls == []


def test_deltas_after_the_end_of_a_call_are_ignored() -> None:
    heard = Heard(
        chunk(call("f", "{}", "1"), "tool_calls"),
        chunk(call("f", "{}", "1")),
        chunk(call(None, "", None)),
        chunk(call(None, "}", None)),
        DONE,
    )
    assert heard.calls == [("1", "f", "{}")]


def test_a_new_id_after_the_finish_is_a_new_call() -> None:
    heard = Heard(
        chunk(call("f", "{}", "1"), "tool_calls"), chunk(call("f", "{}", "2"), "tool_calls"), DONE
    )
    assert [call_id for call_id, _, _ in heard.calls] == ["1", "2"]


def test_arguments_as_an_object_and_the_old_function_call() -> None:
    assert Heard(chunk(call("f", {"a": 1}, "1")), DONE).calls == [("1", "f", '{"a":1}')]
    heard = Heard(
        chunk({"function_call": {"name": "f", "arguments": '{"a"'}}),
        chunk({"function_call": {"arguments": ":1}"}}, "function_call"),
    )
    assert heard.calls == [("", "f", '{"a":1}')]


def test_many_argument_deltas_are_appended() -> None:
    pieces = [str(number) for number in range(51_000)]
    heard = Heard(chunk(call("f", "[", "1")), *(chunk(call("f", piece)) for piece in pieces), DONE)
    assert heard.calls == [("1", "f", "[" + "".join(pieces))]


def test_text_after_a_call_is_another_part() -> None:
    heard = Heard(
        chunk({"content": "a"}), chunk(call("f", "{}", "1")), chunk({"content": "b"}), DONE
    )
    indexes = [event.index for event in heard.events if isinstance(event, TextDelta)]
    assert indexes[0] != indexes[1]


def test_content_as_a_list_of_parts() -> None:
    heard = Heard(
        chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]}),
        chunk({"content": [{"type": "text", "text": "a"}, {"type": "reference", "ids": [1]}]}),
        chunk({"content": ["b", {"type": "refusal", "refusal": "no"}, 3]}),
        DONE,
    )
    assert (heard.thinking, heard.text, heard.load_text(RefusalDelta)) == ("hm", "ab", "no")


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_under_every_name(field: str) -> None:
    heard = Heard(chunk({field: "hm"}), chunk({field: None, "content": "a"}), DONE)
    assert (heard.thinking, heard.text) == ("hm", "a")


def test_the_same_reasoning_under_several_names_counts_once() -> None:
    details = [{"type": "reasoning.text", "text": "hm", "index": 0}]
    heard = Heard(
        chunk({"reasoning": "hm", "reasoning_content": "hm", "reasoning_details": details}),
        chunk({"reasoning": "!", "reasoning_content": "!"}),
        chunk({"content": "a", "reasoning_details": details}),
        DONE,
    )
    assert heard.thinking == "hm!"


def test_think_tags_inside_content() -> None:
    heard = Heard(*(chunk({"content": c}) for c in "<think>hm</think>a < b"), DONE)
    assert (heard.thinking, heard.text) == ("hm", "a < b")
    cut = Heard(chunk({"content": "<think>hm"}), chunk({}, "length"))
    assert (cut.thinking, cut.text) == ("hm", "")
    held = Heard(chunk({"content": "a <thi"}), chunk({}, "stop"))
    assert held.text == "a <thi"


def test_refusal() -> None:
    heard = Heard(chunk({"refusal": "I "}), chunk({"refusal": "won't"}), chunk({}, "stop"))
    assert heard.load_text(RefusalDelta) == "I won't"


def test_only_the_first_choice_is_read() -> None:
    def other(delta: Any, finish: str | None = None) -> dict[str, Any]:
        return {"choices": [{"index": 1, "delta": delta, "finish_reason": finish}]}

    heard = Heard(
        chunk({"content": "a"}), other({"content": "x"}), other({}, "length"), chunk({}, "stop")
    )
    assert heard.text == "a"
    assert heard.finished.raw == "stop"
    assert isinstance(Heard(chunk({"content": "a"}), other({}, "stop")).error, StreamBroken)


def test_the_response_id_is_ignored() -> None:
    heard = Heard(chunk({"content": "a"}, id="1"), chunk({"content": "b"}, "stop", id="2"))
    assert heard.text == "ab"


@pytest.mark.parametrize(
    ("raw", "stop"),
    [
        ("length", StopReason.LENGTH),
        ("content_filter", StopReason.FILTER),
        ("stop", StopReason.END),
        ("MAX_TOKENS", StopReason.LENGTH),
        ("insufficient_system_resource", StopReason.OTHER),
        ("repetition_truncation", StopReason.OTHER),
    ],
)
def test_finish_reasons(raw: str, stop: StopReason) -> None:
    assert Heard(chunk({"content": "a"}, raw)).finished == ResponseFinished(stop, raw)


def test_the_last_usage_counts_at_any_place() -> None:
    heard = Heard(
        chunk({"content": "a"}, usage={"prompt_tokens": 1, "completion_tokens": 1}),
        chunk({"content": "b"}, usage={"prompt_tokens": 1, "completion_tokens": 2}),
        chunk({}, "stop", usage=None),
        {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 3}},
        DONE,
    )
    assert heard.usage.output_tokens == 3
    in_choice = chunk({}, "stop")
    in_choice["choices"][0]["usage"] = {"prompt_tokens": 7}
    assert Heard(in_choice).usage.input_tokens == 7
    details = {
        "prompt_tokens": 9,
        "completion_tokens": 4,
        "prompt_tokens_details": {"cached_tokens": 5},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    assert Heard(chunk({}, "stop", usage=details)).usage == UsageReported(9, 4, 5, 2, details)


def test_an_error_object_is_an_error_and_earlier_text_stays() -> None:
    error = {"message": "Token limit reached", "code": 429}
    heard = Heard(chunk({"content": "a"}, "length", error=error), DONE)
    assert heard.text == "a"
    assert isinstance(heard.error, ReplyError)
    assert heard.error.raw == error
    assert heard.error.status == 429
    assert heard.error.detail == "Token limit reached"
    assert heard.decoder.finish_reason == "length"


def test_an_error_event_with_a_failed_generation() -> None:
    body = {"error": {"message": "no such tool", "failed_generation": "<function=x>"}}
    heard = Heard(chunk({"content": "a"}), SseEvent("error", json.dumps(body)))
    assert isinstance(heard.error, ReplyError)
    assert heard.error.raw == body["error"]
    plain = Heard(SseEvent("error", "upstream died"))
    assert isinstance(plain.error, ReplyError)
    assert plain.error.detail == "upstream died"
    bare = Heard(SseEvent("error", '{"message": "bare"}'))
    assert isinstance(bare.error, ReplyError)
    assert bare.error.detail == "bare"


def test_a_finish_reason_error_is_an_error() -> None:
    assert isinstance(Heard(chunk({"content": "a"}, "error"), DONE).error, ReplyError)


def test_an_error_inside_the_choice() -> None:
    inside = chunk({}, "error")
    inside["choices"][0]["error"] = {"message": "upstream", "code": 502}
    error = Heard(inside).error
    assert isinstance(error, ReplyError)
    assert error.status == 502


def test_invalid_json_within_a_stream_fails_and_earlier_text_stays() -> None:
    heard = Heard(chunk({"content": "a"}), '{"choices": [{"del')
    assert heard.text == "a"
    assert isinstance(heard.error, StreamBroken)
    assert isinstance(Heard("Bad gateway").error, BadReply)


def test_eof_without_a_terminator_is_broken() -> None:
    assert isinstance(Heard(chunk({"content": "a"})).error, StreamBroken)
    assert isinstance(Heard().error, StreamBroken)


def test_invalid_chunks_are_skipped() -> None:
    odd: list[Any] = [
        "null", "3", "[]", " ", {}, {"choices": None}, {"choices": {}}, {"choices": [None]},
        {"choices": [{}]}, {"choices": [{"delta": "x", "finish_reason": 3}]}, {"usage": "x"},
        chunk({"content": 3, "tool_calls": "x", "refusal": [1]}), chunk({"tool_calls": [None, 4]}),
        {"prompt_filter_results": [], "choices": []},
    ]  # fmt: skip
    assert Heard(chunk({"content": "a"}), *odd, DONE).text == "a"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["choices", "delta", "content", "tool_calls", "function", "name", "arguments", "id",
             "index", "finish_reason", "usage", "error", "reasoning", "reasoning_details", "type"]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=20,
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(JSON, max_size=4))
def test_no_input_crashes_it(chunks: list[Any]) -> None:
    heard = Heard(*(json.dumps(item) for item in chunks), DONE)
    _ = heard.calls
    assert heard.error is None or isinstance(heard.error, LlmError)


@settings(deadline=None)
@given(st.data())
def test_calls_with_ids_are_never_merged(data: st.DataObject) -> None:
    """Any interleaving of calls with distinct ids and slots, split anywhere, gives
    complete calls.
    """
    count = data.draw(st.integers(1, 4))
    raw = [json.dumps({"n": number, "text": "}{" * number}) for number in range(count)]
    left = dict(enumerate(raw))
    chunks = []
    for number in range(count):
        cut = data.draw(st.integers(0, len(left[number])))
        chunks.append(chunk(call(f"f{number}", left[number][:cut], f"id{number}", number)))
        left[number] = left[number][cut:]
        other = data.draw(st.integers(0, number))
        chunks.append(chunk(call(None, left[other], None, other)))
        left[other] = ""
    chunks += [chunk(call(None, left[number], "", number)) for number in range(count)]
    heard = Heard(*chunks, chunk({}, "tool_calls"))
    assert heard.calls == [(f"id{n}", f"f{n}", raw[n]) for n in range(count)]


# What is sent back


def test_reasoning_content_is_marked_to_be_sent_back() -> None:
    heard = Heard(chunk({"reasoning_content": "hm"}), chunk(call("f", "{}", "1")), DONE)
    opaque = [e.opaque for e in heard.events if isinstance(e, ThinkingDelta) and e.opaque]
    assert len(opaque) == 1
    message = _echoed(ThinkingPart("hm", opaque[0]))
    assert message["reasoning_content"] == "hm"


def test_reasoning_details_are_sent_back_completely() -> None:
    heard = Heard(
        chunk({"reasoning_details": [{"type": "reasoning.text", "text": "h", "index": 0}]}),
        chunk({"reasoning_details": [{"type": "reasoning.text", "text": "m", "index": 0}]}),
        chunk({"reasoning_details": [{"type": "reasoning.text", "signature": "s", "index": 0}]}),
        chunk({"reasoning_details": [{"type": "reasoning.encrypted", "data": "e", "index": 0}]}),
        chunk({"content": "a"}),
        DONE,
    )
    assert heard.thinking == "hm"
    opaque = [e.opaque for e in heard.events if isinstance(e, ThinkingDelta) and e.opaque]
    assert _echoed(ThinkingPart("hm", opaque[-1]))["reasoning_details"] == [
        {"type": "reasoning.text", "text": "hm", "index": 0, "signature": "s"},
        {"type": "reasoning.encrypted", "data": "e", "index": 0},
    ]


def _echoed(*thinking: ThinkingPart) -> dict[str, Any]:
    turns: list[ModelMessage] = [
        UserTurn((TextPart("hi"),)),
        AssistantTurn((*thinking, CallPart("1", "f", {}))),
        ToolResults((ResultPart("1", "f", "ok", ok=True),)),
    ]
    built = build_request(ModelOptions("https://h", "m"), ModelRequest("", turns))
    message: dict[str, Any] = json.loads(json.dumps(built.body))["messages"][1]
    return message


# A complete reply


def whole(reply: object) -> list[WireEvent]:
    decoder = OpenAIChatDecoder()
    return [*decoder.read_body(reply), *decoder.end()]


def test_a_reply_that_is_not_streamed() -> None:
    message = {
        "role": "assistant",
        "content": "<think>hm</think>a",
        "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}},
            {"id": "2", "type": "function", "function": {"name": "f", "arguments": "{}"}},
        ],
    }
    usage = {"prompt_tokens": 1, "completion_tokens": 2}
    events = whole({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})
    assert [type(event) for event in events] == [
        ThinkingDelta, TextDelta, ToolCallStarted, ToolArgsDelta, ToolCallReady, ToolCallStarted,
        ToolArgsDelta, UsageReported, ToolCallReady, ResponseFinished,
    ]  # fmt: skip


def test_a_complete_reply_that_is_an_error_or_something_else() -> None:
    for reply in (
        {"error": {"message": "bad"}},
        {"error": "bad"},
        {"object": "error", "message": "bad"},
        {"detail": "bad"},
        {"code": 1, "message": "bad"},
    ):
        with pytest.raises(ReplyError) as failed:
            whole(reply)
        assert failed.value.detail == "bad"
        assert isinstance(failed.value.raw, dict)
    for other in ({}, {"models": []}, [], 3, None):
        with pytest.raises(BadReply):
            whole(other)
