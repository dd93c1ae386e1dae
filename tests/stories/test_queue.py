"""A message that is sent during a reply waits, is shown, can be taken back, and is sent
in order.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton

from neodeskpet.core.blocks import MessageState
from tests.support.desk import DeskStory
from tests.support.replies import bare, end
from tests.support.sseserver import HANG, HOLD, ScriptedServer, text

Play = Callable[..., None]


def waiting(person: DeskStory) -> list[str]:
    """The queued messages above the composer, by the names of their buttons."""
    buttons = person.desk.chat.window.composer.findChildren(QToolButton)
    names = [button.accessibleName() for button in buttons if button.isVisible()]
    return [name.removeprefix("Take back: ") for name in names if name.startswith("Take back")]


def asked(server: ScriptedServer, number: int) -> str:
    """The last thing the user said in this request."""
    return bare(server.requests[number].body["messages"][-1]["content"])


def test_it_waits_can_be_taken_back_and_is_sent_by_itself(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        first = server.reply(text("I speak"), HOLD, text(" to the end."), *end())
        server.reply(text("To the third."), *end())
        person.type("one")
        await person.until(lambda: person.sees("I speak"))
        person.type("two")
        person.type("three")
        assert waiting(person) == ["two", "three"]
        assert len(await person.messages()) == 2

        person.click(person.button("Take back: two"))
        assert waiting(person) == ["three"]
        first.release()
        await person.until(lambda: "To the third." in person.shown())
        await person.idle()
        assert waiting(person) == []
        assert [m.text for m in await person.messages()] == [
            "one",
            "I speak to the end.",
            "three",
            "To the third.",
        ]
        assert asked(server, 1) == "three"
        assert len(server.requests) == 2

    desk_story(story, server.url)


def test_stop_holds_queued_messages_until_the_user_continues(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(text("A long story"), HANG)
        server.reply(text("Short now."), *end())
        person.type("tell me a story")
        await person.until(lambda: person.sees("A long story"))
        person.type("make it short", send=False)
        person.click(person.button("Send after this reply"))
        assert waiting(person) == ["make it short"]
        person.press(Qt.Key.Key_Escape)
        await person.idle()
        assert waiting(person) == ["make it short"]
        assert len(server.requests) == 1
        person.click(person.button("Send queued messages"))
        await person.until(lambda: "Short now." in person.shown())
        await person.idle()
        messages = await person.messages()
        assert [m.state for m in messages[1::2]] == [MessageState.CANCELLED, MessageState.DONE]
        assert messages[1].text == "A long story"
        assert server.requests[0].closed_early.is_set()
        assert asked(server, 1) == "make it short"

    desk_story(story, server.url)


def test_queued_messages_come_back_with_their_conversation(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        server.reply(text("A long story"), HANG)
        person.type("tell me a story")
        await person.until(lambda: person.sees("A long story"))
        person.type("and then another")
        person.type("half writ", send=False)
        first = (await person.desk.engine.storage.store.conversations())[0].id
        sidebar, composer = person.desk.chat.window.sidebar, person.desk.chat.window.composer
        sidebar.new_requested.emit()
        await person.until(lambda: not person.desk.engine.chat.running)
        await person.until(lambda: composer.draft() == "")
        assert waiting(person) == []
        sidebar.opened.emit(first)
        await person.until(lambda: composer.draft() == "and then another\n\nhalf writ")
        assert len(server.requests) == 1

    desk_story(story, server.url)


def test_queued_messages_survive_the_end_of_the_app(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def waits(person: DeskStory) -> None:
        server.reply(text("A long story"), HANG)
        person.type("tell me a story")
        await person.until(lambda: person.sees("A long story"))
        person.type("and then another")

    async def comes_back(person: DeskStory) -> None:
        composer = person.desk.chat.window.composer
        await person.until(lambda: composer.draft() == "and then another")
        assert [message.text for message in await person.messages()] == [
            "tell me a story",
            "A long story",
        ]

    desk_story(waits, server.url)
    desk_story(comes_back, server.url)


def test_the_queue_continues_after_an_error(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        first = server.reply(HOLD, {"error": {"message": "bad key"}}, status=401)
        server.reply(text("This one works."), *end())
        person.type("one")
        await person.until(lambda: server.requests)
        person.type("two")
        first.release()
        await person.until(lambda: "This one works." in person.shown())
        await person.idle()
        states = [m.state for m in await person.messages()]
        assert states == ["done", "failed", "done", "done"]

    desk_story(story, server.url)
