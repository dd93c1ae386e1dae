"""Replies that deviate from their protocol but can be read, whole and at every split."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from neodeskpet.cli.decode_command import decode_chunks
from neodeskpet.core.errors import BadReply
from neodeskpet.core.wire import PictureReceived, TextDelta, ThinkingDelta, WireEvent
from neodeskpet.llm.protocols.body_reader import BodyReader
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from neodeskpet.llm.protocols.reply_decoder import TERMINATOR_GRACE_SECONDS

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"a picture").decode()
WANTED = {"text": "blue pot"}
TEXT = json.dumps(WANTED)


def frames(*chunks: object, between: str = "\n\n", done: str = "") -> bytes:
    """Events without a name; a text is sent unchanged."""
    lines = [chunk if isinstance(chunk, str) else json.dumps(chunk) for chunk in chunks]
    lines += [done] if done else []
    return between.join(f"data: {line}" for line in lines).encode() + b"\n\n"


def chat(finish: object = None, index: object = 0, **delta: object) -> dict[str, Any]:
    return {"choices": [{"index": index, "delta": delta, "finish_reason": finish}]}


def tool(arguments: object = "", name: str = "", index: object = 0, call_id: str = "") -> Any:
    function = {"arguments": arguments} | ({"name": name} if name else {})
    return [{"index": index, "function": function} | ({"id": call_id} if call_id else {})]


def gem(*parts: object, finish: str = "", **fields: object) -> dict[str, Any]:
    one = {"content": {"role": "model", "parts": list(parts)}, **fields}
    return {"candidates": [one | ({"finishReason": finish} if finish else {})]}


def anthropic(*blocks: dict[str, Any], stop: str = "tool_use", start: object = None) -> bytes:
    return frames(
        {"type": "message_start", "message": {"content": [], "stop_reason": start}},
        *blocks,
        {"type": "message_delta", "delta": {"stop_reason": stop}},
        {"type": "message_stop"},
    )


def block(kind: str, index: int, **fields: object) -> dict[str, Any]:
    return {"type": f"content_block_{kind}", "index": index, **fields}


def use(given: object = None, *deltas: object) -> list[dict[str, Any]]:
    inner = {"type": "tool_use", "id": "t", "name": "note_add", "input": given or {}}
    pieces = [{"type": "input_json_delta", "partial_json": delta} for delta in deltas]
    grown = [block("delta", 0, delta=piece) for piece in pieces]
    return [block("start", 0, content_block=inner), *grown, block("stop", 0)]


def responses(*items: dict[str, Any], events: tuple[dict[str, Any], ...] = ()) -> bytes:
    done = [
        {"type": "response.output_item.done", "output_index": n, "item": item}
        for n, item in enumerate(items)
    ]
    end = {"type": "response.completed", "response": {"status": "completed", "output": []}}
    return frames(*events, *done, end)


def called(arguments: object) -> dict[str, Any]:
    return {"type": "function_call", "id": "f", "call_id": "c", "name": "note_add"} | {
        "arguments": arguments
    }


def gemini_call(args: object = None, name: str = "note_add", **fields: object) -> dict[str, Any]:
    given = {"args": args} if args is not None else {}
    return {"functionCall": ({"name": name} if name else {}) | given | fields}


CALL = [{"name": "note_add", "arguments": WANTED}]

CALLS: dict[str, tuple[str, bytes]] = {
    "openai: an object": (
        "openai",
        frames(chat(tool_calls=tool(WANTED, "note_add")), done="[DONE]"),
    ),
    "openai: told twice": (
        "openai",
        frames(
            chat(tool_calls=tool("", "note_add", call_id="a")),
            chat(tool_calls=tool(TEXT)),
            chat(tool_calls=tool(TEXT)),
            chat("tool_calls"),
            done="[DONE]",
        ),
    ),
    "openai: a finish reason with every piece": (
        "openai",
        frames(
            chat("tool_calls", tool_calls=tool("", "note_add", call_id="a")),
            *[chat("tool_calls", tool_calls=tool(piece)) for piece in (TEXT[:9], TEXT[9:])],
            done="[DONE]",
        ),
    ),
    "openai: a finish reason between the pieces": (
        "openai",
        frames(
            chat(tool_calls=tool("", "note_add", call_id="a")),
            chat("tool_calls"),
            chat(tool_calls=tool(TEXT)),
            chat("tool_calls"),
            done="[DONE]",
        ),
    ),
    "openai: the index is 0.0": (
        "openai",
        frames(
            chat(tool_calls=tool("", "note_add", 0.0, "a")),
            chat(tool_calls=tool(TEXT, index=0.0)),
            chat("tool_calls"),
            done="[done]",
        ),
    ),
    "openai: wrapped, not streamed": (
        "openai",
        json.dumps(
            {
                "data": {"choices": [{"message": {"tool_calls": tool(TEXT, "note_add")}}]},
                "success": True,
            }
        ).encode(),
    ),
    "anthropic: an object as delta": ("anthropic", anthropic(*use(None, WANTED))),
    "anthropic: text at the start": ("anthropic", anthropic(*use(TEXT))),
    "anthropic: an object at the start": ("anthropic", anthropic(*use(WANTED, ""))),
    "anthropic: a stop reason at the start": (
        "anthropic",
        anthropic(*use(None, TEXT), start="end_turn"),
    ),
    "anthropic: wrapped, not streamed": (
        "anthropic",
        json.dumps(
            {
                "data": {
                    "type": "message",
                    "stop_reason": "tool_use",
                    "content": [{"type": "tool_use", "id": "t", "name": "note_add", "input": TEXT}],
                }
            }
        ).encode(),
    ),
    "gemini: text": ("gemini", frames(gem(gemini_call(TEXT), finish="STOP"))),
    "gemini: text in two pieces": (
        "gemini",
        frames(gem(gemini_call(TEXT[:9])), gem(gemini_call(TEXT[9:], name="")), gem(finish="STOP")),
    ),
    "gemini: a piece without a name": (
        "gemini",
        frames(gem(gemini_call({})), gem(gemini_call(WANTED, name="")), gem(finish="STOP")),
    ),
    "gemini: snake case": (
        "gemini",
        frames(
            {
                "candidates": [
                    {
                        "content": {
                            "parts": [{"function_call": {"name": "note_add", "args": WANTED}}]
                        },
                        "finish_reason": "STOP",
                    }
                ],
                "usage_metadata": {"prompt_token_count": 1},
            }
        ),
    ),
    "gemini: wrapped": ("gemini", frames({"response": gem(gemini_call(WANTED), finish="STOP")})),
    "gemini: wrapped, not streamed": (
        "gemini",
        json.dumps({"response": gem(gemini_call(WANTED), finish="STOP")}).encode(),
    ),
    "gemini: the only candidate has number 1": (
        "gemini",
        frames(gem(gemini_call(WANTED), finish="STOP", index=1)),
    ),
    "gemini: a finish reason that is none": (
        "gemini",
        frames(
            gem(gemini_call({}), finish="FINISH_REASON_UNSPECIFIED"),
            gem(gemini_call(WANTED, name="")),
            gem(finish="STOP"),
        ),
    ),
    "responses: an object": ("openai-responses", responses(called(WANTED))),
    "responses: an object in the event of the arguments": (
        "openai-responses",
        responses(
            events=(
                {"type": "response.output_item.added", "output_index": 0, "item": called("")},
                {
                    "type": "response.function_call_arguments.done",
                    "item_id": "f",
                    "arguments": WANTED,
                },
            )
        ),
    ),
    "responses: an object as delta": (
        "openai-responses",
        responses(
            events=(
                {"type": "response.output_item.added", "output_index": 0, "item": called({})},
                {"type": "response.function_call_arguments.delta", "item_id": "f", "delta": WANTED},
            )
        ),
    ),
    "responses: an object when it is added": (
        "openai-responses",
        responses(
            events=(
                {"type": "response.output_item.added", "output_index": 0, "item": called(WANTED)},
            )
        ),
    ),
    "responses: empty first": (
        "openai-responses",
        responses(
            called(WANTED),
            events=(
                {"type": "response.output_item.added", "output_index": 0, "item": called("{}")},
            ),
        ),
    ),
}

TEXTS: dict[str, tuple[str, bytes, str, str]] = {
    "the word null": (
        "openai",
        frames(
            chat("null", content="Hel"), chat("null", content="lo"), chat("stop"), done="[DONE]"
        ),
        "Hello",
        "",
    ),
    "a finish reason with every piece": (
        "openai",
        frames(
            *[chat("stop", content=word) for word in ("One.", " Two.", " Three.")], done="[DONE]"
        ),
        "One. Two. Three.",
        "",
    ),
    "single line ends": (
        "openai",
        frames(chat(content="Hi"), chat(content=" you"), chat("stop"), between="\n", done="[DONE]"),
        "Hi you",
        "",
    ),
    "single CR LF": (
        "openai",
        frames(
            chat(content="Hi"), chat(content=" you"), chat("stop"), between="\r\n", done="[DONE]"
        ),
        "Hi you",
        "",
    ),
    "single line ends and names": (
        "anthropic",
        b'event: message_start\ndata: {"type":"message_start","message":{}}\n'
        b"event: content_block_delta\n"
        b'data: {"index":0,"delta":{"type":"text_delta","text":"Hi"}}\nevent: message_delta\n'
        b'data: {"delta":{"stop_reason":"end_turn"}}\nevent: message_stop\ndata: {}\n',
        "Hi",
        "",
    ),
    "an event in several lines": (
        "openai",
        b'data: {"choices":[\ndata: {"delta":{"content":"Hi"},'
        b'"finish_reason":"stop"}\ndata: ]}\n\n',
        "Hi",
        "",
    ),
    "raw tabs": (
        "openai",
        b'data: {"choices":[{"delta":{"content":"a\tb"},"finish_reason":"stop"}]}\n\n',
        "a\tb",
        "",
    ),
    "[done]": ("openai", frames(chat(content="Hi"), done="[done]"), "Hi", ""),
    "[Done] in lines of JSON": (
        "openai",
        f"{json.dumps(chat(content='Hi'))}\n{json.dumps(chat('stop'))}\n[Done]\n".encode(),
        "Hi",
        "",
    ),
    "U+2028 in lines of JSON": (
        "openai",
        "\n".join(
            json.dumps(c, ensure_ascii=False) for c in (chat(content="a\u2028b\x85c"), chat("stop"))
        ).encode(),
        "a\u2028b\x85c",
        "",
    ),
    "the only choice has number 1": (
        "openai",
        frames(chat(index=1, content="Hi"), chat("stop", index=1), done="[DONE]"),
        "Hi",
        "",
    ),
    "the choices have numbers as text": (
        "openai",
        frames(
            chat(index="0", content="Hi"),
            chat(index="1", content="No"),
            chat("stop"),
            done="[DONE]",
        ),
        "Hi",
        "",
    ),
    "wrapped": (
        "openai",
        frames({"data": chat(content="Hi")}, {"data": chat("stop")}, done="[DONE]"),
        "Hi",
        "",
    ),
    "content as one part": (
        "openai",
        frames(chat(content={"type": "text", "text": "Hi"}), chat("stop"), done="[DONE]"),
        "Hi",
        "",
    ),
    "reasoning as an object": (
        "openai",
        frames(
            chat(reasoning_content={"text": "I multiply"}),
            chat(reasoning_content={"text": " it."}),
            chat(reasoning_content={"signature": "c2ln"}),
            chat(content="81"),
            chat("stop"),
            done="[DONE]",
        ),
        "81",
        "I multiply it.",
    ),
    "a tag in the middle of a line, never closed": (
        "openai",
        frames(
            chat(content="a bare <think> in prose"),
            chat(content=" is text. END"),
            chat("stop"),
            done="[DONE]",
        ),
        "a bare <think> in prose is text. END",
        "",
    ),
    "a tag in the middle of a line, closed": (
        "openai",
        frames(chat(content="Sure. <think>hm</think>Yes"), chat("stop"), done="[DONE]"),
        "Sure. Yes",
        "hm",
    ),
    "a tag in quotation marks": (
        "openai",
        frames(
            chat(content='write "<think>" first and "</think>" last'), chat("stop"), done="[DONE]"
        ),
        'write "<think>" first and "</think>" last',
        "",
    ),
    "a tag at the start, never closed": (
        "openai",
        frames(chat(content="<think>hm, the"), chat("stop"), done="[DONE]"),
        "",
        "hm, the",
    ),
    "Gemini, wrapped in lists": (
        "gemini",
        json.dumps([{"response": gem({"text": "Hi"})}, {"response": gem(finish="STOP")}]).encode(),
        "Hi",
        "",
    ),
    "Gemini in snake case": (
        "gemini",
        frames(
            {
                "candidates": [
                    {
                        "content": {
                            "parts": [
                                {"text": "hm", "thought": True, "thought_signature": "s"},
                                {"text": "Hi"},
                            ]
                        },
                        "finish_reason": "STOP",
                    }
                ]
            }
        ),
        "Hi",
        "hm",
    ),
}

PICTURES: dict[str, tuple[str, bytes]] = {
    "images of a delta": (
        "openai",
        frames(
            chat(
                content="Here.",
                images=[
                    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
                ],
            ),
            chat("stop"),
            done="[DONE]",
        ),
    ),
    "images of a message": (
        "openai",
        json.dumps(
            {
                "choices": [
                    {
                        "message": {
                            "content": "Here.",
                            "images": [{"image_url": f"data:image/png;base64,{PNG}"}],
                        }
                    }
                ]
            }
        ).encode(),
    ),
    "a part of the content": (
        "openai",
        frames(
            chat(
                content=[
                    {"type": "text", "text": "Here."},
                    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
                ]
            ),
            chat("stop"),
            done="[DONE]",
        ),
    ),
    "inlineData": (
        "gemini",
        frames(
            gem({"text": "Here."}),
            gem({"inlineData": {"mimeType": "image/png", "data": PNG}}, finish="STOP"),
        ),
    ),
    "inline_data": (
        "gemini",
        frames(
            gem({"text": "Here."}),
            gem({"inline_data": {"mime_type": "image/png", "data": PNG}}, finish="STOP"),
        ),
    ),
    "image_generation_call, told twice": (
        "openai-responses",
        frames(
            {"type": "response.output_text.delta", "delta": "Here."},
            {
                "type": "response.output_item.done",
                "item": {"type": "image_generation_call", "result": PNG, "output_format": "png"},
            },
            {
                "type": "response.completed",
                "response": {
                    "status": "completed",
                    "output": [
                        {"type": "image_generation_call", "result": PNG, "output_format": "png"}
                    ],
                },
            },
        ),
    ),
}


def every_split(body: bytes) -> list[list[bytes]]:
    halves = [[body[:at], body[at:]] for at in range(1, len(body), 1 if len(body) < 900 else 7)]
    return [[body], [body[at : at + 1] for at in range(len(body))], *halves]


@pytest.mark.parametrize("name", CALLS)
def test_a_call_has_its_arguments(name: str) -> None:
    protocol, body = CALLS[name]
    for chunks in every_split(body):
        told = decode_chunks(protocol, chunks)
        assert (told["tool_calls"], told["error"]) == (CALL, None), chunks


@pytest.mark.parametrize("name", TEXTS)
def test_text_and_thinking_are_complete(name: str) -> None:
    protocol, body, text, thinking = TEXTS[name]
    for chunks in every_split(body):
        told = decode_chunks(protocol, chunks)
        assert (told["text"], told["thinking"], told["error"]) == (text, thinking, None), chunks


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_read_once(name: str) -> None:
    protocol, body = PICTURES[name]
    for chunks in every_split(body):
        told = decode_chunks(protocol, chunks)
        assert told["images"] == [{"media_type": "image/png", "bytes": 17}]
        assert (told["text"], told["error"]) == ("Here.", None)


def test_a_picture_at_another_address_is_a_link() -> None:
    url = "https://example.org/a.png"
    told = decode_chunks(
        "openai", [frames(chat(images=[{"image_url": {"url": url}}]), chat("stop"))]
    )
    assert told["text"] == f"\n\n[image]({url})\n\n"


@pytest.mark.parametrize(
    "value", ['["a"]', '"a"', "7", "{'text': 'a'}", '{"text": "a"} {"text": "b"}']
)
@pytest.mark.parametrize("protocol", ["anthropic", "gemini", "openai", "openai-responses"])
def test_arguments_that_are_no_object_are_never_replaced_by_empty_ones(
    protocol: str, value: str
) -> None:
    bodies = {
        "anthropic": anthropic(*use(None, value)),
        "gemini": frames(gem(gemini_call(value), finish="STOP")),
        "openai": frames(chat(tool_calls=tool(value, "note_add")), chat("tool_calls")),
        "openai-responses": responses(called(value)),
    }
    (call,) = decode_chunks(protocol, [bodies[protocol]])["tool_calls"]  # type: ignore[misc]
    assert call["arguments"] is None


@pytest.mark.parametrize("value", [["a"], 7, True])
@pytest.mark.parametrize("protocol", ["anthropic", "gemini", "openai", "openai-responses"])
def test_arguments_of_another_type_are_never_replaced_by_empty_ones(
    protocol: str, value: object
) -> None:
    bodies = {
        "anthropic": anthropic(*use(value)),
        "gemini": frames(gem(gemini_call(value), finish="STOP")),
        "openai": frames(chat(tool_calls=tool(value, "note_add")), chat("tool_calls")),
        "openai-responses": responses(called(value)),
    }
    (call,) = decode_chunks(protocol, [bodies[protocol]])["tool_calls"]  # type: ignore[misc]
    assert call["arguments"] is None


def test_an_incomplete_gemini_call_is_not_run() -> None:
    body = frames(gem(gemini_call({}, willContinue=True)), gem({"text": "No."}, finish="STOP"))
    reader = BodyReader(PROTOCOLS["gemini"].new_decoder())
    events = [type(event).__name__ for event in (*reader.feed(body), *reader.end())]
    assert "ToolCallStarted" in events
    assert "ToolCallReady" not in events


def test_a_gemini_piece_without_an_earlier_call_is_a_call_without_a_name() -> None:
    told = decode_chunks("gemini", [frames(gem(gemini_call(WANTED, name=""), finish="STOP"))])
    assert told["tool_calls"] == [{"name": "", "arguments": WANTED}]


def test_a_whole_gemini_call_is_ready_after_a_short_silence() -> None:
    reader = BodyReader(PROTOCOLS["gemini"].new_decoder())
    assert len(list(reader.feed(frames(gem(gemini_call(WANTED)))))) == 1
    assert reader.silence is not None
    assert [type(event).__name__ for event in reader.fall_silent()] == [
        "ToolArgsDelta",
        "ToolCallReady",
    ]
    assert reader.silence is None
    assert not reader.done


# The end of a reply


def fed(protocol: str, *bodies: bytes) -> tuple[BodyReader, list[WireEvent]]:
    reader = BodyReader(PROTOCOLS[protocol].new_decoder())
    return reader, [event for body in bodies for event in reader.feed(body)]


SOMETHING = {
    "openai": chat(content="One."),
    "anthropic": block("delta", 0, delta={"type": "text_delta", "text": "One."}),
    "gemini": gem({"text": "One."}),
}
BARE = {
    "openai": chat("stop"),
    "anthropic": {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
    "gemini": gem(finish="STOP"),
}


@pytest.mark.parametrize("protocol", SOMETHING)
def test_after_a_bare_finish_reason_the_stream_is_read_for_a_moment(protocol: str) -> None:
    reader, _ = fed(protocol, frames(SOMETHING[protocol]), frames(BARE[protocol]))
    assert (reader.silence, reader.settled) == (TERMINATOR_GRACE_SECONDS, True)
    assert list(reader.fall_silent()) == []
    assert reader.done


@pytest.mark.parametrize("protocol", SOMETHING)
def test_a_finish_reason_before_any_output_is_no_end(protocol: str) -> None:
    reader, _ = fed(protocol, frames(BARE[protocol]))
    assert reader.silence is None
    list(reader.feed(frames(SOMETHING[protocol])))
    assert (reader.silence, reader.settled) == (None, False)


@pytest.mark.parametrize("protocol", SOMETHING)
def test_text_after_a_supposed_end_reopens_the_reply(protocol: str) -> None:
    said, end = frames(SOMETHING[protocol]), frames(BARE[protocol])
    reader, _ = fed(protocol, said, end, said)
    assert (reader.silence, reader.settled) == (None, False)
    list(reader.feed(end))
    assert (reader.silence, reader.settled) == (None, False), "it was wrong once"
    assert list(reader.end()), "EOF ends it"


@pytest.mark.parametrize(
    ("protocol", "piece"),
    [
        ("openai", chat("stop", content="One.")),
        ("gemini", gem({"text": "One."}, finish="STOP")),
        (
            "anthropic",
            {
                "type": "message_start",
                "message": {
                    "content": [{"type": "text", "text": "One."}],
                    "stop_reason": "end_turn",
                },
            },
        ),
    ],
)
def test_a_finish_reason_with_content_is_no_end(protocol: str, piece: dict[str, Any]) -> None:
    reader, _ = fed(protocol, frames(piece))
    assert reader.silence is None
    assert reader.settled, "a connection error may be the end"
    list(reader.feed(frames(SOMETHING[protocol])))
    assert not reader.settled, "now it may not"


def test_a_finish_reason_after_held_text_is_bare() -> None:
    reader, events = fed("openai", frames(chat(content="`a` or <")), frames(chat("stop")))
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == "`a` or <"
    assert reader.silence == TERMINATOR_GRACE_SECONDS
    list(reader.feed(frames({"choices": [], "usage": {"prompt_tokens": 1}})))
    assert (reader.silence, reader.settled) == (TERMINATOR_GRACE_SECONDS, True)


def test_the_signature_of_anthropic_thinking_is_joined() -> None:
    thought = [
        block("start", 0, content_block={"type": "thinking", "thinking": "", "signature": ""}),
        block("delta", 0, delta={"type": "thinking_delta", "thinking": "hm"}),
        block("delta", 0, delta={"type": "signature_delta", "signature": "AAA"}),
        block("delta", 0, delta={"type": "signature_delta", "signature": "BBB"}),
        block("stop", 0),
    ]
    _, events = fed("anthropic", anthropic(*thought, stop="end_turn"))
    opaque = [e.opaque for e in events if isinstance(e, ThinkingDelta) and e.opaque]
    assert [json.loads(one) for one in opaque] == [{"anthropic": {"signature": "AAABBB"}}]


def test_pictures_keep_their_place() -> None:
    _, events = fed(*PICTURES["images of a delta"])
    assert [type(e) for e in events] == [TextDelta, PictureReceived]


@pytest.mark.parametrize(
    "text", ["data:image/png;base64,%%%", "data:text/plain,hi", "ftp://a/b", 7, {"data": "%"}]
)
def test_other_values_are_no_pictures(text: object) -> None:
    told = decode_chunks(
        "openai", [frames(chat(content="Hi", images=[{"image_url": text}]), chat("stop"))]
    )
    assert "images" not in told


@pytest.mark.parametrize("body", [b"{}", b'{"data": {}}', b'{"data": [{"choices": []}]}'])
def test_a_body_without_a_reply_is_refused(body: bytes) -> None:
    reader = BodyReader(PROTOCOLS["openai"].new_decoder())
    list(reader.feed(body))
    with pytest.raises(BadReply):
        list(reader.end())
