"""Summaries: a conversation that is too long is summarised, and the next turn is sent the
summary.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from neodeskpet.conversation.background_prompts import BackgroundPrompt, BackgroundPrompts
from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.prompt import ConversationSummary
from neodeskpet.conversation.titles_and_summaries import MAX_SUMMARY, StoredSummaries, SummaryWriter
from neodeskpet.conversation.turn_setup import TurnSetup
from neodeskpet.core.errors import Unreachable
from neodeskpet.llm.scripted_model import ScriptedModel, ScriptItem, scripted_text
from neodeskpet.storage.conversation_store import SqliteStore
from tests.unit.conversation.doubles import Tools

CONTEXT = 1_000
WORDS = "字" * 150


class Desk:
    """A chat with long answers, on a real file, and its summariser."""

    def __init__(self, store: SqliteStore, *said: Sequence[ScriptItem]) -> None:
        self.store = store
        self.book = StoredSummaries(store)
        self.answers = ScriptedModel(*[[scripted_text(f"{n} {WORDS}")] for n in range(9)])
        self.chat = Chat(store, self._set_up, switch_to_text=lambda: None)
        self.writer = ScriptedModel(*said)

        self.meanwhile: Callable[[], Awaitable[None]] = self.chat.wait_idle

        def errand(one: BackgroundPrompt) -> TurnSetup:
            return TurnSetup(self.writer, Tools(), persona=one.system)

        async def quiet() -> None:
            await self.chat.wait_idle()
            await self.meanwhile()

        errands = BackgroundPrompts(errand, quiet, store)
        self.summaries = SummaryWriter(self.chat, store, self.book, errands, lambda _id: CONTEXT)

    def _set_up(self, conversation: str, named: str) -> TurnSetup:
        async def summary() -> ConversationSummary | None:
            return await self.book.get(conversation)

        return TurnSetup(self.answers, Tools(), persona="Neo.", context=CONTEXT, summary=summary)

    async def say(self, text: str) -> None:
        self.chat.send(text)
        await self.chat.wait_idle()
        await self.summaries.wait_idle()

    async def summary(self) -> ConversationSummary | None:
        assert self.chat.conversation is not None
        return await self.book.get(self.chat.conversation.id)


def play(home: Path, scene: Callable[[Desk], Awaitable[None]], *said: Sequence[ScriptItem]) -> None:
    async def whole() -> None:
        store = await SqliteStore.open(home / "conversations.db")
        try:
            desk = Desk(store, *said)
            await scene(desk)
            await desk.chat.aclose()
        finally:
            await store.aclose()

    asyncio.run(whole())


def test_a_summary_is_written_when_the_conversation_gets_long_and_sent_from_then_on(
    tmp_path: Path,
) -> None:
    async def scene(desk: Desk) -> None:
        for number in range(2):
            await desk.say(f"question {number} {WORDS}")
        assert await desk.summary() is None
        assert desk.writer.requests == []
        await desk.say(f"question 2 {WORDS}")
        first = await desk.summary()
        assert first is not None and first.text == "They spoke of 0."
        (asked,) = desk.writer.requests
        assert "question 0" in str(asked.messages) and "question 2" not in str(asked.messages)
        assert not asked.tools

        for number in range(3, 6):
            await desk.say(f"question {number} {WORDS}")
        second = await desk.summary()
        assert second is not None and second.text == "They spoke of 0 and more."
        assert "They spoke of 0." in str(desk.writer.requests[1].messages)
        last = desk.answers.requests[-1]
        assert "They spoke of 0" in last.system
        assert "question 0" not in str(last.messages) and "question 5" in str(last.messages)

        heads = await desk.store.heads((await desk.chat.open()).id)
        await desk.chat.delete_message(heads[0].id, below=False)
        assert await desk.summary() is None  # it may contain deleted text

    said = [
        [scripted_text("They spoke of 0.")],
        *[[scripted_text("They spoke of 0 and more.")]] * 4,
    ]
    play(tmp_path, scene, *said)


@pytest.mark.parametrize("said", [[Unreachable()], [scripted_text(" ")]])
def test_a_failure_changes_nothing(tmp_path: Path, said: list[ScriptItem]) -> None:
    async def scene(desk: Desk) -> None:
        for number in range(3):
            await desk.say(f"question {number} {WORDS}")
        assert await desk.summary() is None

    play(tmp_path, scene, said)


def test_its_length_is_limited_and_it_is_deleted_with_its_conversation(tmp_path: Path) -> None:
    async def scene(desk: Desk) -> None:
        for number in range(3):
            await desk.say(f"question {number} {WORDS}")
        kept = await desk.summary()
        assert kept is not None and len(kept.text) == MAX_SUMMARY
        info = await desk.chat.open()
        await desk.store.delete_conversation(info.id)
        assert await desk.book.get(info.id) is None

    play(tmp_path, scene, [scripted_text("x" * 9_000)])


def test_a_single_message_that_is_too_long_is_unchanged(tmp_path: Path) -> None:
    async def scene(desk: Desk) -> None:
        await desk.say("字" * 2_000)
        assert desk.writer.requests == []

    play(tmp_path, scene)


def test_an_unreadable_summary_counts_as_none(tmp_path: Path) -> None:
    async def scene(desk: Desk) -> None:
        info = await desk.chat.open()
        await desk.store.set_state(f"summary:{info.id}", "[1]")
        assert await desk.summary() is None
        await desk.store.set_state(f"summary:{info.id}", "{")
        assert await desk.summary() is None

    play(tmp_path, scene)


def test_deleted_text_does_not_return_with_a_summary_that_is_being_written(tmp_path: Path) -> None:
    async def scene(desk: Desk) -> None:
        for number in range(2):
            await desk.say(f"question {number} {WORDS}")
        heads = await desk.store.heads((await desk.chat.open()).id)

        async def forget() -> None:
            await desk.store.delete_messages([heads[0].id])

        desk.meanwhile = forget
        await desk.say(f"question 2 {WORDS}")
        assert len(desk.writer.requests) == 1
        assert await desk.summary() is None

    play(tmp_path, scene, [scripted_text("They spoke of 0.")])


def test_a_regenerated_summary_is_made_from_the_messages_only(tmp_path: Path) -> None:
    async def scene(desk: Desk) -> None:
        info = await desk.chat.open()
        assert await desk.summaries.rewrite(info.id) is None  # there is none
        for number in range(3):
            await desk.say(f"question {number} {WORDS}")
        first = await desk.summary()
        assert first is not None
        edited = ConversationSummary(first.until, "They spoke of cake.")
        assert await desk.book.update(info.id, edited, before=first)
        assert not await desk.book.update(info.id, None, before=first)  # it has changed meanwhile
        fresh = await desk.summaries.rewrite(info.id)
        assert fresh == await desk.summary() == ConversationSummary(first.until, "Anew.")
        asked = str(desk.writer.requests[1].messages)
        assert "question 0" in asked and "cake" not in asked and "question 2" not in asked
        assert await desk.summaries.rewrite(info.id) is None  # there was no answer
        assert await desk.summary() == fresh

        async def forget() -> None:
            heads = await desk.store.heads(info.id)
            await desk.chat.delete_message(heads[0].id, below=False)

        desk.meanwhile = forget
        assert await desk.summaries.rewrite(info.id) is None
        assert await desk.summary() is None

    play(
        tmp_path,
        scene,
        [scripted_text("They spoke of 0.")],
        [scripted_text("Anew.")],
        [scripted_text(" ")],
        [scripted_text("Late.")],
    )


def test_changes_are_reported(tmp_path: Path) -> None:
    async def scene(desk: Desk) -> None:
        heard: list[str] = []
        end = desk.book.subscribe(heard.append)
        assert await desk.book.update("c", ConversationSummary("m", "Words."), before=None)
        assert await desk.book.update("c", None, before=ConversationSummary("m", "Words."))
        gone = await desk.book.update(
            "c", ConversationSummary("m", "W"), before=None, tells_of=["m"]
        )
        assert not gone and heard == ["c", "c"]
        end()
        assert await desk.book.update("c", ConversationSummary("m", "Words."), before=None)
        assert heard == ["c", "c"]

    play(tmp_path, scene)
