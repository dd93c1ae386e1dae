"""The terms of the search index."""

from __future__ import annotations

from neodeskpet.core.text_search import SearchQuery, index_text


def test_terms_of_an_indexed_text() -> None:
    assert index_text("Plain Text") == "plain text"
    assert index_text("我用Python").split() == ["我", "用", "python"]
    long = "明天上海小雨" * 9_000  # read in slices
    assert index_text(f"{long} Rain").split() == [*long, "rain"]


def test_terms_of_a_question() -> None:
    asked = SearchQuery.of("  Hello 猫咪 hello x")
    assert asked.words == ("hello", "猫咪", "x")
    assert asked.match == '"hello"* AND "猫 咪" AND "x"'
    assert asked.unindexed_words == ()
    assert asked.pattern().count("Hello, HELLOs; 猫咪") == 3


def test_symbols_are_searched_in_the_text() -> None:
    assert SearchQuery.of("C++").unindexed_words == ("c++",)
    assert SearchQuery.of("C++").match == '"c"'
    assert SearchQuery.of("🎉").match == "" and SearchQuery.of("🎉").unindexed_words == ("🎉",)
    assert SearchQuery.of('a"b*').match == '"a" AND "b"'
    assert SearchQuery.of("  ").words == ()
