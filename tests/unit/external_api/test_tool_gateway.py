"""Which tools other programs may call, how often, and under which name."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

import pytest

from neodeskpet.core.approval import DEFAULT_POLICY
from neodeskpet.core.data_labels import DataSource, SourceKind
from neodeskpet.core.toolspec import Risk
from neodeskpet.external_api.companion_tools import NoCompanion
from neodeskpet.external_api.local_protocol import (
    MAX_TEXT,
    Delivery,
    OfferedTool,
    QuestionDetails,
    QuestionReply,
    ToolAnswer,
    clean_program_name,
)
from neodeskpet.external_api.tool_gateway import ToolGateway
from neodeskpet.notebook.note_tools import note_tools
from neodeskpet.notebook.notes import NotesInMemory
from neodeskpet.notebook.timer_tools import timer_tools
from neodeskpet.notebook.timers import TimerService, TimersInMemory
from neodeskpet.notebook.todo_tools import todo_tools
from neodeskpet.toolkit.registry import Tool, tool
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from tests.unit.tools.apps.house import house


class Stage:
    """A companion that records what programs do with it."""

    def __init__(self) -> None:
        self.done: list[tuple[object, ...]] = []
        self.shown = Delivery.BUBBLE
        self.reply = QuestionReply("Yes")
        self.still = False
        self.details: QuestionDetails | None = None

    async def say(self, who: str, text: str, *, wait: bool, topic: str = "") -> Delivery:
        self.done.append(("say", who, text, wait))
        return self.shown

    async def ask(
        self,
        who: str,
        question: str,
        choices: Sequence[str],
        seconds: float,
        topic: str = "",
        details: QuestionDetails | None = None,
    ) -> QuestionReply:
        asked = ("ask", who, question, tuple(choices), seconds)
        self.done.append((*asked, topic) if topic else asked)
        self.details = details
        return self.reply

    def withdraw(self, who: str, topic: str) -> int:
        self.done.append(("withdraw", who, topic))
        return 1

    async def notify(self, who: str, title: str, text: str) -> Delivery:
        self.done.append(("notify", who, title, text))
        return Delivery.NOTICE

    def expressions(self) -> Sequence[str]:
        return ["Smile", "F01"]

    def motions(self) -> Mapping[str, int]:
        return {"Wave": 2}

    def express(self, name: str) -> bool:
        self.done.append(("express", name))
        return not self.still

    def play(self, group: str, index: int | None) -> bool:
        self.done.append(("play", group, index))
        return not self.still

    def moods(self) -> Sequence[str]:
        return ["happy", "working"]

    def show_mood(self, mood: str) -> bool:
        self.done.append(("mood", mood))
        return not self.still


class Desk:
    """A gateway with notes and timers, its clock and its switch."""

    def __init__(self, *more: Tool, nobody: bool = False) -> None:
        self.stage = Stage()
        self.notes = NotesInMemory()
        self.timers = TimerService(TimersInMemory(), lambda timer: None, clock=lambda: 1_000.0)
        self.now = 0.0
        self.wanted = True
        self.off: set[str] = set()
        tools = [*note_tools(self.notes), *timer_tools(self.timers), *more]
        self.tool_gateway = ToolGateway(
            NoCompanion() if nobody else self.stage,
            Toolbox(AppTools(tools), enabled=lambda spec: spec.name not in self.off),
            DEFAULT_POLICY.asks,
            wanted=lambda: self.wanted,
            clock=lambda: self.now,
        )

    async def call(self, tool: str, /, by: str = "coder", **arguments: object) -> ToolAnswer:
        self.now += 60.0
        return await self.tool_gateway.call(by, tool, arguments)


def play(story: Callable[[Desk], Awaitable[None]], *more: Tool, nobody: bool = False) -> None:
    async def live() -> None:
        await story(Desk(*more, nobody=nobody))

    asyncio.run(live())


def test_the_offered_tools() -> None:
    async def story(desk: Desk) -> None:
        listed = {one.name: one for one in await desk.tool_gateway.tools()}
        own = ["say", "express", "play", "ask", "withdraw", "notify", "remind"]
        assert [*listed][:7] == own
        assert listed["note_search"].reads_only
        assert listed["note_delete"].may_delete
        assert "shell_run" not in listed
        assert "Smile, F01" in str(listed["express"].parameters)
        assert [OfferedTool.from_json(one.to_json()) for one in listed.values()] == [
            *listed.values()
        ]
        desk.off.add("note.add")
        assert "note_add" not in [one.name for one in await desk.tool_gateway.tools()]
        desk.wanted = False
        assert not await desk.tool_gateway.tools()
        assert (await desk.call("say", text="x")).failed
        assert not desk.stage.done

    @tool("shell.run", risk=Risk.RUN)
    def run() -> str:
        """Never for a visitor."""
        raise AssertionError

    play(story, run)


def test_texts_are_plain_and_have_the_programs_name() -> None:
    async def story(desk: Desk) -> None:
        answer = await desk.call("say", text=" a\u202eb ", mood="HAPPY", wait=True)
        assert answer == ToolAnswer("Shown at the companion.", {"shown": "bubble"})
        assert desk.stage.done == [("mood", "happy"), ("say", "coder", "a\\u202eb", True)]
        assert (await desk.call("say", by="", text="x")).text
        assert desk.stage.done[-1] == ("say", "A program", "x", False)
        assert (await desk.call("say")).failed
        assert (await desk.call("say", text="x" * (MAX_TEXT + 1))).failed
        assert (await desk.call("say", text=["x"])).failed
        assert (await desk.call("say", text="x", html=True)).failed
        await desk.call("notify", text="done", title="a\nb")
        assert desk.stage.done[-1] == ("notify", "coder", "a b", "done")
        for shown, word in ((Delivery.QUIET, "quiet"), (Delivery.FULL, "are unread")):
            desk.stage.shown = shown
            answer = await desk.call("say", text="x")
            assert answer.failed
            assert word in answer.text

    play(story)


def test_moods_and_moves() -> None:
    async def story(desk: Desk) -> None:
        assert (await desk.call("say", mood="smile")).text == ""
        assert desk.stage.done == [("express", "Smile")]
        unknown = await desk.call("say", text="x", mood="grim")
        assert not unknown.failed, "the text is said all the same"
        assert "There is no mood grim; there are: happy, working, Smile, F01." in unknown.text
        assert (await desk.call("express", name="f01")).text == "Its face shows “F01”."
        assert (await desk.call("express", name="rage")).failed
        assert (await desk.call("play", group="Wave", index=1)).text == "It plays “Wave”."
        assert (await desk.call("play", group="Wave", index=2)).failed
        desk.stage.still = True
        assert (await desk.call("play", group="Wave")).failed
        assert "didn't move" in (await desk.call("say", mood="happy")).text

    play(story)


def test_a_question_and_its_answer() -> None:
    async def story(desk: Desk) -> None:
        answer = await desk.call("ask", question="Go?", choices=["Yes", "Later"], seconds=5)
        assert answer == ToolAnswer("The user chose “Yes”.", {"answer": "Yes"})
        assert desk.stage.done == [("ask", "coder", "Go?", ("Yes", "Later"), 5.0)]
        await desk.call("ask", question="Go?")
        assert desk.stage.done[-1][3] == ("Yes", "No")
        for why in ("dismissed", "timeout", "quiet", "full", "long"):
            desk.stage.reply = QuestionReply("", why)
            answer = await desk.call("ask", question="Go?")
            assert answer.failed
            assert answer.data == {"answer": None, "why": why}
        asked = len(desk.stage.done)
        for wrong in (["a", "a"], [" "], ["x" * 25], [], ["a"] * 5, [1]):
            assert (await desk.call("ask", question="Go?", choices=wrong)).failed, wrong
        assert desk.stage.details is None
        await desk.call("ask", question="Run\nit?", details="$ a\u202e\n", folder="/a\nb")
        assert desk.stage.details == QuestionDetails("$ a\\u202e", "/a b")
        assert desk.stage.done.pop()[2] == "Run it?"
        assert (await desk.call("ask", question=" ")).failed
        assert (await desk.call("ask", question="Go?", seconds=100_000)).failed
        assert len(desk.stage.done) == asked

    play(story)


def test_stored_entries_have_the_programs_name() -> None:
    async def story(desk: Desk) -> None:
        assert not (await desk.call("note_add", text="<tool_call> x", tags=["a"])).failed
        (note,) = await desk.notes.search([], 10)
        assert note.text == "<·tool_call> x"
        assert [*note.tags] == ["a", "coder"]
        assert "tool_call" in (await desk.call("note_search", query="tool_call")).text
        await desk.call("timer_set", minutes=1.0)
        await desk.call("remind", text="Tea", at="10m")
        labels = [timer.label for timer in await desk.timers.timers()]
        assert labels == ["coder: Timer", "coder: Tea"]
        assert (await desk.call("remind", text="Tea", at="whenever")).failed
        assert (await desk.call("note.add", text="x")).failed
        assert "There is no tool" in (await desk.call("settings_change")).text

    play(story)


@pytest.mark.parametrize(("choice", "left"), [("Delete", 0), ("Keep it", 1), ("", 1)])
def test_a_tool_that_asks_asks_each_time(choice: str, left: int) -> None:
    async def story(desk: Desk) -> None:
        note = await desk.notes.add("x", [])
        assert (await desk.call("note_delete", id="one")).failed
        assert not desk.stage.done, "a call that can't run asks nothing"
        assert (await desk.call("note_delete", id=99)).failed
        assert not desk.stage.done, "nor does one about a note that doesn't exist"
        desk.stage.reply = QuestionReply(choice, "" if choice else "timeout")
        answer = await desk.call("note_delete", id=note.id)
        assert answer.failed == bool(left)
        ((_, who, words, choices, _),) = desk.stage.done
        assert (who, choices) == ("coder", ("Delete", "Keep it"))
        assert words == "Delete the note “x”?\nx\nCan be undone"
        assert len(await desk.notes.search([], 10)) == left

    play(story)


def test_a_call_beyond_the_limit_is_refused_with_the_time_to_wait() -> None:
    async def story(desk: Desk) -> None:
        answers = [await desk.tool_gateway.call("a", "say", {"text": "x"}) for _ in range(7)]
        assert [one.failed for one in answers] == [False] * 6 + [True]
        assert answers[-1].text == "Too often. Wait 5 seconds."
        assert not (await desk.tool_gateway.call("a", "note_add", {"text": "x"})).failed

    play(story)


def test_without_a_companion_only_stored_data_can_be_used() -> None:
    async def story(desk: Desk) -> None:
        assert "say" in [one.name for one in await desk.tool_gateway.tools()]
        for name, given in (("say", {"text": "x"}), ("express", {"name": "Smile"})):
            answer = await desk.call(name, **given)
            assert (
                answer.text == "NeoDeskPet isn't running, so it can't show messages or questions."
            )
        assert not (await desk.call("note_add", text="x")).failed
        (note,) = await desk.notes.search([], 10)
        assert "isn't running" in (await desk.call("note_delete", id=note.id)).text

    play(story, nobody=True)


def test_a_bug_does_not_close_the_connection(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Stage):
        async def say(self, who: str, text: str, *, wait: bool, topic: str = "") -> Delivery:
            raise ZeroDivisionError

    async def live() -> None:
        reception = ToolGateway(Broken(), Toolbox(), DEFAULT_POLICY.asks)
        answer = await reception.call("a", "say", {"text": "x"})
        assert answer.failed
        assert "log" in answer.text

    asyncio.run(live())
    assert "ZeroDivisionError" in caplog.text


def test_names_are_one_short_line() -> None:
    assert clean_program_name("Claude\nCode\u202e") == "Claude Code\\u202e"
    assert len(clean_program_name("x" * 100)) == 32
    assert clean_program_name(7) == clean_program_name(None) == clean_program_name("  ") == ""


def test_an_answer_is_sent_as_json() -> None:
    for answer in (ToolAnswer("x"), ToolAnswer("x", {"a": 1}, failed=True)):
        assert ToolAnswer.from_json(answer.to_json()) == answer
    assert ToolAnswer.from_json({"data": [1]}) == ToolAnswer("", None, failed=True)


def test_a_due_date_is_set_without_the_text() -> None:
    async def run() -> None:
        async with house() as home:
            tools = Toolbox(AppTools(todo_tools(home.todos)))
            reception = ToolGateway(Stage(), tools, DEFAULT_POLICY.asks)
            arguments = {"text": "mow", "due": "2090-05-17 9:30"}
            added = await reception.call("coder", "todo_add", arguments)
            assert added.text == "1: [ ] coder: mow — due 2090-05-17 Wed 09:30"
            moved = await reception.call("coder", "todo_edit", {"id": 1, "due": "2090-05-18"})
            assert moved.text == "1: [ ] coder: mow — due 2090-05-18 Thu"
            assert (await reception.call("coder", "todo_edit", {"id": 1, "due": "soon"})).failed

    asyncio.run(run())


def test_windows_are_shown_except_for_private_content() -> None:
    async def live() -> None:
        async with house() as home:
            stage = Stage()
            wanted = True
            clock = [0.0]
            reception = ToolGateway(
                stage,
                Toolbox(AppTools(note_tools(home.notes))),
                DEFAULT_POLICY.asks,
                apps=home.apps,
                wanted=lambda: wanted,
                clock=lambda: clock[0],
            )

            async def call(name: str, **arguments: object) -> ToolAnswer:
                clock[0] += 60.0
                return await reception.call("coder", name, arguments)

            assert [one.name for one in await reception.windows()][:3] == [
                "notes",
                "timers",
                "todo",
            ]
            await call("note_add", text="oats")
            edited = await call("note_edit", id=1, text="rye")
            assert edited.text == "1: coder: rye #coder"
            assert (await call("note_edit", id=1, text="coder: rye")).text == edited.text
            shown = await reception.window("coder", "notes")
            assert "1: coder: rye" in shown.text
            assert 'id="close"' not in shown.text
            assert "user's own" in (await reception.window("coder", "clipboard")).text
            assert (await reception.window("coder", "nowhere")).failed
            stage.reply = QuestionReply("No")
            refused = await call("clipboard_read")
            assert refused.text == "The user didn't allow it."
            assert not [one for one in await reception.tools() if one.name.startswith("live2d")]
            acts = await home.apps.record.list_entries()
            assert [(one.window, one.action, one.who) for one in acts] == [
                ("notes", "edit", "coder"),
                ("notes", "edit", "coder"),
                ("notes", "add", "coder"),
            ]
            for _ in range(61):
                late = await reception.window("coder", "notes")
            assert "Too often" in late.text
            wanted = False
            assert await reception.windows() == []
            assert (await reception.window("coder", "notes")).failed

    asyncio.run(live())


def test_text_of_a_program_is_labelled_as_such() -> None:
    program = (DataSource(SourceKind.PROGRAM),)

    async def story(desk: Desk) -> None:
        await desk.call("note_add", text="from outside")
        await desk.call("timer_set", minutes=5, label="from outside")
        (note,) = await desk.notes.search((), 5)
        (timer,) = await desk.timers.timers()
        assert (note.untrusted, timer.untrusted) == (program, program)

    play(story)


def test_a_question_has_a_topic_and_is_withdrawn_by_it() -> None:
    async def story(desk: Desk) -> None:
        long = "x" * 2_000
        await desk.call("ask", question=long, topic="session 1")
        assert (await desk.call("withdraw", topic="session 1")).data == {"withdrawn": 1}
        assert desk.stage.done == [
            ("ask", "coder", long, ("Yes", "No"), 600.0, "session 1"),
            ("withdraw", "coder", "session 1"),
        ]
        assert (await desk.call("ask", question="x" * 2_001)).failed
        desk.stage.reply = QuestionReply("", "withdrawn")
        assert (await desk.call("ask", question="Now?")).text == "The question was withdrawn."

    play(story)
