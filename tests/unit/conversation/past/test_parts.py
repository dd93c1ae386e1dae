"""Blocks as rows: what is too long is cut, and nothing in them closes what is around them."""

from __future__ import annotations

import json

from neodeskpet.conversation.past.parts import (
    LONGEST,
    called,
    code,
    document,
    give,
    picture,
    said,
    thought,
)
from neodeskpet.core.blocks import KINDS, Block
from neodeskpet.memory.rows import decode_block


def block(row: dict[str, object]) -> Block:
    kind = str(row["kind"])
    fields = {name: value for name, value in row.items() if name not in ("kind", "pointer")}
    body = str(fields.pop(KINDS[kind].grows, "")) if KINDS[kind].grows else ""
    return decode_block(0, kind, json.dumps(fields), body)


def test_each_is_a_block_of_its_kind() -> None:
    call = called("web.run", {"q": 1}, "id")
    give(call, "found")
    rows = [*said("a"), *thought("b"), call, picture("file-x", "p.png"), document("f", "t", 3)]
    kinds = [type(block(row)).kind for row in rows]
    assert kinds == ["text", "thinking", "tool_use", "image", "document"]


def test_nothing_of_nothing() -> None:
    assert said(" \n") == thought("") == code("  ") == []


def test_too_long_is_cut() -> None:
    assert len(said("x" * (LONGEST + 5))[0]["text"]) == LONGEST + 2
    call = called("t", {"x": "y" * 300_000})
    assert len(call["raw_arguments"]) < 110_000 and json.loads(call["raw_arguments"])
    give(call, "z" * 300_000)
    assert len(call["output"]) < 110_000
    assert document("f", "x" * (LONGEST + 1))["cut"]


def test_fences_hold() -> None:
    assert code("a ``` b", "c++")[0]["text"] == "````c++\na ``` b\n````"
    assert code("x", "a b\nc")[0]["text"].startswith("```\n")


def test_calls_have_names_that_can_be_sent() -> None:
    assert called("a b\n<c>", {})["name"] == "a_b_c"
    assert called("…", None)["name"] == "tool"
    assert called("x", "words")["arguments"] == {"input": "words"}
    call = called("x", {})
    give(call, "one")
    give(call, "two", error=True)
    assert (call["output"], call["error"], call["status"]) == ("one", "two", "error")
