"""Background prompts: without a chat and history, one at a time, silent when they fail."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

from neodeskpet.conversation.background_prompts import (
    BackgroundPrompt,
    BackgroundPrompts,
    reminder_prompt,
)
from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.turn_setup import TurnSetup
from neodeskpet.core.approval import Policy
from neodeskpet.core.blocks import MessageState
from neodeskpet.core.errors import Unreachable
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.turn.turn_limits import TurnLimits
from neodeskpet.llm.scripted_model import ScriptedModel, ScriptItem, scripted_call, scripted_text
from tests.support.memorystore import MemoryStore
from tests.support.policies import AskFor
from tests.support.virtualtime import run_virtually
from tests.unit.conversation.doubles import Ear, Tools

CLOCK, NOTE = ToolSpec("clock", "The time."), ToolSpec("note", "Note it.")


class House:
    """Background prompts beside a chat that answers in five seconds."""

    def __init__(self, *said: Sequence[ScriptItem], policy: Policy | None = None) -> None:
        self.store = MemoryStore()
        answers = ScriptedModel([5.0, scripted_text("Meow.")])
        self.chat = Chat(
            self.store, lambda _c, _n: TurnSetup(answers, Tools()), switch_to_text=lambda: None
        )
        self.model = ScriptedModel(*said)
        self.there = True
        self.policy = policy
        self.tools = Tools(CLOCK, NOTE, clock=self._tell, note=self._tell)
        self.errands = BackgroundPrompts(self.setup, self.chat.wait_idle, self.store)

    async def _tell(self, *given: object) -> ToolResult:
        return ToolResult("9", continue_=False)

    def setup(self, errand: BackgroundPrompt) -> TurnSetup | None:
        if not self.there:
            return None
        limits = TurnLimits(rounds=errand.rounds)
        setup = TurnSetup(self.model, self.tools, persona="You are Neo.", limits=limits)
        return (
            setup if self.policy is None else TurnSetup(self.model, self.tools, policy=self.policy)
        )


def play(scene: Callable[[], Awaitable[None]]) -> None:
    async def checked() -> None:
        await scene()

    run_virtually(checked())


def test_a_prompt_has_neither_history_nor_tools_but_a_purpose() -> None:
    house = House([scripted_text("Tea is ready.")])

    async def scene() -> None:
        house.chat.send("Hi")
        await house.chat.wait_idle()
        heard = Ear()
        outcome = await house.errands.run(reminder_prompt("make tea"), [heard])
        assert outcome is not None
        assert (outcome.success, outcome.text, outcome.iterations) == (True, "Tea is ready.", 1)
        assert (outcome.error, outcome.calls) == (None, ())
        (request,) = house.model.requests
        assert not request.tools
        (asked,) = request.messages
        assert "make tea" in str(asked) and "It is no chat" in str(asked)
        assert "Hi" not in str(asked)
        assert heard.events
        (info,) = await house.store.conversations()
        assert len(await house.store.heads(info.id)) == 2  # it leaves nothing in the chat

    play(scene)


def test_only_the_tools_of_the_prompt_can_be_called() -> None:
    house = House([scripted_call("note"), scripted_call("clock")], [scripted_text("Nine.")])

    async def scene() -> None:
        outcome = await house.errands.run(BackgroundPrompt("look", "?", tools=frozenset({"clock"})))
        assert outcome is not None
        assert [(one.name, one.ok) for one in outcome.calls] == [("note", False), ("clock", True)]
        assert house.tools.ran == [("clock", {})]
        assert [spec.name for spec in house.model.requests[0].tools] == ["clock"]
        assert outcome.text == "Nine."

    play(scene)


def test_a_prompt_ends_if_no_result_asks_to_continue() -> None:
    house = House([scripted_text("So: "), scripted_call("clock")])

    async def scene() -> None:
        outcome = await house.errands.run(BackgroundPrompt("look", "?", tools=frozenset({"clock"})))
        assert outcome is not None
        assert (outcome.success, outcome.iterations, outcome.text) == (True, 1, "So:")

    play(scene)


def test_a_call_that_would_ask_is_not_run_because_nobody_can_answer() -> None:
    house = House([scripted_call("note")], [scripted_text("Then not.")], policy=AskFor("note"))

    async def scene() -> None:
        outcome = await house.errands.run(BackgroundPrompt("look", "?", tools=frozenset({"note"})))
        assert outcome is not None
        assert [one.ok for one in outcome.calls] == [False]
        assert house.tools.ran == []

    play(scene)


def test_the_number_of_rounds_is_limited() -> None:
    house = House(*[[scripted_call("wrong", f'{{"n": {n}}}')] for n in range(4)])

    async def scene() -> None:
        outcome = await house.errands.run(BackgroundPrompt("look", "?", tools=frozenset({"clock"})))
        assert outcome is not None and outcome.error is not None
        assert (outcome.state, outcome.error.code) == (MessageState.FAILED, "round_limit")
        assert outcome.iterations == 3

    play(scene)


def test_prompts_wait_while_a_chat_runs_and_run_one_at_a_time() -> None:
    house = House([2.0, scripted_text("One.")], [scripted_text("Two.")])

    async def scene() -> None:
        clock = asyncio.get_running_loop().time
        began = clock()
        house.chat.send("Hi")
        both = [house.errands.run(BackgroundPrompt(name, name)) for name in ("one", "two")]
        first, second = await asyncio.gather(*both)
        assert first is not None and second is not None
        assert clock() - began == pytest.approx(7, abs=0.5)
        assert [run.prompt.name for run in house.errands.runs] == ["two", "one"]

    play(scene)


def test_no_second_prompt_begins_before_the_first_has_ended() -> None:
    house = House(
        [2.0, scripted_text("One.")], [2.0, scripted_text("Two.")], [2.0, scripted_text("Three.")]
    )

    async def scene() -> None:
        house.chat.send("Hi")  # it answers in five seconds
        running = asyncio.gather(
            *(house.errands.run(BackgroundPrompt(name, name)) for name in ("one", "two", "three"))
        )
        begun, most = [], 0
        for _ in range(24):  # twelve seconds
            await asyncio.sleep(0.5)
            begun.append(len(house.model.requests))
            stages = [run.stage for run in house.errands.all_runs]
            most = max(most, stages.count("running"))
            assert stages.count("running") <= 1
        await running
        assert begun[:9] == [0] * 9, "none while the chat runs"
        assert [begun.count(number) for number in (1, 2)] == [4, 4], "one after the other"
        assert (begun[-1], most) == (3, 1)

    play(scene)


def test_a_prompt_with_an_action_is_told_to_act() -> None:
    plain, able = reminder_prompt("tea"), reminder_prompt("tea", frozenset({"clock"}))
    assert "tea" in plain.text and "with the tools" not in plain.text
    assert "do it now, with the tools" in able.text and "Don't ask" in able.text


def test_a_failure_is_silent_and_listed() -> None:
    house = House([Unreachable()], [30.0, scripted_text("late")])

    async def scene() -> None:
        failed = await house.errands.run(reminder_prompt("tea"))
        assert failed is not None and failed.error is not None
        assert failed.error.code == "unreachable"
        assert await house.errands.run(BackgroundPrompt("slow", "?", timeout=5)) is None
        house.there = False
        assert await house.errands.run(reminder_prompt("nobody")) is None
        faults = [run.failure for run in house.errands.runs]
        assert faults == ["TimeoutError", "unreachable"]

    play(scene)


def test_a_bug_is_silent_too() -> None:
    def broken(errand: BackgroundPrompt) -> TurnSetup | None:
        raise RuntimeError("bug")

    async def scene() -> None:
        house = House()
        errands = BackgroundPrompts(broken, house.chat.wait_idle, house.store)
        assert await errands.run(reminder_prompt("tea")) is None
        assert errands.runs[0].failure == "RuntimeError: bug"

    play(scene)
