"""Depth is counted without recursion, and agrees with the reader."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.json_text import (
    TooDeep,
    has_more_values,
    nests_deeper,
    plain_json,
    read_json,
    read_members,
    write_pieces,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def levels(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(levels, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(levels, value), default=0)
    return 0


@given(VALUES, st.booleans())
def test_the_count_is_the_depth_of_the_value(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    deep = levels(value)
    assert not nests_deeper(text, deep)
    assert deep == 0 or nests_deeper(text, deep - 1)
    assert read_json(text, depth=deep) == value


@given(st.text('[]{}",:\\a\n', max_size=60))
def test_no_text_exceeds_the_limit(text: str) -> None:
    try:
        value = read_json(text, depth=3)
    except ValueError:
        return
    assert levels(value) <= 3


def test_comments_become_spaces() -> None:
    text = '{"//": "/*", // a\n "b": [1, /* x\n */ 2 , ], }'
    plain = plain_json(text)
    assert plain == '{"//": "/*",     \n "b": [1,     \n    2   ]  }'
    assert json.loads(plain) == {"//": "/*", "b": [1, 2]}


@pytest.mark.parametrize("text", ["[,]", "{ , }", "[1,,]", '{"a":,}', ",", "1/**/2"])
def test_a_comma_needs_a_value_before_it(text: str) -> None:
    with pytest.raises(ValueError):
        read_json(plain_json(text))


def test_the_number_of_values_is_limited() -> None:
    assert not has_more_values("[1, 2, 3]", 3)
    assert has_more_values("[1, 2, 3]", 2)
    assert not has_more_values('["a,b,c{[", 2]', 2)
    assert has_more_values('[{}, {"a": []}]', 4)


def test_brackets_in_strings_do_not_count() -> None:
    value = ["[" * 1000, {"{" * 1000: '\\"['}]
    assert read_json(json.dumps(value)) == value


def test_width_is_no_depth() -> None:
    wide = [[[]] for _ in range(10_000)]
    assert read_json(json.dumps(wide)) == wide


@pytest.mark.parametrize("opener", ["[", '{"a":', '[{"a":'])
def test_a_million_levels_are_refused(opener: str) -> None:
    with pytest.raises(TooDeep, match="nested more than 64 levels deep"):
        read_json(opener * 1_000_000)


def test_an_endless_text_is_read_once() -> None:
    with pytest.raises(ValueError, match="Unterminated"):
        read_json("[" * 60 + '"' + "\\\\[" * 1_000_000)


def test_numbers_that_are_no_json() -> None:
    read = read_json("NaN")
    assert isinstance(read, float)
    assert math.isnan(read)
    with pytest.raises(ValueError, match="NaN is not JSON"):
        read_json("NaN", strict=True)


def test_lone_surrogates_are_replaced_everywhere() -> None:
    assert read_json('{"\\ud83d": ["a\\ude00b", {"c": "\\ud83d\\ude00"}, 1, null]}') == {
        "\ufffd": ["a\ufffdb", {"c": "\U0001f600"}, 1, None]
    }
    assert read_json('["\ud83d"]') == ["\ufffd"]


@given(st.dictionaries(st.text(), VALUES, max_size=5), st.sampled_from([None, 0, 2]))
def test_members_are_read_like_the_whole(value: dict[str, object], indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    assert read_members(f" {text}\n") == read_json(text)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"a"', '{"a": 1', '{"a": [1', '{"a": [1 2]}', '{"a": 1} x', "{1: 2}", "{]"],
)
def test_other_values_have_no_members(text: str) -> None:
    with pytest.raises(ValueError):
        read_members(text)


@pytest.mark.parametrize("deep", [200, 200_000])
def test_members_must_not_be_deep(deep: int) -> None:
    with pytest.raises(TooDeep):
        read_members('{"a": [' + "[" * deep + "]" * deep + "]}")


def test_members_are_valid() -> None:
    assert read_members('{"a": ["\\ud83d"], "b": "\\ud83d\\ude00"}') == {"a": ["\ufffd"], "b": "😀"}


@given(VALUES)
def test_the_pieces_joined_are_the_whole_text(value: object) -> None:
    at_once = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert "".join(write_pieces(value)) == at_once


def test_no_piece_holds_two_long_messages() -> None:
    long = "word " * 1_000
    body = {"messages": [{"role": "user", "content": [{"text": long}, {"text": long}]}] * 3}
    assert all(piece.count(long) <= 1 for piece in write_pieces(body))
