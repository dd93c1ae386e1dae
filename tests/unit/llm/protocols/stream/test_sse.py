from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.llm.protocols.stream.sse import SseDecoder, SseEvent


def events(*chunks: bytes) -> list[SseEvent]:
    decoder = SseDecoder()
    out = [event for chunk in chunks for event in decoder.feed(chunk)]
    return out + decoder.end()


def data(*chunks: bytes) -> list[str]:
    return [event.data for event in events(*chunks)]


def test_line_ends_of_every_kind() -> None:
    assert data(b"data: a\n\ndata: b\r\n\r\ndata: c\r\rdata: d\r\n\n") == ["a", "b", "c", "d"]


def test_crlf_split_between_chunks_is_one_line_end() -> None:
    assert data(b"data: a\r", b"\ndata: b\r", b"\n\r", b"\ndata: c\n\n") == ["a\nb", "c"]


def test_an_event_is_returned_with_its_blank_line() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b"data: a\r\r") == [SseEvent("", "a")]
    assert decoder.feed(b"\n") == []
    assert decoder.end() == []


def test_fields() -> None:
    stream = b"event:ping\nid: 7\nretry: 10\nunknown\nother: x\ndata:no space\ndata:  two\n\n"
    assert events(stream) == [SseEvent("ping", "no space\n two")]


def test_the_event_name_is_reset_after_its_event() -> None:
    assert events(b"event: error\ndata: 1\n\ndata: 2\n\n") == [
        SseEvent("error", "1"),
        SseEvent("", "2"),
    ]


def test_an_event_without_data_is_ignored() -> None:
    assert events(b"event: ping\n\n: comment\n\ndata: a\n\n") == [SseEvent("", "a")]


def test_a_field_without_a_colon_is_empty() -> None:
    assert events(b"event: x\nevent\ndata\ndata\n\n") == [SseEvent("", "\n")]


def test_a_bom_is_skipped_once_at_any_split() -> None:
    stream = b"\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n"
    assert data(stream) == ["a"]
    assert data(b"\xef", b"\xbb", b"\xbf", b"data: a\n\n") == ["a"]
    assert data(b"\xef\xbb\xbfdata: only") == ["only"]


def test_the_last_event_needs_no_blank_line() -> None:
    assert data(b"data: a\n\ndata: b") == ["a", "b"]
    assert data(b"data: a\n\ndata: b\n") == ["a", "b"]


def test_a_split_inside_a_character() -> None:
    stream = "data: 你好🙂\n\n".encode()
    for place in range(len(stream)):
        assert data(stream[:place], stream[place:]) == ["你好🙂"]


def test_other_separators_are_no_line_ends() -> None:
    words = "a\u2028b\x85c\x0bd\x1ce"
    assert data(f"data: {words}\n\n".encode()) == [words]


def test_invalid_utf8_is_replaced() -> None:
    assert data(b"data: a\xffb\n\n") == ["a\ufffdb"]


LINES = st.sampled_from(
    ["data: 你", "data:b", "data", "event: e", "event", ": c", "", "", "id: 1", "junk", "🙂"]
)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@settings(deadline=None)
@given(st.lists(st.tuples(LINES, ENDS)), st.booleans(), st.lists(st.integers(0, 200), max_size=12))
def test_any_split_gives_the_same(
    lines: list[tuple[str, str]], bom: bool, places: list[int]
) -> None:
    text = ("\ufeff" if bom else "") + "".join(line + end for line, end in lines)
    stream = text.encode()
    cuts = [0, *sorted(min(place, len(stream)) for place in places), len(stream)]
    pieces = [stream[a:b] for a, b in pairwise(cuts)]
    assert events(*pieces) == events(stream)


def test_one_long_line_in_many_chunks_costs_linear_work() -> None:
    """The pieces of a line are collected and joined once."""
    decoder = SseDecoder()
    decoder.feed(b"data: ")
    for _ in range(10_000):
        assert decoder.feed(b"x" * 10) == []
    assert decoder.feed(b"\n\n") == [SseEvent("", "x" * 100_000)]
