"""Terms for the days and months that a text names: by them it is found when they are asked for.
Pure.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from functools import lru_cache

from neodeskpet.core.schedule.words.named_days import NamedDays, named_days_in

_YEAR_DAYS = 365
"""Days from which a span is a year."""


def date_terms(text: str, now: datetime) -> list[str]:
    """Terms for the days and months that `text` names, by which it is found when they are asked
    for.
    """
    marks: dict[str, None] = {}
    for span in named_days_in(text, now, looking_back=False):
        if span.days <= 3:
            for number in range(span.days):
                marks[day_term(span.first + timedelta(days=number))] = None
        elif span.days <= 31:
            marks[month_term(span.first)] = None
        elif span.days >= _YEAR_DAYS:
            marks[year_term(span.first)] = None
    return list(marks)


def day_term(day: date) -> str:
    return f"dd{day:%Y%m%d}"


def month_term(day: date) -> str:
    return f"dm{day:%Y%m}"


def year_term(day: date) -> str:
    return f"dy{day:%Y}0000"


@lru_cache(maxsize=256)
def span_terms(span: NamedDays) -> frozenset[str]:
    """The terms by which texts are found that name a day of `span`; that year, if it is one; none
    where it is something else that is longer than a month.
    """
    if span.days >= _YEAR_DAYS:
        return frozenset((year_term(span.first),))
    if span.days > 31:
        return frozenset()
    days = [day_term(span.first + timedelta(days=at)) for at in range(span.days)]
    return frozenset([*days, month_term(span.first)] if span.days > 7 else days)


def is_date_term(term: str) -> bool:
    """Whether a term is one of these."""
    return len(term) > 7 and term[:2] in ("dd", "dm", "dy") and term[2:].isdigit()
