"""Arithmetic in signs and words."""

from __future__ import annotations

import pytest

from tests.unit.llm.offline.talking import Calls, Talk, expect, one


@pytest.mark.parametrize(
    ("words", "calls", "answer"),
    [
        ("what is 12*7+3?", one("calc.evaluate", expression="12*7+3"), "**12×7+3 = 87**"),
        ("12*7", one("calc.evaluate", expression="12*7"), "= 84"),
        ("calculate max(1, 2)+2^3", one("calc.evaluate", expression="max(1, 2)+2^3"), "= 10"),
        ("what's 15% of 80", one("calc.evaluate", expression="15% of 80"), "= 12"),
        ("what is two plus twenty-one", one("calc.evaluate", expression="2 + 21"), "= 23"),
        ("what is the square root of 16", one("calc.evaluate", expression="sqrt(16)"), "= 4"),
        ("what's 5!", one("calc.evaluate", expression="5!"), "5! = 120"),
        ("how much is 3 times 4", one("calc.evaluate", expression="3 * 4"), "= 12"),
        ("算一下 3.5*(2+1)", one("calc.evaluate", expression="3.5*(2+1)"), "**3.5×(2+1) = 10.5**"),
        ("三加五等于几", one("calc.evaluate", expression="3+5"), "3+5 = 8"),
        ("算算一百二十除以八", one("calc.evaluate", expression="120/8"), "= 15"),
        ("百分之十五乘以80等于多少", one("calc.evaluate", expression="15%*80"), "= 12"),
        ("2的10次方是多少", one("calc.evaluate", expression="2^10"), "= 1024"),
        ("100 的 15% 是多少", one("calc.evaluate", expression="100 的 15%"), "= 15"),
        ("what is 1/0", one("calc.evaluate", expression="1/0"), "Nothing can be divided by zero."),
        ("1/0 等于多少", one("calc.evaluate", expression="1/0"), "除数不能是零。"),
    ],
)
def test_texts_and_their_results(talk: Talk, words: str, calls: Calls, answer: str) -> None:
    expect(talk, words, calls, answer)
