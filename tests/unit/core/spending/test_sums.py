"""Sums of requests."""

from __future__ import annotations

import pytest

from neodeskpet.core.spending.sums import Month, Part, Sum, add_up, month_after

ONE = Sum(1, 10, 5, 2, 1.5, 1, {"USD": 0.5})


def test_they_add_up_each_currency_for_itself() -> None:
    free = Sum(1, 1, 1)
    whole = add_up([ONE, ONE, free, Sum(1, priced=1, costs={"CNY": 2.0})])
    assert whole == Sum(4, 21, 11, 4, 3.0, 3, {"USD": 1.0, "CNY": 2.0})
    assert whole.tokens == 32
    assert add_up([]) == Sum()


def test_a_month_is_the_sum_of_its_days() -> None:
    assert Month([Part("2026-11-01", ONE), Part("2026-11-02", ONE)]).whole == ONE + ONE


@pytest.mark.parametrize(
    ("month", "by", "after"),
    [((2026, 11), 1, (2026, 12)), ((2026, 12), 1, (2027, 1)), ((2026, 1), -1, (2025, 12))],
)
def test_months_follow_each_other(month: tuple[int, int], by: int, after: tuple[int, int]) -> None:
    assert month_after(*month, by) == after
