"""Sums in words."""

from __future__ import annotations

from neodeskpet.core.spending.budget import Budget
from neodeskpet.core.spending.sums import Sum
from neodeskpet.language import tr
from neodeskpet.ui.chat.items.wording import count, duration, price

UNKNOWN = "—"


def costs(total: Sum) -> str:
    """ "$0.31 + ¥1.20"; "≥ $0.31" where the price of some isn't known; "—" where none is."""
    if not total.priced:
        return UNKNOWN
    known = " + ".join(price(cost, currency) for currency, cost in sorted(total.costs.items()))
    return f"≥ {known}" if total.priced < total.requests else known


def sum_line(total: Sum) -> str:
    """ "8 requests · 12,400 tokens · 41 s · $0.31"."""
    said = (
        tr("one request")
        if total.requests == 1
        else tr("{count} requests", count=count(total.requests))
    )
    tokens = tr("{count} tokens", count=count(total.tokens))
    return " · ".join((said, tokens, duration(total.seconds), costs(total)))


def budget_line(budget: Budget, cost: float) -> str:
    """How much of it is gone."""
    return tr(
        "Of the month's budget of {budget}: {percent} % ({cost})",
        budget=price(budget.amount, budget.currency),
        percent=str(budget.share(cost)),
        cost=price(cost, budget.currency),
    )
