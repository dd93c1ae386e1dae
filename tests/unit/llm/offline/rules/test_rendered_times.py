"""Moments and durations as text."""

from __future__ import annotations

from datetime import datetime

from neodeskpet.llm.offline.request_reader import OfflineRequest
from neodeskpet.llm.offline.rules.rule import render_moment, render_seconds

ENGLISH, CHINESE = OfflineRequest("", chinese=False), OfflineRequest("", chinese=True)


def test_durations_in_words() -> None:
    assert render_seconds(ENGLISH, 61) == "1 minute 1 second"
    assert render_seconds(ENGLISH, 2 * 86400 + 3600 + 60) == "2 days 1 hour"
    assert render_seconds(CHINESE, 5400) == "1小时30分钟"
    assert render_seconds(CHINESE, 0) == "1秒"


def test_a_moment_is_shown_with_weekday_and_date_but_today_by_the_clock() -> None:
    now = datetime(2026, 11, 27, 10)
    assert render_moment(ENGLISH, datetime(2026, 11, 27, 17, 30), now) == "17:30"
    assert render_moment(ENGLISH, datetime(2026, 12, 3, 8), now) == "Thu, 3 Dec 08:00"
    assert render_moment(CHINESE, datetime(2026, 12, 3, 8), now) == "12月3日 周四 08:00"
    assert render_moment(ENGLISH, datetime(2027, 2, 5, 20), now) == "Fri, 5 Feb 2027 20:00"
    assert render_moment(CHINESE, datetime(2027, 2, 5, 20), now) == "2027年2月5日 周五 20:00"
