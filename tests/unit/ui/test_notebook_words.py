"""Future times in words."""

from __future__ import annotations

from datetime import datetime

import pytest

from neodeskpet.ui.formatting import format_due_time, format_remaining

NOW = datetime(2025, 11, 21, 15, 0).timestamp()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "now"),
        (0.4, "now"),
        (42, "in 42 s"),
        (250, "in 4 min 10 s"),
        (3600, "in 1 h 0 min"),
        (5400, "in 1 h 30 min"),
        (86400 + 3600, "in 1 d 1 h"),
    ],
)
def test_the_remaining_time(seconds: float, words: str) -> None:
    assert format_remaining(seconds) == words


@pytest.mark.parametrize(
    ("due", "words"),
    [
        ("2025-11-21 17:30", "17:30"),
        ("2025-11-22 09:00", "tomorrow 09:00"),
        ("2025-11-28 09:00", "Fri, 28 Nov 09:00"),
        ("2026-01-02 09:00", "2 Jan 2026 09:00"),
    ],
)
def test_the_time(due: str, words: str) -> None:
    assert format_due_time(datetime.fromisoformat(due).timestamp(), NOW) == words
