"""One fitting line, rarely, and not the same one twice in a month."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

import pytest

from neodeskpet.conversation.remark_texts import (
    GREETING_LINES,
    choose_greeting,
    read_said_lines,
    write_said_lines,
)

HOUR, DAY = 3600.0, 86_400.0


@pytest.mark.parametrize(
    ("hour", "kind"),
    [(5, "morning"), (10, "morning"), (11, "day"), (18, "evening"), (23, "night"), (4, "night")],
)
def test_it_fits_the_time_of_day(hour: int, kind: str) -> None:
    line = choose_greeting(datetime(2026, 5, 1, hour), 8 * HOUR, {}, Random(1))
    assert line in GREETING_LINES[kind]


def test_a_long_absence_has_its_own_lines() -> None:
    assert (
        choose_greeting(datetime(2026, 5, 1, 8), 4 * DAY, {}, Random(1)) in GREETING_LINES["long"]
    )


def test_after_a_short_absence_there_is_no_greeting() -> None:
    assert choose_greeting(datetime(2026, 5, 1, 8), HOUR, {}, Random(1)) is None


def test_there_are_enough_lines() -> None:
    lines = [line for kind in GREETING_LINES.values() for line in kind]
    assert len(lines) >= 40
    assert len(set(lines)) == len(lines)


def test_no_line_is_repeated_within_a_month() -> None:
    """With several starts every day there is no greeting rather than a repeated one."""
    random, said, heard = Random(3), dict[str, float](), list[tuple[datetime, str]]()
    now = datetime(2026, 5, 1, 8)
    for _ in range(200):
        now += timedelta(hours=5)
        line = choose_greeting(now, 5 * HOUR, said, random)
        if line is not None:
            heard.append((now, line))
            said[line] = now.timestamp()
            said = read_said_lines(write_said_lines(said, now.timestamp()))
    assert len(heard) > 30
    for place, (when, line) in enumerate(heard):
        again = [later for later, other in heard[place + 1 :] if other == line]
        assert all(later - when >= timedelta(days=31) for later in again)


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"a": "b"}'])
def test_an_unreadable_history_counts_as_empty(text: str | None) -> None:
    assert read_said_lines(text) == {}
