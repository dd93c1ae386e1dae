"""Cron lines and RRULEs have the same runs as in croniter and dateutil, and invalid ones are
refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import islice
from random import Random
from zoneinfo import ZoneInfo

import pytest
from croniter import croniter
from dateutil.rrule import rrulestr

from neodeskpet.core.i18n import InvalidValue
from neodeskpet.core.schedule.parsing.time_parser import ParsedTime, parse_time
from neodeskpet.core.schedule.recurrence import (
    read_cron,
    read_rrule,
    rrule_end,
    short_months_left_out,
)
from neodeskpet.core.schedule.rule import Calendar, Once, clock_time, runs_after, unix_seconds_at

ZONES = [
    ZoneInfo(name)
    for name in ("UTC", "Europe/Berlin", "America/New_York", "Asia/Shanghai", "Australia/Lord_Howe")
]
BERLIN = ZONES[1]
LINES = 2_000
_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def _field(random: Random, low: int, high: int) -> str:
    """A field of cron, without `5-5` and `*/1`: croniter doesn't read them as cron does."""
    first = random.randint(low, high - 1)
    last = random.randint(first + 1, high)
    several = sorted(random.sample(range(low, high + 1), 3))
    return random.choice(
        (
            "*",
            "*",
            "*",
            f"*/{random.randint(2, high)}",
            f"{first}-{last}",
            str(first),
            f"{first}-{last}/{random.randint(1, 5)}",
            ",".join(map(str, several)),
        )
    )


def _without_gaps(found: Iterable[float], zone: ZoneInfo) -> list[float]:
    """Without the runs in the hour after the clocks went forward: croniter moves a time that
    doesn't exist to the first existing one, and we move it by an hour.
    """
    return [one for one in found if not _after_gap(one, zone)]


def _after_gap(moment: float, zone: ZoneInfo) -> bool:
    now, before = (datetime.fromtimestamp(at, zone).utcoffset() for at in (moment, moment - 3600))
    assert now is not None
    assert before is not None
    return now > before


def test_cron_lines_have_the_runs_of_croniter() -> None:
    random = Random(32)
    for number in range(LINES):
        fields = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
        line = " ".join(_field(random, low, high) for low, high in fields)
        zone = ZONES[number % len(ZONES)]
        start = datetime(2026, 1, 1) + timedelta(minutes=random.randrange(365 * 24 * 60))
        rule = read_cron(line, start)
        assert rule is not None
        at = unix_seconds_at(start, zone)
        cron = croniter(line, datetime.fromtimestamp(at, zone))
        theirs = _without_gaps((cron.get_next(datetime).timestamp() for _ in range(3)), zone)
        ours = _without_gaps(islice(runs_after(rule, at, zone), 3), zone)
        count = min(len(ours), len(theirs))
        assert ours[:count] == theirs[:count], (line, zone, start)


def _rrule(random: Random) -> str:
    freq = random.choice(("DAILY", "WEEKLY", "MONTHLY", "YEARLY"))
    parts = [f"FREQ={freq}", f"INTERVAL={random.randint(1, 4)}"]
    parts.append(f"WKST={random.choice(('SU', 'MO', 'WE'))}")
    days = random.sample(_DAYS, random.randint(1, 3))
    match random.randrange(4):
        case 0 if freq in ("MONTHLY", "YEARLY"):
            parts.append(f"BYDAY={random.choice((1, 2, 3, -1))}{days[0]}")
        case 1 if freq in ("DAILY", "WEEKLY", "MONTHLY"):
            parts.append(f"BYDAY={','.join(days)}")
        case 2 if freq in ("MONTHLY", "YEARLY"):
            parts.append(f"BYMONTHDAY={random.choice((1, 15, 28, 31, -1))}")
        case _ if freq == "YEARLY":
            parts.append(f"BYMONTH={random.randint(1, 12)};BYMONTHDAY={random.randint(1, 28)}")
        case _:
            pass
    parts.append(f"BYHOUR={random.randint(4, 23)};BYMINUTE={random.randint(0, 59)}")
    return ";".join(parts)


def test_rrules_have_the_runs_of_dateutil() -> None:
    random = Random(5545)
    for number in range(LINES):
        line = _rrule(random)
        zone = ZONES[number % len(ZONES)]
        first = datetime(2020, 1, 1) + timedelta(minutes=random.randrange(6 * 365 * 24 * 60))
        after = first + timedelta(days=random.randrange(900))
        rule = read_rrule(line, first)
        assert rule is not None
        theirs = rrulestr(line, dtstart=first.replace(second=0)).xafter(after, count=4)
        ours = islice(runs_after(rule, unix_seconds_at(after, zone), zone), 4)
        assert [clock_time(one, zone) for one in ours] == [
            one.replace(second=0) for one in theirs
        ], (line, first, after)


def test_a_week_may_begin_on_sunday() -> None:
    line = "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,TU;BYHOUR=9;BYMINUTE=0"
    rule = read_rrule(line, datetime(2026, 11, 24))
    assert rule is not None
    found = islice(runs_after(rule, unix_seconds_at(datetime(2026, 11, 24), UTC), UTC), 4)
    assert [f"{clock_time(one, UTC):%m-%d}" for one in found] == [
        "11-24",
        "12-06",
        "12-08",
        "12-20",
    ]


@pytest.mark.parametrize(
    ("line", "days"),
    [
        ("55 5 */10 * *", ["12-01", "12-11", "12-21", "12-31"]),
        ("0 9 * * */2", ["11-28", "11-29", "12-01", "12-03"]),
        ("0 9 */1 * 1", ["11-30", "12-07", "12-14", "12-21"]),
        ("0 9 */20 * 0-6", ["12-01", "12-21", "01-01", "01-21"]),
        ("0 9 1-31 * */3", ["11-28", "11-29", "12-02", "12-05"]),
    ],
)
def test_steps_of_days_are_kept(line: str, days: list[str]) -> None:
    start = datetime(2026, 11, 27, 10)
    rule = read_cron(line, start)
    assert rule is not None
    found = islice(runs_after(rule, unix_seconds_at(start, UTC), UTC), 4)
    assert [f"{clock_time(one, UTC):%m-%d}" for one in found] == days


@pytest.mark.parametrize(
    "line",
    [
        "FREQ=MONTHLY;BYMONTHDAY=0",
        "FREQ=MONTHLY;BYMONTHDAY=1,0",
        "FREQ=DAILY;BYDAY=1MO",
        "FREQ=WEEKLY;BYDAY=-1FR",
        "FREQ=DAILY;COUNT=0",
        "FREQ=DAILY;COUNT=x",
        "FREQ=DAILY;COUNT=3;UNTIL=20261201",
        "FREQ=DAILY;UNTIL=2026",
        "FREQ=DAILY;UNTIL=20261301",
    ],
)
def test_invalid_rules_are_refused(line: str) -> None:
    with pytest.raises(InvalidValue, match="can't be read as a rule"):
        parse_time(line, unix_seconds_at(datetime(2026, 11, 27, 10), UTC), UTC)


@pytest.mark.parametrize(
    ("end", "last"),
    [
        ("COUNT=3", "2026-11-30 09:00"),
        ("UNTIL=20261205", "2026-12-05 23:59"),
        ("UNTIL=20261205T120000", "2026-12-05 12:00"),
        ("UNTIL=20261205T120000Z", "2026-12-05 13:00"),
    ],
)
def test_the_end_of_an_rrule_is_read(end: str, last: str) -> None:
    line = f"FREQ=DAILY;BYHOUR=9;BYMINUTE=0;{end}"
    found = parse_time(line, unix_seconds_at(datetime(2026, 11, 27, 10), BERLIN), BERLIN)
    assert isinstance(found, ParsedTime)
    assert found.until is not None
    assert f"{clock_time(found.until, BERLIN):%Y-%m-%d %H:%M}" == last
    assert isinstance(found.rule, Calendar)
    assert all("COUNT" not in one and "UNTIL" not in one for one in found.rule.lines)
    assert rrule_end("FREQ=DAILY", found.rule, BERLIN) is None


def _clocks(line: str, since: str, zone: ZoneInfo, count: int) -> list[str]:
    start = datetime.fromisoformat(since)
    rule = read_cron(line, start)
    assert rule is not None
    found = islice(runs_after(rule, unix_seconds_at(start, zone), zone), count)
    return [f"{datetime.fromtimestamp(one, zone):%H:%M%z}" for one in found]


def test_every_hour_comes_in_both_hours_when_the_clocks_go_back() -> None:
    assert _clocks("30 * * * *", "2026-10-25 01:00", BERLIN, 4) == [
        "01:30+0200",
        "02:30+0200",
        "02:30+0100",
        "03:30+0100",
    ]
    assert _clocks("*/30 * * * *", "2026-10-25 01:45", BERLIN, 5) == [
        "02:00+0200",
        "02:30+0200",
        "02:00+0100",
        "02:30+0100",
        "03:00+0100",
    ]
    assert _clocks("30 2 * * *", "2026-10-25 01:00", BERLIN, 2) == ["02:30+0200", "02:30+0100"]
    assert _clocks("30 * * * *", "2026-03-29 01:00", BERLIN, 3) == [
        "01:30+0100",
        "03:30+0200",
        "04:30+0200",
    ]


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("0 9 31 * *", 31),
        ("0 9 30,31 * *", 30),
        ("0 9 1,31 * *", None),
        ("0 9 28 * *", None),
        ("0 9 * * 1", None),
    ],
)
def test_months_without_that_day_are_left_out(line: str, day: int | None) -> None:
    rule = read_cron(line, datetime(2026, 11, 27))
    assert rule is not None
    assert short_months_left_out(rule) == day
    assert short_months_left_out(Once(0.0)) is None
