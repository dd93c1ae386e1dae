"""When a to-do is due: said in words, written in figures, and the remaining text of the
sentence.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.i18n import InvalidValue
from neodeskpet.core.schedule.due import Due, countdown_goal, find_due, parse_due, read_due
from tests.bench.times.measure import judge_todos

FRIDAY = datetime(2026, 11, 27, 10, tzinfo=UTC)
NOW = FRIDAY.timestamp()


@pytest.mark.parametrize(
    ("words", "due"),
    [
        ("Friday", "2026-11-27"),
        ("by Friday 5pm", "2026-11-27 17:00"),
        ("next Friday", "2026-12-04"),
        ("2026-12-04", "2026-12-04"),
        ("2026-12-04 17:00", "2026-12-04 17:00"),
        ("2026-12-04T17:00:00+00:00", "2026-12-04 17:00"),
        ("2026-11-27", "2026-11-27"),
        ("today", "2026-11-27"),
        ("this morning", "2026-11-27"),
        ("tonight", "2026-11-27 21:00"),
        ("3 days", "2026-11-30"),
        ("within two weeks", "2026-12-11"),
        ("in 2 hours", "2026-11-27 12:00"),
        ("the end of the month", "2026-11-30"),
        ("周五前", "2026-11-27"),
        ("下周三下午三点前", "2026-12-02 15:00"),
        ("除夕", "2027-02-05"),
        ("三天内", "2026-11-30"),
    ],
)
def test_due_dates(words: str, due: str) -> None:
    assert str(read_due(words, NOW, UTC)) == due


@pytest.mark.parametrize(
    "words", ["when I can", "every Friday", "2025-01-01", "9 am today", "the weekend", "last week"]
)
def test_texts_without_a_due_date(words: str) -> None:
    with pytest.raises(InvalidValue):
        read_due(words, NOW, UTC)


@pytest.mark.parametrize(
    ("sentence", "text", "due"),
    [
        ("hand in the form by Friday 5 pm", "hand in the form", "2026-11-27 17:00"),
        ("hand in the form before next Wednesday", "hand in the form", "2026-12-02"),
        ("submit taxes, due April 15", "submit taxes", "2027-04-15"),
        ("by tomorrow noon send the mail", "send the mail", "2026-11-28 12:00"),
        ("tomorrow: call the bank", "call the bank", "2026-11-28"),
        ("reply within two days", "reply", "2026-11-29"),
        ("pay by Friday at the latest", "pay", "2026-11-27"),
        ("buy milk", "buy milk", ""),
        ("finish it by hand", "finish it by hand", ""),
        ("read 30 minutes", "read 30 minutes", ""),
        ("Friday", "Friday", "2026-11-27"),
        ("周三交表", "交表", "2026-12-02"),
        ("今天交表", "交表", "2026-11-27"),
        ("交报告，周五截止", "交报告", "2026-11-27"),
        ("截止周五：交报告", "交报告", "2026-11-27"),
        ("最晚周一交作业", "交作业", "2026-11-30"),
        ("提交报告（周五前）", "提交报告", "2026-11-27"),
        ("周五要交周报", "交周报", "2026-11-27"),
        ("三天内回复邮件", "回复邮件", "2026-11-30"),
        ("buy gift before 12月24日", "buy gift", "2026-12-24"),
        ("后天晚上8点前发邮件给Tom", "发邮件给Tom", "2026-11-29 20:00"),
        ("买牛奶", "买牛奶", ""),
    ],
)
def test_a_sentence_is_split_into_text_and_time(sentence: str, text: str, due: str) -> None:
    found = find_due(sentence, NOW, UTC)
    assert found.fault is None
    assert (found.text, str(found.due or "")) == (text, due)


@pytest.mark.parametrize(
    "sentence",
    [
        "prepare Friday's meeting",
        "buy tickets for the 8 pm show",
        "water the plants every Friday",
        "write the report this week",
        "准备周五的会议",
        "三天前的邮件",
        "明天或后天买菜",
        "每天喝水",
        "周末洗车",
    ],
)
def test_words_that_look_like_a_time_are_not_guessed(sentence: str) -> None:
    found = find_due(sentence, NOW, UTC)
    assert (found.text, found.due) == (sentence, None)
    assert found.fault is not None


def test_sentences_of_the_benchmark() -> None:
    count, wrong = judge_todos()
    assert count >= 80
    assert wrong == []


def test_a_long_text_is_not_searched_for_a_time() -> None:
    assert find_due("buy milk tomorrow " + "x" * 200, NOW, UTC).due is None


def test_a_due_date_passes_with_its_day_or_its_time() -> None:
    day, hour = Due(date(2026, 11, 27)), Due(date(2026, 11, 27), time(17))
    assert not day.is_over(datetime(2026, 11, 27, 23, 59))
    assert day.is_over(datetime(2026, 11, 28))
    assert not hour.is_over(datetime(2026, 11, 27, 17))
    assert hour.is_over(datetime(2026, 11, 27, 17, 1))
    assert (day.show(), hour.show()) == ("2026-11-27 Fri", "2026-11-27 Fri 17:00")


@given(st.dates(), st.none() | st.times().map(lambda one: one.replace(second=0, microsecond=0)))
def test_a_due_date_is_stored_completely(day: date, clock: time | None) -> None:
    due = Due(day, clock)
    assert parse_due(str(due)) == due


@pytest.mark.parametrize(
    "text", ["", "2026-13-01", "2026-12-04 25:00", "Friday", "2026-12-04T17:00"]
)
def test_other_texts_are_no_stored_due_date(text: str) -> None:
    assert parse_due(text) is None


@given(st.text(max_size=40))
def test_any_sentence_can_be_read(sentence: str) -> None:
    found = find_due(sentence, NOW, UTC)
    assert found.fault is None or found.due is None


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("Countdown to the exam", "the exam"),
        ("countdown: exam", "exam"),
        ("exam countdown", "exam"),
        ("count down to", ""),
        ("距离考研", "考研"),
        ("距离考研还有", "考研"),
        ("倒计时：高考", "高考"),
        ("考研倒计时", "考研"),
        ("距离", ""),
        ("buy milk", None),
        ("倒数第二章", None),
    ],
)
def test_a_countdown_is_known_by_its_words(text: str, goal: str | None) -> None:
    assert countdown_goal(text) == goal
