"""The life of a remark, with a clock and a presence that do as they are told."""

from __future__ import annotations

import asyncio
import functools
import itertools
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import pytest

from neodeskpet.conversation.errands.errand import Errand
from neodeskpet.conversation.greeting import LINES
from neodeskpet.conversation.initiative.speaker import KEY, SAID, Speaker, Surroundings
from neodeskpet.conversation.initiative.words import (
    MONTH,
    OWN,
    WHY,
    ask_for_words,
    is_repeated,
    own_line,
)
from neodeskpet.conversation.orchestrator import Outcome
from neodeskpet.core.blocks import MessageState
from neodeskpet.core.errors import StoreError
from neodeskpet.core.initiative.ledger import GAP, STALE, Ledger
from neodeskpet.core.initiative.moment import Kind, Noticed, Remark, Sense, Wishes

NOW = 1_767_268_800.0
FREE = Noticed(60.0, Sense.NO, Sense.NO)
TYPING = replace(FREE, idle=1.0)
WISHES = Wishes(on=True, quiet_from=0, quiet_to=0)


@dataclass
class State:
    kept: dict[str, str] = field(default_factory=dict)
    broken: bool = False

    async def get_state(self, key: str) -> str | None:
        if self.broken:
            raise StoreError("broken")
        return self.kept.get(key)

    async def set_state(self, key: str, value: str | None) -> None:
        if self.broken:
            raise StoreError("broken")
        self.kept[key] = value or ""


@dataclass
class World:
    """Everything around a speaker."""

    now: float = NOW
    noticed: Noticed = FREE
    wishes: Wishes = WISHES
    model: bool = False
    reply: str | None = "A model says so."
    fact: str = ""
    asked: list[Errand] = field(default_factory=list)
    said: list[Remark] = field(default_factory=list)
    state: State = field(default_factory=State)
    while_asking: Callable[[], None] = lambda: None

    def speaker(self) -> Speaker:
        around = Surroundings(
            wishes=lambda: self.wishes,
            quiet=lambda: False,
            talking=lambda: False,
            talked=lambda: NOW,
            fact=self._fact,
            neo=lambda: True,
            ask=self._ask,
            has_model=lambda errand: self.model,
        )
        return Speaker(
            self.state, self, around, self.said.append, now=lambda: self.now, random=Random(1)
        )

    async def notice(self) -> Noticed:
        return self.noticed

    async def _fact(self, random: Random) -> str:
        return self.fact

    async def _ask(self, errand: Errand) -> Outcome | None:
        self.asked.append(errand)
        self.while_asking()
        if self.reply is None:
            return None
        return Outcome(MessageState.DONE, 1, (), self.reply)


def lived(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run it on a loop."""

    @functools.wraps(test)
    def run(*given: object, **named: object) -> None:
        asyncio.run(test(*given, **named))

    return run


@pytest.fixture
def world() -> World:
    return World()


@lived
async def test_a_remark_has_its_words_and_is_remembered(world: World) -> None:
    speaker = world.speaker()
    await speaker.open()
    assert speaker.offer(Kind.IDLE, "")
    await speaker.look()
    (said,) = world.said
    assert said.words in OWN[Kind.IDLE]
    assert said.words in world.state.kept[SAID]
    assert Ledger.read(world.state.kept[KEY]).is_spent(NOW + 1)
    again = world.speaker()
    await again.open()
    again.offer(Kind.TASK, "tea", "Tea is ready.")
    await again.look()
    assert len(world.said) == 1, "the budget holds over a restart"
    world.now += GAP
    await again.look()
    assert world.said[-1].words == "Tea is ready."


@lived
async def test_a_model_finds_the_words(world: World) -> None:
    world.model = True
    speaker = world.speaker()
    speaker.offer(Kind.TIME, "morning")
    await speaker.look()
    assert [one.words for one in world.said] == ["A model says so."]
    assert "morning" in world.asked[0].words
    world.now += 5 * 3600
    speaker.offer(Kind.TIME, "day")
    await speaker.look()
    assert len(world.said) == 1, "no words twice in a month"
    assert len(world.asked) == 2


@pytest.mark.parametrize("reply", [None, "", "x" * 400])
@lived
async def test_a_model_that_fails_is_silent(world: World, reply: str | None) -> None:
    world.model, world.reply = True, reply
    speaker = world.speaker()
    speaker.offer(Kind.IDLE, "")
    await speaker.look()
    await speaker.look()
    assert not world.said
    assert len(world.asked) == 1


@lived
async def test_words_that_come_too_late_wait(world: World) -> None:
    """They type again while the model still thinks."""
    world.model = True

    def type_on() -> None:
        world.noticed = TYPING

    world.while_asking = type_on
    speaker = world.speaker()
    speaker.offer(Kind.IDLE, "")
    await speaker.look()
    assert not world.said
    world.noticed = FREE
    await speaker.look()
    assert len(world.said) == 1
    assert len(world.asked) == 1, "the words were found already"


@lived
async def test_what_is_kept_goes_to_the_inbox(world: World) -> None:
    told: list[int] = []
    world.noticed = TYPING
    speaker = world.speaker()
    end = speaker.observe(lambda: told.append(len(speaker.inbox)))
    speaker.offer(Kind.TASK, "tea", "Tea is ready.")
    await speaker.look()
    world.now += STALE + 1
    await speaker.look()
    (left,) = speaker.inbox
    assert left.words == "Tea is ready."
    assert told[-1] == 1
    await speaker.less(Kind.TASK)
    assert not speaker.offer(Kind.TASK, "more", "x")
    await speaker.forget(left.id)
    assert told[-1] == 0
    speaker.leave(Kind.TASK, "more", "Something else is ready.")
    await speaker.look()
    assert told[-1] == 1
    end()
    again = world.speaker()
    await again.open()
    assert not again.offer(Kind.TASK, "more", "x"), "“less” holds over a restart"


@lived
async def test_what_it_remembers_is_a_chance_only_if_there_is_something(world: World) -> None:
    speaker = world.speaker()
    await speaker.look()
    world.now += 2000
    await speaker.look()
    assert not world.said
    world.fact = "Their cat is called Momo."
    world.now += 2000
    await speaker.look()
    assert "Momo" in world.said[0].words
    assert world.said[0].kind is Kind.MEMORY


@lived
async def test_switched_off_it_does_nothing(world: World) -> None:
    world.wishes = Wishes()
    speaker = world.speaker()
    assert not speaker.wants(Kind.IDLE)
    assert not speaker.offer(Kind.IDLE, "")
    await speaker.look()
    assert world.state.kept == {}


@lived
async def test_a_broken_store_is_silence_and_no_fault(world: World) -> None:
    world.state.broken = True
    speaker = world.speaker()
    await speaker.open()
    speaker.offer(Kind.IDLE, "")
    await speaker.look()
    assert not world.said
    speaker.offer(Kind.TASK, "tea", "Tea is ready.")
    await speaker.look()
    assert len(world.said) == 1


def test_no_line_twice_in_a_month() -> None:
    said: dict[str, float] = {}
    when: dict[str, list[float]] = {}
    random = Random(3)
    for day in range(365):
        now = NOW + day * 86_400
        for part in ("morning", "evening"):
            line = own_line(Remark("r", Kind.TIME, part, now), said, now, random)
            if line is not None:
                said[line] = now
                when.setdefault(line, []).append(now)
    assert set(when) == set(LINES["morning"]) | set(LINES["evening"])
    for times in when.values():
        assert all(b - a >= MONTH for a, b in itertools.pairwise(times))
    assert is_repeated(" good  morning", {"Good morning!": NOW}, NOW + 1)


def test_another_figure_has_no_tail() -> None:
    remark = Remark("r", Kind.TIME, "day", NOW)
    lines = {own_line(remark, {}, NOW, Random(n), neo=False) for n in range(60)}
    assert not any("tail" in (line or "") for line in lines)


def test_each_kind_has_its_question_and_its_reason() -> None:
    for kind in Kind:
        errand = ask_for_words(Remark("r", kind, "about", NOW), chinese=True)
        assert "简体中文" in errand.words
        assert "{" not in errand.words
        assert (errand.purpose, errand.rounds, errand.tools) == ("errand", 1, frozenset())
        assert WHY[kind]
