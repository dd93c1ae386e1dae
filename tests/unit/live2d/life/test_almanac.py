from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest

from neodeskpet.live2d.life.almanac import Day, Feast, Hemisphere, Part, Season, Ways, day_at

FEASTS = Ways(feasts=True)


@pytest.mark.parametrize(
    ("hour", "part"),
    [
        (4, Part.NIGHT),
        (5, Part.MORNING),
        (10, Part.DAY),
        (17, Part.DAY),
        (18, Part.EVENING),
        (23, Part.NIGHT),
    ],
)
def test_parts_of_the_day(hour: int, part: Part) -> None:
    assert day_at(datetime(2026, 6, 1, hour)).part is part


def test_seasons_are_those_of_the_half_of_the_earth_and_of_none_where_nobody_said() -> None:
    months = [datetime(2026, month, 15, 12) for month in (1, 4, 7, 10, 12)]

    def seasons(hemisphere: Hemisphere) -> list[Season | None]:
        return [day_at(month, Ways(hemisphere)).season for month in months]

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
        if day_at(datetime(year, *first, 12) + timedelta(away), FEASTS).feast is not None
    ]
    new_year = date(year, *first)
    assert found == [new_year + timedelta(away) for away in (-1, 0, 1, 2)]


def test_feasts_are_kept_by_those_who_want_them() -> None:
    assert day_at(datetime(2026, 9, 25, 12), FEASTS).feast is Feast.MID_AUTUMN
    assert day_at(datetime(2027, 1, 1, 12), FEASTS).feast is Feast.NEW_YEAR
    assert day_at(datetime(2026, 12, 25, 12), FEASTS).feast is Feast.CHRISTMAS
    assert day_at(datetime(2026, 12, 26, 12), FEASTS).feast is None
    assert day_at(datetime(2027, 1, 1, 12)).feast is None
    assert day_at(datetime(2099, 2, 1, 12), FEASTS).feast is None, "nobody wrote that far"


def test_a_birthday_goes_before_any_feast() -> None:
    born = Ways(feasts=True, birthday=(1, 1))
    assert day_at(datetime(2027, 1, 1, 12), born).feast is Feast.BIRTHDAY
    assert day_at(datetime(2027, 1, 1, 12), Ways(birthday=(1, 1))).feast is Feast.BIRTHDAY


def test_days_lean_towards_what_fits_them() -> None:
    plain, night = Day(), Day(Part.NIGHT)
    assert plain.weight({"yawn"}) == plain.weight({"dance"}) == 1.0
    assert night.weight({"yawn", "big"}) > 1.0 > night.weight({"dance"}) > 0.0
    winter, summer = Day(season=Season.WINTER), Day(season=Season.SUMMER)
    assert winter.weight({"sneeze"}) > 1.0 > summer.weight({"sneeze"}) > 0.0
    feast = Day(feast=Feast.SPRING_FESTIVAL)
    assert feast.weight({"dance"}) > 1.0
    assert feast.weight({"look"}) == 1.0
