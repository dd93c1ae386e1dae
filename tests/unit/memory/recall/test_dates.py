"""The search terms of a day."""

from datetime import date, datetime

from neodeskpet.memory.recall.text_terms import (
    date_terms,
    day_term,
    is_date_term,
    month_term,
    year_term,
)


def test_a_phrase_may_mean_future_days() -> None:
    said = datetime(2025, 12, 30, 20)
    assert date_terms("I see the dentist on 2 January", said) == [day_term(date(2026, 1, 2))]
    assert date_terms("后天去看牙医", said) == [day_term(date(2026, 1, 1))]
    assert date_terms("in May 2026 we move", said) == [month_term(date(2026, 5, 1))]
    assert date_terms("今年春节回家", datetime(2026, 1, 4)) == [day_term(date(2026, 2, 17))]
    assert date_terms("some day", said) == []
    assert date_terms("last year", said) == [year_term(date(2024, 1, 1))]
    assert all(map(is_date_term, date_terms("last weekend", said)))
    assert not is_date_term("dd")
