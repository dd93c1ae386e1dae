"""Titles: a model names a conversation after its first answer, and nothing else changes."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

from neodeskpet.conversation.background_prompts import BackgroundPrompt, BackgroundPrompts
from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.chat_events import ChatErrorOccurred, ChatEvent, TitleChanged
from neodeskpet.conversation.titles_and_summaries import (
    MAX_TITLE,
    TitleWriter,
    parse_title,
    title_prompt,
)
from neodeskpet.conversation.turn_setup import TurnSetup
from neodeskpet.core.errors import Unreachable
from neodeskpet.llm.scripted_model import ScriptedModel, ScriptItem, scripted_text
from tests.support.memorystore import MemoryStore
from tests.support.virtualtime import run_virtually
from tests.unit.conversation.doubles import Tools


class Desk:
    """A chat that answers "Meow." three times, and the part that names its conversations."""

    def __init__(self, *naming: Sequence[ScriptItem], wanted: bool = True) -> None:
        self.store = MemoryStore()
        answers = ScriptedModel(
            [scripted_text("Meow.")], [scripted_text("Meow.")], [scripted_text("Meow.")]
        )
        self.chat = Chat(
            self.store,
            lambda _conversation, _named: TurnSetup(answers, Tools()),
            switch_to_text=lambda: None,
        )
        self.namer = ScriptedModel(*naming)

        def setup(errand: BackgroundPrompt) -> TurnSetup | None:
            return TurnSetup(self.namer, Tools(), persona=errand.system) if wanted else None

        self.titles = TitleWriter(
            self.chat, self.store, BackgroundPrompts(setup, self.chat.wait_idle, self.store)
        )
        self.heard: list[ChatEvent] = []
        self.chat.subscribe(self)

    def on_chat_event(self, event: ChatEvent) -> None:
        if isinstance(event, TitleChanged | ChatErrorOccurred):
            self.heard.append(event)

    async def say(self, text: str) -> None:
        self.chat.send(text)
        await self.chat.wait_idle()
        await asyncio.sleep(1)

    async def title(self) -> str:
        (info,) = await self.store.conversations()
        return info.title


def play(scene: Callable[[], Awaitable[None]]) -> None:
    async def checked() -> None:
        await scene()

    run_virtually(checked())


def test_the_first_answer_gives_a_title() -> None:
    desk = Desk([scripted_text("“Cats and", " mice”")])

    async def scene() -> None:
        await desk.say("Do cats like mice?")
        assert await desk.title() == "Cats and mice"
        (changed,) = desk.heard
        assert isinstance(changed, TitleChanged)
        assert changed.info.title == "Cats and mice"
        assert desk.chat.conversation == changed.info
        await desk.say("And dogs?")
        assert len(desk.namer.requests) == 1

    play(scene)


def test_a_title_of_the_user_stays() -> None:
    desk = Desk([1.0, scripted_text("Cats")])

    async def scene() -> None:
        desk.chat.send("Do cats like mice?")
        await desk.chat.wait_idle()
        await asyncio.sleep(0.5)
        info = desk.chat.conversation
        assert info is not None
        await desk.store.rename_conversation(info.id, "Mine")
        await asyncio.sleep(2)
        assert await desk.title() == "Mine"
        assert desk.heard == []

    play(scene)


def test_a_conversation_with_a_name_is_not_asked_about() -> None:
    desk = Desk()

    async def scene() -> None:
        info = await desk.store.create_conversation("Mine")
        await desk.chat.open(info.id)
        await desk.say("Hi")
        assert await desk.title() == "Mine"
        assert desk.namer.requests == []

    play(scene)


@pytest.mark.parametrize(
    "said", [[Unreachable()], [scripted_text("")], [scripted_text("word " * 30)]]
)
def test_an_answer_without_a_title_changes_nothing(said: list[ScriptItem]) -> None:
    desk = Desk(said)

    async def scene() -> None:
        await desk.say("Do cats like mice?")
        assert await desk.title() == "Do cats like mice?"
        assert desk.heard == []

    play(scene)


def test_no_title_is_requested_when_that_is_switched_off() -> None:
    desk = Desk(wanted=False)

    async def scene() -> None:
        await desk.say("Do cats like mice?")
        assert await desk.title() == "Do cats like mice?"

    play(scene)


def test_the_next_message_does_not_wait_for_the_title() -> None:
    desk = Desk([30.0, scripted_text("Cats")])

    async def scene() -> None:
        await desk.say("Do cats like mice?")
        await desk.say("And dogs?")
        assert desk.namer.abandoned == 1
        assert await desk.title() == "Do cats like mice?"

    play(scene)


def test_an_endless_answer_is_cut_off() -> None:
    desk = Desk([item for _ in range(20) for item in (scripted_text("cat " * 50), 0.01)])

    async def scene() -> None:
        await desk.say("Hi")
        assert desk.namer.abandoned == 1

    play(scene)


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Cats", "Cats"),
        ("\n**Cats and mice.**\nBecause…", "Cats and mice"),
        ("Title: Cats", "Cats"),
        ("标题：《猫和老鼠》", "猫和老鼠"),
        ("“猫  和老鼠”。", "猫 和老鼠"),
        (" \n \n", ""),
        ("...", ""),
        ("x" * (MAX_TITLE + 1), ""),
        ("C++ or C#", "C++ or C"),
    ],
)
def test_a_title_is_parsed_from_the_answer(said: str, title: str) -> None:
    assert parse_title(said) == title


def test_of_a_long_conversation_a_part_is_sent() -> None:
    assert len(title_prompt("q" * 100_000, "a" * 100_000).text) < 6_000
