from __future__ import annotations

from datetime import date

import pytest

from neodeskpet.core.schedule.rule import is_anniversary, parse_month_day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("5-17", (5, 17)),
        (" 05-17 ", (5, 17)),
        ("2001-05-17", (5, 17)),
        ("2-29", (2, 29)),
        ("2-30", None),
        ("17", None),
        ("", None),
        ("-5-17", None),
        ("²-17", None),
        ("99999999999999999999-1", None),
    ],
)
def test_month_and_day(text: str, day: tuple[int, int] | None) -> None:
    assert parse_month_day(text) == day


def test_the_29th_of_february_is_the_28th_in_most_years() -> None:
    leap = (2, 29)
    kept = [date(2027, 2, 28), date(2028, 2, 29)]
    others = [date(2028, 2, 28), date(2027, 3, 1), date(2028, 3, 1), date(2027, 3, 31)]
    assert [is_anniversary(day, leap) for day in kept] == [True, True]
    assert [is_anniversary(day, leap) for day in others] == [False] * 4
    assert is_anniversary(date(2027, 5, 17), (5, 17))
    assert not is_anniversary(date(2027, 5, 18), (5, 17))
