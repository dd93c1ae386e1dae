"""A repetition on certain days is an appointment; what a timer can do stays a timer."""

from __future__ import annotations

import asyncio

import pytest

from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.notebook.appointment_tools import schedule_tools
from neodeskpet.notebook.appointments import AppointmentService
from neodeskpet.notebook.note_tools import note_tools
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notebook.timer_tools import timer_tools
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from tests.unit.llm.offline.talking import Calls, Reply, Talk, one


def said(words: str) -> Reply:
    """Return the calls and the answer of the offline helper, with a calendar."""
    return all_said(words)[0]


def all_said(*sentences: str) -> list[Reply]:
    """The same for the sentences of one conversation."""

    async def talk() -> list[Reply]:
        talk = Talk("native")
        notebook = await Notebook.open(None)
        try:
            book = AppointmentService(notebook, clock=lambda: talk.now)
            tools = [*schedule_tools(book), *timer_tools(talk.timers), *note_tools(talk.notes)]
            talk.toolbox = Toolbox(AppTools(tools), enabled=lambda _spec: True)
            talk.model = talk.offline_model(talk.toolbox)
            replies = []
            for words in sentences:
                text = (Text(0, 0, words),)
                person = Message("u", Role.USER, text, MessageState.DONE, talk.now)
                talk.history.append(person)
                replies.append(await talk.answer())
            return replies
        finally:
            await notebook.aclose()

    return asyncio.run(asyncio.wait_for(talk(), 30))


@pytest.mark.parametrize(
    ("words", "calls", "answer"),
    [
        (
            "remind me every other Friday at 4 pm to water the plants",
            one("schedule.add", title="water the plants", when="every other Friday at 4 pm"),
            "every other Friday at 4 pm: water the plants. First: **16:00**",
        ),
        (
            "remind me to call mum at 18:00 every Sunday",
            one("schedule.add", title="call mum", when="at 18:00 every Sunday"),
            "First: **Sun, 23 Nov 18:00**",
        ),
        (
            "每周二周四下午四点提醒我浇花",
            one("schedule.add", title="浇花", when="每周二周四下午四点"),
            "第一次是 **11月25日 周二 16:00**",
        ),
        (
            "每月最后一天晚上8点提醒我交房租",
            one("schedule.add", title="交房租", when="每月最后一天晚上8点"),
            "**11月30日 周日 20:00**",
        ),
        ("每周五提醒我", one("schedule.add", title="提醒", when="每周五"), "11月28日 周五 09:00"),
        (
            "每月31号提醒我对账",
            one("schedule.add", title="对账", when="每月31号"),
            "没有31号的月份会跳过。",
        ),
        ("记住：每周二要浇花", one("note.add", text="每周二要浇花"), "每周二要浇花"),
        (
            "remind me every day at 7:30 to read",
            one("timer.set", at="07:30", label="read", repeat="daily"),
            "Every day from then on",
        ),
    ],
)
def test_a_repetition_is_put_into_the_calendar(words: str, calls: Calls, answer: str) -> None:
    reply = said(words)
    assert reply.calls == calls
    assert answer in reply.text


def test_an_ambiguous_time_is_asked_about() -> None:
    asked = said("remind me every other Friday at 3 to read")
    assert asked.calls == []
    both = "Fri, 28 Nov 03:00 and again or Fri, 28 Nov 15:00 and again"
    assert f"Which do you mean: {both}?" in asked.text


def test_seven_to_eleven_are_in_the_morning() -> None:
    reply = said("remind me every other Friday at 8 to read")
    assert reply.calls == one(
        "schedule.add", title="read", when="every other Friday at 8 in the morning"
    )
    assert said("每周五8点提醒我看书").calls == one(
        "schedule.add", title="看书", when="每周五8点上午"
    )


def calls(reply: Reply) -> list[str]:
    return [name for name, _ in reply.calls]


def test_a_reminder_of_another_name_is_unchanged() -> None:
    _, _, moved, asked, other = all_said(
        "十分钟后提醒我关火",
        "每3小时提醒我喝水",
        "把喝水的提醒改到三小时后",
        "取消瑜伽的提醒",
        "move my dentist reminder to 8 pm",
    )
    assert calls(moved) == ["timer.list", "schedule.list"]
    assert "“喝水”是重复的提醒（每3小时）" in moved.text
    assert calls(asked) == ["timer.list", "schedule.list"]
    assert "比如说“取消 t1”。" in asked.text
    assert "- `a1` **18:00** 喝水（每3小时）" in asked.text
    assert "Which one?" in other.text


def test_appointments_are_listed_moved_and_cancelled() -> None:
    _, _, listed, moved, later, gone, other, none = all_said(
        "remind me on June 1 2027 at 6 pm to call mum",
        "每周二周四下午四点提醒我浇花",
        "show my reminders",
        "move the call mum reminder to December 25 at 5 pm",
        "push the call mum reminder back 30 minutes",
        "cancel my reminder to call mum",
        "取消 a2",
        "cancel the reminder",
    )
    assert "**Tue, 1 Jun 2027 18:00** call mum" in listed.text
    assert "浇花 (每周二周四下午四点)" in listed.text
    assert calls(moved)[-1] == "schedule.update"
    assert "Moved to **Thu, 25 Dec 17:00**: call mum." in moved.text
    assert "Moved to **Thu, 25 Dec 17:30**" in later.text
    assert "Cancelled: call mum" in gone.text
    assert "已取消：浇花" in other.text
    assert "There is no timer to cancel." in none.text


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("关火", "取消喝水的提醒"),
        ("关火", "删掉喝水的提醒"),
        ("关火", "把喝水的闹钟推迟十分钟"),
        ("call mum", "cancel my reminder to drink water"),
        ("call mum", "move the water reminder to 9 pm"),
    ],
)
def test_the_only_timer_is_not_confused_with_another(label: str, words: str) -> None:
    begun = f"十分钟后提醒我{label}" if words[0] > "z" else f"remind me in 10 minutes to {label}"
    _, asked = all_said(begun, words)
    assert calls(asked) == ["timer.list", "schedule.list"]
