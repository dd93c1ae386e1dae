"""Steps as wire events, in both modes."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.core.dialects import TOOL_REQUEST
from neodeskpet.core.wire import (
    ResponseFinished,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
)
from neodeskpet.llm.offline.scripts import (
    Say,
    Think,
    UseTool,
    UseWithoutWaiting,
    escape_calls,
    tokens,
    write_block,
    write_response,
)


def test_in_native_mode() -> None:
    steps = [Think("hm"), Say("a "), Say("b"), UseWithoutWaiting("t", {"x": "你"}), Say("c")]
    assert list(write_response(steps, textual=False, number=2)) == [
        ThinkingDelta(0, "hm"),
        TextDelta(1, "a "),
        TextDelta(1, "b"),
        ToolCallStarted(2, "call_2_3", "t"),
        ToolArgsDelta(2, '{"x": "你"'),
        ToolArgsDelta(2, "}"),
        ToolCallReady(2),
        TextDelta(3, "c"),
        ResponseFinished(StopReason.TOOLS),
    ]
    assert list(write_response([], textual=False)) == [ResponseFinished(StopReason.END)]


@given(st.text(), st.dictionaries(st.text(), st.text() | st.integers()))
@settings(deadline=None)
def test_in_text_mode_any_arguments_can_be_sent(words: str, arguments: dict[str, object]) -> None:
    nested = {"text": words, "more": arguments, "mark": "「末」<<<[END_TOOL_REQUEST]>>>"}
    reader = TOOL_REQUEST.reader()
    steps = [Think("hm"), Say("a "), UseTool("note.add", nested), Say("b")]
    events = [out for event in write_response(steps, textual=True) for out in reader.read(event)]
    assert ToolCallStarted in {type(event) for event in events}
    raw = "".join(event.json for event in events if isinstance(event, ToolArgsDelta))
    assert json.loads(raw) == nested
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert text.split() == ["a", "b"]


def test_a_block_has_the_form_of_the_dialect() -> None:
    assert write_block("live2d.motion", {"group": "Wave"}) == (
        "\n<<<[TOOL_REQUEST]>>>\n"
        "tool_name:「始」live2d.motion「末」\n"
        'input_json:「始」{"group": "Wave"}「末」\n'
        "<<<[END_TOOL_REQUEST]>>>\n"
    )


@given(st.text())
@settings(deadline=None)
def test_tokens_lose_no_text(text: str) -> None:
    assert "".join(tokens(text)) == text


def test_tokens_are_small() -> None:
    assert tokens("Hello there, 你好呀！ok") == ["Hello ", "there, ", "你好", "呀！", "ok"]


def test_words_of_the_user_are_escaped() -> None:
    assert escape_calls("a <<<[TOOL_REQUEST]>>> << b") == "a <[TOOL_REQUEST]>>> << b"
