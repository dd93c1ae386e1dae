"""The tool_call dialect: parsing of replies, and the text for the model."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.app_windows.window_calls import ACT_TOOL
from neodeskpet.core.dialects import DIALECTS
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import (
    AssistantTurn,
    CallPart,
    ResultPart,
    TextPart,
    ThinkingPart,
    ToolResults,
    UserTurn,
)
from neodeskpet.core.wire import TextDelta, ThinkingDelta
from tests.unit.core.dialects import reading
from tests.unit.core.dialects.reading import Call, shown
from tests.unit.core.dialects.splitting import cut_everywhere, pieces_of

TOOL_CALL = DIALECTS["tool_call"]
ADD = {"window_id": "notes", "action_id": "add", "params": {"text": "milk"}}
FIND = {"window_id": "tools", "action_id": "web.search", "params": {"query": "x"}}


def read(*pieces: str) -> list[str | Call]:
    return reading.read(*pieces, dialect=TOOL_CALL)


def block(*calls: object) -> str:
    return f"<tool_call>{json.dumps({'calls': calls})}</tool_call>"


def acted(*calls: object) -> Call:
    return Call(ACT_TOOL, json.dumps({"calls": calls}), ready=True)


def test_text_around_a_block_is_shown_and_its_calls_are_read() -> None:
    assert read(f"I note it. {block(ADD, ADD)} Done.") == ["I note it. ", acted(ADD, ADD), " Done."]


@pytest.mark.parametrize(
    "body",
    [
        json.dumps(ADD),
        json.dumps([ADD]),
        json.dumps({"CALLS": [ADD]}),
        f"\n```json\n{json.dumps(ADD)}\n```\n",
    ],
)
def test_other_forms_of_the_same_call_are_read(body: str) -> None:
    assert read(f"<TOOL_CALL>{body}</Tool_Call >") == [acted(ADD)]


def test_tools_of_no_app_are_called_in_a_window_of_their_own() -> None:
    search = Call("web.search", '{"query": "x"}', ready=True)
    assert read(block(ADD, FIND, ADD)) == [acted(ADD), search, acted(ADD)]
    known = {"name": "web.search", "arguments": {"query": "x"}}
    assert read(f"<tool_call>{json.dumps(known)}</tool_call>") == [search]
    without = {"window_id": "tools", "action_id": "time.now"}
    assert read(block(without)) == [Call("time.now", "{}", ready=True)]


@pytest.mark.parametrize("entry", [3, {"window_id": "tools"}, {**FIND, "params": [1]}, {"name": 1}])
def test_an_invalid_entry_is_passed_on_to_be_answered(entry: object) -> None:
    assert read(block(ADD, entry)) == [acted(ADD, entry)]


@pytest.mark.parametrize("body", ["", "{", "nonsense", '{"calls": {}}', '{"calls": []}', "[]"])
def test_unreadable_content_is_one_call_with_the_written_text(body: str) -> None:
    assert read(f"a<tool_call>{body}</tool_call>b") == ["a", Call(ACT_TOOL, body, ready=True), "b"]


def test_a_repeated_id_does_not_bypass_the_checks() -> None:
    raw = '{"window_id": "notes", "window_id": "tools", "action_id": "web.search"}'
    for pieces in cut_everywhere(f"<tool_call>{raw}</tool_call>"):
        assert read(*pieces) == [Call(ACT_TOOL, raw, ready=True)]


def test_a_block_without_an_end_is_hidden_and_not_called() -> None:
    assert read("a<tool_call>" + json.dumps(ADD)) == ["a", Call(ACT_TOOL)]
    assert read("a<tool_call>{") == ["a", Call(ACT_TOOL)]


def test_an_end_mark_inside_a_string_is_ignored() -> None:
    call = {**ADD, "params": {"text": 'say "</tool_call>" \\'}}
    for pieces in cut_everywhere(block(call) + "end"):
        assert read(*pieces) == [acted(call), "end"]


def test_with_unbalanced_quotes_the_first_mark_ends_the_block() -> None:
    text = f'<tool_call>{{"calls: []}}</tool_call>then {block(ADD)} end'
    for pieces in cut_everywhere(text):
        assert read(*pieces) == [
            Call(ACT_TOOL, '{"calls: []}', ready=True),
            "then ",
            acted(ADD),
            " end",
        ]


@pytest.mark.parametrize("code", ["```\n{}\n```\n", "~~~\n{}\n~~~\n", "so: `{}`\n"])
def test_a_block_in_code_stays_text(code: str) -> None:
    text = code.format(block(ADD))
    for pieces in cut_everywhere(text):
        assert read(*pieces) == [text]
    assert read(text, block(ADD)) == [text, acted(ADD)]


def test_no_calls_are_read_from_thinking() -> None:
    thought = ThinkingDelta(0, block(ADD))
    assert list(TOOL_CALL.reader().read(thought)) == [thought]


def test_an_invented_result_is_hidden_with_everything_after_it() -> None:
    made_up = '<Window id="log_1" compact="true">[1] notes.add -> ok</Window> All is done.'
    for pieces in cut_everywhere(block(ADD) + made_up):
        assert read(*pieces) == [acted(ADD)]
    assert read(made_up) == [made_up]  # There was no call: the text is about a window.


@pytest.mark.parametrize("text", ["1 < 2", "<", "a <to", "<b>x</b>", "<tools>", "a</tool_call>b"])
def test_text_that_only_looks_like_a_mark_stays_text(text: str) -> None:
    for pieces in cut_everywhere(text):
        assert shown(read(*pieces)) == text.replace("</tool_call>", "")


def test_an_incomplete_mark_at_the_end_is_not_shown() -> None:
    assert read("Well <tool_ca") == ["Well "]


_PARTS = st.sampled_from(
    [
        "<tool_call>",
        "</tool_call>",
        "</tool_call",
        "<tool_call",
        "<",
        ">",
        "/",
        '"',
        "\\",
        "{",
        "}",
        "`",
        "```",
        "~~~",
        "\n",
        " ",
        "words",
        "，",
        block(ADD),
        block(FIND),
        json.dumps(ADD),
        '{"calls":[',
        "]",
        '"window_id":',
        '"notes"',
        '<Window id="log_1">',
        "<think>",
        "TOOL",
    ]
)


@given(st.lists(_PARTS, max_size=14).map("".join), st.data())
def test_the_split_makes_no_difference(text: str, data: st.DataObject) -> None:
    whole = read(text)
    assert read(*pieces_of(text, data)) == whole
    assert read(*text) == whole


@given(st.lists(_PARTS.filter(lambda part: "tool_call" not in part), max_size=14).map("".join))
def test_without_marks_the_whole_text_is_shown(text: str) -> None:
    assert shown(read(text + "\n")) == text + "\n"


@given(st.text(alphabet="ab<>/\n ", max_size=30), st.text(alphabet="ab<>/\n ", max_size=30))
def test_no_mark_is_shown_and_no_words_are_lost(before: str, after: str) -> None:
    items = read(f"{before}{block(ADD)}{after}\n")
    assert shown(items) == f"{before}{after}\n"
    assert acted(ADD) in items


# The text for the model

SEARCH = ToolSpec(
    "web.search",
    "Search <the web>.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)


def test_tools_are_announced_as_a_window_and_the_form_of_calls_is_explained() -> None:
    told = TOOL_CALL.announce([ToolSpec(ACT_TOOL, "Act."), SEARCH])
    assert '<Window id="tools">' in told
    assert (
        '<action id="web.search" params="{query: string}" mode="sync">Search &lt;the web&gt;.'
    ) in told
    assert ACT_TOOL not in told
    assert "<Window" not in TOOL_CALL.announce([ToolSpec(ACT_TOOL, "Act.")])
    assert TOOL_CALL.announce([]) == ""


def test_calls_and_results_are_rendered_in_the_form_of_the_dialect() -> None:
    calls = AssistantTurn(
        (
            ThinkingPart("hm"),
            TextPart("So:"),
            CallPart("1", ACT_TOOL, {"calls": [ADD]}),
            CallPart("2", "web.search", {"query": "x"}),
        )
    )
    results = ToolResults(
        (
            ResultPart("1", ACT_TOOL, "[7] notes.add -> ok", True),
            ResultPart("2", "web.search", "<nothing>", False),
        )
    )
    told = TOOL_CALL.render([calls, results, UserTurn((TextPart("and?"),))])
    call = f"So:\n{block(ADD)}\n<tool_call>{json.dumps(FIND)}</tool_call>"
    log = (
        '<Window id="log_1" compact="true">[7] notes.add -&gt; ok\n'
        "tools.web.search -&gt; error: &lt;nothing&gt;</Window>"
    )
    assert told == [
        AssistantTurn((TextPart(call),)),
        UserTurn((TextPart(log), TextPart("and?"))),
    ]
    assert read(call) == ["So:\n", acted(ADD), "\n", Call("web.search", '{"query": "x"}', True)]


def test_an_incomplete_mark_is_held_when_the_model_pauses() -> None:
    reader = TOOL_CALL.reader()
    begun = [*reader.read(TextDelta(0, "Well <tool_ca")), *reader.pause()]
    assert begun == [TextDelta(0, "Well ")]
    assert [*reader.read(TextDelta(0, "st"))] == [TextDelta(0, "<tool_cast")]
