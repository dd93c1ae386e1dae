"""Sentences that people say in the first week. All were written before the rules; `*_seen.txt` was
read while the rules were written, `*_held_out.txt` was only counted.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from random import Random

import pytest

from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.llm.offline.offline_model import read_rules
from neodeskpet.llm.offline.request_reader import OfflineRequest, speaks_chinese
from tests.unit.llm.offline.talking import Talk

FRIDAY = datetime(2026, 11, 27, 10)
NAMES = (
    "timer.set",
    "timer.list",
    "timer.cancel",
    "schedule.add",
    "todo.add",
    "todo.list",
    "todo.done",
    "todo.delete",
    "note.add",
    "note.search",
    "note.delete",
    "calc.evaluate",
    "time.now",
)
TOOLS = {name: ToolSpec(name, "", {"type": "object", "properties": {}}) for name in NAMES}


def sentences(name: str) -> list[tuple[str, str]]:
    lines = (Path(__file__).parent / "everyday" / f"{name}.txt").read_text("utf-8").splitlines()
    return [(rule, text) for rule, _, text in (line.partition("\t") for line in lines)]


def ask_for(text: str) -> OfflineRequest:
    return OfflineRequest(text, speaks_chinese([text]), TOOLS, random=Random(1), now=FRIDAY)


@pytest.mark.parametrize("name", ["zh_seen", "zh_held_out", "en_seen", "en_held_out"])
def test_nine_of_ten_everyday_sentences_are_understood(name: str) -> None:
    cases = sentences(name)
    assert len(cases) >= 150
    wrong = [
        (rule, text)
        for rule, text in cases
        if next((found for found, _ in read_rules(ask_for(text))), "") != rule
    ]
    assert len(wrong) <= len(cases) * 0.1, wrong


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("抛个硬币", "面！"),
        ("掷骰子", "掷出了 **"),
        ("roll a d20", "The die shows **"),
        ("1到100随机一个数", "（1 到 100）"),
        ("random number between 5 and 5", "**5** (5 to 5)"),
        ("should I go out or stay in", "I'd take **"),
        ("今天吃火锅还是烤肉", "我选 **"),
        ("距离元旦还有几天", "天**，到"),
        ("还有几天过年", "月"),
        ("how many days until Christmas", "days** ("),
        ("陪我聊聊天", "我在呢"),
        ("I'm bored", "I'm here"),
        ("给我加油", "你可以的"),
        ("wish me luck", "You can do it"),
        ("晚安", "好好休息"),
        ("good night", "Sleep well"),
        ("我不开心", "我也有点难过"),
        ("I got promoted", "That's great!"),
        ("打八折原价268", "214.4"),
        ("30% off 199", "139.3"),
        ("今天天气怎么样", "离线时我做不到这个"),
        ("番茄钟", "专注结束，休息一下"),
        ("focus for an hour", "in 1 hour: time for a break"),
    ],
)
def test_everyday_answers(talk: Talk, words: str, answer: str) -> None:
    assert answer in talk.say(words).text


@pytest.mark.parametrize(
    ("words", "noted"),
    [
        ("记笔记 明天带伞", "明天带伞"),
        ("帮我记一下，车停在B2", "车停在B2"),
        ("写个备忘录 护照在抽屉里", "护照在抽屉里"),
        ("keep a note of my licence plate AB123", "my licence plate AB123"),
    ],
)
def test_the_words_of_the_request_are_no_part_of_a_note(talk: Talk, words: str, noted: str) -> None:
    assert talk.say(words).calls == [("note.add", {"text": noted})]


def test_a_reminder_is_moved(talk: Talk) -> None:
    talk.say("十分钟后提醒我喝水")
    moved = talk.say("把喝水的提醒改到三小时后")
    assert [name for name, _ in moved.calls] == ["timer.list", "timer.set", "timer.cancel"]
    assert "已改到 **18:00**：喝水" in moved.text
    assert "已改到 **18:30**：喝水" in talk.say("push the 喝水 reminder back 30 minutes").text
    assert "已改到 **18:15**：喝水" in talk.say("把喝水的提醒提前15分钟").text
    assert talk.say("我的提醒").text.count("喝水") == 1
    talk.say("半小时后提醒我关火")
    assert "是哪一个呢？" in talk.say("把闹钟改到七点半").text
    assert "Which one?" in talk.say("move my dentist reminder to 8 pm").text


def test_a_missing_reminder_is_not_moved(talk: Talk) -> None:
    assert "There is no such reminder." in talk.say("move my alarm to 8 am").text
    talk.off.add("timer.set")
    assert "switched off" in talk.say("move my alarm to 8 am").text
    assert "switched off" in talk.say("pomodoro").text


@pytest.mark.parametrize("words", ["把提醒改到昨天", "how long is a piece of string"])
def test_a_text_without_a_time_is_not_guessed(talk: Talk, words: str) -> None:
    assert talk.say(words).calls == []


def test_a_day_that_is_today(talk: Talk) -> None:
    assert "That's today!" in talk.say("how many days until November 21").text
