"""The end of a task makes the companion answer in the conversation when nothing else runs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from neodeskpet.conversation.background_tasks import BackgroundTasks, BackgroundToolbox
from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.task_notices import TaskAnnouncer
from neodeskpet.conversation.turn_setup import TurnSetup
from neodeskpet.core.background_tasks import MOST_WOKEN_REPLIES
from neodeskpet.core.blocks import Message, MessageState, Notice, Role, Text, ToolUse
from neodeskpet.core.dialects import NATIVE, TOOL_REQUEST, Dialect
from neodeskpet.core.errors import Unreachable
from neodeskpet.core.toolspec import Mode, Progress, ToolSpec
from neodeskpet.core.transcript import TASK_ENDED, TextPart, UserTurn
from neodeskpet.llm.scripted_model import ScriptedModel, ScriptItem, scripted_call, scripted_text
from tests.support.memorystore import MemoryStore
from tests.support.policies import AskFor
from tests.support.virtualtime import run_virtually
from tests.unit.conversation.doubles import Tools

DIG = ToolSpec("dig", "Dig.", mode=Mode.EITHER)
BURY = ToolSpec("bury", "Bury.", mode=Mode.ASYNC, outside=True)


class Room:
    """A chat whose model uses a tool in the background that takes `seconds`."""

    def __init__(self, *replies: list[ScriptItem], dialect: Dialect = NATIVE) -> None:
        self.model = ScriptedModel(*replies)
        self.store = MemoryStore()
        self.wanted = True
        self.writing = False
        self.seconds = 5.0
        self._dialect = dialect
        self.toolbox = Tools(DIG, BURY, dig=self._dig, bury=self._dig)

    async def _dig(self, arguments: Mapping[str, object], progress: Progress) -> str:
        await asyncio.sleep(self.seconds)
        return "gold"

    async def __aenter__(self) -> Room:
        store = self.store
        self.tasks = await BackgroundTasks.open(store, keep_pictures=store.store_pictures)
        self.chat = Chat(store, self._setup, switch_to_text=lambda: None)
        self.task_announcer = TaskAnnouncer(self.chat, store, self.tasks, lambda: self.wanted)
        self.info = await self.chat.open()
        self.task_announcer.start(lambda: self.writing)
        return self

    async def __aexit__(self, *error: object) -> None:
        self.task_announcer.aclose()
        await self.tasks.aclose()
        await self.chat.aclose()

    def _setup(self, conversation: str, named: str = "") -> TurnSetup:
        toolbox = BackgroundToolbox(self.toolbox, self.tasks, conversation)
        return TurnSetup(self.model, toolbox, self._dialect, policy=AskFor())

    async def say(self, words: str = "dig") -> None:
        self.chat.send(words)
        await self.chat.wait_idle()

    async def catch_up_changes(self) -> None:
        """Wait until everything that runs has ended and has been reported."""
        await self.tasks.wait_idle()
        await self.task_announcer.wait_idle()

    async def messages(self) -> list[Message]:
        return await self.store.history(self.info.id)

    def render(self, request: int = -1) -> list[str]:
        """Return the texts of the last user message that the model was sent."""
        users = [m for m in self.model.requests[request].messages if isinstance(m, UserTurn)]
        return [part.text for part in users[-1].parts if isinstance(part, TextPart)]


def digging(**arguments: object) -> list[ScriptItem]:
    return [scripted_call("dig", {"background": True, **arguments})]


def words(text: str) -> list[ScriptItem]:
    return [scripted_text(text)]


def test_a_background_call_has_a_result_at_once_and_its_end_wakes_the_companion() -> None:
    async def scene() -> None:
        room = Room(digging(), words("It digs."), words("There is gold."))
        async with room:
            await room.say()
            (_, reply) = await room.messages()
            (began, _) = reply.blocks
            assert isinstance(began, ToolUse)
            assert (began.output, began.data) == ("async task started: t1", {"task_id": "t1"})
            await room.catch_up_changes()
            woken = (await room.messages())[-1]
            assert (woken.role, woken.text) == (Role.ASSISTANT, "There is gold.")
            end = woken.blocks[0]
            assert isinstance(end, ToolUse)
            assert (end.task, end.output) == ("t1", "gold")
            assert room.render() == [f'{TASK_ENDED} t1, dig {{"background": true}}: done.)\ngold']
            assert len(await room.messages()) == 3
            assert room.store.background["t1"].reported

    run_virtually(scene())


def test_without_the_argument_it_is_an_ordinary_call() -> None:
    async def scene() -> None:
        async with Room([scripted_call("dig", {"background": False})], words("Gold.")) as room:
            await room.say()
            assert room.tasks.tasks() == []
            assert (await room.messages())[-1].text == "Gold."

    run_virtually(scene())


def test_invalid_arguments_start_nothing() -> None:
    async def scene() -> None:
        async with Room(digging(wrong=1), words("Oh.")) as room:
            await room.say()
            (failed, _) = (await room.messages())[-1].blocks
            assert isinstance(failed, ToolUse)
            assert "no such argument" in failed.error
            assert room.tasks.tasks() == []

    run_virtually(scene())


@pytest.mark.parametrize("dialect", [NATIVE, TOOL_REQUEST], ids=["native", "text"])
def test_if_the_user_wants_that_the_end_waits_for_their_message(dialect: Dialect) -> None:
    async def scene() -> None:
        first = digging() if dialect is NATIVE else _written("bury")
        async with Room(
            first, words("It digs."), words("Gold, and hello."), dialect=dialect
        ) as room:
            room.wanted = False
            await room.say()
            await room.catch_up_changes()
            assert len(await room.messages()) == 2
            await room.say("hello")
            assert room.render()[0] == "hello"
            assert "gold" in room.render()[1]
            assert len(await room.messages()) == 4
            await room.chat.open(room.info.id)
            await room.catch_up_changes()

    run_virtually(scene())


def _written(name: str) -> list[ScriptItem]:
    block = f"<<<[TOOL_REQUEST]>>>\ntool_name:「始」{name}「末」\n<<<[END_TOOL_REQUEST]>>>"
    return [scripted_text(block)]


def test_untrusted_text_is_marked() -> None:
    async def scene() -> None:
        async with Room([scripted_call("bury", {})], words("Yes."), words("Done.")) as room:
            await room.say()
            await room.catch_up_changes()
            assert "⟦foreign: bury⟧\ngold\n⟦/foreign⟧" in room.render()[0]

    run_virtually(scene())


def test_it_waits_for_a_message_that_is_being_written_and_for_a_turn() -> None:
    async def scene() -> None:
        slow: list[ScriptItem] = [20.0, scripted_text("A long story.")]
        async with Room(digging(), words("It digs."), slow, words("Gold.")) as room:
            await room.say()
            room.writing = True
            await room.catch_up_changes()
            assert len(await room.messages()) == 2
            room.wanted = False  # otherwise sending reports it too
            room.writing = False
            room.chat.send("a story")
            await asyncio.sleep(1)
            await room.chat.wait_idle()
            await room.catch_up_changes()
            assert [m.text for m in await room.messages()][-1] == "A long story."

    run_virtually(scene())


def test_an_end_during_a_turn_is_reported_after_it() -> None:
    async def scene() -> None:
        slow: list[ScriptItem] = [20.0, scripted_text("It digs.")]
        async with Room(digging(), slow, words("Gold.")) as room:
            await room.say()
            await room.catch_up_changes()
            assert [m.text for m in await room.messages()][1:] == ["It digs.", "Gold."]

    run_virtually(scene())


def test_the_number_of_such_replies_is_limited() -> None:
    async def scene() -> None:
        rounds = [one for _ in range(20) for one in (digging(), words("Again."))]
        async with Room(*rounds) as room:
            await room.say()
            for _ in range(20):
                await room.catch_up_changes()
            messages = await room.messages()
            woken = [m for m in messages[2:] if not isinstance(m.blocks[0], Notice)]
            assert len(woken) == MOST_WOKEN_REPLIES
            (notice,) = messages[-1].blocks
            assert isinstance(notice, Notice)
            assert notice.code == "wakes_used_up"
            room.task_announcer.check()
            await room.catch_up_changes()
            assert len(await room.messages()) == len(messages)  # it is reported once

    run_virtually(scene())


def test_after_a_failed_answer_it_waits_for_the_user() -> None:
    async def scene() -> None:
        failing: list[ScriptItem] = [Unreachable()]
        async with Room(digging(), words("It digs."), failing, digging(), words("Yes.")) as room:
            await room.say()
            await room.catch_up_changes()
            woken = (await room.messages())[-1]
            assert woken.state is MessageState.FAILED
            await room.chat.regenerate(woken.id)
            await room.chat.wait_idle()
            again = (await room.messages())[-1]
            assert isinstance(again.blocks[0], ToolUse)
            assert again.blocks[0].task == "t1"  # reported again in the new one

    run_virtually(scene())


def test_another_conversation_is_not_told() -> None:
    async def scene() -> None:
        async with Room(digging(), words("It digs."), words("Gold.")) as room:
            await room.say()
            await room.chat.open_new()
            await room.catch_up_changes()
            assert len(await room.messages()) == 2
            await room.chat.open(room.info.id)
            await room.catch_up_changes()
            assert (await room.messages())[-1].text == "Gold."

    run_virtually(scene())


def test_a_failing_store_wakes_nothing() -> None:
    async def scene() -> None:
        async with Room(digging(), words("It digs."), words("Gold.")) as room:
            await room.say()
            room.store.failing.add("history")
            await room.catch_up_changes()
            room.store.failing.clear()
            assert len(await room.messages()) == 2
            room.task_announcer.check()
            await room.catch_up_changes()
            assert isinstance((await room.messages())[-1].blocks[1], Text)

    run_virtually(scene())


def test_a_task_that_can_not_be_stored_is_a_failed_call() -> None:
    async def scene() -> None:
        async with Room(digging(), words("Oh.")) as room:
            room.store.failing.add("add_task")
            await room.say()
            (failed, _) = (await room.messages())[-1].blocks
            assert isinstance(failed, ToolUse)
            assert "without the background" in failed.error

    run_virtually(scene())
