"""Durations and clock times as people write them."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.core.schedule.parsing.time_parser import parse_moment as read_moment
from neodeskpet.core.schedule.vocabulary import LONGEST_DURATION, parse_duration, render_duration

NOW = datetime(2025, 11, 21, 15, 15, 30)  # A Friday afternoon.


def parse_moment(text: str, now: datetime) -> datetime:
    moment = read_moment(text, now.replace(tzinfo=UTC).timestamp(), UTC)
    return datetime.fromtimestamp(moment, UTC).replace(tzinfo=None)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90),
        ("40 seconds", 40),
        ("5 min", 300),
        ("5m", 300),
        ("in 5 minutes", 300),
        ("５ 分钟", 300),
        ("a minute", 60),
        ("twenty-five minutes", 1500),
        ("1h30m", 5400),
        ("1.5 h", 5400),
        ("1 hour, 30 minutes and 5 seconds", 5405),
        ("an hour and a half", 5400),
        ("one and a half hours", 5400),
        ("half an hour", 1800),
        ("a quarter of an hour", 900),
        ("three quarters of an hour", 2700),
        ("two hours later", 7200),
        ("ten minutes from now", 600),
        ("半小时", 1800),
        ("半个小时", 1800),
        ("一个半小时", 5400),
        ("1小时半", 5400),
        ("1小时30分", 5400),
        ("两小时", 7200),
        ("两个钟头", 7200),
        ("十分钟后", 600),
        ("二十五分钟之后", 1500),
        ("过30秒", 30),
        ("一百零五秒", 105),
        ("一百二十分钟", 7200),
        ("三刻钟", 2700),
        ("三天", 259200),
        ("2周", 1209600),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == timedelta(seconds=seconds)
    assert parse_moment(text, NOW) == NOW + timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("17:30", "11-21 17:30"),
        ("17：30：10", "11-21 17:30:10"),
        ("15:15", "11-22 15:15"),
        ("9:00", "11-22 09:00"),
        ("5:30 pm", "11-21 17:30"),
        ("5 p.m.", "11-21 17:00"),
        ("7am", "11-22 07:00"),
        ("12 am", "11-22 00:00"),
        ("12 pm", "11-22 12:00"),
        ("noon", "11-22 12:00"),
        ("midnight", "11-22 00:00"),
        ("tomorrow noon", "11-22 12:00"),
        ("at 8", "11-21 20:00"),
        ("8 o'clock", "11-21 20:00"),
        ("at 3", "11-22 03:00"),
        ("tomorrow at 9", "11-22 09:00"),
        ("tomorrow morning at 8", "11-22 08:00"),
        ("9:30 tomorrow", "11-22 09:30"),
        ("this evening at 7", "11-21 19:00"),
        ("tonight at 11", "11-21 23:00"),
        ("12 tonight", "11-22 00:00"),
        ("8点", "11-21 20:00"),
        ("今天8点", "11-21 20:00"),
        ("tomorrow", "11-22 09:00"),
        ("thursday at 9", "11-27 09:00"),
        ("下周三下午三点", "11-26 15:00"),
        ("三天后下午三点", "11-24 15:00"),
        ("农历十一月初一早上8点", "12-20 08:00"),
        ("in 3 business days", "11-26 09:00"),
        ("本月最后一个工作日上午十点", "11-28 10:00"),
        ("零点", "11-22 00:00"),
        ("17时30分", "11-21 17:30"),
        ("下午5点半", "11-21 17:30"),
        ("下午五点一刻", "11-21 17:15"),
        ("晚上八点零五分", "11-21 20:05"),
        ("晚上1点", "11-22 01:00"),
        ("今晚12点", "11-22 00:00"),
        ("凌晨12点半", "11-22 00:30"),
        ("中午", "11-22 12:00"),
        ("明天中午11点", "11-22 11:00"),
        ("中午1点", "11-22 13:00"),
        ("明天早上8点", "11-22 08:00"),
        ("明早8点", "11-22 08:00"),
        ("明晚9点", "11-22 21:00"),
        ("后天 10:20", "11-23 10:20"),
        ("2025-11-22 08:00", "11-22 08:00"),
        ("2025-11-22T08:00:30", "11-22 08:00:30"),
    ],
)
def test_clock_times(text: str, moment: str) -> None:
    assert parse_moment(text, NOW) == datetime.fromisoformat(f"2025-{moment}")


def test_an_iso_time_with_a_zone_is_converted_to_local_time() -> None:
    moment = parse_moment("2025-11-25T08:00:00+00:00", NOW)
    assert moment.astimezone().timestamp() == 1764057600


@pytest.mark.parametrize(
    "text",
    [
        "7",
        "hello",
        "25:00",
        "12:75",
        "400 days",
        "0 min",
        "5 minutes x",
        "2025-13-01 8",
    ],
)
def test_texts_that_are_no_times(text: str) -> None:
    with pytest.raises(ValueError, match="isn't a time I understand"):
        parse_moment(text, NOW)


@pytest.mark.parametrize("text", ["今天10:00", "2025-11-20 08:00"])
def test_times_in_the_past(text: str) -> None:
    with pytest.raises(ValueError, match="is in the past; it is 2025-11-21 15:15 now"):
        parse_moment(text, NOW)


@given(st.text() | st.text(alphabet="0123456789半一二十点分:小时分钟 amphinstoday明天晚上"))
@settings(deadline=None)
def test_any_text_is_a_future_moment_or_refused(text: str) -> None:
    try:
        moment = parse_moment(text, NOW)
    except ValueError as error:
        assert str(error)
    else:
        assert moment > NOW


@given(st.integers(1, int(LONGEST_DURATION.total_seconds())))
@settings(deadline=None)
def test_any_number_of_seconds(seconds: int) -> None:
    assert parse_duration(f"{seconds}秒") == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (-5, "0 s"),
        (59.6, "1 min"),
        (90, "1 min 30 s"),
        (5400, "1 h 30 min"),
        (90061, "1 d 1 h"),
    ],
)
def test_a_duration_in_words(seconds: float, words: str) -> None:
    assert render_duration(seconds) == words


@pytest.mark.parametrize("text", ["1" + " " * 100_000 + "h", "1 h " * 50, "\ufdfa" * 101])
def test_a_very_long_text_is_refused_without_reading(text: str) -> None:
    with pytest.raises(ValueError, match=r"at most 200 characters|isn't a time I understand"):
        parse_moment(text, datetime(2026, 1, 1))
    assert parse_duration(text) is None


@pytest.mark.parametrize("text", ["2031-12-31 23:59", "2027-02-01 08:00", "9999-12-31T23:59Z"])
def test_a_moment_is_at_most_a_year_ahead(text: str) -> None:
    with pytest.raises(ValueError, match="too far ahead: at most 366 days"):
        parse_moment(text, datetime(2026, 1, 1))


@pytest.mark.parametrize("text", ["9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00"])
def test_times_beyond_the_calendar_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"isn't a time I understand|in the past|too far"):
        parse_moment(text, datetime(2026, 1, 1))


@pytest.mark.parametrize("text", ["every day at 9 am", "每天早上8点"])
def test_a_repeated_time_is_no_single_moment(text: str) -> None:
    with pytest.raises(ValueError, match="repeats; a single time is needed"):
        parse_moment(text, NOW)


@pytest.mark.parametrize("text", ["tomorrow at 3", "周三六点"])
def test_an_hour_of_another_day_may_be_in_either_half(text: str) -> None:
    with pytest.raises(ValueError, match="may mean"):
        parse_moment(text, NOW)
