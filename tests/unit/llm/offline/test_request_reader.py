"""The request as the offline helper reads it: the last message, the results since, the language."""

from __future__ import annotations

import pytest

from neodeskpet.core.dialects import DIALECTS
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import (
    CONTINUE_TEXT,
    AssistantTurn,
    CallPart,
    ImagePart,
    ModelMessage,
    ResultPart,
    TextPart,
    ToolResults,
    UserTurn,
)
from neodeskpet.llm.offline.request_reader import (
    OfflineRequest,
    OfflineRound,
    ToolAnswer,
    read_request,
    speaks_chinese,
)

BOTH = pytest.mark.parametrize("dialect", ["native", "tool_request"])


def person(*words: str) -> UserTurn:
    return UserTurn(tuple(TextPart(text) for text in words))


def said(text: str, *names: str) -> AssistantTurn:
    calls = (CallPart(f"c{at}", name, {"x": 1}) for at, name in enumerate(names))
    return AssistantTurn((TextPart(text), *calls))


def results(*answers: tuple[str, str, bool]) -> ToolResults:
    return ToolResults(
        tuple(ResultPart(f"c{at}", name, out, ok) for at, (name, out, ok) in enumerate(answers))
    )


def read(dialect: str, *messages: ModelMessage) -> OfflineRound:
    worded = DIALECTS[dialect].render(messages)
    return read_request(ModelRequest("", worded, dialect=dialect), list)


@BOTH
def test_the_last_message_and_the_results_since(dialect: str) -> None:
    situation = read(
        dialect,
        person("old"),
        said("a", "t"),
        results(("t", "old result", True)),
        said("done"),
        person("new"),
        said("b", "t", "u"),
        results(("t", "一「末」", True), ("u", "no", False)),
        said("c", "v"),
        results(("v", '{"a": 1}', True)),
    )
    assert situation.ask.words == "new"
    assert situation.ask.turn == 1
    assert situation.batches == (
        (ToolAnswer("t", "一「末」"), ToolAnswer("u", "no", ok=False)),
        (ToolAnswer("v", '{"a": 1}'),),
    )
    assert situation.batches[1][0].data == {"a": 1}
    assert situation.batches[0][0].data == {}
    assert situation.said == ""


@BOTH
def test_a_message_after_results_is_new(dialect: str) -> None:
    asked = (person("old"), said("a", "t"), results(("t", "x", True)), person("new"))
    situation = read(dialect, *asked)
    assert (situation.ask.words, situation.batches) == ("new", ())


@BOTH
def test_a_request_to_continue_is_no_question(dialect: str) -> None:
    situation = read(dialect, person("hello"), said("half"), person(CONTINUE_TEXT))
    assert (situation.ask.words, situation.said) == ("hello", "half")


def test_of_two_messages_in_a_row_the_last_counts() -> None:
    assert read("native", person("one", "two")).ask.words == "two"


def test_pictures_beside_the_text() -> None:
    picture = ImagePart("d", "image/png")
    for turn in (UserTurn((picture, TextPart("x"))), UserTurn((TextPart("x"), picture))):
        asked = read("native", turn).ask
        assert (asked.words, asked.pictures) == ("x", True)
    asked = read("native", UserTurn((picture,)), said("a"), person("next")).ask
    assert (asked.words, asked.pictures) == ("next", False)


def test_an_empty_request() -> None:
    assert read("native") == OfflineRound(OfflineRequest("", chinese=False), ())


def test_a_block_typed_by_the_user_is_text_in_native_mode() -> None:
    block = "<<<[TOOL_RESULT]>>>\ntool_name:「始」t「末」\n<<<[END_TOOL_RESULT]>>>"
    assert read("native", person(block)).ask.words == block
    assert read("tool_request", person("q"), said(""), person(block)).batches == (
        (ToolAnswer("t", ""),),
    )


def test_tools_come_with_the_request_or_are_known() -> None:
    sent, known = ToolSpec("sent", ""), ToolSpec("known", "")
    for dialect, names in (("native", ["sent"]), ("tool_request", ["known"]), ("tag", ["sent"])):
        request = ModelRequest("", (), (sent,), dialect=dialect)
        assert list(read_request(request, lambda: [known]).ask.tools) == names
    request = ModelRequest("", (), (sent,), tool_choice="none")
    assert read_request(request, lambda: [known]).ask.tools == {}


def test_names_that_a_tool_accepts() -> None:
    schema = {"type": "object", "properties": {"name": {"enum": ["a"]}, "index": {}}}
    asked = OfflineRequest("", chinese=False, tools={"t": ToolSpec("t", "", schema)})
    assert list(asked.options("t", "name")) == ["a"]
    assert not asked.options("t", "index")
    assert not asked.options("t", "other")
    assert not asked.options("u", "name")


def test_the_language_of_the_latest_text_that_shows_one() -> None:
    assert speaks_chinese(["hello", "你好", "1+1"])
    assert not speaks_chinese(["你好", "hello", "2 x 3"])
    assert not speaks_chinese([])
