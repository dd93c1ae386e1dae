"""When it is to be: what the helper finds, the timer tool understands."""

from __future__ import annotations

from datetime import datetime

import pytest

from neodeskpet.llm.offline.request import Ask
from neodeskpet.llm.offline.rules.moments import MOMENT, render_seconds
from neodeskpet.timers.time_words import parse_moment

ENGLISH, CHINESE = Ask("", chinese=False), Ask("", chinese=True)


@pytest.mark.parametrize(
    "text",
    [
        "5 minutes", "a minute", "half an hour", "an hour and a half", "1 hour 30 minutes",
        "1h30m", "two and a half hours", "90 seconds", "2 days", "17:30", "5:30 pm", "7am",
        "8 o'clock",
        "tomorrow at 9:15", "tomorrow at 9", "at 7", "noon", "tomorrow noon", "tonight at 11",
        "9:30 tomorrow", "twenty-five minutes", "1 hour, 5 minutes and 10 seconds",
        "5分钟后", "半小时", "半个小时之后", "一个半小时", "1小时30分", "十分钟", "两天后",
        "一刻钟", "下午5点半", "明天早上8点", "今晚十一点", "后天10:20", "明天中午", "17点05分",
        "晚上八点一刻",
    ],
)  # fmt: skip
def test_moments_are_found_whole_and_understood(text: str) -> None:
    found = MOMENT.search(f"x {text} y")
    assert found is not None
    assert found["moment"].strip() == text
    now = datetime(2025, 11, 21, 10, 0)
    assert parse_moment(found["moment"], now) > now


def test_durations_in_words() -> None:
    assert render_seconds(ENGLISH, 61) == "1 minute 1 second"
    assert render_seconds(ENGLISH, 2 * 86400 + 3600 + 60) == "2 days 1 hour"
    assert render_seconds(CHINESE, 5400) == "1小时30分钟"
    assert render_seconds(CHINESE, 0) == "1秒"
