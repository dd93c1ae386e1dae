"""The protocol of the local channel, with any split."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.external_api.local_protocol import (
    InvalidLine,
    JsonLineReader,
    format_line,
    parse_line,
)

SAID = [{"id": 1, "do": "tools"}, {"text": "你好\n“x”", "data": None}]


@given(st.integers(1, 40))
def test_lines_are_complete_with_any_split(size: int) -> None:
    data = b"".join(map(format_line, SAID))
    reader = JsonLineReader()
    found = []
    for start in range(0, len(data), size):
        found += reader.feed(data[start : start + size])
    assert found == SAID


@pytest.mark.parametrize(
    "line",
    [b"", b"nonsense", b"[1]", b'"text"', b"\xff\xfe", b'{"x": NaN}', b'{"x": ' + b"[" * 10_000],
)
def test_an_invalid_line_is_refused(line: bytes) -> None:
    with pytest.raises(InvalidLine):
        JsonLineReader().feed(line + b"\n")


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_line_that_is_too_long_is_refused_before_its_end(end: bytes) -> None:
    with pytest.raises(InvalidLine, match="more than 100 bytes"):
        JsonLineReader(100).feed(b"x" * 101 + end)


def test_the_limit_is_that_of_each_line() -> None:
    line = format_line({"text": "x" * 80})
    assert len(JsonLineReader(100).feed(line * 50)) == 50


def test_lone_surrogates_are_accepted() -> None:
    assert parse_line(format_line({"text": "a\ud83d"}))["text"] == "a?"
