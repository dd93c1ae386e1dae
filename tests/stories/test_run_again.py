"""Questions in words, answered with few clicks, and a finished call that is run again."""

from __future__ import annotations

import json
from collections.abc import Callable

from PySide6.QtWidgets import QLineEdit, QPlainTextEdit

from neodeskpet.core.blocks import ToolStatus
from neodeskpet.ui.chat.argument_form import ArgumentForm
from tests.support.desk import DeskStory
from tests.support.replies import calling, end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]


def test_a_note_is_deleted_by_one_sentence_and_one_click(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        await person.desk.engine.notebook.notes.add("PIN of the bike lock", [])
        server.reply(*calling("native", ("note.delete", {"id": 1})), *end())
        server.reply(text("Gone."), *end())
        person.type("delete the note with the PIN")
        asked = "Delete the note “PIN of the bike lock”?"
        await person.until(lambda: asked in person.shown(), person.shown())
        assert "{" not in person.shown()
        bubble = person.desk.companion.bubble
        person.desk.chat.window.hide()  # otherwise the card asks
        await person.until(lambda: asked in bubble.page_text, bubble.page_text)
        person.click(person.button("Delete", bubble))  # the one click
        await person.until(lambda: "Gone." in person.shown(), person.shown())
        await person.idle()
        assert await person.desk.engine.notebook.notes.search([], 10) == []
        assert "“PIN of the bike lock” deleted" in person.shown()

    desk_story(story, server.url)


def test_a_missing_note_is_not_asked_about(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(*calling("native", ("note.delete", {"id": 9})), *end())
        server.reply(text("There is none."), *end())
        person.type("delete note 9")
        await person.until(lambda: "There is none." in person.shown(), person.shown())
        await person.idle()
        (call,) = await person.calls()
        assert call.status is ToolStatus.ERROR

    desk_story(story, server.url)


def test_a_call_runs_again_with_other_arguments(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        view = person.desk.chat.view
        server.reply(*calling("native", ("calc.evaluate", {"expression": "17.5*3"})), *end())
        server.reply(text("It is 52.5."), *end())
        person.type("calculate 17.5*3")
        await person.until(lambda: "It is 52.5." in person.shown(), person.shown())
        await person.idle()
        person.press_in_message("Calculate, 17.5*3, = 52.5")
        person.press_in_message("Run again")
        (form,) = view.findChildren(ArgumentForm)
        field = form.control_for("expression")
        assert isinstance(field, QLineEdit | QPlainTextEdit)
        field.clear()
        field.setText("2*4") if isinstance(field, QLineEdit) else field.setPlainText("2*4")
        person.click(form.allow)

        def result() -> str:
            return "".join(one.heading.text() for one in view.findChildren(ArgumentForm))

        await person.until(lambda: "2*4 = 8" in result(), "no result")
        server.reply(text("And that is 8."), *end())
        assert len(server.requests) == 2, "the model isn't called for it"
        person.type("and now?")
        await person.until(lambda: "And that is 8." in person.shown(), person.shown())
        await person.idle()
        told = json.dumps(server.requests[-1].body["messages"], ensure_ascii=False)
        assert "2*4 = 8" in told

    desk_story(story, server.url)


def test_a_call_that_asks_asks_again(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        view, notes = person.desk.chat.view, person.desk.engine.notebook.notes
        await notes.add("milk", [])
        await notes.add("bread", [])
        server.reply(*calling("native", ("note.delete", {"id": 1})), *end())
        server.reply(text("As you wish."), *end())
        person.type("delete milk")
        await person.until(lambda: "Delete the note “milk”?" in person.shown(), person.shown())
        person.press_in_message("Deny")
        await person.until(lambda: "As you wish." in person.shown(), person.shown())
        await person.idle()
        person.press_in_message("Delete a note, milk, you said no")
        person.press_in_message("Run again")
        (form,) = view.findChildren(ArgumentForm)
        person.click(form.allow)

        def question() -> str:
            return "".join(one.heading.text() for one in view.findChildren(ArgumentForm))

        await person.until(lambda: "Delete the note “milk”?" in question(), "it doesn't ask")
        assert len(await notes.search([], 10)) == 2
        form = next(one for one in view.findChildren(ArgumentForm) if one.heading.text())
        assert form.allow.text() == "Delete"
        person.click(form.allow)
        await person.until(lambda: "Deleted" in question() or "deleted" in question(), question())
        assert [one.text for one in await notes.search([], 10)] == ["bread"]

    desk_story(story, server.url)
