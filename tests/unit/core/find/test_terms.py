"""What the index takes."""

from __future__ import annotations

from neodeskpet.core.find.terms import Question, spread


def test_a_text_for_the_index() -> None:
    assert spread("Plain Text") == "plain text"
    assert spread("我用Python").split() == ["我", "用", "python"]
    long = "明天上海小雨" * 9_000  # read in slices
    assert spread(f"{long} Rain").split() == [*long, "rain"]


def test_questions() -> None:
    asked = Question.of("  Hello 猫咪 hello x")
    assert asked.words == ("hello", "猫咪", "x")
    assert asked.match == '"hello"* AND "猫 咪" AND "x"'
    assert asked.signs == ()
    assert asked.needle().count("Hello, HELLOs; 猫咪") == 3


def test_signs_are_looked_for_in_the_text() -> None:
    assert Question.of("C++").signs == ("c++",)
    assert Question.of("C++").match == '"c"'
    assert Question.of("🎉").match == "" and Question.of("🎉").signs == ("🎉",)
    assert Question.of('a"b*').match == '"a" AND "b"'
    assert Question.of("  ").words == ()
