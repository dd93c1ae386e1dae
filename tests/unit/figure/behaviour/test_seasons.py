from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest

from neodeskpet.figure.behaviour.seasons import (
    DayContext,
    DayPart,
    Hemisphere,
    Holiday,
    Season,
    SeasonSettings,
    day_at,
)

FEASTS = SeasonSettings(celebrates=True)


@pytest.mark.parametrize(
    ("hour", "part"),
    [
        (4, DayPart.NIGHT),
        (5, DayPart.MORNING),
        (10, DayPart.DAY),
        (17, DayPart.DAY),
        (18, DayPart.EVENING),
        (23, DayPart.NIGHT),
    ],
)
def test_parts_of_the_day(hour: int, part: DayPart) -> None:
    assert day_at(datetime(2026, 6, 1, hour)).part is part


def test_seasons_follow_the_hemisphere_and_need_a_known_one() -> None:
    months = [datetime(2026, month, 15, 12) for month in (1, 4, 7, 10, 12)]

    def seasons(hemisphere: Hemisphere) -> list[Season | None]:
        return [day_at(month, SeasonSettings(hemisphere)).season for month in months]

    north = [Season.WINTER, Season.SPRING, Season.SUMMER, Season.AUTUMN, Season.WINTER]
    south = [Season.SUMMER, Season.AUTUMN, Season.WINTER, Season.SPRING, Season.SUMMER]
    assert seasons(Hemisphere.NORTH) == north
    assert seasons(Hemisphere.SOUTH) == south
    assert seasons(Hemisphere.NEITHER) == [None] * 5


@pytest.mark.parametrize(
    ("year", "first"), [(2024, (2, 10)), (2025, (1, 29)), (2026, (2, 17)), (2027, (2, 6))]
)
def test_the_spring_festival_from_its_eve_to_its_third_day(
    year: int, first: tuple[int, int]
) -> None:
    found = [
        (datetime(year, *first, 12) + timedelta(away)).date()
        for away in range(-10, 10)
        if day_at(datetime(year, *first, 12) + timedelta(away), FEASTS).holiday is not None
    ]
    new_year = date(year, *first)
    assert found == [new_year + timedelta(away) for away in (-1, 0, 1, 2)]


def test_holidays_are_shown_if_the_user_wants_them() -> None:
    assert day_at(datetime(2026, 9, 25, 12), FEASTS).holiday is Holiday.MID_AUTUMN
    assert day_at(datetime(2027, 2, 20, 12), FEASTS).holiday is Holiday.LANTERN_FESTIVAL
    assert day_at(datetime(2026, 10, 31, 12), FEASTS).holiday is Holiday.HALLOWEEN
    assert day_at(datetime(2027, 1, 1, 12), FEASTS).holiday is Holiday.NEW_YEAR
    assert day_at(datetime(2026, 12, 25, 12), FEASTS).holiday is Holiday.CHRISTMAS
    assert day_at(datetime(2026, 12, 26, 12), FEASTS).holiday is None
    assert day_at(datetime(2027, 1, 1, 12)).holiday is None
    assert day_at(datetime(2099, 2, 1, 12), FEASTS).holiday is None, "the table ends before"


def test_a_birthday_has_priority_over_a_holiday() -> None:
    born = SeasonSettings(celebrates=True, birthday=(1, 1))
    assert day_at(datetime(2027, 1, 1, 12), born).holiday is Holiday.BIRTHDAY
    assert (
        day_at(datetime(2027, 1, 1, 12), SeasonSettings(birthday=(1, 1))).holiday
        is Holiday.BIRTHDAY
    )


def test_some_acts_are_preferred_on_fitting_days() -> None:
    plain, night = DayContext(), DayContext(DayPart.NIGHT)
    assert plain.weight({"yawn"}) == plain.weight({"dance"}) == 1.0
    assert night.weight({"yawn", "big"}) > 1.0 > night.weight({"dance"}) > 0.0
    winter, summer = DayContext(season=Season.WINTER), DayContext(season=Season.SUMMER)
    assert winter.weight({"sneeze"}) > 1.0 > summer.weight({"sneeze"}) > 0.0
    feast = DayContext(holiday=Holiday.SPRING_FESTIVAL)
    assert feast.weight({"dance"}) > 1.0
    assert feast.weight({"look"}) == 1.0
