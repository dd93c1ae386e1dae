"""Arguments are read strictly: an object, or a reason that the model can act on. A few mistakes are
repaired if nothing is lost or guessed.
"""

from __future__ import annotations

import pytest

from neodeskpet.core.call_arguments import (
    MOST_ARGUMENT_CHARACTERS,
    Repair,
    parse_arguments,
    repair_arguments,
)
from neodeskpet.core.errors import InvalidArguments


@pytest.mark.parametrize("raw", ["", " ", "\n", "{}", " {} "])
def test_no_arguments(raw: str) -> None:
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
def test_other_values_are_refused_with_the_received_text(raw: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        parse_arguments(raw)
    assert raw[:100] in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_arguments_that_nest_too_deep_are_refused_with_the_reason() -> None:
    for depth in (65, 960, 972, 100_000):
        with pytest.raises(InvalidArguments, match="nested more than 64 levels"):
            parse_arguments('{"text":' + "[" * (depth - 1) + "]" * (depth - 1) + "}")
    assert parse_arguments('{"text":' + "[" * 63 + "]" * 63 + "}")


@pytest.mark.parametrize(
    ("raw", "value", "repair"),
    [
        ('{"x": 1}', {"x": 1}, Repair.NONE),
        ('{}{"x": 1}', {"x": 1}, Repair.EMPTY_FIRST),
        (' { }\n{"x": 1} ', {"x": 1}, Repair.EMPTY_FIRST),
        ('```json\n{"x": 1}\n```', {"x": 1}, Repair.FENCED),
        ('```\n{"x": "```"}\n```\n', {"x": "```"}, Repair.FENCED),
        ('"{\\"x\\": 1}"', {"x": 1}, Repair.ENCODED_TWICE),
        ('{"x": "a\nb\tc"}', {"x": "a\nb\tc"}, Repair.RAW_NEWLINES),
    ],
)
def test_unambiguous_mistakes_are_repaired(raw: str, value: object, repair: Repair) -> None:
    assert repair_arguments(raw) == (value, repair)


@pytest.mark.parametrize(
    "raw",
    [
        '{"x": 1}{"x": 2}',
        '{"x": 1}{}',
        '{}{"x": 1',
        "```json\n[1]\n```",
        "```json\n\n```",
        '"x"',
        '""',
        '"[1]"',
        '["a\nb"]',
        '{"x": NaN, "y": "a\nb"}',
        '{"x": "a\nb',
        '{"x": ' + "[" * 70 + "]" * 70 + "}",
    ],
    ids=lambda raw: raw[:16],
)
def test_no_other_mistakes_are_repaired(raw: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        repair_arguments(raw)
    assert raw[:60] in str(caught.value)


def test_lone_surrogates_are_replaced() -> None:
    assert parse_arguments('{"x": "\\ud83d"}') == {"x": "\ufffd"}
    assert repair_arguments('{"x": "\\ud83d\n"}')[0] == {"x": "\ufffd\n"}


def test_too_long_arguments_are_refused_without_reading() -> None:
    whole = '{"text": "' + "x" * (MOST_ARGUMENT_CHARACTERS - 12) + '"}'
    assert len(whole) == MOST_ARGUMENT_CHARACTERS
    assert repair_arguments(whole)[0]["text"] == "x" * (MOST_ARGUMENT_CHARACTERS - 12)
    for longer in (f" {whole}", f"```json\n{whole}\n```", "[" * (MOST_ARGUMENT_CHARACTERS + 1)):
        with pytest.raises(InvalidArguments, match="longer than 2,000,000 characters") as caught:
            repair_arguments(longer)
        assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize("joint", ["", " ", "\n"])
def test_arguments_that_were_sent_twice_are_read_once(joint: str) -> None:
    text = '{"minutes": 7, "label": "tea"}'
    assert repair_arguments(text + joint + text) == (
        {"minutes": 7, "label": "tea"},
        Repair.REPEATED,
    )


@pytest.mark.parametrize("raw", ['{"a": 1}{"a": 2}', "77", '{"a": 1}{"a": 1}{"a": 1}', "[][]"])
def test_other_texts_are_not_taken_for_arguments_that_were_sent_twice(raw: str) -> None:
    with pytest.raises(InvalidArguments):
        repair_arguments(raw)
