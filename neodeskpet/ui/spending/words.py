"""Sums in words."""

from __future__ import annotations

from neodeskpet.core.spending.budget import MonthlyBudget
from neodeskpet.core.spending.sums import CostSum
from neodeskpet.language import tr
from neodeskpet.ui.chat.items.wording import format_duration, format_number, format_price

UNKNOWN_COST = "—"


def format_costs(total: CostSum) -> str:
    """ "$0.31 + ¥1.20"; "≥ $0.31" where the price of some isn't known; "—" where none is."""
    if not total.priced:
        return UNKNOWN_COST
    known = " + ".join(
        format_price(cost, currency) for currency, cost in sorted(total.costs.items())
    )
    return f"≥ {known}" if total.priced < total.requests else known


def format_sum(total: CostSum) -> str:
    """ "8 requests · 12,400 tokens · 41 s · $0.31"."""
    said = (
        tr("one request")
        if total.requests == 1
        else tr("{count} requests", count=format_number(total.requests))
    )
    tokens = tr("{count} tokens", count=format_number(total.tokens))
    return " · ".join((said, tokens, format_duration(total.seconds), format_costs(total)))


def format_budget(budget: MonthlyBudget, cost: float) -> str:
    """How much of it is gone."""
    return tr(
        "Of the month's budget of {budget}: {percent} % ({cost})",
        budget=format_price(budget.amount, budget.currency),
        percent=str(budget.share(cost)),
        cost=format_price(cost, budget.currency),
    )
