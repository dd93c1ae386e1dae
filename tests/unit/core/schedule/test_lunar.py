"""Days of the Chinese lunar calendar."""

from __future__ import annotations

from datetime import UTC, date, datetime
from itertools import islice

from neodeskpet.core.schedule.rule import Lunar, clock_time, runs_after
from neodeskpet.core.schedule.vocabulary import LAST_DAY, solar_day, solar_days


def test_days_of_the_lunar_calendar() -> None:
    assert solar_day(2027, 1, 1) == date(2027, 2, 6)
    assert solar_day(2026, 12, LAST_DAY) == date(2027, 2, 5)
    assert solar_day(2026, 12, 30) == date(2027, 2, 5)  # That month has 29 days.
    assert solar_day(2027, 8, 15) == date(2027, 9, 15)


def test_a_day_that_a_month_does_not_have_is_left_out() -> None:
    assert solar_day(2027, 6, 30) is None
    found = list(islice(solar_days(6, 30, date(2026, 11, 27)), 2))
    assert found == [date(2029, 8, 9), date(2031, 8, 17)]
    assert list(solar_days(1, 1, date(2100, 12, 31))) == []


def test_a_lunar_day_is_repeated_every_year_from_its_first_on() -> None:
    rule = Lunar(datetime(2028, 1, 1), 1, 1, 8 * 3600)
    found = islice(runs_after(rule, datetime(2026, 11, 27, tzinfo=UTC).timestamp(), UTC), 2)
    assert [f"{clock_time(one, UTC):%Y-%m-%d %H:%M}" for one in found] == [
        "2028-01-26 08:00",
        "2029-02-13 08:00",
    ]
