"""Days as people type them."""

from __future__ import annotations

from datetime import date

import pytest

from neodeskpet.ui.find.dates import day_in

TODAY = date(2026, 11, 23)


@pytest.mark.parametrize(
    ("typed", "day"),
    [
        ("2026-11-03", date(2026, 11, 3)),
        (" 2025/1/9 ", date(2025, 1, 9)),
        ("3.11.2026", date(2026, 11, 3)),
        ("2026年3月4日", date(2026, 3, 4)),
        ("yesterday", date(2026, 11, 22)),
        ("昨天", date(2026, 11, 22)),
        ("2026-02-31", None),
        ("soup", None),
        ("", None),
    ],
)
def test_days(typed: str, day: date | None) -> None:
    assert day_in(typed, TODAY) == day
