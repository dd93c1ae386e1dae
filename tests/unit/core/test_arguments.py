"""Arguments are read strictly: an object, or a reason that the model can act on."""

from __future__ import annotations

import pytest

from neodeskpet.core.arguments import parse_arguments
from neodeskpet.core.errors import InvalidArguments


@pytest.mark.parametrize("raw", ["", " ", "\n", "{}", " {} "])
def test_none(raw: str) -> None:
    assert parse_arguments(raw) == {}


def test_an_object() -> None:
    assert parse_arguments('{"a": [1, {"b": "「"}]}') == {"a": [1, {"b": "「"}]}


@pytest.mark.parametrize(
    "raw",
    [
        "[]",
        "null",
        '"x"',
        "1",
        "{",
        '{"a":1}{"b":2}',
        "{'a': 1}",
        '{"a": NaN}',
        '{"a": Infinity}',
        '{"a": 1,}',
        "[" * 100_000,
        '{"a": ' + "9" * 5000 + "}",
    ],
    ids=lambda raw: raw[:12],
)
def test_anything_else_is_refused_with_what_was_received(raw: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        parse_arguments(raw)
    assert raw[:100] in caught.value.detail
    assert len(caught.value.detail) < 1000


def test_what_nests_too_deep_is_refused_and_the_model_told_why() -> None:
    for depth in (65, 960, 972, 100_000):
        with pytest.raises(InvalidArguments, match="nested more than 64 levels"):
            parse_arguments('{"text":' + "[" * (depth - 1) + "]" * (depth - 1) + "}")
    assert parse_arguments('{"text":' + "[" * 63 + "]" * 63 + "}")
