"""With "Ask before every change" on, the card asks and nothing is done without an answer."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from neodeskpet.core.blocks import MessageState, ToolStatus
from neodeskpet.core.grant_scope import Grant
from neodeskpet.ui.settings.tool_rows import RefusedRow
from tests.support.desk import DeskStory
from tests.support.notebook import noted
from tests.support.replies import calling, end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]
ASKS = {"mode": {"ask_before_every_change": True}}


def note(*words: str) -> tuple[bytes, ...]:
    """A reply that writes these notes."""
    return (*calling("native", *(("note.add", {"text": word}) for word in words)), *end())


async def asks(person: DeskStory) -> None:
    await person.until(lambda: "Allow once" in person.buttons(), person.shown())
    assert [name for name in person.buttons() if name in ("Allow once", "Always", "Deny…")] == [
        "Allow once",
        "Always",
        "Deny…",
    ]


async def answered(person: DeskStory, words: str) -> None:
    await person.until(lambda: words in person.shown(), person.shown())
    await person.idle()
    assert (await person.reply()).state is MessageState.DONE
    assert "Allow once" not in person.buttons()


def kept(person: DeskStory) -> bool:
    return bool(noted(person.desk.engine.storage.home))


def result(server: ScriptedServer, number: int = -1) -> str:
    """The result of the call that the model was sent."""
    content: str = server.requests[number].body["messages"][-1]["content"]
    return content


def test_allow_once_holds_only_for_this_call(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(*note("milk", "bread"))
        server.reply(text("Both noted."), *end())
        person.type("note two things")
        await asks(person)
        assert not kept(person)
        bubble = person.desk.companion.bubble
        await person.until(lambda: not bubble.isVisible(), "the card is seen")
        person.press_in_message("Allow once")
        await person.until(lambda: "Add a note, milk" in person.shown(), person.shown())
        await asks(person)
        person.press_in_message("Allow once")
        await answered(person, "Both noted.")
        assert [c.status for c in await person.calls()] == [ToolStatus.SUCCESS] * 2
        assert person.desk.engine.settings.settings.mode.always_allowed == ()

    desk_story(story, server.url, settings=ASKS)


def test_always_is_stored_for_this_tool(desk_story: Play, server: ScriptedServer) -> None:
    async def first(person: DeskStory) -> None:
        server.reply(*note("milk"))
        server.reply(text("Noted."), *end())
        person.type("note milk")
        await asks(person)
        person.press_in_message("Always")
        await answered(person, "Noted.")
        assert person.desk.engine.settings.settings.mode.always_allowed == (Grant("note.add"),)

    async def second(person: DeskStory) -> None:
        server.reply(*note("bread"))
        server.reply(*calling("native", ("note.delete", {"id": 1})), *end())
        server.reply(text("Half done."), *end())
        person.type("note bread, forget milk")
        await asks(person)
        assert [c.status for c in await person.calls()] == ["success", "asking"]
        person.press_in_message("Allow once")
        await answered(person, "Half done.")

    desk_story(first, server.url, settings=ASKS)
    desk_story(second, server.url)


def test_never_turns_the_tool_off_until_it_is_taken_back(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(*note("my age"))
        server.reply(text("As you wish."), *end())
        person.type("note my age")
        await asks(person)
        person.press_in_message("No, never do this")
        await answered(person, "As you wish.")
        (call,) = await person.calls()
        assert call.status is ToolStatus.DENIED and not kept(person)
        server.reply(text("I can't."), *end())
        person.type("note it, please")
        await answered(person, "I can't.")
        offered = [one["function"]["name"] for one in server.requests[-1].body["tools"]]
        assert "note_add" not in offered and any(name.startswith("note") for name in offered)

        settings = person.desk.side_windows.settings
        settings.present("mode")
        page = settings.pages["mode"]
        await person.until(lambda: page.findChildren(RefusedRow), "it isn't listed")
        (row,) = page.findChildren(RefusedRow)
        assert row.title.text().replace("\u200b", "") == "Add a note"
        person.click(row.button)
        rules = person.desk.engine.settings.settings.mode.tool_rules
        assert rules["note.add"].on and not rules["note.add"].refused
        await person.until(lambda: not page.findChildren(RefusedRow), "it is still listed")

    desk_story(story, server.url, settings=ASKS)


def test_deny_gives_the_model_the_reason(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(*note("my age"))
        server.reply(text("As you wish."), *end())
        person.type("note my age")
        await asks(person)
        person.press_in_message("Deny…")
        field = person.desk.chat.view.reason_field
        assert field.isVisible()
        QTest.keyClicks(field, "that is private")
        QTest.keyClick(field, Qt.Key.Key_Return)
        await answered(person, "As you wish.")
        (call,) = await person.calls()
        assert call.status is ToolStatus.DENIED
        assert "that is private" in result(server)
        assert not field.isVisible()
        assert not kept(person)
        assert "you said no" in person.shown()

    desk_story(story, server.url, settings=ASKS)


def test_deny_without_a_reason_and_cancel(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(*note("x"))
        server.reply(text("As you wish."), *end())
        person.type("note it")
        await asks(person)
        person.press_in_message("Deny…")
        person.press_in_message("Back")
        await asks(person)
        assert not person.desk.chat.view.reason_field.isVisible()
        person.press_in_message("Deny…")
        person.press_in_message("Deny")
        await answered(person, "As you wish.")
        assert (await person.calls())[0].status is ToolStatus.DENIED
        assert "didn't allow" in result(server)
        assert not kept(person)

    desk_story(story, server.url, settings=ASKS)


def test_no_answer_at_the_end_means_no(desk_story: Play, server: ScriptedServer) -> None:
    async def first(person: DeskStory) -> None:
        server.reply(text("May I?"), *note("x"))
        person.type("note it")
        await asks(person)

    async def second(person: DeskStory) -> None:
        await person.until(lambda: "Continue" in person.buttons())
        (call,) = await person.calls()
        assert call.status is ToolStatus.INTERRUPTED
        assert "Allow once" not in person.buttons()
        assert not kept(person)
        server.reply(text("Then not."), *end())
        person.press_in_message("Continue")
        await answered(person, "Then not.")
        assert not kept(person)

    desk_story(first, server.url, settings=ASKS)
    desk_story(second, server.url)


def test_reading_never_asks(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(*calling("native", ("note.search", {"query": ""})), *end())
        server.reply(text("Nothing there."), *end())
        person.type("which notes?")
        await answered(person, "Nothing there.")
        assert (await person.calls())[0].status is ToolStatus.SUCCESS

    desk_story(story, server.url, settings=ASKS)


def test_deleting_a_note_asks_by_default(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(*note("milk"))
        server.reply(text("Noted."), *end())
        person.type("note milk")
        await answered(person, "Noted.")
        server.reply(*calling("native", ("note.delete", {"id": 1})), *end())
        server.reply(text("It stays."), *end())
        person.type("forget it")
        await asks(person)
        person.press_in_message("Deny…")
        person.press_in_message("Deny")
        await answered(person, "It stays.")
        assert (await person.calls())[-1].status is ToolStatus.DENIED

    desk_story(story, server.url)


def test_always_holds_in_the_same_turn_and_a_gesture_never_asks(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        await person.until(person.desk.companion.pet.motions, "the figure has no names")
        calls = ("live2d.motion", {"group": "Wave"}), ("note.add", {"text": "milk"})
        server.reply(*calling("native", *calls), *end())
        server.reply(*note("bread"))
        server.reply(text("Both noted."), *end())
        offered = person.desk.engine.tools.toolbox.specs
        await person.until(lambda: "live2d.motion" in {spec.name for spec in offered()})
        person.type("note two things")
        await asks(person)
        person.press_in_message("Always")
        await answered(person, "Both noted.")
        assert [c.status for c in await person.calls()] == [ToolStatus.SUCCESS] * 3

    desk_story(story, server.url, settings=ASKS)
