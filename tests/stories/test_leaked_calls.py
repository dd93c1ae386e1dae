"""A service passes the model's own form of tool calls on as text: they are shown as cards, without
markers.
"""

from __future__ import annotations

from collections.abc import Callable

from neodeskpet.core.blocks import MessageState, ToolStatus
from tests.support.desk import DeskStory
from tests.support.notebook import noted
from tests.support.replies import end
from tests.support.sseserver import HOLD, ScriptedServer, text

Play = Callable[..., None]
LOOK = ('<tool_call>\n{"name": "note_se', 'arch", "arguments": {"query": "milk"}}\n</tool_call>')
CHANGE = ("<function=note.add>\n<parameter=text>\nmilk", "\n</parameter>\n</function>")


def test_a_call_that_only_reads_runs(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        held = server.reply(text("Let me see. "), text(LOOK[0]), HOLD, text(LOOK[1]), *end())
        server.reply(text("There is no such note."), *end())
        person.type("is there a note on milk?")
        await person.until(lambda: "Let me see." in person.shown())
        assert "tool_call" not in person.shown()
        held.release()
        await person.until(lambda: "There is no such note." in person.shown(), person.shown())
        await person.idle()
        assert "tool_call" not in person.shown()
        assert "Search the notes, milk, 0 notes, read from the text" in person.shown()
        (call,) = await person.calls()
        assert call.leaked
        assert call.status is ToolStatus.SUCCESS
        # The model reads an ordinary call with its result.
        made, result = server.requests[-1].body["messages"][-2:]
        assert made["content"] == "Let me see. "
        assert made["tool_calls"][0]["function"]["name"] == "note_search"
        assert result["role"] == "tool"

    desk_story(story, server.url)


def test_a_call_that_changes_something_asks(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(*map(text, CHANGE), *end())
        server.reply(text("Noted."), *end())
        person.type("note milk")
        await person.until(lambda: "Allow once" in person.buttons(), person.shown())
        assert "asks" in person.shown()
        assert not noted(person.desk.engine.storage.home)
        person.press_in_message("Allow once")
        await person.until(lambda: "Noted." in person.shown(), person.shown())
        await person.idle()
        (call,) = await person.calls()
        assert (call.name, call.arguments) == ("note.add", {"text": "milk"})

    desk_story(story, server.url)


def test_a_call_in_a_window_is_not_shown_as_text(desk_story: Play, server: ScriptedServer) -> None:
    leak = '{"calls": [{"window_id": "launcher", "action_id": "open", "params": {"app": "notes"}}]}'

    async def story(person: DeskStory) -> None:
        server.reply(*(text(letter) for letter in f"I open them.\n{leak}"), *end())
        server.reply(text("They are open."), *end())
        person.type("open the notes")
        await person.until(lambda: "Allow once" in person.buttons(), person.shown())
        assert leak not in person.shown()
        person.press_in_message("Allow once")
        await person.until(lambda: "They are open." in person.shown(), person.shown())
        await person.idle()
        (call,) = await person.calls()
        assert (call.name, call.leaked) == ("window.act", True)
        assert "notes" in person.desk.engine.tools.apps.host.open_targets

    desk_story(story, server.url)


def test_a_call_that_the_user_quotes_is_not_run(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(*map(text, CHANGE), *end())
        person.type("what does " + "".join(CHANGE).replace("\n", " ") + " mean?")
        await person.until(lambda: "parameter" in person.shown(), person.shown())
        await person.idle()
        assert (await person.reply()).state is MessageState.DONE
        assert await person.calls() == []

    desk_story(story, server.url)


def test_the_setting_turns_it_off(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(*map(text, LOOK), *end())
        person.type("is there a note on milk?")
        await person.until(lambda: "note_search" in person.shown(), person.shown())
        await person.idle()
        assert await person.calls() == []

    desk_story(story, server.url, settings={"mode": {"read_leaks": False}})
