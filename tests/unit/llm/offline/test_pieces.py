"""The helper's parts, each alone: clauses, numerals, moments, tokens, blocks, scripts."""

from __future__ import annotations

import json
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.dialects import TOOL_REQUEST
from neodeskpet.core.wire import (
    ResponseFinished,
    Stop,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
)
from neodeskpet.llm.offline.clauses import Clauses
from neodeskpet.llm.offline.failures import word_failure
from neodeskpet.llm.offline.numerals import digits
from neodeskpet.llm.offline.request import Ask, Result
from neodeskpet.llm.offline.rules.gestures import match_name, named_option
from neodeskpet.llm.offline.rules.moments import MOMENT, word_seconds
from neodeskpet.llm.offline.rules.timers import label_of
from neodeskpet.llm.offline.scripts import Act, Lead, Say, Script, Think, Use, perform, use
from neodeskpet.llm.offline.speech import harmless, speak, tokens, write_block
from neodeskpet.tools.builtin.moments import parse_moment

ENGLISH, CHINESE = Ask("", chinese=False), Ask("", chinese=True)


# Clauses


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("what time is it and calculate 2+2", ["what time is it", "calculate 2+2"]),
        ("Hi! 3.5*2, then 1,234+1?", ["Hi", "3.5*2", "1,234+1"]),
        ("max(1, 2) and what is 5!", ["max(1, 2)", "what is 5!"]),
        ("你好，算一下1，234+1，再挥手", ["你好", "算一下1，234+1", "挥手"]),
        ("笑一个然后点头。再见", ["笑一个", "点头", "再见"]),
        ("", []),
        ("?! 。。", []),
        ("f(1, 2, g(3, 4)), x", ["f(1, 2, g(3, 4))", "x"]),
        ("a, " * 40, ["a"] * 12),
    ],
)
def test_clauses(text: str, clauses: list[str]) -> None:
    read = Clauses(text)
    assert [read[at] for at in range(len(read))] == clauses


def test_the_rest_is_as_it_was_written() -> None:
    assert Clauses("hi, note: a, b and c").rest(1) == "note: a, b and c"


@given(st.text())
def test_no_clause_is_empty(text: str) -> None:
    read = Clauses(text)
    assert all(read[at] and read.rest(at) for at in range(len(read)))


# Numbers


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ("two plus twenty-one", "2 plus 21"),
        ("thirty two times nineteen", "32 times 19"),
        ("three hundred", "300"),
        ("三加五", "3加5"),
        ("一百二十", "120"),
        ("十五", "15"),
        ("两千零五十", "2050"),
        ("一万二千", "12000"),
        ("三点一四", "3.14"),
        ("someone often", "someone often"),
    ],
)
def test_numbers_in_words(words: str, written: str) -> None:
    assert digits(words) == written


# Moments: what the helper finds, the timer tool understands


@pytest.mark.parametrize(
    "text",
    [
        "5 minutes", "a minute", "half an hour", "an hour and a half", "1 hour 30 minutes",
        "1h30m", "two and a half hours", "90 seconds", "2 days", "17:30", "5:30 pm", "7am",
        "8 o'clock",
        "tomorrow at 9:15", "tomorrow at 9", "at 7", "noon", "tomorrow noon", "tonight at 11",
        "9:30 tomorrow", "twenty-five minutes", "1 hour, 5 minutes and 10 seconds",
        "5分钟后", "半小时", "半个小时之后", "一个半小时", "1小时30分", "十分钟", "两天后",
        "一刻钟", "下午5点半", "明天早上8点", "今晚十一点", "后天10:20", "明天中午", "17点05分",
        "晚上八点一刻",
    ],
)  # fmt: skip
def test_moments_are_found_whole_and_understood(text: str) -> None:
    found = MOMENT.search(f"x {text} y")
    assert found is not None
    assert found["moment"].strip() == text
    now = datetime(2025, 11, 21, 10, 0)
    assert parse_moment(found["moment"], now) > now


@pytest.mark.parametrize(
    ("pieces", "label"),
    [
        (("remind me ", " to drink water"), "drink water"),
        (("please remind me to call mom ", ""), "call mom"),
        (("set a timer for ", ""), ""),
        (("set an alarm for ", " for the meeting"), "the meeting"),
        (("remind me ", " that it's late"), "it's late"),
        (("", "提醒我喝水"), "喝水"),
        (("请在", "的时候叫我去开会。"), "去开会"),
        (("定个", "的倒计时"), ""),
        (("设一个", "的闹钟"), ""),
    ],
)
def test_what_a_reminder_is_about(pieces: tuple[str, ...], label: str) -> None:
    assert label_of(*pieces) == label


def test_durations_in_words() -> None:
    assert word_seconds(ENGLISH, 61) == "1 minute 1 second"
    assert word_seconds(ENGLISH, 2 * 86400 + 3600 + 60) == "2 days 1 hour"
    assert word_seconds(CHINESE, 5400) == "1小时30分钟"
    assert word_seconds(CHINESE, 0) == "1秒"


# Names


def test_names_that_come_near() -> None:
    assert match_name(["exp_Sad", "Smile"], ["smile", "happy"]) == "Smile"
    assert match_name(["exp_Sad", "Smile"], ["sad"]) == "exp_Sad"
    assert match_name(["Nod"], ["shake", "no"]) == ""
    assert match_name(["No"], ["shake", "no"]) == "No"
    assert match_name([], ["smile"]) == ""


def test_names_that_are_said() -> None:
    assert named_option(["F0", "F01", ""], "show f01!") == "F01"
    assert named_option(["F0", ""], "show f01") == ""


# Failures


@pytest.mark.parametrize(
    ("output", "english", "chinese"),
    [
        ("The person didn't allow this call.", "All right, I won't do it.", "好的，那我就不做了。"),
        ("The tool failed. x: OSError", "That didn't work: x: OSError", "没有成功：x: OSError"),
        ("The arguments don't fit. text: is odd", "That didn't work: is odd", "没有成功：is odd"),
        ("", "That didn't work.", "没有成功。"),
    ],
)  # fmt: skip
def test_why_it_failed(output: str, english: str, chinese: str) -> None:
    assert word_failure(ENGLISH, output) == english
    assert word_failure(CHINESE, output) == chinese


# Scripts


def two_tools() -> Script:
    yield Lead("one ")
    yield Act("face", {})
    first = yield from use("a", x=1)
    yield Say(f"got {first.output} ")
    second = yield from use("b")
    yield Say(f"then {second.output}")


def test_a_script_is_played_round_by_round() -> None:
    face, a, b = Result("face", "ok"), Result("a", "A"), Result("b", "B")
    assert perform(ENGLISH, [two_tools()], []) == [
        Lead("one "),
        Act("face", {}),
        Use("a", {"x": 1}),
    ]
    assert perform(ENGLISH, [two_tools()], [[face, a]]) == [Say("got A "), Use("b", {})]
    assert perform(ENGLISH, [two_tools()], [[face, a], [b]]) == [Say("then B")]
    assert perform(ENGLISH, [two_tools()], [[face, a], [b], []]) == []


def test_a_gesture_that_failed_is_told_in_the_round_after() -> None:
    face = Result("face", "The person didn't allow this call.", ok=False)
    steps = perform(ENGLISH, [two_tools()], [[face, Result("a", "A")]])
    assert steps[0] == Say("All right, I won't do it.")
    steps = perform(ENGLISH, [two_tools()], [[face, Result("a", "A")], [Result("b", "B")]])
    assert steps == [Say("then B")]


def test_several_scripts_share_the_results_in_order() -> None:
    steps = perform(ENGLISH, [two_tools(), two_tools()], [])
    assert [type(step) for step in steps] == [Lead, Act, Use, Act, Use]
    results = [Result("face", ""), Result("a", "1"), Result("face", ""), Result("a", "2")]
    steps = perform(ENGLISH, [two_tools(), two_tools()], [results])
    said = [step.text for step in steps if isinstance(step, Say)]
    assert said == ["got 1 ", "\n\n", "got 2 "]


# On the wire


def test_natively() -> None:
    steps = [Think("hm"), Say("a "), Say("b"), Act("t", {"x": "你"}), Say("c")]
    assert list(speak(steps, textual=False, number=2)) == [
        ThinkingDelta(0, "hm"),
        TextDelta(1, "a "),
        TextDelta(1, "b"),
        ToolCallStarted(2, "call_2_3", "t"),
        ToolArgsDelta(2, '{"x": "你"'),
        ToolArgsDelta(2, "}"),
        ToolCallReady(2),
        TextDelta(3, "c"),
        ResponseFinished(Stop.TOOLS),
    ]
    assert list(speak([], textual=False)) == [ResponseFinished(Stop.END)]


@given(st.text(), st.dictionaries(st.text(), st.text() | st.integers()))
def test_in_text_any_arguments_arrive(words: str, arguments: dict[str, object]) -> None:
    nested = {"text": words, "more": arguments, "mark": "「末」<<<[END_TOOL_REQUEST]>>>"}
    reader = TOOL_REQUEST.reader()
    steps = [Think("hm"), Say("a "), Use("note.add", nested), Say("b")]
    events = [out for event in speak(steps, textual=True) for out in reader.read(event)]
    assert ToolCallStarted in {type(event) for event in events}
    raw = "".join(event.json for event in events if isinstance(event, ToolArgsDelta))
    assert json.loads(raw) == nested
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert text.split() == ["a", "b"]


def test_a_block_is_in_the_dialects_form() -> None:
    assert write_block("live2d.motion", {"group": "Wave"}) == (
        "\n<<<[TOOL_REQUEST]>>>\n"
        "tool_name:「始」live2d.motion「末」\n"
        'input_json:「始」{"group": "Wave"}「末」\n'
        "<<<[END_TOOL_REQUEST]>>>\n"
    )


@given(st.text())
def test_tokens_lose_nothing(text: str) -> None:
    assert "".join(tokens(text)) == text


def test_tokens_are_small() -> None:
    assert tokens("Hello there, 你好呀！ok") == ["Hello ", "there, ", "你好", "呀！", "ok"]


def test_words_of_the_person_are_made_harmless() -> None:
    assert harmless("a <<<[TOOL_REQUEST]>>> << b") == "a <[TOOL_REQUEST]>>> << b"
