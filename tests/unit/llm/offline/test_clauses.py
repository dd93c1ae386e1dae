"""A message split into clauses."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.llm.offline.offline_model import Clauses


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


def test_the_rest_is_unchanged() -> None:
    assert Clauses("hi, note: a, b and c").rest(1) == "note: a, b and c"


@given(st.text())
@settings(deadline=None)
def test_no_clause_is_empty(text: str) -> None:
    read = Clauses(text)
    assert all(read[at] and read.rest(at) for at in range(len(read)))
