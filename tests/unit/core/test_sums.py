"""Sums of requests."""

from __future__ import annotations

import pytest

from neodeskpet.core.costs import CostGroup, CostSum, MonthlyCosts, month_after, sum_costs

ONE = CostSum(1, 10, 5, 2, 1.5, 1, {"USD": 0.5})


def test_each_currency_is_added_up_separately() -> None:
    free = CostSum(1, 1, 1)
    whole = sum_costs([ONE, ONE, free, CostSum(1, priced=1, costs={"CNY": 2.0})])
    assert whole == CostSum(4, 21, 11, 4, 3.0, 3, {"USD": 1.0, "CNY": 2.0})
    assert whole.tokens == 32
    assert sum_costs([]) == CostSum()


def test_a_month_is_the_sum_of_its_days() -> None:
    assert (
        MonthlyCosts([CostGroup("2026-11-01", ONE), CostGroup("2026-11-02", ONE)]).whole
        == ONE + ONE
    )


@pytest.mark.parametrize(
    ("month", "by", "after"),
    [((2026, 11), 1, (2026, 12)), ((2026, 12), 1, (2027, 1)), ((2026, 1), -1, (2025, 12))],
)
def test_consecutive_months(month: tuple[int, int], by: int, after: tuple[int, int]) -> None:
    assert month_after(*month, by) == after
