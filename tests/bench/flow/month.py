"""A month of ordinary turns in one data folder, with memory on: 200 messages in 30 days. The app
is restarted each day; each day has a conversation of its own, some go on with the last one.
The clock isn't moved.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from tests.bench.flow.case import Case, Found, Step, Things, do, each

DAYS = 30
TURNS = 200
SITES = [Found(f"http://site{n}.example/page", f"Page {n}", f"Something on {n}.") for n in range(8)]
LINKED = (
    "<html><body><article><p>It rains until the evening, in the whole country.</p>"
    '<p><a href="http://news.example/more/1">More on the rain</a></p>'
    '<p><a href="http://news.example/more/2">More on the roads</a></p></article></body></html>'
)
THINGS = Things(
    pages={
        "http://news.example/today": LINKED,
        "http://plan.example/v2": "The plan has four steps.",
        "http://recipes.example/soup": "Leek, potatoes, and time.",
    },
    found=SITES,
    files={
        "letter.txt": "Dear all, the meeting is on Friday.",
        "draft.txt": "A draft about rain.",
        "report.pdf": "Rain report\nIt rains a lot.",
        "photo.png": "",
    },
    notes=["The key is under the mat.", "The plan has three steps.", "Trip: the lake in May."],
    todos=["Call Anna", "Buy boxes"],
    facts=["They live in Bern.", "Their sister is Anna."],
    clipboard="guten Tag",
    server={"switch": "Done.", "find": "m17: Anna, about the rain", "open": "See you on Friday."},
    always=["mcp.desk.switch", "mcp.desk.find", "mcp.desk.open"],
    reads=["find", "open"],
)

TALK = [
    Step("Good morning! I slept badly."),
    Step("我今天有点累。"),
    Step("My boss liked the report, finally."),
    Step("Tell me something nice."),
    Step("What do you think of long walks?"),
    Step("我想学一点吉他。"),
    Step("I am going to see Anna on Sunday."),
    Step("How do you say “rain” in Italian?"),
    Step("My back hurts from sitting."),
    Step("Good night."),
    Step("Shall I take the train or the car?"),
    Step("我喜欢下雨天。"),
]
KEEPING = [
    Step("Tea, four minutes.", each(do("timer.set", minutes=4, label="Tea"))),
    Step("Note: the bike is at the station.", each(do("note.add", text="Bike: station."))),
    Step("Put milk on my list.", each(do("todo.add", text="milk"))),
    Step(
        "提醒我明天八点半打电话。", each(do("schedule.add", title="打电话", when="tomorrow 8:30"))
    ),
    Step("What is on my list?", each(do("todo.list"))),
    Step("Where is my key?", each(do("note.search", query="key"))),
    Step("What rings next?", each(do("timer.list"))),
    Step("I have called Anna.", each(do("todo.list"), do("todo.done", id=1))),
    Step("What is planned this week?", each(do("schedule.list"), do("todo.list"))),
    Step("What is 17 % of 230?", each(do("calc.evaluate", expression="230*0.17"))),
    Step("Where do I live?", each(do("memory.search", query="where they live"))),
    Step("What did I note about the trip?", each(do("note.search", query="trip"))),
]
READING = [
    Step(
        "How long does it rain? Look it up.",
        each(
            do("web_search", query="rain today"),
            do("web.fetch", url=SITES[0].address),
            do("web.fetch", url=SITES[1].address),
        ),
    ),
    Step(
        "Sum up http://news.example/today", each(do("web.fetch", url="http://news.example/today"))
    ),
    Step(
        "Read http://news.example/today and what it links to.",
        each(
            do("web.fetch", url="http://news.example/today"),
            do("web.fetch", url="http://news.example/more/1"),
            do("web.fetch", url="http://news.example/more/2"),
        ),
    ),
    Step(
        "Are my notes on the plan still right? http://plan.example/v2",
        each(do("note.search", query="plan"), do("web.fetch", url="http://plan.example/v2")),
    ),
    Step(
        "Note what I need for http://recipes.example/soup",
        each(
            do("web.fetch", url="http://recipes.example/soup"),
            do("note.add", text="Soup: leek, potatoes."),
        ),
    ),
    Step(
        "找一个下雨天的食谱。",
        each(
            do("web_search", query="雨天 食谱"),
            do("web.fetch", url=SITES[2].address),
            do("todo.add", text="leek"),
        ),
    ),
    Step(
        "Which film fits what I noted?",
        each(
            do("note.search", query="trip"),
            do("web_search", query="film about a lake"),
            do("web.fetch", url=SITES[3].address),
            do("web.fetch", url=SITES[4].address),
        ),
    ),
]
THEIRS = [
    Step("What does letter.txt say?", each(do("file.read", path="letter.txt"))),
    Step("Where did I write about rain?", each(do("file.search", text="rain"))),
    Step("Sum it up and note it.", each(do("note.add", text="It rains a lot.")), ("report.pdf",)),
    Step("What is on it?", (), ("photo.png",)),
    Step("Turn on the hall lamp.", each(do("mcp.desk.switch", id="hall lamp", text="on"))),
    Step(
        "What did Anna write?",
        each(do("mcp.desk.find", query="Anna"), do("mcp.desk.open", id="m17")),
    ),
    Step("Translate what I copied.", each(do("clipboard.read"))),
    Step("Smile!", each(do("live2d.expression", name="smile"))),
    Step("把客厅的灯打开。", each(do("mcp.desk.switch", id="客厅", text="打开"))),
]
_POOLS = {"talk": TALK, "keeping": KEEPING, "reading": READING, "theirs": THEIRS}
_OFTEN = ("talk", "keeping", "talk", "reading", "talk", "keeping", "theirs")
"""What one message after the other is taken of."""


def steps() -> Sequence[Step]:
    """The messages of the month: what people do often comes often."""
    pools = {name: itertools.cycle(pool) for name, pool in _POOLS.items()}
    made: list[Step] = []
    for number in range(TURNS):
        one = next(pools[_OFTEN[number % len(_OFTEN)]])
        begins = number * DAYS // TURNS != (number - 1) * DAYS // TURNS and number > 0
        goes_on = (number * DAYS // TURNS) % 5 == 4
        made.append(
            Step(one.said, one.rounds, one.files, new=begins and not goes_on, restart=begins)
        )
    return made


MONTH = Case("a month", steps(), THINGS)
