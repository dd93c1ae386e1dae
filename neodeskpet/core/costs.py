"""What replies cost: requests, their sums by day, model and conversation, and the monthly budget.
Pure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RequestCost:
    """One request. `conversation` is the one it was made for, "" for none; `purpose` why (chat,
    title, summary, vision). Tokens are 0 where the service told none, `cost` (in `currency`) is
    None where the model's prices aren't known.
    """

    model: str
    purpose: str
    conversation: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    seconds: float = 0.0
    cost: float | None = None
    currency: str = ""


@dataclass(frozen=True, slots=True)
class CostSum:
    """Many requests. `costs` are in each currency, of those `priced` requests whose price is
    known.
    """

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    seconds: float = 0.0
    priced: int = 0
    costs: Mapping[str, float] = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def __add__(self, other: CostSum) -> CostSum:
        costs = dict(self.costs)
        for currency, cost in other.costs.items():
            costs[currency] = costs.get(currency, 0.0) + cost
        return CostSum(
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.seconds + other.seconds,
            self.priced + other.priced,
            costs,
        )


@dataclass(frozen=True, slots=True)
class CostGroup:
    """The sum of what bears this `key`: a day (2026-11-23), a model, or a conversation's id (else
    the purpose of what belongs to none). `title` is a conversation's, None where it is gone.
    """

    key: str
    sum: CostSum
    title: str | None = None
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class MonthlyCosts:
    """Days in their order; models and conversations, those with the most tokens first."""

    days: Sequence[CostGroup] = ()
    models: Sequence[CostGroup] = ()
    conversations: Sequence[CostGroup] = ()

    @property
    def whole(self) -> CostSum:
        return sum_costs(part.sum for part in self.days)


def sum_costs(sums: Iterable[CostSum]) -> CostSum:
    total = CostSum()
    for one in sums:
        total += one
    return total


def month_after(year: int, month: int, by: int = 1) -> tuple[int, int]:
    """The month that is so many after this one (before it, for fewer than 0)."""
    number = year * 12 + month - 1 + by
    return number // 12, number % 12 + 1


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
