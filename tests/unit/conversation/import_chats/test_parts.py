"""Imported blocks: long ones are cut, and their content can't end the markup around them."""

from __future__ import annotations

import json

from neodeskpet.conversation.import_chats.format_helpers import (
    MAX_TEXT,
    add_call_result,
    call_rows,
    code_rows,
    document_rows,
    picture_rows,
    text_rows,
    thinking_rows,
)
from neodeskpet.core.blocks import BLOCK_KINDS, Block
from neodeskpet.storage.message_rows import decode_block


def block(row: dict[str, object]) -> Block:
    kind = str(row["kind"])
    fields = {name: value for name, value in row.items() if name not in ("kind", "pointer")}
    body = str(fields.pop(BLOCK_KINDS[kind].grows, "")) if BLOCK_KINDS[kind].grows else ""
    return decode_block(0, kind, json.dumps(fields), body)


def test_each_kind_of_block() -> None:
    call = call_rows("web.run", {"q": 1}, "id")
    add_call_result(call, "found")
    rows = [
        *text_rows("a"),
        *thinking_rows("b"),
        call,
        picture_rows("file-x", "p.png"),
        document_rows("f", "t", 3),
    ]
    kinds = [type(block(row)).kind for row in rows]
    assert kinds == ["text", "thinking", "tool_use", "image", "document"]


def test_empty_blocks_are_left_out() -> None:
    assert text_rows(" \n") == thinking_rows("") == code_rows("  ") == []


def test_long_content_is_cut() -> None:
    assert len(text_rows("x" * (MAX_TEXT + 5))[0]["text"]) == MAX_TEXT + 2
    call = call_rows("t", {"x": "y" * 300_000})
    assert len(call["raw_arguments"]) < 110_000 and json.loads(call["raw_arguments"])
    add_call_result(call, "z" * 300_000)
    assert len(call["output"]) < 110_000
    assert document_rows("f", "x" * (MAX_TEXT + 1))["cut"]


def test_content_can_not_end_its_fence() -> None:
    assert code_rows("a ``` b", "c++")[0]["text"] == "````c++\na ``` b\n````"
    assert code_rows("x", "a b\nc")[0]["text"].startswith("```\n")


def test_names_of_calls_are_valid_in_requests() -> None:
    assert call_rows("a b\n<c>", {})["name"] == "a_b_c"
    assert call_rows("…", None)["name"] == "tool"
    assert call_rows("x", "words")["arguments"] == {"input": "words"}
    call = call_rows("x", {})
    add_call_result(call, "one")
    add_call_result(call, "two", error=True)
    assert (call["output"], call["error"], call["status"]) == ("one", "two", "error")
