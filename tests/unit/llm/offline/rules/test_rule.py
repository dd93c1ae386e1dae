"""Clauses without polite phrases around them."""

from __future__ import annotations

import pytest

from neodeskpet.llm.offline.rules import RULES
from neodeskpet.llm.offline.rules.rule import pattern, without_polite_words


@pytest.mark.parametrize(
    ("clause", "left"),
    [
        ("Could you please smile for me?", "smile"),
        ("hey Neo, wave now!", "wave"),
        ("I'd like you to dance", "dance"),
        ("请帮我算一下1+1，谢谢！", "算一下1+1"),
        ("你能不能笑一个呢？", "笑一个"),
        ("please", ""),
        ("", ""),
    ],
)
def test_polite_phrases(clause: str, left: str) -> None:
    assert without_polite_words(clause) == left


def test_a_pattern_of_several() -> None:
    assert pattern("^a.b$", "c|d").search("A\nb")
    assert not pattern("^a.b$", "c|d").search("xab")


def test_every_rule_has_a_unique_name() -> None:
    names = [rule.name for rule in RULES]
    assert len(set(names)) == len(names)
