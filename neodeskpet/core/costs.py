"""Costs of requests, their sums by day, model and conversation, and the monthly budget. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RequestCost:
    """The cost of one request. `conversation` is the id of its conversation, "" for none. `purpose`
    is chat, title, summary, vision, and so on. Tokens are 0 if the service didn't report them.
    `cost` (in `currency`) is None if the prices of the model are unknown.
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
    """The sum of several requests. `costs` has one amount for each currency, summed over the
    `priced` requests with a known price.
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
    """The sum of all requests with this `key`: a day (2026-11-23), a model, or the id of a
    conversation (for requests without a conversation, their purpose). `title` is that of the
    conversation, None if it was deleted.
    """

    key: str
    sum: CostSum
    title: str | None = None
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class MonthlyCosts:
    """Days in order; models and conversations with the most tokens first."""

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
    """Return the month `by` months later (earlier, if negative)."""
    number = year * 12 + month - 1 + by
    return number // 12, number % 12 + 1


WARNING_PERCENTS = (80, 100)
"""Percentages of the budget at which the user is warned, once each."""

CURRENCY_SIGNS = {"$": "USD", "¥": "CNY", "￥": "CNY", "元": "CNY", "€": "EUR", "£": "GBP"}
_NUMBER = re.compile(r"\d+(?:[.,]\d{1,4})?")
_CODE = re.compile(r"[A-Za-z]{3}")
_USUAL = "USD"


@dataclass(frozen=True, slots=True)
class MonthlyBudget:
    """A budget of `amount` (> 0) in `currency` for each month."""

    amount: float
    currency: str

    def share(self, cost: float) -> int:
        """Return `cost` as a percentage of the budget, rounded down."""
        return math.floor(cost / self.amount * 100 + 1e-9)

    def reached(self, cost: float) -> int:
        """Return the highest of WARNING_PERCENTS that `cost` has reached, 0 for none."""
        share = self.share(cost)
        return max((step for step in WARNING_PERCENTS if share >= step), default=0)


def read_budget(text: str) -> MonthlyBudget | None:
    """Read a budget such as "20 USD", "$20", "50 元" or "12.50 eur"; a number alone is in US
    dollars. Returns None for an empty text and for 0. Raises ValueError for anything else.
    """
    rest = text.strip()
    if not rest:
        return None
    number = _NUMBER.search(rest)
    if number is None:
        raise ValueError("no amount")
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
    budget: MonthlyBudget, cost: float, month: str, warned: str
) -> tuple[int, str]:
    """Return the warning that is due (80, 100; 0: none), and the state to pass as `warned` the next
    time. A new month or a changed budget starts without warnings.
    """
    key = f"{month} {budget.amount:g} {budget.currency}"
    kept, _, step = warned.rpartition(" ")
    before = int(step) if kept == key and step.isdecimal() else 0
    reached = budget.reached(cost)
    if reached <= before:
        return 0, f"{key} {before}"
    return reached, f"{key} {reached}"
