"""Changes by the user's other computers in the conversation that is open here."""

from __future__ import annotations

from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.llm.scripted_model import scripted_text
from tests.unit.conversation.test_chat import Desk, play


def said(name: str) -> Message:
    return Message(name, Role.USER, (Text(0, 0, name),), MessageState.DONE, 1.0)


def test_their_messages_are_shown_below_the_existing_ones() -> None:
    async def scene() -> None:
        desk = Desk([scripted_text("hi")])
        await desk.say("hello")
        info = desk.chat.conversation
        assert info is not None
        ids = [message.id for message in await desk.history()]
        await desk.store.add_message(info.id, said("from afar"))
        await desk.chat.apply_remote_changes({"from afar"}, ())
        assert desk.window.paths == [[ids[-1], "from afar"]]
        await desk.chat.apply_remote_changes({"somewhere else"}, ())
        assert len(desk.window.paths) == 1
        await desk.chat.apply_remote_changes((), {"gone"})
        assert desk.window.paths[1:] == [["", *ids, "from afar"]]

    play(scene)


def test_a_conversation_that_they_deleted_is_left() -> None:
    async def scene() -> None:
        desk = Desk([scripted_text("hi")])
        await desk.chat.apply_remote_changes((), {"nothing is open"})
        await desk.say("hello")
        info = desk.chat.conversation
        assert info is not None
        await desk.store.delete_conversation(info.id)
        await desk.chat.apply_remote_changes((), {"gone"})
        assert desk.chat.conversation is not None
        assert desk.chat.conversation.id != info.id

    play(scene)


def test_a_failing_store_is_only_logged() -> None:
    async def scene() -> None:
        desk = Desk([scripted_text("hi")])
        await desk.say("hello")
        desk.store.failing.add("conversations")
        await desk.chat.apply_remote_changes({"x"}, ())
        assert desk.window.paths == []

    play(scene)


def test_a_message_waits_while_another_computer_answers() -> None:
    async def scene() -> None:
        desk = Desk([scripted_text("hi")], [scripted_text("later")])
        await desk.say("hello")
        desk.remote_computer = "laptop"
        desk.chat.check_remote_reply()
        desk.chat.send("wait")
        desk.chat.report_ended_tasks()
        assert not desk.chat.running
        assert desk.window.queues == [("wait",)]
        (first, _) = await desk.history()
        await desk.chat.regenerate(first.id)
        await desk.chat.wait_idle()
        assert [error.code for error in desk.window.troubles] == ["answered_elsewhere"]
        desk.remote_computer = ""
        desk.chat.check_remote_reply()
        await desk.chat.wait_idle()
        assert [message.text for message in await desk.history()][2:] == ["wait", "later"]

    play(scene)
