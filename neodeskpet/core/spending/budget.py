"""A sum for a month that the person sets, and when they are told how much of it is gone."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

WARNING_PERCENTS = (80, 100)
"""Per cent at which they are told, once each."""

CURRENCY_SIGNS = {"$": "USD", "¥": "CNY", "￥": "CNY", "元": "CNY", "€": "EUR", "£": "GBP"}
_NUMBER = re.compile(r"\d+(?:[.,]\d{1,4})?")
_CODE = re.compile(r"[A-Za-z]{3}")
_USUAL = "USD"


@dataclass(frozen=True, slots=True)
class MonthlyBudget:
    """`amount` (> 0) in `currency` for each month."""

    amount: float
    currency: str

    def share(self, cost: float) -> int:
        """How many per cent of it `cost` is, rounded down: 100 is all of it."""
        return math.floor(cost / self.amount * 100 + 1e-9)

    def reached(self, cost: float) -> int:
        """The highest of STEPS that `cost` has reached, 0 for none."""
        share = self.share(cost)
        return max((step for step in WARNING_PERCENTS if share >= step), default=0)


def read_budget(text: str) -> MonthlyBudget | None:
    """ "20 USD", "$20", "50 元", "12.50 eur"; a number alone is in US dollars. None for an empty
    text, and for 0. Raises ValueError for anything else.
    """
    rest = text.strip()
    if not rest:
        return None
    number = _NUMBER.search(rest)
    if number is None:
        raise ValueError("no sum")
    around = (rest[: number.start()] + rest[number.end() :]).strip()
    if around in CURRENCY_SIGNS:
        currency = CURRENCY_SIGNS[around]
    elif not around:
        currency = _USUAL
    elif _CODE.fullmatch(around):
        currency = around.upper()
    else:
        raise ValueError("no currency")
    amount = float(number.group().replace(",", "."))
    return MonthlyBudget(amount, currency) if amount else None


def due_budget_warning(
    budget: MonthlyBudget, cost: float, month: str, told: str
) -> tuple[int, str]:
    """What is to be told now (80, 100; 0: nothing), and what was told then: a text that is handed
    in as `told` the next time. Another month, or another budget, begins anew.
    """
    key = f"{month} {budget.amount:g} {budget.currency}"
    kept, _, step = told.rpartition(" ")
    before = int(step) if kept == key and step.isdecimal() else 0
    reached = budget.reached(cost)
    if reached <= before:
        return 0, f"{key} {before}"
    return reached, f"{key} {reached}"
