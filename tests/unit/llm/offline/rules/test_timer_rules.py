"""Timers: set, listed, cancelled."""

from __future__ import annotations

import asyncio

import pytest

from neodeskpet.llm.offline.rules.timer_rules import label_of
from tests.unit.llm.offline.talking import Calls, Talk, expect, one


@pytest.mark.parametrize(
    ("words", "calls", "answer"),
    [
        (
            "remind me in 5 minutes to drink water",
            one("timer.set", at="in 5 minutes", label="drink water"),
            "I'll remind you at **15:05**, in 5 minutes: drink water.",
        ),
        (
            "In 10 minutes, remind me to stand up",
            one("timer.set", at="In 10 minutes", label="stand up"),
            "at **15:10**",
        ),
        (
            "remind me to call mom at 17:30",
            one("timer.set", at="at 17:30", label="call mom"),
            "at **17:30**, in 2 hours 30 minutes: call mom.",
        ),
        ("remind me at 7 to cook", one("timer.set", at="at 7", label="cook"), "at **19:00**"),
        (
            "remind me tomorrow at 9 to send the report",
            one("timer.set", at="tomorrow at 9", label="send the report"),
            "**Sat, 22 Nov 09:00**",
        ),
        (
            "remind me to read in two and a half hours",
            one("timer.set", at="in two and a half hours", label="read"),
            "at **17:30**",
        ),
        ("set a 10 minute timer", one("timer.set", at="10 minute"), "The timer rings at **15:10**"),
        ("set an alarm for 6:45 am", one("timer.set", at="6:45 am"), "**Sat, 22 Nov 06:45**"),
        ("wake me in half an hour", one("timer.set", at="in half an hour"), "at **15:30**"),
        (
            "十分钟后提醒我喝水",
            one("timer.set", at="十分钟后", label="喝水"),
            "我会在 **15:10**（10分钟后）提醒你：喝水。",
        ),
        ("提醒我半小时后关火", one("timer.set", at="半小时后", label="关火"), "**15:30**"),
        (
            "一个半小时之后提醒我去接孩子",
            one("timer.set", at="一个半小时之后", label="去接孩子"),
            "（1小时30分钟后）",
        ),
        (
            "后天早上8点提醒我赶高铁",
            one("timer.set", at="后天早上8点", label="赶高铁"),
            "我会在 **11月23日 周日 08:00** 提醒你：赶高铁。",
        ),
        (
            "明天早上8点叫我起床",
            one("timer.set", at="明天早上8点", label="起床"),
            "**11月22日 周六 08:00**",
        ),
        ("下午5点半提醒我开会", one("timer.set", at="下午5点半", label="开会"), "**17:30**"),
        ("定个3分钟的倒计时", one("timer.set", at="3分钟"), "计时器会在 **15:03**（3分钟后）响。"),
        ("半小时后叫我", one("timer.set", at="半小时后"), "**15:30**"),
        ("remind me to buy milk", [], "When? Say it in one sentence"),
        ("提醒我买牛奶", [], "什么时候呢？"),
        (
            "remind me every day at 8 to stretch",
            one("timer.set", at="08:00", label="stretch", repeat="daily"),
            "Every day from then on.",
        ),
        (
            "每天早上8点叫我起床",
            one("timer.set", at="08:00", label="起床", repeat="daily"),
            "之后每天都会提醒。",
        ),
        (
            "remind me on weekdays at 9:30 to stand up",
            one("timer.set", at="09:30", label="stand up", repeat="weekdays"),
            "From then on Monday to Friday.",
        ),
        (
            "工作日早上9点提醒我打卡",
            one("timer.set", at="09:00", label="打卡", repeat="weekdays"),
            "**11月24日 周一 09:00**",
        ),
        ("my timers", one("timer.list"), "There are no timers now."),
        ("我的提醒有哪些", one("timer.list"), "现在没有计时器，也没有提醒。"),
        ("cancel the timer", one("timer.list"), "There is no timer to cancel."),
    ],
)
def test_texts_and_their_results(talk: Talk, words: str, calls: Calls, answer: str) -> None:
    expect(talk, words, calls, answer)


def test_timers_from_beginning_to_end(talk: Talk) -> None:
    talk.say("remind me in 5 minutes to drink water")
    talk.say("十分钟后提醒我关火")
    talk.say("set a timer for 2 days")
    listed = talk.say("show my timers").text
    assert "- `t1` **15:05** drink water (in 5 minutes)" in listed
    assert "- `t3` **Sun, 23 Nov 15:00** timer (in 2 days)" in listed
    asked = talk.say("cancel the timer")
    assert "Which one? Say for example “cancel t1”." in asked.text
    gone = talk.say("取消关火的提醒")
    assert gone.calls == [("timer.list", {}), ("timer.cancel", {"id": "t2"})]
    assert "已取消：关火" in gone.text
    assert "Cancelled: drink water" in talk.say("cancel t1").text
    talk.say("set a timer for 5 minutes")
    assert "Cancelled: the timer for 15:05, " in talk.say("cancel all timers").text
    assert asyncio.run(talk.timers.timers()) == []
    assert "Which one?" not in talk.say("cancel t9").text


def test_the_only_timer_needs_no_name(talk: Talk) -> None:
    talk.say("半小时后叫我")
    assert "已取消：15:30 的计时器" in talk.say("把闹钟关掉").text


@pytest.mark.parametrize(
    ("pieces", "label"),
    [
        (("remind me ", " to drink water"), "drink water"),
        (("please remind me to call mom ", ""), "call mom"),
        (("set a timer for ", ""), ""),
        (("set an alarm for ", " for the meeting"), "the meeting"),
        (("remind me ", " that it's late"), "it's late"),
        (("", "提醒我喝水"), "喝水"),
        (("请在", "的时候叫我去开会。"), "去开会"),
        (("定个", "的倒计时"), ""),
        (("设一个", "的闹钟"), ""),
    ],
)
def test_the_text_of_a_reminder(pieces: tuple[str, ...], label: str) -> None:
    assert label_of(*pieces) == label
