"""Detects whether the growth of a text only adds words, so that it need not be parsed again."""

import pytest

from neodeskpet.core.markdown.preparation import added_words


@pytest.mark.parametrize(
    ("before", "now", "added"),
    [
        ("It rains", "It rains, again", ("rains", ", again")),
        ("It rains ", "It rains again ", ("rains", " again")),
        ("It **rains a**", "It **rains again**", ("a", "gain")),
        ("出门**记得带**", "出门**记得带伞**", ("记得带", "伞")),
        ("**重点：**出门", "**重点：**出门记得", ("出门", "记得")),
        ("- one\n- two", "- one\n- two words", ("two", " words")),
        ("> said", "> said so", ("said", " so")),
    ],
)
def test_growth_by_words_is_detected(before: str, now: str, added: tuple[str, str]) -> None:
    assert added_words(before, now) == added


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("some words", "other words"),
        ("a word", "a word*"),
        ("a word", "a [word"),
        ("a word", "a word\nand"),
        ("a word", "a word  and"),
        ("*it*", "*it*s"),
        ("a **bold**", "a **bold** word"),
        ("at www", "at www.example.org"),
        ("at https://example", "at https://example.org"),
        ("you@example", "you@example.org"),
        ("R&am", "R&amp"),
        ("1", "1. One"),
        ("[it]: here", "[it]: here and there"),
        ("a snake_ca", "a snake_case"),
        ("", "word"),
    ],
)
def test_other_growth_is_parsed(before: str, now: str) -> None:
    assert added_words(before, now) is None
