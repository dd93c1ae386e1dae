from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from neodeskpet.app.activities.holidays import birthday_in
from neodeskpet.memory.facts.fact import Fact
from neodeskpet.memory.facts.fact_extraction import find_claim

NOW = datetime(2026, 11, 23, 12)


def fact(text: str) -> Fact:
    return Fact("f", text, NOW, find_claim(text), pinned=True)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("My birthday is on May 17", (5, 17)),
        ("My birthday is the 3rd of June 1990", (6, 3)),
        ("我的生日是5月17日", (5, 17)),
        ("我的生日是五月十七日", (5, 17)),
        ("我的生日是农历八月十五", None),
        ("My birthday is 5/17", None),
        ("I live in Berlin", None),
    ],
)
def test_the_birthday_from_a_fact(text: str, day: tuple[int, int] | None) -> None:
    assert birthday_in(fact(text), NOW) == day


def test_only_facts_that_the_user_confirmed() -> None:
    sure = fact("My birthday is on May 17")
    heard = replace(sure, pinned=False)
    assert birthday_in(heard, NOW) is None
    assert birthday_in(replace(heard, by_user=True), NOW) == (5, 17)
    assert birthday_in(replace(sure, conflicting_id="other"), NOW) is None
