"""When a repeated timer rings."""

from __future__ import annotations

from datetime import datetime

import pytest

from neodeskpet.notebook.timers import Repeat, first_due, next_due

FRIDAY = "2025-11-21 09:00"


def at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


@pytest.mark.parametrize(
    ("repeat", "due", "now", "wanted"),
    [
        (Repeat.DAILY, FRIDAY, "2025-11-21 09:00", "2025-11-22 09:00"),
        (Repeat.DAILY, FRIDAY, "2025-11-21 08:59", "2025-11-21 09:00"),
        (Repeat.DAILY, FRIDAY, "2025-12-24 10:00", "2025-12-25 09:00"),
        (Repeat.DAILY, FRIDAY, "2025-12-24 08:00", "2025-12-24 09:00"),
        (Repeat.WEEKDAYS, FRIDAY, "2025-11-21 09:01", "2025-11-24 09:00"),
        (Repeat.WEEKDAYS, FRIDAY, "2025-11-25 12:00", "2025-11-26 09:00"),
        (Repeat.WEEKLY, FRIDAY, "2025-11-21 09:01", "2025-11-28 09:00"),
        (Repeat.WEEKLY, FRIDAY, "2025-12-12 09:00", "2025-12-19 09:00"),
        (Repeat.WEEKLY, FRIDAY, "2035-11-23 08:00", "2035-11-23 09:00"),
    ],
)
def test_the_next_time(repeat: Repeat, due: str, now: str, wanted: str) -> None:
    assert next_due(at(due), repeat, at(now)) == at(wanted)


@pytest.mark.parametrize(
    ("repeat", "due", "wanted"),
    [
        (Repeat.WEEKDAYS, "2025-11-22 09:00", "2025-11-24 09:00"),
        (Repeat.WEEKDAYS, FRIDAY, FRIDAY),
        (Repeat.DAILY, "2025-11-22 09:00", "2025-11-22 09:00"),
    ],
)
def test_the_first_time(repeat: Repeat, due: str, wanted: str) -> None:
    assert first_due(at(due), repeat) == at(wanted)


def test_a_single_timer_is_not_repeated() -> None:
    assert next_due(at(FRIDAY), Repeat.ONCE, at("2025-11-21 08:00")) is None
