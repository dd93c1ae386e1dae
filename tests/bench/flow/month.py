"""A month of ordinary turns in one data folder, with memory on: 200 messages in 30 days. The app is
restarted each day; each day has a conversation of its own, some continue the last one. The clock
isn't moved.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from tests.bench.flow.case import Call, Case, Found, Step, Things, do, each

DAYS = 30
TURNS = 200
TOPICS = (
    "rain",
    "bicycles",
    "the election",
    "garden soil",
    "old trains",
    "sour dough",
    "jazz",
    "bees",
    "the moon",
    "paper folding",
    "glaciers",
    "ferries",
    "chess",
    "mushrooms",
    "tiles",
    "lanterns",
    "tides",
    "violins",
    "owls",
    "bridges",
    "salt",
    "maps",
    "looms",
    "kites",
)
NAMES = ("Anna", "Ben", "Carla", "Deniz", "Emil", "Frieda", "Goran", "Hanna", "Ines", "Jonas")


def news(number: int) -> str:
    return f"http://news{number}.example/story"


def site(number: int) -> str:
    return f"http://site{number}.example/page"


def _linking(number: int) -> str:
    topic = TOPICS[number % len(TOPICS)]
    return (
        f"<html><body><article><h1>{topic}</h1><p>Much was said about {topic} this week, and more "
        "will be said in the next one, as everybody expects.</p>"
        + "".join(
            f'<p>Read more: <a href="http://news{number}.example/more/{row}">part {row}</a></p>'
            for row in (1, 2)
        )
        + "</article></body></html>"
    )


THINGS = Things(
    pages={news(number): _linking(number) for number in range(TURNS)},
    found=[Found(site(row), f"Page {row}", f"Something on page {row}.") for row in range(6)],
    files={
        **{f"letter{number}.txt": f"Dear {name}, see you." for number, name in enumerate(NAMES)},
        "report.pdf": "Quarterly report\nSales went up.",
        "photo.png": "",
    },
    notes=["The key is under the mat.", "The plan has three steps.", "Trip: the lake in May."],
    todos=["Call Anna", "Buy boxes"],
    facts=["They live in Bern.", "Their sister is Anna."],
    clipboard="guten Tag",
    server={"switch": "Done.", "find": "m17: about the weekend", "open": "See you on Friday."},
    always=["mcp.desk.switch", "mcp.desk.find", "mcp.desk.open"],
    reads=["find", "open"],
)

TALK = [
    "Good morning! I slept badly.",
    "我今天有点累。",
    "My boss liked the slides, finally.",
    "Tell me something nice.",
    "What do you think of long walks?",
    "我想学一点吉他。",
    "{name} is coming for dinner on Sunday.",
    "How do you say “{topic}” in Italian?",
    "My back hurts from sitting.",
    "Good night.",
    "Shall I take the train or the car?",
    "我喜欢下雪天。",
    "Explain {topic} in two sentences.",
    "I quarrelled with {name}.",
    "Give me three names for a cat.",
    "明天要开会，有点紧张。",
    "Write a short poem about {topic}.",
    "I finished the book at last.",
    "What should I cook with an aubergine?",
    "How long does a letter to Japan take?",
]
KEEPING = [
    ("Tea, four minutes.", do("timer.set", minutes=4, label="Tea")),
    ("Note: {name} likes {topic}.", do("note.add", text="{name} likes {topic}.")),
    ("Put {topic} on my list.", do("todo.add", text="{topic}")),
    ("提醒我明天八点半打电话。", do("schedule.add", title="打电话", when="tomorrow 8:30")),
    ("What is on my list?", do("todo.list")),
    ("Where is my key?", do("note.search", query="key")),
    ("What rings next?", do("timer.list")),
    ("What is planned this week?", do("schedule.list")),
    ("What is 17 % of {number}?", do("calc.evaluate", expression="{number}*0.17")),
    ("What did I note about {name}?", do("note.search", query="{name}")),
    ("What did I say of {topic}?", do("memory.search", query="{topic}")),
    ("Wake me in half an hour.", do("timer.set", minutes=30, label="Wake up")),
]
READING = [
    (
        "How is it with {topic} today? Look it up.",
        do("web_search", query="{topic} today"),
        do("web.fetch", url=site(0)),
        do("web.fetch", url=site(1)),
    ),
    ("Sum up {news}", do("web.fetch", url="{news}")),
    (
        "Are my notes on the plan still right? {news}",
        do("note.search", query="plan"),
        do("web.fetch", url="{news}"),
    ),
    (
        "Note what matters in {news}",
        do("web.fetch", url="{news}"),
        do("note.add", text="{topic}: much was said."),
    ),
    (
        "帮我查一下{topic}。",
        do("web_search", query="{topic}"),
        do("web.fetch", url=site(2)),
        do("todo.add", text="{topic}"),
    ),
    (
        "Which film fits what I noted of {name}?",
        do("note.search", query="{name}"),
        do("web_search", query="film on {topic}"),
        do("web.fetch", url=site(3)),
        do("web.fetch", url=site(4)),
    ),
    ("Translate {news} for me.", do("web.fetch", url="{news}")),
    (
        "When does {news} say it begins? Remind me.",
        do("web.fetch", url="{news}"),
        do("schedule.add", title="{topic}", when="tomorrow 8:30"),
    ),
    (
        "Is {name} right on {topic}? {news}",
        do("web.fetch", url="{news}"),
        do("web_search", query="{topic}"),
        do("web.fetch", url=site(5)),
    ),
    (
        "Compare {news} with http://news1.example/story",
        do("web.fetch", url="{news}"),
        do("web.fetch", url="http://news1.example/story"),
    ),
    (
        "What is on my list, and what does {news} say of it?",
        do("todo.list"),
        do("web.fetch", url="{news}"),
    ),
    (
        "Find two sites on {topic} and put them on my list.",
        do("web_search", query="{topic}"),
        do("todo.add", text="Read on {topic}"),
    ),
    ("{news} 讲了什么？", do("web.fetch", url="{news}"), do("timer.set", minutes=20)),
    (
        "Read {news} and what it links to.",
        do("web.fetch", url="{news}"),
        do("web.fetch", url="http://news{number}.example/more/1"),
        do("web.fetch", url="http://news{number}.example/more/2"),
    ),
]
THEIRS = [
    ("What does letter{digit}.txt say?", do("file.read", path="letter{digit}.txt")),
    ("Where did I write to {name}?", do("file.search", text="{name}")),
    ("Sum it up and note it.", do("note.add", text="Sales went up."), "report.pdf"),
    ("What is on it?", "photo.png"),
    ("Turn on the hall lamp.", do("mcp.desk.switch", id="hall lamp", text="on")),
    ("What did {name} write?", do("mcp.desk.find", query="{name}"), do("mcp.desk.open", id="m17")),
    ("Translate what I copied.", do("clipboard.read")),
    ("Smile!", do("live2d.expression", name="smile")),
    ("Correct it.", do("file.read", path="letter{digit}.txt")),
    ("Copy “good day” for me.", do("clipboard.write", text="good day")),
    (
        "Which plant is this?",
        do("web_search", query="red flower five petals"),
        do("web.fetch", url=site(1)),
        "photo.png",
    ),
    ("Look at my screen.", do("screen.capture", area="screen")),
    ("What is in my folder?", do("file.list", path=".")),
    ("把客厅的灯打开。", do("mcp.desk.switch", id="客厅", text="打开")),
]
_POOLS: Mapping[str, Sequence[Sequence[str | Call]]] = {
    "talk": [(said,) for said in TALK],
    "keeping": KEEPING,
    "reading": READING,
    "theirs": THEIRS,
}
_OFTEN = ("talk", "keeping", "talk", "reading", "talk", "keeping", "theirs")
"""The kinds of messages in their order."""


def _filled(value: object, number: int) -> Any:
    """`value` with the words of this message in the place of their names."""
    if isinstance(value, str):
        words = {
            "number": number,
            "digit": number % 10,
            "topic": TOPICS[number % len(TOPICS)],
            "name": NAMES[number // 3 % len(NAMES)],
            "news": news(number),
        }
        return value.format_map(words)
    if isinstance(value, Mapping):
        return {key: _filled(one, number) for key, one in value.items()}
    return value


def steps() -> Sequence[Step]:
    """The messages of the month: frequent kinds occur often."""
    pools = {name: itertools.cycle(pool) for name, pool in _POOLS.items()}
    made: list[Step] = []
    for number in range(TURNS):
        said, *rest = next(pools[_OFTEN[number % len(_OFTEN)]])
        calls = [(one[0], _filled(one[1], number)) for one in rest if not isinstance(one, str)]
        files = tuple(one for one in rest if isinstance(one, str))
        day = number * DAYS // TURNS
        begins = number > 0 and day != (number - 1) * DAYS // TURNS
        new = begins and day % 5 != 4
        made.append(Step(_filled(said, number), each(*calls), files, new=new, restart=begins))
    return made


MONTH = Case("a month", steps(), THINGS)
