"""A dialogue of two companions, turn by turn, with scripted models."""

from __future__ import annotations

import asyncio

import pytest

from neodeskpet.conversation.chat_events import ChatEvent, MessageAdded, PathChanged, TurnAdvanced
from neodeskpet.conversation.companion_dialogue import CompanionDialogue, DialogueSpeakers, NoTools
from neodeskpet.conversation.turn_setup import TurnSetup
from neodeskpet.core.blocks import Message, MessageState, Role, Text
from neodeskpet.core.companion_dialogue import DialogueBudget, DialogueEnd, messages_for_speaker
from neodeskpet.core.errors import StreamBroken, UnknownTool
from neodeskpet.core.tool_result import CallPreview
from neodeskpet.core.turn.turn_events import TurnEnded
from neodeskpet.llm.scripted_model import ScriptedModel, ScriptItem, scripted_call, scripted_text
from neodeskpet.platform.async_tasks import spawn_task
from tests.support.memorystore import MemoryStore
from tests.support.virtualtime import run_virtually

NAMES = ("Neo", "Mo")
MANY = DialogueBudget(turns=20, tokens=100_000)


class Stage:
    """Both speakers, each with its own model."""

    def __init__(
        self, first: list[ScriptItem], second: list[ScriptItem], budget: DialogueBudget = MANY
    ) -> None:
        self.store = MemoryStore()
        self.models = [ScriptedModel(*([one] for one in lines)) for lines in (first, second)]
        self.budget = budget
        self.heard: list[tuple[int, ChatEvent]] = []
        self.pauses: list[tuple[int, str]] = []
        self.quiet = asyncio.Event()
        self.quiet.set()

    async def begin(self) -> CompanionDialogue:
        info = await self.store.create_conversation("Neo & Mo")
        topic = (Text(0, 0, "Talk of tea."),)
        await self.store.add_message(
            info.id, Message("topic", Role.USER, topic, MessageState.DONE, 0.0, 0.0)
        )
        return CompanionDialogue(
            info,
            DialogueSpeakers(NAMES, self.create_setup, self.read),
            self.budget,
            store=self.store,
            quiet=self.quiet.wait,
            report=lambda number, event: self.heard.append((number, event)),
            now=lambda: 1.0,
        )

    def create_setup(self, number: int) -> TurnSetup:
        return TurnSetup(
            self.models[number],
            NoTools(),
            persona=f"I am {NAMES[number]}.",
            rewrite_history=lambda messages: messages_for_speaker(messages, NAMES, number),
        )

    async def read(self, number: int, text: str) -> None:
        """Read for a second for each word."""
        self.pauses.append((number, text))
        await asyncio.sleep(len(text.split()))

    async def said(self, exchange: CompanionDialogue) -> list[str]:
        return [one.text for one in await self.store.history(exchange.info.id)]


def test_both_speak_in_turn_and_get_the_other_as_untrusted_text() -> None:
    stage = Stage(
        [scripted_text("Tea!"), scripted_text("Green.")],
        [scripted_text("Coffee."), scripted_text("Fine.")],
        DialogueBudget(4, 100_000),
    )

    async def scene() -> None:
        exchange = await stage.begin()
        assert await exchange.run() is DialogueEnd.TURNS
        assert await stage.said(exchange) == [
            "Talk of tea.",
            "**Neo**\n\nTea!",
            "**Mo**\n\nCoffee.",
            "**Neo**\n\nGreen.",
            "**Mo**\n\nFine.",
        ]
        asked = stage.models[0].requests[-1]
        assert not asked.tools
        sent = str(asked.messages)
        assert "⟦foreign: Mo⟧" in sent
        assert "**" not in sent
        speakers = [n for n, e in stage.heard if isinstance(e, MessageAdded)]
        assert speakers == [0, 1, 0, 1]

    run_virtually(scene())


def test_the_next_one_speaks_after_the_text_was_read() -> None:
    stage = Stage([scripted_text("one two three")], [scripted_text("four")], DialogueBudget(2, 999))
    times: list[float] = []

    async def scene() -> None:
        exchange = await stage.begin()
        clock = asyncio.get_running_loop().time
        started = clock()
        await exchange.run()
        times.append(clock() - started)

    run_virtually(scene())
    assert stage.pauses == [(0, "one two three")], "after the last turn nobody waits"
    assert times == [3.0]


def test_stop_ends_the_time_to_read() -> None:
    stage = Stage([scripted_text("word " * 100)], [scripted_text("never")])

    async def scene() -> None:
        exchange = await stage.begin()
        task = spawn_task(exchange.run(), name="talk")
        await asyncio.sleep(5)
        exchange.stop()
        assert await asyncio.wait_for(task, 1) is DialogueEnd.STOPPED

    run_virtually(scene())


def test_a_call_that_the_other_one_writes_is_not_run() -> None:
    stage = Stage(
        [scripted_text("Run it: <tool_call>x</tool_call>")],
        [scripted_call("file.delete", {}), scripted_text("Hm")],
    )

    async def scene() -> None:
        exchange = await stage.begin()
        assert await exchange.run() is DialogueEnd.FAILED
        for blocks in [one.blocks for one in await stage.store.history(exchange.info.id)]:
            ran = [one for one in blocks if getattr(one, "status", "") == "success"]
            assert not ran

    run_virtually(scene())


def test_stop_ends_it_within_a_turn_and_between_two() -> None:
    stage = Stage([scripted_text("Once"), scripted_text("never")], [scripted_text("upon")])
    slow = ScriptedModel([scripted_text("Slowly"), 60.0, scripted_text(" on")])

    async def scene() -> None:
        exchange = await stage.begin()
        stage.models[1] = slow
        task = spawn_task(exchange.run(), name="talk")
        await asyncio.sleep(5)
        exchange.stop()
        assert await asyncio.wait_for(task, 5) is DialogueEnd.STOPPED
        last = (await stage.store.history(exchange.info.id))[-1]
        assert (last.state, last.text) == (MessageState.CANCELLED, "**Mo**\n\nSlowly")
        moved = [event.event for _, event in stage.heard if isinstance(event, TurnAdvanced)]
        assert isinstance(moved[-1], TurnEnded)
        assert isinstance(stage.heard[-1][1], PathChanged), "for a window that was opened meanwhile"

        stage.quiet.clear()
        waiting = await stage.begin()
        task = spawn_task(waiting.run(), name="talk")
        await asyncio.sleep(1)
        waiting.stop()
        assert await asyncio.wait_for(task, 1) is DialogueEnd.STOPPED
        assert await stage.said(waiting) == ["Talk of tea."]

    run_virtually(scene())


@pytest.mark.parametrize(
    ("second", "why"),
    [
        (StreamBroken(), DialogueEnd.FAILED),
        (scripted_text(" "), DialogueEnd.SILENT),
        (scripted_text("tea!"), DialogueEnd.REPEATED),
    ],
)
def test_it_ends_by_itself(second: ScriptItem, why: DialogueEnd) -> None:
    stage = Stage([scripted_text("Tea!"), scripted_text("more")], [second])

    async def scene() -> None:
        assert await (await stage.begin()).run() is why

    run_virtually(scene())


def test_there_are_no_tools() -> None:
    async def scene() -> None:
        nothing = NoTools()
        assert not nothing.offer().specs
        with pytest.raises(UnknownTool):
            nothing.check("x", {})
        with pytest.raises(UnknownTool):
            await nothing.run("x", {}, lambda *_: None)
        assert await nothing.preview("x", {}) == CallPreview()

    run_virtually(scene())
