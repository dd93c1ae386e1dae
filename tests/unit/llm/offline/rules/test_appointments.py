"""What comes again on certain days is an appointment; what a timer can do stays a timer."""

from __future__ import annotations

import asyncio

import pytest

from neodeskpet.appointments.book import AppointmentBook
from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.llm.offline import OfflineModel
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.tools.builtin.note import note_tools
from neodeskpet.tools.builtin.schedule import schedule_tools
from neodeskpet.tools.builtin.timer import timer_tools
from neodeskpet.tools.toolbox import OwnTools, Toolbox
from tests.unit.llm.offline.talking import Calls, Reply, Talk, one


def said(words: str) -> Reply:
    """What the offline helper does and answers, with a calendar."""

    async def talk() -> Reply:
        talk = Talk("native")
        notebook = await Notebook.open(None)
        try:
            book = AppointmentBook(notebook, clock=lambda: talk.now)
            tools = [*schedule_tools(book), *timer_tools(talk.timers), *note_tools(talk.notes)]
            talk.toolbox = Toolbox(OwnTools(tools), enabled=lambda _spec: True)
            talk.model = OfflineModel(talk.toolbox.specs, delay=0)
            person = Message("u", Role.USER, (Text(0, 0, words),), MessageState.DONE, talk.now)
            talk.history.append(person)
            return await talk.answer()
        finally:
            await notebook.close()

    return asyncio.run(asyncio.wait_for(talk(), 30))


@pytest.mark.parametrize(
    ("words", "calls", "answer"),
    [
        (
            "remind me every other Friday at 4 pm to water the plants",
            one("schedule.add", title="water the plants", when="every other Friday at 4 pm"),
            "every other Friday at 4 pm: water the plants. First on **2025-11-21 Fri 16:00**",
        ),
        (
            "remind me to call mum at 18:00 every Sunday",
            one("schedule.add", title="call mum", when="at 18:00 every Sunday"),
            "First on **2025-11-23 Sun 18:00**",
        ),
        (
            "每周二周四下午四点提醒我浇花",
            one("schedule.add", title="浇花", when="每周二周四下午四点"),
            "第一次是 **2025-11-25 周二 16:00**",
        ),
        (
            "每月最后一天晚上8点提醒我交房租",
            one("schedule.add", title="交房租", when="每月最后一天晚上8点"),
            "**2025-11-30 周日 20:00**",
        ),
        ("每周五提醒我", one("schedule.add", title="提醒", when="每周五"), "2025-11-28"),
        ("记住：每周二要浇花", one("note.add", text="每周二要浇花"), "每周二要浇花"),
        (
            "remind me every day at 7:30 to read",
            one("timer.set", at="7:30", label="read", repeat="daily"),
            "Every day from then on",
        ),
    ],
)
def test_what_comes_again_is_put_into_the_calendar(words: str, calls: Calls, answer: str) -> None:
    reply = said(words)
    assert reply.calls == calls
    assert answer in reply.text


def test_what_the_calendar_refuses_is_told() -> None:
    assert "Please say am or pm too." in said("remind me every other Friday at 8 to read").text
