"""A list is split into its items, wherever the file is split."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.conversation.import_chats.json_streams import JsonItem, JsonItemSplitter

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet='ab"\\[]{},é \n', max_size=8),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=3), inside),
    max_leaves=8,
)


def cut(raw: bytes, step: int, **limits: int) -> list[JsonItem]:
    items = JsonItemSplitter(**{"longest": 10_000, "deepest": 50} | limits)
    found = [one for at in range(0, len(raw), step) for one in items.feed(raw[at : at + step])]
    return found + items.finish()


def read(found: list[JsonItem]) -> list[Any]:
    return [json.loads(one.data) for one in found if one.data is not None]


@given(st.lists(values, max_size=5), st.integers(1, 40), st.sampled_from([None, 1]))
def test_any_list_at_any_split(wanted: list[Any], step: int, indent: int | None) -> None:
    raw = b"\xef\xbb\xbf " + json.dumps(wanted, ensure_ascii=False, indent=indent).encode()
    if step < 4:
        raw = raw[4:]  # The byte order mark comes whole, as files are read.
    assert read(cut(raw, step)) == wanted


@given(st.dictionaries(st.text(max_size=3), values, min_size=1), st.integers(1, 40))
def test_a_file_without_a_list_is_one_item(wanted: dict[str, Any], step: int) -> None:
    assert read(cut(json.dumps(wanted).encode(), step)) == [wanted]


@pytest.mark.parametrize("step", [1, 3, 1000])
def test_an_item_that_is_too_long_or_too_deep_does_not_affect_the_others(step: int) -> None:
    long, deep = '"' + "x" * 500 + '"', "[" * 60 + "]" * 60
    found = cut(f'[1, {long}, {deep}, {{"a": "]"}}]'.encode(), step, longest=200)
    assert [one.data for one in found] == [b"1", None, None, b'{"a": "]"}']
    assert found[1].size == 503


def test_an_incomplete_list_is_reported() -> None:
    assert [one.data for one in cut(b'[{"a": 1}, {"b": "tor', 4)] == [b'{"a": 1}', b'{"b": "tor']
    assert cut(b"", 1) == cut(b"  \n", 1) == cut(b"[]", 1) == []
    assert cut(b"[1] and more, [2]", 5) == [JsonItem(b"1", 1)]
