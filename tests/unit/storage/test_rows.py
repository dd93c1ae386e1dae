from __future__ import annotations

import json

import pytest
from hypothesis import given

from neodeskpet.core.blocks import Block, Message, MessageState, Notice, Role, Text, ToolUse, Usage
from neodeskpet.storage.message_rows import (
    MESSAGE_COLUMNS,
    decode_block,
    decode_message,
    encode_block,
    encode_usage,
    from_column,
    shown_chars,
    to_column,
)
from tests.unit.memory.strategies import blocks, usages, words


@given(words)
def test_every_text_fits_a_column(text: str) -> None:
    assert from_column(to_column(text)) == text


def test_only_text_without_a_utf8_form_becomes_bytes() -> None:
    assert to_column("你好 😀") == "你好 😀"
    assert isinstance(to_column("\ud83d"), bytes)


@given(blocks(3))
def test_a_block_is_read_back_unchanged(block: Block) -> None:
    kind, fields, body = encode_block(block)
    assert decode_block(3, kind, fields, from_column(body)) == block


def test_a_call_stored_before_errors_existed_is_read_unchanged() -> None:
    call = ToolUse(0, 0, "id", "name", error="The tool failed.")
    kind, fields, body = encode_block(call)
    stored = json.loads(from_column(fields))
    del stored["fault"]
    assert decode_block(0, kind, json.dumps(stored), from_column(body)) == call


def nested(levels: int) -> object:
    value: object = "x"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("levels", [64, 200, 960])
def test_arguments_that_nest_too_deep_do_not_affect_the_rest(
    levels: int, caplog: pytest.LogCaptureFixture
) -> None:
    call = ToolUse(0, 0, "id", "name", raw_arguments="raw", arguments={"a": nested(levels)})
    kind, fields, body = encode_block(call)
    assert decode_block(0, kind, fields, from_column(body)) == ToolUse(0, 0, "id", "name", "raw")
    assert "can't be stored" in caplog.text


def test_arguments_of_the_greatest_depth_are_read_back() -> None:
    call = ToolUse(0, 0, "id", "name", raw_arguments="raw", arguments={"a": nested(63)})
    kind, fields, body = encode_block(call)
    assert decode_block(0, kind, fields, from_column(body)) == call


@pytest.mark.parametrize("levels", [100, 970, 100_000])
def test_a_block_that_an_earlier_version_stored_too_deep_is_a_notice(levels: int) -> None:
    kind, fields, body = encode_block(ToolUse(0, 0, "id", "name", arguments={"a": "deep"}))
    deep = from_column(fields).replace('"deep"', "[" * levels + "]" * levels)
    found = decode_block(0, kind, deep, from_column(body))
    assert isinstance(found, Notice)
    assert "nested" in found.detail


def test_arguments_that_are_no_json_do_not_affect_the_rest(
    caplog: pytest.LogCaptureFixture,
) -> None:
    call = ToolUse(0, 0, "id", "name", raw_arguments="raw", arguments={"a": object()})
    kind, fields, body = encode_block(call)
    assert decode_block(0, kind, fields, from_column(body)) == ToolUse(0, 0, "id", "name", "raw")
    assert "can't be stored" in caplog.text


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("hologram", "{}"),
        ("text", "not json"),
        ("text", "[]"),
        ("text", '{"round": 1, "weight": 3}'),
        ("tool_use", '{"round": 1, "status": "asleep"}'),
        ("notice", '{"round": 0, "code": "x", "actions": ["fly"]}'),
    ],
)
def test_an_unreadable_row_is_a_notice_in_its_place(kind: str, fields: str) -> None:
    block = decode_block(2, kind, fields, "")
    assert isinstance(block, Notice)
    assert (block.index, block.code, block.resolved) == (2, "store", True)
    assert kind in block.detail


def test_shown_chars_counts_visible_characters() -> None:
    assert shown_chars(Text(0, 0, "four")) == 4
    assert shown_chars(Text(0, 0, "  \n")) == 0
    assert shown_chars(Notice(0, 0, "store")) == 0


@given(usages)
def test_a_message_is_read_back_with_its_usage(usage: Usage) -> None:
    message = Message(
        "m",
        Role.ASSISTANT,
        (),
        MessageState.LIMITED,
        1.5,
        2.5,
        usage,
        rounds=3,
        model="tiny",
        paused=4.0,
    )
    values = (7, "m", "assistant", "limited", 1.5, 2.5, encode_usage(usage), 3, "tiny", 4.0, 0)
    row = dict(zip(MESSAGE_COLUMNS.split(", "), values, strict=True))
    assert decode_message(row, ()) == message
    assert encode_usage(None) is None
