"""Requests for reminders are read correctly or asked about: the phrases of `./run bench time`."""

from __future__ import annotations

from datetime import datetime

import pytest

from neodeskpet.llm.offline.rules.timer_rules import find_time_in, label_of
from tests.bench.times.measure import judge, written
from tests.bench.times.templates import cases

FRIDAY = datetime(2026, 11, 27, 10)


@pytest.mark.parametrize(("name", "least"), [("phrases", 500), ("traps", 200)])
def test_phrases_written_by_hand(name: str, least: int) -> None:
    count, misread, missed = judge(written(name))
    assert count >= least
    assert (misread, missed) == ([], [])


def test_phrases_made_from_templates() -> None:
    count, misread, missed = judge(cases(300, seed=31))
    assert misread == []
    assert len(missed) <= count * 0.03


@pytest.mark.parametrize(
    ("text", "words", "label"),
    [
        ("remind me on thursday at 8 am to send the form", "on thursday at 8 am", "send the form"),
        ("remind me on thursday to send it at 8 am", "on thursday at 8 am", "send it"),
        ("remind me 3 weeks from today to renew the pass", "3 weeks from today", "renew the pass"),
        ("大后天早上八点半提醒我出发", "大后天早上八点半", "出发"),
        ("除夕晚上八点提醒我看春晚", "除夕晚上八点", "看春晚"),
        ("提醒我明天早上九点交房租", "明天早上九点", "交房租"),
        ("下午三点提醒我坐3号线", "下午三点", "坐3号线"),
        ("8点提醒我看“明天的计划”", "8点", "看“明天的计划”"),
    ],
)
def test_the_time_is_no_part_of_the_label(text: str, words: str, label: str) -> None:
    found = find_time_in(text, FRIDAY)
    assert found.words == words
    assert label_of(*found.rest) == label
    assert found.reading is not None


@pytest.mark.parametrize(
    ("text", "unused"),
    [
        ("明天下午三点提醒我准备后天的会议", ("后天",)),
        ("remind me at 8 to buy tickets for friday", ("friday",)),
        ("周一上午十点之前提醒我交材料", ("周一上午十点",)),
        ("remind me tomorrow morning of the call at 9", ("tomorrow morning", "at 9")),
    ],
)
def test_words_that_look_like_a_time_are_not_guessed(text: str, unused: tuple[str, ...]) -> None:
    found = find_time_in(text, FRIDAY)
    assert found.unused == unused
    assert found.reading is None
