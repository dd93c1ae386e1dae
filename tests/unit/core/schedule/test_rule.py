"""Recurring times: daylight saving, leap days and long pauses."""

from datetime import datetime, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import pytest

from neodeskpet.core.schedule.recurrence import read_cron, read_rrule
from neodeskpet.core.schedule.rule import (
    Calendar,
    Every,
    Once,
    clock_time,
    next_run,
    runs_after,
    unix_seconds_at,
)

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")


def at(text: str, zone: ZoneInfo = BERLIN) -> float:
    return unix_seconds_at(datetime.fromisoformat(text), zone)


def cron(text: str, start: str = "2026-01-01") -> Calendar:
    found = read_cron(text, datetime.fromisoformat(start))
    assert found is not None
    return found


def shown(rule: Calendar, after: str, count: int, zone: ZoneInfo = BERLIN) -> list[str]:
    found = islice(runs_after(rule, at(after, zone), zone), count)
    return [f"{clock_time(one, zone):%m-%d %H:%M}" for one in found]


def test_a_rule_that_runs_once() -> None:
    assert next_run(Once(100.0), 99.0, BERLIN) == 100
    assert next_run(Once(100.0), 100.0, BERLIN) is None
    assert next_run(Once(100.0), 0.0, BERLIN, until=99.0) is None


def test_an_interval_in_seconds_keeps_its_phase_after_missed_runs() -> None:
    rule = Every(1000.0, 60)
    assert next_run(rule, 0.0, BERLIN) == 1000
    assert next_run(rule, 1000.0, BERLIN) == 1060
    assert next_run(rule, 1_000_000_030.0, BERLIN) == 1_000_000_060 - 1_000_000_060 % 60 + 40
    assert list(runs_after(rule, 1000.0, BERLIN, until=1180.0)) == [1060, 1120, 1180]


def test_an_hour_is_an_hour_when_the_clocks_change() -> None:
    found = list(
        islice(runs_after(Every(at("2026-03-29 00:00"), 3600), at("2026-03-28 23:30"), BERLIN), 5)
    )
    assert {later - sooner for sooner, later in pairwise(found)} == {3600.0}
    assert [f"{clock_time(one, BERLIN):%H:%M}" for one in found] == [
        "00:00",
        "01:00",
        "03:00",
        "04:00",
        "05:00",
    ]


def test_a_time_that_does_not_exist_comes_an_hour_later() -> None:
    rule = cron("30 2 * * *")
    assert shown(rule, "2026-03-27 12:00", 3) == ["03-28 02:30", "03-29 03:30", "03-30 02:30"]
    assert shown(rule, "2026-03-06 12:00", 3, NEW_YORK) == [
        "03-07 02:30",
        "03-08 03:30",
        "03-09 02:30",
    ]


def test_a_time_that_exists_twice_comes_once() -> None:
    rule = cron("30 2 * * *")
    found = list(islice(runs_after(rule, at("2026-10-24 12:00"), BERLIN), 2))
    assert [datetime.fromtimestamp(one, BERLIN).utcoffset() for one in found] == [
        timedelta(hours=2),
        timedelta(hours=1),
    ]
    assert shown(rule, "2026-10-24 12:00", 2) == ["10-25 02:30", "10-26 02:30"]


def test_two_equal_times_give_one_run() -> None:
    assert shown(cron("*/30 2,3 * * *"), "2026-03-29 00:00", 3) == [
        "03-29 03:00",
        "03-29 03:30",
        "03-30 02:00",
    ]


def test_the_earliest_of_several_lines_comes_first() -> None:
    assert shown(cron("0 12 13 * fri"), "2026-11-10 00:00", 3) == [
        "11-13 12:00",
        "11-20 12:00",
        "11-27 12:00",
    ]


@pytest.mark.parametrize(
    ("line", "start", "after", "expected"),
    [
        ("FREQ=DAILY;INTERVAL=3", "2020-01-01T09:00", "2026-11-25", ["11-25 09:00", "11-28 09:00"]),
        (
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR",
            "2020-01-03T09:00",
            "2026-11-25",
            ["11-27 09:00", "12-11 09:00"],
        ),
        (
            "FREQ=MONTHLY;INTERVAL=5",
            "2020-01-15T09:00",
            "2026-11-25",
            ["02-15 09:00", "07-15 09:00"],
        ),
        ("FREQ=YEARLY;INTERVAL=4", "2020-02-29T09:00", "2026-11-25", ["02-29 09:00"] * 2),
        ("FREQ=YEARLY", "2030-02-01T09:00", "2026-11-25", ["02-01 09:00"] * 2),
    ],
)
def test_an_interval_is_counted_from_its_first_run(
    line: str, start: str, after: str, expected: list[str]
) -> None:
    rule = read_rrule(line, datetime.fromisoformat(start))
    assert rule is not None
    assert shown(rule, after, 2) == expected


def test_a_daily_rule_has_each_day_of_the_year() -> None:
    found = list(islice(runs_after(cron("0 9 * * *"), at("2027-12-31 12:00"), BERLIN), 366))
    days = [clock_time(one, BERLIN) for one in found]
    assert days[0] == datetime(2028, 1, 1, 9)
    assert days[-1] == datetime(2028, 12, 31, 9)
    assert datetime(2028, 2, 29, 9) in days
    assert {day.hour for day in days} == {9}


def test_a_rule_ends() -> None:
    until = at("2026-01-03 09:00")
    found = runs_after(cron("0 9 * * *"), at("2026-01-01"), BERLIN, until)
    assert len(list(found)) == 3


def test_excluded_times_do_not_run() -> None:
    lines = ("FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0",)
    left_out = frozenset({datetime(2026, 1, 2, 9), datetime(2026, 1, 3, 9)})
    rule = Calendar(datetime(2026, 1, 1), lines, left_out)
    days = [
        datetime.fromtimestamp(run, BERLIN).day
        for run in islice(runs_after(rule, at("2026-01-01"), BERLIN), 3)
    ]
    assert days == [1, 4, 5]
