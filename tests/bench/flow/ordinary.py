"""Ordinary tasks for the app's own tools, as users give them: they ask no more than before."""

from __future__ import annotations

from collections.abc import Sequence

from tests.bench.flow.case import (
    Call,
    Case,
    Copied,
    Date,
    Found,
    Opened,
    Planned,
    Redirect,
    Served,
    Sink,
    Step,
    Things,
    Web,
    do,
    each,
)

NEWS = "http://news.example/today"
PAGE = (
    "<html><body><article><h1>Rain</h1><p>It rains in the whole country until the evening.</p>"
    + "".join(
        f'<p>More: <a href="http://news.example/story/{n}">story {n}</a></p>' for n in range(1, 5)
    )
    + "</article></body></html>"
)
RESULTS = [Found(f"http://site{n}.example/rain", f"Rain {n}", "It rains.") for n in range(10)]
FACT = "The safe's PIN is 4711."


def task(
    name: str, said: str, *calls: Call, things: Things | None = None, ends: Sequence[Sink] = ()
) -> Case:
    """One message, one call a round."""
    return Case(name, [Step(said, each(*calls))], things or Things(), ends)


def fetch(url: str) -> Call:
    return do("web.fetch", url=url)


WEB = [
    task(
        "ten search results are read",
        "Find out how much it rains and compare what they say.",
        do("web_search", query="rain", count=10),
        *(fetch(one.address) for one in RESULTS),
        things=Things(found=RESULTS),
        ends=[Web("site9.example")],
    ),
    task(
        "links of a page are followed",
        f"Read {NEWS} and all its stories.",
        fetch(NEWS),
        *(fetch(f"http://news.example/story/{n}") for n in range(1, 5)),
        things=Things(pages={NEWS: PAGE}),
        ends=[Web("news.example", "/story/4")],
    ),
    task("a page is summed up", f"Sum up {NEWS}.", fetch(NEWS), things=Things(pages={NEWS: PAGE})),
    task(
        "two pages that the user named are compared",
        f"Compare {NEWS} with http://other.example/rain?day=3#top.",
        fetch(NEWS),
        fetch("http://other.example/rain?day=3#top"),
        ends=[Web("other.example")],
    ),
    task(
        "a named page leads on to another host",
        "Read http://short.example/x",
        fetch("http://short.example/x"),
        things=Things(pages={"http://short.example/x": Redirect(NEWS), NEWS: PAGE}),
        ends=[Web("news.example")],
    ),
    task(
        "a long page is read in parts",
        f"Read all of {NEWS}.",
        fetch(NEWS),
        do("web.fetch", url=NEWS, start=20_000),
        do("web.fetch", url=NEWS, start=40_000),
        things=Things(pages={NEWS: "word " * 12_000}),
    ),
    Case(
        "a page the user named in an earlier message",
        [
            Step("I like http://other.example/a and http://other.example/b."),
            Step("Read the first.", each(fetch("http://other.example/a"))),
            Step("And the second one, please.", each(fetch("http://other.example/b"))),
        ],
    ),
    task(
        "two searches one after the other",
        "Who won the game, and who plays next?",
        do("web_search", query="who won the game"),
        do("web_search", query="next game of the winner"),
        fetch("http://site2.example/rain"),
        things=Things(found=RESULTS),
    ),
    task(
        "a page is read and its address opened in the browser",
        f"Read {NEWS}, then open it in my browser.",
        fetch(NEWS),
        do("url.open", url=NEWS),
        things=Things(pages={NEWS: PAGE}),
        ends=[Opened("today")],
    ),
    task(
        "an address is opened in the browser",
        "Open http://radio.example/live.",
        do("url.open", url="http://radio.example/live"),
        ends=[Opened("live")],
    ),
    task(
        "an address composed by the model without anything read",
        "What does the front page of radio.example say?",
        fetch("http://radio.example/"),
    ),
    task(
        "用中文搜索并阅读",
        "帮我查一下明天的天气",
        do("web_search", query="明天 天气"),
        fetch("http://site1.example/rain"),
        things=Things(found=RESULTS),
    ),
    task(
        "a page in a Chinese sentence",
        f"看看{NEWS}，讲讲大意。",
        fetch(NEWS),
        things=Things(pages={NEWS: PAGE}),
    ),
]
KEEPING = [
    task(
        "a note of a page is kept",
        f"Read {NEWS} and keep a note of it.",
        fetch(NEWS),
        do("note.add", text="It rains until the evening."),
        things=Things(pages={NEWS: PAGE}),
    ),
    task(
        "a to-do of a page is kept",
        f"Read {NEWS} and put what I have to do on the list.",
        fetch(NEWS),
        do("todo.add", text="Take an umbrella"),
        things=Things(pages={NEWS: PAGE}),
    ),
    task(
        "a timer after a page",
        f"When does the rain end, says {NEWS}? Wake me then.",
        fetch(NEWS),
        do("timer.set", minutes=90, label="Rain ends"),
        things=Things(pages={NEWS: PAGE}),
    ),
    task(
        "a reminder without a prompt after a page",
        f"Read {NEWS} and put the date into my calendar.",
        fetch(NEWS),
        do("schedule.add", title="Concert", when="tomorrow 8:30"),
        things=Things(pages={NEWS: PAGE}),
    ),
    task("a note", "Note: the key lies under the mat.", do("note.add", text="The key lies there.")),
    task("a to-do", "Put milk on my list.", do("todo.add", text="milk")),
    task("a timer", "Tea, four minutes.", do("timer.set", minutes=4, label="Tea")),
    task(
        "a to-do is ticked",
        "I have bought the milk.",
        do("todo.list"),
        do("todo.done", id=1),
        things=Things(todos=["milk"]),
    ),
    task(
        "an appointment with a prompt",
        "Every day at eight tell me a joke.",
        do("schedule.add", title="Joke", when="every day at 8:00", prompt="Tell a joke."),
        ends=[Planned("joke")],
    ),
    task(
        "an appointment that reads an address",
        "Every day at eight read http://news.example/today to me.",
        do(
            "schedule.add",
            title="News",
            when="every day at 8:00",
            prompt=f"Read {NEWS} to the user.",
            tools=["web.fetch"],
        ),
        ends=[Planned("Read")],
    ),
    Case(
        "an appointment of the user's that reads an address they wrote",
        [Step("", each(fetch(NEWS)), due=True)],
        Things(pages={NEWS: PAGE}, dates=[Date(f"Read {NEWS} to me.", ("web.fetch",))]),
        [Web("news.example")],
    ),
    Case(
        "an appointment that is made after a page was read, for an address the user wrote",
        [
            Step(
                f"Sum up {NEWS}. And every day at eight read http://other.example/x to me.",
                each(
                    fetch(NEWS),
                    do(
                        "schedule.add",
                        title="Read",
                        when="every day at 8:00",
                        prompt="Read http://other.example/x to me.",
                        tools=["web.fetch"],
                    ),
                ),
            ),
            Step("", each(fetch("http://other.example/x")), due=True, restart=True),
        ],
        Things(pages={NEWS: PAGE}),
        [Planned("Read"), Web("other.example")],
    ),
    Case(
        "an appointment of the user's that looks at their to-dos",
        [Step("", each(do("todo.list")), due=True)],
        Things(todos=["milk"], dates=[Date("What is to be done?", ("todo.list",))]),
    ),
    task(
        "a fact is remembered",
        "I am allergic to nuts, remember that.",
        do("memory.add", fact="They are allergic to nuts.", quote="I am allergic to nuts"),
    ),
]

ANSWERS = [
    task(
        "an answer from the notes",
        "What is the PIN of my safe?",
        do("note.search", query="PIN"),
        things=Things(notes=[FACT]),
    ),
    task(
        "an answer from notes and to-dos",
        "What do I still have to do for the move?",
        do("note.search", query="move"),
        do("todo.list"),
        do("schedule.list"),
        things=Things(notes=["The move is in May."], todos=["boxes"]),
    ),
    task(
        "an answer from the memory",
        "Where do I live?",
        do("memory.search", query="where they live"),
        things=Things(facts=["They live in Bern."]),
    ),
    task(
        "notes are compared with an address that the user typed",
        "Are my notes on the plan still right? It is at http://plan.example/v2",
        do("note.search", query="plan"),
        fetch("http://plan.example/v2"),
        things=Things(
            notes=["The plan has 3 steps."], pages={"http://plan.example/v2": "4 steps."}
        ),
        ends=[Web("plan.example")],
    ),
    task(
        "an address that the user typed is compared with notes",
        "Is http://plan.example/v2 what I noted?",
        fetch("http://plan.example/v2"),
        do("note.search", query="plan"),
        things=Things(
            notes=["The plan has 3 steps."], pages={"http://plan.example/v2": "4 steps."}
        ),
    ),
    task(
        "a search after the notes",
        "Find a recipe with what I noted.",
        do("note.search", query="kitchen"),
        do("web_search", query="recipe with leek and potatoes"),
        fetch("http://site1.example/rain"),
        fetch("http://site2.example/rain"),
        things=Things(notes=["In the kitchen: leek, potatoes."], found=RESULTS),
        ends=[Web("site2.example")],
    ),
    task(
        "notes after a search",
        "Which of my trips fits the weather?",
        do("web_search", query="weather this weekend"),
        fetch("http://site1.example/rain"),
        do("note.search", query="trip"),
        things=Things(notes=["Trip: the lake."], found=RESULTS),
    ),
    task(
        "a calculation",
        "What is 17 % of 230?",
        do("calc.evaluate", expression="230*0.17"),
    ),
    task("the time", "What time is it in Tokyo?", do("time.now")),
    task("the computer", "How much room is on the disk?", do("system.info")),
    task("the timers", "What rings next?", do("timer.list")),
    Case(
        "a question about what was said in another conversation",
        [
            Step("My sister's name is Anna and she lives in Rome."),
            Step("Where does Anna live?", new=True),
        ],
    ),
    Case("small talk", [Step("Good morning!"), Step("How are you?"), Step("Tell me a joke.")]),
]

FILES = [
    task(
        "a file is read",
        "What does letter.txt say?",
        do("file.read", path="letter.txt"),
        things=Things(files={"letter.txt": "Dear all"}),
    ),
    task(
        "three files are compared",
        "What changed between the three drafts?",
        *(do("file.read", path=f"draft{n}.txt") for n in range(3)),
        things=Things(files={f"draft{n}.txt": f"Draft {n}" for n in range(3)}),
    ),
    task(
        "files are searched and one is read",
        "Where did I write about rain?",
        do("file.search", text="rain"),
        do("file.read", path="a.txt"),
        do("note.add", text="Rain is in a.txt."),
        things=Things(files={"a.txt": "rain"}),
    ),
    task(
        "a file is changed",
        "Correct the name in letter.txt.",
        do("file.read", path="letter.txt"),
        do("file.edit", path="letter.txt", old="Jon", new="John"),
        things=Things(files={"letter.txt": "Dear Jon"}),
    ),
    Case(
        "a PDF is summed up and noted",
        [
            Step(
                "Sum it up and keep a note of it.",
                each(do("note.add", text="The report is about rain.")),
                files=("report.pdf",),
            )
        ],
        Things(files={"report.pdf": "Rain report\nIt rains a lot."}),
    ),
    Case(
        "questions about an attached file over several messages",
        [
            Step("What is it about?", files=("report.md",)),
            Step("Who wrote it?"),
            Step("Set a timer, I read it in an hour.", each(do("timer.set", minutes=60))),
        ],
        Things(files={"report.md": "# Report\n\nBy Anna."}),
    ),
    Case(
        "a file is compared with a page that the user named",
        [
            Step(
                f"Does my draft agree with {NEWS}?",
                each(do("file.read", path="draft.txt"), fetch(NEWS)),
            )
        ],
        Things(files={"draft.txt": "It rains."}, pages={NEWS: PAGE}),
        [Web("news.example")],
    ),
    task(
        "the knowledge base answers",
        "How do I descale the kettle?",
        do("knowledge.search", query="descale kettle"),
        things=Things(files={"k/kettle.md": "# Kettle\n\nUse vinegar."}, knowledge=["k"]),
    ),
    Case(
        "a long search in the background",
        [Step("Search all my papers.", [[do("file.search", text="rain", background=True)]])],
        Things(files={"a.txt": "rain"}),
    ),
]

PICTURES = [
    Case(
        "a picture is described",
        [Step("What is on it?", files=("photo.png",)), Step("Which colour is it?")],
        Things(files={"photo.png": ""}),
    ),
    Case(
        "a picture, and a search for what is on it",
        [
            Step(
                "What is this plant?",
                each(
                    do("web_search", query="red flower five petals"),
                    fetch("http://site1.example/rain"),
                ),
                files=("photo.png",),
            )
        ],
        Things(files={"photo.png": ""}, found=RESULTS),
    ),
    task("the screen is looked at", "Look at my screen.", do("screen.capture", area="screen")),
    task(
        "the clipboard is read",
        "Translate what I copied.",
        do("clipboard.read"),
        things=Things(clipboard="guten Tag"),
    ),
    task(
        "a translation is copied",
        "Translate “guten Tag” and copy it.",
        do("clipboard.write", text="good day"),
        ends=[Copied("good")],
    ),
    task("the figure moves", "Smile!", do("live2d.expression", name="smile")),
]

SERVERS = [
    task(
        "a foreign server without strangers' text",
        "Turn on the lamp in the hall.",
        do("mcp.desk.switch", id="hall lamp", text="on"),
        things=Things(server={"switch": "On."}, always=["mcp.desk.switch"]),
        ends=[Served("switch")],
    ),
    Case(
        "a foreign server again and again without strangers' text",
        [
            Step(f"{one} on, please.", each(do("mcp.desk.switch", id=one, text="on")))
            for one in ("hall", "kitchen")
        ],
        Things(server={"switch": ""}, always=["mcp.desk.switch"]),
        [Served("switch", "kitchen")],
    ),
    task(
        "a foreign server that only reads is asked twice",
        "Any mail from Anna or Ben?",
        do("mcp.desk.find", query="Anna"),
        do("mcp.desk.find", query="Ben"),
        things=Things(server={"find": "None."}, always=["mcp.desk.find"], reads=["find"]),
        ends=[Served("find", "Ben")],
    ),
    task(
        "a mail is found by what the user typed, and read by what was found",
        "What did Anna write?",
        do("mcp.desk.find", query="Anna"),
        do("mcp.desk.open", id="m17"),
        things=Things(
            server={"find": "m17: Anna, about rain", "open": "It rains."},
            always=["mcp.desk.find", "mcp.desk.open"],
            reads=["find", "open"],
        ),
        ends=[Served("open")],
    ),
    task(
        "a note of a mail",
        "Note when Anna comes, she wrote it.",
        do("mcp.desk.find", query="Anna"),
        do("note.add", text="Anna comes on Friday."),
        things=Things(
            server={"find": "I come on Friday."}, always=["mcp.desk.find"], reads=["find"]
        ),
    ),
    task(
        "notes, then a foreign server with the user's words",
        "Where is the spare key? Then turn on the hall lamp.",
        do("note.search", query="key"),
        do("mcp.desk.switch", id="hall lamp"),
        things=Things(
            notes=["The key is under the mat."],
            server={"switch": "On."},
            always=["mcp.desk.switch"],
        ),
        ends=[Served("switch")],
    ),
]

ORDINARY = [*WEB, *KEEPING, *ANSWERS, *FILES, *PICTURES, *SERVERS]
