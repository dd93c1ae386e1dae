"""Arguments nested so deep that reading, showing or storing them would crash the app."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from neodeskpet.core.blocks import MessageState, ToolStatus
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from tests.support.desk import DeskStory
from tests.support.replies import calling, end
from tests.support.sseserver import Part, ScriptedServer, text, tool_call

Play = Callable[..., None]


def nested(levels: int) -> str:
    return '{"text":' + "[" * (levels - 1) + "]" * (levels - 1) + "}"


def call(mode: str, raw: str) -> tuple[Part, ...]:
    if mode == "native":
        return (tool_call("note_add", raw, "c0"),)
    block = "<<<[TOOL_REQUEST]>>>\ntool_name:「始」note.add「末」\n"
    return (text(f"{block}input_json:「始」{raw}「末」\n<<<[END_TOOL_REQUEST]>>>"),)


@pytest.mark.parametrize("mode", ["native", "text"])
def test_they_are_sent_back_to_the_model_and_the_turn_ends(
    desk_story: Play, server: ScriptedServer, mode: str
) -> None:
    async def story(person: DeskStory) -> None:
        for levels in (960, 966, 970, 972):
            server.reply(*call(mode, nested(levels)), *end("tool_calls"))
            server.reply(text(f"Sorry for the {levels}."), *end())
            person.type(f"write {levels} down")
            await person.until(lambda levels=levels: f"the {levels}." in person.shown())
            await person.idle()
            reply = await person.reply()
            assert reply.state is MessageState.DONE
            (made,) = await person.calls()
            assert made.status is ToolStatus.ERROR
            assert "nested more than 64 levels" in made.error
            assert "nested more than 64 levels" in str(server.requests[-1].body)
            person.press_in_message(person.buttons()[0])  # the card opens
            assert "nested more than 64 levels" in person.shown()
            person.picture()

    async def next_start(person: DeskStory) -> None:
        await person.until(lambda: "Sorry for the 972." in person.shown())
        server.reply(text("All is well."), *end())
        person.type("and now?")
        await person.until(lambda: "All is well." in person.shown())
        await person.idle()

    desk_story(story, server.url, mode)
    desk_story(next_start, server.url, mode)


def test_a_conversation_that_contains_them_can_be_opened(
    desk_story: Play, server: ScriptedServer, tmp_path: Path
) -> None:
    async def before(person: DeskStory) -> None:
        server.reply(*calling("native", ("note.add", {"text": "deep"})), *end("tool_calls"))
        server.reply(text("Done."), *end())
        person.type("write it down")
        await person.until(lambda: "Done." in person.shown())
        await person.idle()

    async def after(person: DeskStory) -> None:
        await person.until(lambda: "Done." in person.shown())
        person.picture()
        server.reply(text("I remember."), *end())
        person.type("and now?")
        await person.until(lambda: "I remember." in person.shown())
        await person.idle()
        assert (await person.reply()).state is MessageState.DONE

    desk_story(before, server.url)
    with closing(sqlite3.connect(tmp_path / CONVERSATIONS_FILE)) as database, database:
        changed = database.execute(
            "UPDATE blocks SET fields = replace(fields, '\"deep\"', ?) WHERE kind = 'tool_use'",
            ["[" * 966 + "]" * 966],
        )
        assert changed.rowcount == 1
    desk_story(after, server.url)
