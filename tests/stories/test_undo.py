"""A deleted note is restored from its card, and the model is informed."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.support.desk import DeskStory
from tests.support.replies import calling, end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]


def test_a_deletion_is_undone_in_its_card(desk_story: Play, server: ScriptedServer) -> None:
    async def first(person: DeskStory) -> None:
        await person.desk.engine.notebook.notes.add("milk")
        server.reply(*calling("native", ("note.delete", {"id": 1})), *end())
        server.reply(text("Gone."), *end())
        person.type("forget milk")
        await person.until(lambda: "Allow once" in person.buttons(), person.shown())
        assert "Undo" not in person.buttons()
        person.press_in_message("Allow once")
        await person.until(lambda: "Gone." in person.shown(), person.shown())
        await person.idle()

    async def second(person: DeskStory) -> None:
        await person.until(lambda: "Undo" in person.buttons(), "no button")
        person.press_in_message("Undo")
        await person.until(lambda: "Undo" not in person.buttons(), person.shown())
        server.reply(*calling("native", ("note.search", {})), *end())
        server.reply(text("There is milk."), *end())
        person.type("what is there?")
        await person.until(lambda: "There is milk." in person.shown(), person.shown())
        await person.idle()
        told = json.dumps(server.requests[-1].body["messages"], ensure_ascii=False)
        assert "the user undid this" in told
        assert [json.loads(call.output)["notes"][0]["text"] for call in await person.calls()] == [
            "milk"
        ]

    desk_story(first, server.url)
    desk_story(second, server.url)
