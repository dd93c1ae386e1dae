"""Calls that leak into the text are read correctly, whole and at every split.

The cases are beside the project (`../shared/wire/leaked`, from the tests of public inference
servers); a plain clone doesn't have them. Differences are listed in OTHERWISE, with the reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from neodeskpet.cli.decode_command import decode
from neodeskpet.core.dialects import NATIVE
from neodeskpet.core.dialects.leaked import LeakReader
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.untrusted import escape_markers, mark_untrusted
from neodeskpet.core.wire import ResponseFinished, StopReason, TextDelta, WireEvent
from tests.support.sseserver import done, finish, text
from tests.unit.core.dialects.leaked.leaking import Heard, hear
from tests.unit.core.dialects.splitting import cut_everywhere

FILE = Path(__file__).resolve().parents[3] / "shared" / "wire" / "leaked" / "cases.json"
CASES: list[dict[str, Any]] = json.loads(FILE.read_text("utf-8")) if FILE.exists() else []

OTHERWISE = {
    "minimax_m2-02": "no tool is on offer",
    "command_r-06": "cut in the middle: an unfinished call is never run",
}

pytestmark = pytest.mark.skipif(not CASES, reason="no cases beside the project")


def tools_of(case: dict[str, Any]) -> list[ToolSpec]:
    return [ToolSpec(tool["name"], "", tool["parameters"]) for tool in case["tools"]]


def bare(words: str) -> str:
    """Without white space and the tags of thinking, which the cases leave in the text."""
    return "".join(re.sub(r"</?(?:seed:)?think>|\[/?THINK\]", "", words).split())


def words_of(case: dict[str, Any]) -> str:
    expected = case["expected"]
    between = "".join(expected.get("text_between", []))
    return bare(expected["text_before"] + between + expected["text_after"])


def calls_of(case: dict[str, Any]) -> list[tuple[str, object]]:
    return [(call["name"], call["arguments"]) for call in case["expected"]["calls"]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_case_is_read_correctly(case: dict[str, Any]) -> None:
    decoded = decode("openai", text(case["text"]) + finish() + done(), tools=tools_of(case))
    told: Any = decoded["tool_calls"]
    assert all(call["leaked"] is True for call in told)
    as_expected = [(call["name"], call["arguments"]) for call in told] == calls_of(case)
    assert as_expected is (case["id"] not in OTHERWISE)
    if as_expected and (told or case["family"] == "negative"):
        shown = str(decoded["thinking"]) + str(decoded["text"])
        assert words_of(case) in (bare(shown), bare(str(decoded["text"])))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_case_is_read_the_same_at_every_split(case: dict[str, Any]) -> None:
    tools = tools_of(case)
    whole, *others = ([*pieces] for pieces in cut_everywhere(case["text"]))
    expected = heard(whole, tools)
    for pieces in others:
        assert heard(pieces, tools) == expected, pieces


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_call_in_a_page_is_no_call_even_if_a_model_repeats_it(case: dict[str, Any]) -> None:
    page = escape_markers(case["text"])
    assert heard([page], tools_of(case), [mark_untrusted(page, "web.fetch")]).calls == []


def heard(pieces: Iterable[str], tools: Sequence[ToolSpec], sent: Sequence[str] = ()) -> Heard:
    reader = LeakReader(NATIVE.reader(), tools, sent)
    events: list[WireEvent] = []
    for piece in pieces:
        events += reader.read(TextDelta(0, piece))
    return hear([*events, *list(reader.read(ResponseFinished(StopReason.END)))[:-1]])
