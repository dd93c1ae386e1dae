"""Requests to models, and what they come to: by day, by model, by conversation."""

from __future__ import annotations

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
