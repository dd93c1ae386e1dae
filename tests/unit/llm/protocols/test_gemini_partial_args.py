from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.core.call_arguments import parse_arguments
from neodeskpet.core.errors import InvalidArguments
from neodeskpet.llm.protocols.gemini_partial_args import PartialArgs, path_steps


def built(*parts: dict[str, Any]) -> dict[str, Any]:
    args = PartialArgs()
    for part in parts:
        args.take(part)
    return args.value()


def string(path: str, text: str, goes_on: bool = False) -> dict[str, Any]:
    return {"jsonPath": path, "stringValue": text} | ({"willContinue": True} if goes_on else {})


@pytest.mark.parametrize(
    ("path", "read"),
    [
        ("$.a", ("a",)),
        ("$.recipe.items[10].name", ("recipe", "items", 10, "name")),
        ("$['a b']['it\\'s'][\"c\"]", ("a b", "it's", "c")),
        ("a.b", ("a", "b")),
        ("$.你好[0][1]", ("你好", 0, 1)),
        ("$", ()),
        ("$..a", ()),
        ("$.a[*]", ()),
        (None, ()),
    ],
)
def test_paths(path: object, read: tuple[str | int, ...]) -> None:
    assert path_steps(path) == read


def test_a_string_comes_in_pieces() -> None:
    assert built(
        string("$.a", "San ", True), string("$.a", "Francisco", True), string("$.a", "")
    ) == {"a": "San Francisco"}


def test_objects_and_lists_are_created_as_needed() -> None:
    assert built(
        string("$.r.i[0].n", "x", True),
        string("$.r.i[0].n", ""),
        string("$.r.i[1].n", "y"),
        string("$.r.s[0]", "z"),
        {"jsonPath": "$.r.k", "numberValue": 2.0},
        {"jsonPath": "$.r.m", "numberValue": 2.5},
        {"jsonPath": "$.r.b", "boolValue": False},
        {"jsonPath": "$.r.e", "nullValue": "NULL_VALUE"},
    ) == {"r": {"i": [{"n": "x"}, {"n": "y"}], "s": ["z"], "k": 2, "m": 2.5, "b": False, "e": None}}


def test_an_incomplete_string_keeps_its_received_part() -> None:
    assert built(string("$.a", "half", True)) == {"a": "half"}
    assert built(string("$.a", "one", True), string("$.b", "two")) == {"a": "one", "b": "two"}


def test_invalid_parts_are_skipped() -> None:
    odd: list[dict[str, Any]] = [
        {}, {"jsonPath": "$.x"}, {"jsonPath": 3, "stringValue": "x"}, string("$[0]", "x"),
        string("$.a.b", "x"), string("$.a[0]", "x"), string("$.l.b", "x"),
        string("$.l[999999999]", "x"), string("$.l[999999999].a", "x"),
    ]  # fmt: skip
    assert built(string("$.a", "kept"), string("$.l[0]", "kept"), *odd) == {
        "a": "kept",
        "l": ["kept"],
    }


def test_many_pieces_of_one_string() -> None:
    pieces = [string("$.a", "x", True)] * 51_000
    assert built(*pieces, string("$.a", ""))["a"] == "x" * 51_000


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(st.text("ab'] ", min_size=1, max_size=3), inner, min_size=1, max_size=3)
    ),
    max_leaves=10,
)


def _parts(value: Any, path: str) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        quoted = [(json.dumps(k, ensure_ascii=False), v) for k, v in value.items()]
        return [part for key, inner in quoted for part in _parts(inner, f"{path}[{key}]")]
    if isinstance(value, list):
        return [p for i, inner in enumerate(value) for p in _parts(inner, f"{path}[{i}]")]
    if isinstance(value, str):
        half = len(value) // 2
        return [string(path, value[:half], True), string(path, value[half:])]
    key = (
        "nullValue" if value is None else "boolValue" if isinstance(value, bool) else "numberValue"
    )
    return [{"jsonPath": path, key: value}]


@settings(deadline=None)
@given(st.dictionaries(st.text("ab", min_size=1, max_size=3), VALUES, max_size=3))
def test_any_object_is_rebuilt(value: dict[str, Any]) -> None:
    assert built(*_parts(value, "$")) == value


def test_a_path_that_is_too_deep_makes_arguments_that_are_refused() -> None:
    args = PartialArgs()
    args.take({"jsonPath": "$.a" + "[0]" * 5_000, "stringValue": "x"})
    with pytest.raises(InvalidArguments, match="nested more than"):
        parse_arguments(json.dumps(args.value()))
