from __future__ import annotations

import json

import pytest

from neodeskpet.core.errors import BadReply, LlmError, ReplyError, StreamBroken
from neodeskpet.core.wire import ResponseFinished, TextDelta, WireEvent
from neodeskpet.llm.protocols.body_reader import HEAVY_BYTES, BodyReader
from neodeskpet.llm.protocols.openai_chat import OpenAIChatDecoder
from tests.support import sseserver as say


def read(*chunks: bytes) -> tuple[str, LlmError | None]:
    """Return the text and the error; events before the error count."""
    reader = BodyReader(OpenAIChatDecoder())
    events: list[WireEvent] = []
    try:
        for chunk in chunks:
            events.extend(reader.feed(chunk))
        events.extend(reader.end())
    except LlmError as error:
        return _text(events), error
    assert isinstance(events[-1], ResponseFinished)
    return _text(events), None


def _text(events: list[WireEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


STREAM = say.text("a") + say.text("你🙂") + say.finish() + say.done()
WHOLE = json.dumps({"choices": [{"message": {"content": "whole"}, "finish_reason": "stop"}]})


def test_a_stream_with_any_split() -> None:
    for body in (STREAM, b"\n\n" + STREAM, b"\xef\xbb\xbf" + STREAM, b": hi\n\n" + STREAM):
        assert read(body) == ("a你🙂", None)
        assert read(*(body[i : i + 1] for i in range(len(body)))) == ("a你🙂", None)


def test_a_complete_reply_instead_of_a_stream() -> None:
    for body in (
        WHOLE,
        "\n " + WHOLE + "\n",
        "\ufeff" + WHOLE,
        json.dumps(json.loads(WHOLE), indent=1),
    ):
        raw = body.encode()
        assert read(raw) == ("whole", None)
        assert read(*(raw[i : i + 1] for i in range(len(raw)))) == ("whole", None)


def test_one_object_per_line() -> None:
    lines = [line[6:] for line in (say.text("a"), say.text("b"), say.finish())]
    assert read(b"".join(line.strip() + b"\n" for line in lines)) == ("ab", None)


@pytest.mark.parametrize("levels", [250, 970, 100_000])
def test_a_body_that_nests_too_deep_is_a_broken_reply(levels: int) -> None:
    deep = b'{"choices":[' + b"[" * levels + b"]" * levels + b"]}"
    for body in (deep, b"data: " + deep + b"\n\n"):
        said, error = read(body)
        assert said == ""
        assert isinstance(error, LlmError)


@pytest.mark.parametrize(
    "body",
    [b"<!DOCTYPE html><p>no</p>", b"  <html>", b"Bad gateway", b"error: nope\n", b'{"a" b}'],
)
def test_bodies_that_are_no_reply(body: bytes) -> None:
    text, error = read(body)
    assert isinstance(error, BadReply)
    assert error.detail == body.decode().strip()
    assert text == ""


@pytest.mark.parametrize("value", ["0", "{}", '""', "[]"])
def test_a_body_larger_than_any_reply_is_refused_without_reading(value: str) -> None:
    many = b'{"choices":[],"more":[' + f"{value},".encode() * 60_000 + b"0]}"
    for body in (many, b"data: " + many + b"\n\n"):
        said, error = read(say.text("Well, ") * (body is not many) + body)
        assert type(error) is BadReply
        assert "holds more" in error.params["reason"]
        assert said == ("Well, " if body is not many else "")


def test_marks_within_a_long_text_do_not_count() -> None:
    code = "f(1, [2, {3}]);\n" * 20_000
    assert read(say.text(code) + say.finish() + say.done()) == (code, None)


def test_a_long_text_is_searched_in_slices_wherever_its_tags_are() -> None:
    words = "word " * 818 + "more"  # 4094: a tag begins within one slice and ends in the next.
    told = f"{words}<think>{words}</think>{words}"
    assert read(say.text(told) + say.finish() + say.done()) == (words * 2, None)


def test_a_slow_step_is_marked() -> None:
    reader = BodyReader(OpenAIChatDecoder())
    assert not reader.is_heavy(STREAM)
    assert reader.is_heavy(b"x" * (HEAVY_BYTES + 1))
    list(reader.feed(b"data: " + b"x" * HEAVY_BYTES))
    assert reader.is_heavy()


def test_a_long_page_is_cut() -> None:
    _, error = read(b"<html>" + b"x" * 10_000)
    assert error is not None
    assert len(error.detail) == 500
    _, error = read(*[b"plain words " for _ in range(1000)])
    assert error is not None
    assert len(error.detail) == 500


def test_an_empty_body() -> None:
    for body in (b"", b" \n\n"):
        _, error = read(body)
        assert type(error) is BadReply
        assert error.params["reason"] == "The answer is empty."


def test_an_early_end() -> None:
    for body in (b": ping\n\n", b"data", b"event: x\n", say.text("a"), WHOLE[:-9].encode()):
        _, error = read(body)
        assert type(error) is StreamBroken
    assert read(say.text("a"))[0] == "a"


def test_an_error_body() -> None:
    _, error = read(b'{"error": {"message": "no", "code": 429}}')
    assert type(error) is ReplyError
    assert error.raw == {"message": "no", "code": 429}


def test_text_after_the_terminator_is_not_read() -> None:
    reader = BodyReader(OpenAIChatDecoder())
    events = list(reader.feed(STREAM + b"data: junk\n\n"))
    assert reader.done
    assert _text(events) == "a你🙂"


def test_events_before_an_error_in_the_same_chunk_are_kept() -> None:
    assert read(say.text("a") + b"data: {junk\n\n")[0] == "a"


def test_surrogates_of_an_emoji_are_joined() -> None:
    body = (
        b'data: {"choices":[{"delta":{"content":"\\ud83d"}}]}\n\n'
        b'data: {"choices":[{"delta":{"content":"\\ude42"}}]}\n\n' + say.done()
    )
    assert read(body) == ("🙂", None)


def test_too_many_calls_end_the_reply_and_its_text_stays() -> None:
    calls = [{"index": n, "id": f"c{n}", "function": {"name": "f"}} for n in range(1000)]
    event = json.dumps({"choices": [{"delta": {"tool_calls": calls}}]}).encode()
    said, error = read(say.text("Well, ") + b"data: " + event + b"\n\n" + say.done())
    assert said == "Well, "
    assert type(error) is BadReply
    assert "holds more" in error.params["reason"]
