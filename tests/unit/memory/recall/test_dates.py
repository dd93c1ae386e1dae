"""By which terms a day is found."""

from datetime import date, datetime

from neodeskpet.memory.recall.dates import (
    day_mark,
    is_mark,
    marks_of,
    month_mark,
    year_mark,
)


def test_what_is_said_may_mean_days_that_come() -> None:
    said = datetime(2025, 12, 30, 20)
    assert marks_of("I see the dentist on 2 January", said) == [day_mark(date(2026, 1, 2))]
    assert marks_of("后天去看牙医", said) == [day_mark(date(2026, 1, 1))]
    assert marks_of("in May 2026 we move", said) == [month_mark(date(2026, 5, 1))]
    assert marks_of("今年春节回家", datetime(2026, 1, 4)) == [day_mark(date(2026, 2, 17))]
    assert marks_of("some day", said) == []
    assert marks_of("last year", said) == [year_mark(date(2024, 1, 1))]
    assert all(map(is_mark, marks_of("last weekend", said)))
    assert not is_mark("dd")
