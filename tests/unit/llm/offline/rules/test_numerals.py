"""Numbers in words."""

from __future__ import annotations

import pytest

from neodeskpet.llm.offline.rules.arithmetic_rules import words_to_digits


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
    assert words_to_digits(words) == written
