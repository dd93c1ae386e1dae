"""A conversation without a chat, as background prompts use it; two may run at once."""

import asyncio

from neodeskpet.conversation.approvals import DenyAll
from neodeskpet.conversation.chat_events import ChatEvent, MessageAdded, TurnAdvanced
from neodeskpet.conversation.conversation import Conversation, UserInput
from neodeskpet.conversation.turn_setup import TurnSetup
from neodeskpet.core.blocks import Message, MessageState, Role
from neodeskpet.llm.scripted_model import ScriptedModel, ScriptItem, scripted_text
from tests.support.memorystore import MemoryStore
from tests.support.virtualtime import run_virtually
from tests.unit.conversation.doubles import Tools


class Caller:
    """Uses a conversation and receives its events."""

    def __init__(self, store: MemoryStore, *response: ScriptItem) -> None:
        self.store = store
        self.model = ScriptedModel(list(response))
        self.heard: list[ChatEvent] = []

    async def begin(self) -> Conversation:
        info = await self.store.create_conversation()
        return Conversation(
            info,
            self.store,
            lambda _conversation, _named: TurnSetup(self.model, Tools()),
            approver=DenyAll(),
            report=self.heard.append,
            now=lambda: 1.0,
        )


async def history(store: MemoryStore, conversation: Conversation) -> list[Message]:
    return await store.history(conversation.info.id)


def test_it_answers_and_reports_its_events() -> None:
    store = MemoryStore()
    caller = Caller(store, scripted_text("Nine."))

    async def scene() -> None:
        conversation = await caller.begin()
        await conversation.answer(UserInput("Time?"))
        question, answer = await history(store, conversation)
        assert (question.text, answer.text) == ("Time?", "Nine.")
        added = [e.message.role for e in caller.heard if isinstance(e, MessageAdded)]
        assert added == [Role.USER, Role.ASSISTANT]
        moved = {e.message_id for e in caller.heard if isinstance(e, TurnAdvanced)}
        assert moved == {answer.id}

    run_virtually(scene())


def test_two_run_at_once_and_one_is_stopped_alone() -> None:
    store = MemoryStore()
    slow, quick = (
        Caller(store, scripted_text("Once"), 30.0, scripted_text(" upon")),
        Caller(store, scripted_text("Hi"), 1.0),
    )

    async def scene() -> None:
        first, second = await slow.begin(), await quick.begin()
        both = [
            asyncio.ensure_future(one.answer(UserInput("Go")))  # noqa: TID251
            for one in (first, second)
        ]
        await asyncio.sleep(2)
        assert [one.done() for one in both] == [False, True]
        first.stop()
        await both[0]
        states = [(await history(store, one))[-1].state for one in (first, second)]
        assert states == [MessageState.CANCELLED, MessageState.DONE]

    run_virtually(scene())


def test_a_stop_holds_for_one_turn() -> None:
    store = MemoryStore()
    caller = Caller(store, scripted_text("Once"), 30.0)
    caller.model = ScriptedModel([scripted_text("Once"), 30.0], [scripted_text("Again")])

    async def scene() -> None:
        conversation = await caller.begin()
        asyncio.get_running_loop().call_later(1, conversation.stop)
        await conversation.answer(UserInput("Go"))
        await conversation.answer(UserInput("Once more"))
        states = [m.state for m in await history(store, conversation) if m.role is Role.ASSISTANT]
        assert states == [MessageState.CANCELLED, MessageState.DONE]

    run_virtually(scene())
