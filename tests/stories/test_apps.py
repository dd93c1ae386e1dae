"""Apps that the companion and the user both use: windows for the one, panels for the other."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from pydantic import Field
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from neodeskpet.core.blocks import MessageState, ToolStatus, ToolUse
from neodeskpet.core.toolspec import Risk
from neodeskpet.toolkit.app_window import App
from neodeskpet.toolkit.registry import tool
from neodeskpet.ui.notebook.sharing import HistoryPage
from neodeskpet.ui.notebook.today_window import NOTES, TODOS
from tests.stories.test_notebook import open_window, shows
from tests.support.desk import DeskStory
from tests.support.replies import calling, end
from tests.support.sseserver import Part, Request, ScriptedServer, text, tool_call

Play = Callable[..., None]
DIALECTS = ("native", "tool_call", "tool_request", "tool_tag")


def act(window: str, action: str, **params: object) -> dict[str, object]:
    return {"window_id": window, "action_id": action, "params": params}


def acting(dialect: str, *calls: dict[str, object]) -> tuple[Part, ...]:
    """A reply that makes these calls in one block, in text mode letter by letter."""
    arguments: dict[str, object] = {"calls": list(calls)}
    if dialect == "tool_call":
        block = f"<tool_call>{json.dumps(arguments)}</tool_call>"
        return (*(text(letter) for letter in f"Let me see. {block}"), *end())
    if dialect == "tool_tag":
        return (*(text(letter) for letter in tagged("Let me see.", arguments)), *end())
    mode = "text" if dialect == "tool_request" else "native"
    return (*calling(mode, ("window.act", arguments)), *end())


def tagged(said: str, arguments: dict[str, object]) -> str:
    """Text and calls of a model in the tool_tag dialect."""
    call = f"<tool><name>window.act</name><arguments>{json.dumps(arguments)}</arguments></tool>"
    return f"<messages>\n<item>{said}||smile</item>\n{call}\n</messages>"


def how(dialect: str) -> dict[str, Any]:
    """A start with `dialect`, and enough rounds for a story."""
    if dialect == "native":
        return {"mode": "native"}
    return {"mode": "text", "settings": {"mode": {"dialect": dialect, "max_tag_rounds": 6}}}


def told(request: Request) -> str:
    """Everything that a model was sent as text."""
    return "\n".join(str(message["content"]) for message in request.body["messages"])


def tools(request: Request) -> list[str]:
    return [one["function"]["name"] for one in request.body.get("tools", [])]


async def says(person: DeskStory, words: str) -> None:
    await person.until(lambda: words in person.shown(), person.shown())
    await person.idle()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_app_is_opened_and_used_and_the_panel_shows_it(
    desk_story: Play, server: ScriptedServer, dialect: str
) -> None:
    async def story(person: DeskStory) -> None:
        panel = open_window(person, NOTES).notes.pane
        server.reply(*acting(dialect, act("launcher", "open", app="notes", target="oat")))
        server.reply(*acting(dialect, act("notes", "add", text="oat milk", tag="todo")))
        server.reply(
            *acting(
                dialect,
                act("notes", "edit", id="1", text="x"),
                act("notes", "edit", id=1, text="oat drink"),
            )
        )
        server.reply(text("It is noted."), *end())
        person.type("note oat milk")
        await says(person, "It is noted.")
        await shows(person, panel, "oat drink")
        shown = person.shown()
        assert not any(mark in shown for mark in ("tool_call", "TOOL_REQUEST", "<item", "<tool"))

        first, second, third, last = server.requests
        assert '<Window id="launcher">' in told(first)
        assert '<Window id="notes">' not in told(first)
        assert "Notes with “oat”:\n(none)</content>" in told(second)
        assert "1: oat milk #todo</content>" in told(third)
        assert "1: oat drink #todo</content>" in told(last)
        assert "params.id must be integer." in told(last)
        if dialect == "native":
            assert "note_add" in tools(first) and "note_add" not in tools(second)
            assert "window_act" in tools(second)
        if dialect == "native":  # the beginning of the request stays the same
            assert len({request.body["messages"][0]["content"] for request in server.requests}) == 1

        *_, both = await person.calls()
        assert "✗ notes.edit ✓ notes.edit" in person.shown()
        assert both.status is ToolStatus.SUCCESS
        assert (await person.reply()).state is MessageState.DONE

    desk_story(story, server.url, **how(dialect))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_due_date_goes_through_the_app_and_a_closed_app_is_not_told(
    desk_story: Play, server: ScriptedServer, dialect: str
) -> None:
    async def story(person: DeskStory) -> None:
        window = open_window(person, TODOS)
        panel = window.todos.pane
        server.reply(*acting(dialect, act("launcher", "open", app="todo")))
        server.reply(*acting(dialect, act("todo", "add", text="form", due="2090-12-04 17:00")))
        server.reply(*acting(dialect, act("todo", "close")))
        server.reply(text("It is on the list."), *end())
        person.type("the form, by the fourth")
        await says(person, "It is on the list.")
        opened, _added, closed = server.requests[1:]
        assert '<Window id="todo">' in told(opened)
        assert "1: [ ] form — due 2090-12-04 Mon 17:00" in told(server.requests[2])
        assert '<Window id="todo">' not in told(closed)
        await shows(person, panel, "form")
        (todo,) = await person.desk.engine.notebook.todos.todos()
        assert str(todo.due) == "2090-12-04 17:00"
        assert window.isVisible(), "closing the model's app doesn't close the user's window"

    desk_story(story, server.url, **how(dialect))


def abacus() -> App:
    """An app with a list of numbers for a parameter."""

    async def content(target: str) -> str:
        return "0"

    @tool("abacus.add", title="Add", risk=Risk.READ)
    def add(a: Annotated[list[int], Field(description="Numbers.")]) -> int:
        """Add numbers"""
        return sum(a)

    return App("abacus", "Abacus", "It counts.", content, {"add": add})


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_error_in_a_call_is_reported_to_the_model(
    desk_story: Play, server: ScriptedServer, dialect: str
) -> None:
    call = '{"calls": [{"window_id": "notes", "action_id": "add"'
    broken, unclosed = {
        "native": ('{"calls": [}', ""),
        "tool_call": ('<tool_call>{"calls": [}</tool_call>', f"<tool_call>{call}"),
        "tool_request": (
            "<<<[TOOL_REQUEST]>>>\ntool_name:「始」window.act「末」\n"
            'input_json:「始」{"calls": [}「末」\n<<<[END_TOOL_REQUEST]>>>',
            f"<<<[TOOL_REQUEST]>>>\ntool_name:「始」window.act「末」\ninput_json:「始」{call}",
        ),
        "tool_tag": (
            '<tool><name>window.act</name><arguments>{"calls": [}</arguments></tool>',
            f"<item>Well</item><tool><name>window.act</name><arguments>{call}",
        ),
    }[dialect]
    wrong = (
        act("notes", "add", text="x"),
        act("launcher", "fly"),
        act("launcher", "open", app=["notes"]),
        act("launcher", "open", app="nowhere"),
        act("abacus", "add", a=["1", 2]),
    )
    said = (
        "No window “notes” is open",
        "There is no action “fly” in the window “launcher”; there are: open.",
        "params.app must be string.",
        'params.app must be one of "notes", "timers", "todo", "calendar", "files", ',
        "params.a[0] must be integer.",
    )

    async def story(person: DeskStory) -> None:
        host = person.desk.engine.tools.apps.host
        host.add(abacus())
        await host.open("abacus")
        server.reply(*acting(dialect, *wrong))
        if dialect == "native":
            server.reply(tool_call("window_act", broken, "c0", 0), *end("tool_calls"))
        else:
            server.reply(text(broken), *end())
            server.reply(text("I try. "), text(unclosed), *end())
        server.reply(text("It can't be done."), *end())
        person.type("note x")
        await says(person, "It can't be done.")
        assert all(words in told(server.requests[1]) for words in said)
        calls = await person.calls()
        assert {call.status for call in calls} == {ToolStatus.ERROR}
        shown = person.shown()
        assert not any(mark in shown for mark in ("tool_call", "TOOL_REQUEST", "<item", "<tool"))
        assert "Not valid JSON" in told(server.requests[2])
        if unclosed:
            assert "The model did not complete the call" in told(server.requests[3])
        assert len(calls) == len(server.requests) - 1

    desk_story(story, server.url, **how(dialect))


def test_a_deletion_in_a_window_asks_and_can_be_undone(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        apps = person.desk.engine.tools.apps
        await apps.host.open("notes")
        await person.desk.engine.notebook.notes.add("milk")
        panel = open_window(person, NOTES).notes.pane
        server.reply(*acting("native", act("notes", "delete", id=1)))
        server.reply(text("Gone."), *end())
        person.type("forget the milk")
        await person.until(lambda: "Allow once" in person.buttons(), person.shown())
        await shows(person, panel, "milk")
        assert "Always" in person.buttons()
        person.press_in_message("Allow once")
        await says(person, "Gone.")
        assert not await person.desk.engine.notebook.notes.search((), 9)
        person.press_in_message("Undo")
        await shows(person, panel, "milk")

    desk_story(story, server.url, mode="native")


def history_page(person: DeskStory) -> HistoryPage:
    """Open the history by the companion's menu and the line at the foot of the window "Today"."""
    person.desk.menu.menu.actions["today"].trigger()
    window = person.desk.side_windows.today
    if not window.history.isVisible():
        person.click(window.foot)
        person.click(window.sharing.history)
    assert window.history.isVisible()
    return window.history


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_list_that_the_user_hides_in_the_middle_of_a_turn_is_gone(
    desk_story: Play, server: ScriptedServer, dialect: str
) -> None:
    async def story(person: DeskStory) -> None:
        await person.desk.engine.tools.apps.host.open("notes")
        await person.desk.engine.notebook.notes.add("the PIN is 4921")
        window = open_window(person, NOTES)
        called = acting(dialect, act("notes", "add", text="milk"))
        reply = server.reply(text("I note it. "), *called, hold=True)
        server.reply(text("Then not."), *end())
        person.type("note milk")
        reply.release(1)
        await person.until(lambda: "I note it." in person.shown(), "nothing came")
        person.click(window.foot)
        person.click(window.sharing.sees)
        assert window.foot.accessibleName() == "Neo doesn't see this"
        reply.release(len(reply.parts))
        await says(person, "Then not.")
        assert '<Window id="notes">' in told(server.requests[0])
        last = told(server.requests[1])
        assert "doesn't let the companion see this list: notes was not used" in last
        assert '<Window id="notes">' not in last
        assert "note_search" not in tools(server.requests[1])
        assert len(await person.desk.engine.notebook.notes.search((), 9)) == 1

    desk_story(story, server.url, **how(dialect))


def test_the_log_says_who_did_what_and_undoes_it(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        await person.desk.engine.notebook.notes.add("milk")
        await person.desk.engine.tools.apps.host.open("notes")
        panel = open_window(person, NOTES).notes.pane
        window = history_page(person)
        server.reply(*acting("native", act("notes", "edit", id=1, text="oat milk")))
        server.reply(text("So it is."), *end())
        person.type("oat milk, please")
        await says(person, "So it is.")
        await shows(person, panel, "oat milk")
        (line,) = await shows(person, window.log, "Notes: Edit a note")
        assert "Neo" in line and "oat milk" in line
        person.click(person.button("Undo", window.log))
        await shows(person, panel, "milk")
        lines = await shows(person, window.log, "Notes: Undone", "Notes: Edit a note")
        assert "You" in lines[0]
        window.log.list.select("1")
        assert not person.button("Undo", window.log).isEnabled()
        today = person.desk.side_windows.today
        QTest.keyClick(today, Qt.Key.Key_Escape)
        assert today.current_tab == NOTES
        QTest.keyClick(today, Qt.Key.Key_Escape)
        assert not today.isVisible()

    desk_story(story, server.url, mode="native")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_close_source_replaces_the_window(
    desk_story: Play, server: ScriptedServer, dialect: str
) -> None:
    async def first(person: DeskStory) -> None:
        server.reply(
            *acting(
                dialect,
                act("launcher", "open", app="notes"),
                act("notes", "add", text="milk"),
                act("notes", "close"),
                act("launcher", "open", app="activity"),
            )
        )
        server.reply(*acting(dialect, act("activity", "show", number=2)))
        server.reply(text("Here it is."), *end())
        person.type("where did you note it?")
        await says(person, "Here it is.")
        assert "[2] notes.add -&gt; ok: milk" in told(server.requests[1])
        assert list(person.desk.engine.tools.apps.host.open_targets) == ["launcher", "notes"]
        assert '<Window id="activity">' not in told(server.requests[2])
        blocks = [b for b in (await person.reply()).blocks if isinstance(b, ToolUse)]
        assert [len(block.arguments["calls"]) for block in blocks if block.arguments] == [4, 1]  # type: ignore[arg-type]

    async def second(person: DeskStory) -> None:
        assert list(person.desk.engine.tools.apps.host.open_targets) == ["launcher", "notes"]

    desk_story(first, server.url, **how(dialect))
    desk_story(second, server.url, **how(dialect))


def test_a_tool_that_no_app_has_and_a_gesture_are_called_in_the_tool_call_dialect(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(
            *acting(
                "tool_call",
                act("tools", "calc.evaluate", expression="6*7"),
                act("launcher", "open", app="timers"),
            )
        )
        server.reply(text("42."), *end())
        person.type("what is 6*7?")
        await says(person, "42.")
        calc, opened = await person.calls()
        assert (calc.name, calc.status, "42" in calc.output) == (
            "calc.evaluate",
            ToolStatus.SUCCESS,
            True,
        )
        assert (opened.name, opened.status) == ("window.act", ToolStatus.SUCCESS)
        assert "tools.calc.evaluate -&gt; ok" in told(server.requests[1])

    desk_story(story, server.url, **how("tool_call"))


def test_with_apps_turned_off_there_are_only_tools(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        await person.desk.engine.tools.apps.host.open("notes")
        server.reply(text("Yes."), *end())
        person.type("hello")
        await says(person, "Yes.")
        assert "<Window" not in told(server.requests[0])
        assert "note_add" in tools(server.requests[0])
        assert "window_act" not in tools(server.requests[0])

    desk_story(story, server.url, mode="native", settings={"mode": {"apps": False}})
