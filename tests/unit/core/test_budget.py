"""Parsing of a budget, and when the user is notified."""

from __future__ import annotations

import pytest

from neodeskpet.core.costs import MonthlyBudget, due_budget_warning, read_budget

TWENTY = MonthlyBudget(20, "USD")


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("", None),
        ("  ", None),
        ("0", None),
        ("20", TWENTY),
        ("$20", TWENTY),
        (" 20 usd ", TWENTY),
        ("USD 20.00", TWENTY),
        ("12,50 €", MonthlyBudget(12.5, "EUR")),
        ("50 元", MonthlyBudget(50, "CNY")),
        ("¥50", MonthlyBudget(50, "CNY")),
        ("5 chf", MonthlyBudget(5, "CHF")),
    ],
)
def test_a_sum_is_read(text: str, budget: MonthlyBudget | None) -> None:
    assert read_budget(text) == budget


@pytest.mark.parametrize("text", ["much", "20 pieces of gold", "-5", "1.2.3", "5 6"])
def test_invalid_sums_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no "):
        read_budget(text)


@pytest.mark.parametrize(
    ("cost", "step"), [(0, 0), (15.99, 0), (16, 80), (19.99, 80), (20, 100), (99, 100)]
)
def test_the_user_is_notified_at_80_and_at_100_percent(cost: float, step: int) -> None:
    assert due_budget_warning(TWENTY, cost, "2026-11", "")[0] == step


def test_each_notice_is_given_once() -> None:
    step, told = due_budget_warning(TWENTY, 17, "2026-11", "")
    assert step == 80
    assert due_budget_warning(TWENTY, 18, "2026-11", told) == (0, told)
    step, told = due_budget_warning(TWENTY, 21, "2026-11", told)
    assert step == 100
    assert due_budget_warning(TWENTY, 30, "2026-11", told) == (0, told)
    assert due_budget_warning(TWENTY, 5, "2026-11", told) == (0, told)


def test_another_month_and_another_budget_start_again() -> None:
    _, told = due_budget_warning(TWENTY, 21, "2026-11", "")
    assert due_budget_warning(TWENTY, 0, "2026-12", told)[0] == 0
    assert due_budget_warning(TWENTY, 21, "2026-12", told)[0] == 100
    assert due_budget_warning(MonthlyBudget(21, "USD"), 21, "2026-11", told)[0] == 100
    assert due_budget_warning(TWENTY, 21, "2026-11", "who knows")[0] == 100
