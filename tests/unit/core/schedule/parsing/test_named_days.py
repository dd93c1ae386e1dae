"""Which days are meant."""

import re
from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.schedule.parsing.named_days import DayForm, day_forms, named_days_in
from tests.bench.times.measure import judge_days

NEW_YEAR = datetime(2026, 1, 1, 9)  # A Thursday.


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("what did I say yesterday", "2025-12-31", "2025-12-31"),
        ("the day before yesterday", "2025-12-30", "2025-12-30"),
        ("last night", "2025-12-31", "2025-12-31"),
        ("this morning", "2026-01-01", "2026-01-01"),
        ("last Tuesday", "2025-12-30", "2025-12-30"),
        ("last Thursday", "2025-12-25", "2025-12-25"),
        ("this Friday", "2026-01-02", "2026-01-02"),
        ("next Friday", "2026-01-09", "2026-01-09"),
        ("on Friday", "2025-12-26", "2025-12-26"),
        ("on 5 May", "2025-05-05", "2025-05-05"),
        ("on May 5th, 2023", "2023-05-05", "2023-05-05"),
        ("in May 2023", "2023-05-01", "2023-05-31"),
        ("in June", "2025-06-01", "2025-06-30"),
        ("2023-05-05", "2023-05-05", "2023-05-05"),
        ("in 2022", "2022-01-01", "2022-12-31"),
        ("two weeks ago", "2025-12-15", "2025-12-21"),
        ("3 days ago", "2025-12-29", "2025-12-29"),
        ("a month ago", "2025-12-01", "2025-12-31"),
        ("a couple of years ago", "2024-01-01", "2024-12-31"),
        ("last week", "2025-12-22", "2025-12-28"),
        ("last weekend", "2025-12-27", "2025-12-28"),
        ("the weekend before last", "2025-12-20", "2025-12-21"),
        ("last month", "2025-12-01", "2025-12-31"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("on New Year’s Eve", "2025-12-31", "2025-12-31"),
        ("at Christmas", "2025-12-25", "2025-12-25"),
        ("29 February", "2024-02-29", "2024-02-29"),
        ("昨天", "2025-12-31", "2025-12-31"),
        ("大前天", "2025-12-29", "2025-12-29"),
        ("今早", "2026-01-01", "2026-01-01"),
        ("后天", "2026-01-03", "2026-01-03"),
        ("上周五我说了什么", "2025-12-26", "2025-12-26"),
        ("这周五", "2026-01-02", "2026-01-02"),
        ("上上周", "2025-12-15", "2025-12-21"),
        ("周末", "2025-12-27", "2025-12-28"),
        ("去年12月", "2025-12-01", "2025-12-31"),
        ("去年的5月3号", "2025-05-03", "2025-05-03"),
        ("二零二三年五月", "2023-05-01", "2023-05-31"),
        ("十二月三十一日", "2025-12-31", "2025-12-31"),
        ("上个月5号", "2025-12-05", "2025-12-05"),
        ("三天前", "2025-12-29", "2025-12-29"),
        ("两周之前", "2025-12-15", "2025-12-21"),
        ("半年前的三个月前", "2025-10-01", "2025-10-31"),
        ("一年前", "2025-01-01", "2025-12-31"),
        ("元旦", "2026-01-01", "2026-01-01"),
        ("跨年夜", "2025-12-31", "2025-12-31"),
        ("New Year's Eve 2024", "2024-12-31", "2024-12-31"),
        ("Christmas of 2022", "2022-12-25", "2022-12-25"),
        ("前年的国庆", "2024-10-01", "2024-10-01"),
        ("除夕", "2025-01-28", "2025-01-28"),
        ("2024年的春节", "2024-02-10", "2024-02-10"),
        ("去年大年初一", "2025-01-29", "2025-01-29"),
        ("中秋节", "2025-10-06", "2025-10-06"),
        ("去年端午", "2025-05-31", "2025-05-31"),
        ("Chinese New Year's Eve", "2025-01-28", "2025-01-28"),
        ("前年", "2024-01-01", "2024-12-31"),
        ("2021年", "2021-01-01", "2021-12-31"),
        ("二零二一年", "2021-01-01", "2021-12-31"),
        ("98年5月", "1998-05-01", "1998-05-31"),
        ("上上个月5号", "2025-11-05", "2025-11-05"),
        ("大后天", "2026-01-04", "2026-01-04"),
        ("正月十五", "2025-02-12", "2025-02-12"),
        ("去年农历八月十五", "2025-10-06", "2025-10-06"),
        ("农历八月三十", "2024-10-02", "2024-10-02"),
        ("腊月二十三", "2025-01-22", "2025-01-22"),
        ("我last week说的", "2025-12-22", "2025-12-28"),
        ("Monday上午", "2025-12-29", "2025-12-29"),
        ("meeting昨天", "2025-12-31", "2025-12-31"),
        ("昨晚", "2025-12-31", "2025-12-31"),
        ("01 Jan 2025", "2025-01-01", "2025-01-01"),
        ("New Years Eve", "2025-12-31", "2025-12-31"),
        ("五一", "2025-05-01", "2025-05-01"),
        ("１２月２４日", "2025-12-24", "2025-12-24"),
    ],
)
def test_a_day_is_resolved_against_the_present(text: str, first: str, last: str) -> None:
    (span,) = named_days_in(text, NEW_YEAR)
    assert (span.first, span.last) == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    "text",
    [
        "may I ask",
        "the second week",
        "31 June",
        "我去过月球",
        "周到",
        "half a day ago",
        "十三月",
        "today_alone",
        "2102年春节",
        "99999999999 years ago",
    ],
)
def test_texts_that_name_no_day(text: str) -> None:
    assert named_days_in(text, NEW_YEAR) == []


PIECES = "last next this on 5 31 May Friday ago week 上 下 个 周 五 月 日 年 前 去年 十 二 两 2023"


def test_phrases_of_the_benchmark_name_their_days() -> None:
    count, wrong = judge_days()
    assert count >= 100
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "first", "days"),
    [
        ("Christmas", "2025-12-25", 1),
        ("in December", "2025-12-01", 31),
        ("in August", "2025-08-01", 31),
        ("on Friday", "2026-01-02", 1),
        ("周末", "2026-01-03", 2),
        ("2月3日", "2026-02-03", 1),
    ],
)
def test_a_remark_may_be_about_the_nearest_day(text: str, first: str, days: int) -> None:
    (span,) = named_days_in(text, NEW_YEAR, looking_back=False)
    assert (f"{span.first}", span.days) == (first, days)


@given(
    st.lists(st.sampled_from(PIECES.split()) | st.text(max_size=3), max_size=8),
    st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1)),
    st.booleans(),
)
def test_any_text_can_be_read(words: list[str], now: datetime, back: bool) -> None:
    for text in ("".join(words), " ".join(words)):
        for span in named_days_in(text, now, looking_back=back):
            assert span.first <= span.last
            assert 0 <= span.at < span.end <= len(text)


@pytest.mark.parametrize("form", list(day_forms(chinese=True)), ids=lambda form: form.needs[0])
@given(data=st.data())
def test_what_a_form_needs_is_in_every_text_that_it_matches(
    form: DayForm, data: st.DataObject
) -> None:
    text = data.draw(st.from_regex(re.compile(form.pattern.pattern)))
    assert any(one in text.lower() for one in form.needs)
