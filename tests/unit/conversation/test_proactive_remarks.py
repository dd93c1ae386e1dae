"""The life of a remark, with a simulated clock and presence."""

from __future__ import annotations

import asyncio
import functools
import itertools
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import pytest

from neodeskpet.conversation.background_prompts import BackgroundPrompt
from neodeskpet.conversation.proactive_remarks import (
    REMARK_HISTORY_KEY,
    SAID_LINES_KEY,
    RemarkConditions,
    RemarkScheduler,
)
from neodeskpet.conversation.remark_texts import (
    GREETING_LINES,
    MONTH,
    REMARK_LINES,
    REMARK_REASONS,
    choose_remark_line,
    is_repeated,
    remark_prompt,
)
from neodeskpet.conversation.turn_run import RunOutcome
from neodeskpet.core.blocks import MessageState
from neodeskpet.core.errors import StoreError
from neodeskpet.core.proactive import (
    LEAST_GAP_SECONDS,
    STALE_SECONDS,
    Detection,
    Remark,
    RemarkHistory,
    RemarkKind,
    RemarkSettings,
    UserPresence,
)

NOW = 1_767_268_800.0
FREE = UserPresence(60.0, Detection.NO, Detection.NO)
TYPING = replace(FREE, idle=1.0)
WISHES = RemarkSettings(on=True, quiet_from=0, quiet_to=0)


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
    """The environment of a speaker."""

    now: float = NOW
    noticed: UserPresence = FREE
    settings: RemarkSettings = WISHES
    model: bool = False
    reply: str | None = "A model says so."
    fact: str = ""
    asked: list[BackgroundPrompt] = field(default_factory=list)
    said: list[Remark] = field(default_factory=list)
    state: State = field(default_factory=State)
    while_asking: Callable[[], None] = lambda: None

    def speaker(self) -> RemarkScheduler:
        around = RemarkConditions(
            settings=lambda: self.settings,
            quiet=lambda: False,
            is_reply_running=lambda: False,
            last_talked=lambda: NOW,
            random_fact=self._fact,
            is_bundled_figure=lambda: True,
            run_prompt=self._ask,
            has_model=lambda errand: self.model,
        )
        return RemarkScheduler(
            self.state, self, around, self.said.append, now=lambda: self.now, random=Random(1)
        )

    async def read_presence(self) -> UserPresence:
        return self.noticed

    async def _fact(self, random: Random) -> str:
        return self.fact

    async def _ask(self, errand: BackgroundPrompt) -> RunOutcome | None:
        self.asked.append(errand)
        self.while_asking()
        if self.reply is None:
            return None
        return RunOutcome(MessageState.DONE, 1, (), self.reply)


def lived(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run it on an event loop."""

    @functools.wraps(test)
    def run(*given: object, **named: object) -> None:
        asyncio.run(test(*given, **named))

    return run


@pytest.fixture
def world() -> World:
    return World()


@lived
async def test_a_remark_gets_its_text_and_is_remembered(world: World) -> None:
    speaker = world.speaker()
    await speaker.load()
    assert speaker.offer(RemarkKind.IDLE, "")
    await speaker.check()
    (said,) = world.said
    assert said.words in REMARK_LINES[RemarkKind.IDLE]
    assert said.words in world.state.kept[SAID_LINES_KEY]
    assert RemarkHistory.read(world.state.kept[REMARK_HISTORY_KEY]).is_spent(NOW + 1)
    again = world.speaker()
    await again.load()
    again.offer(RemarkKind.TASK, "tea", "Tea is ready.")
    await again.check()
    assert len(world.said) == 1, "the limits hold over a restart"
    world.now += LEAST_GAP_SECONDS
    await again.check()
    assert world.said[-1].words == "Tea is ready."


@lived
async def test_a_model_writes_the_text(world: World) -> None:
    world.model = True
    speaker = world.speaker()
    speaker.offer(RemarkKind.TIME, "morning")
    await speaker.check()
    assert [one.words for one in world.said] == ["A model says so."]
    assert "morning" in world.asked[0].text
    world.now += 5 * 3600
    speaker.offer(RemarkKind.TIME, "day")
    await speaker.check()
    assert len(world.said) == 1, "no text twice in a month"
    assert len(world.asked) == 2


@pytest.mark.parametrize("reply", [None, "", "x" * 400])
@lived
async def test_a_failing_model_makes_no_remark(world: World, reply: str | None) -> None:
    world.model, world.reply = True, reply
    speaker = world.speaker()
    speaker.offer(RemarkKind.IDLE, "")
    await speaker.check()
    await speaker.check()
    assert not world.said
    assert len(world.asked) == 1


@lived
async def test_a_text_that_comes_too_late_waits(world: World) -> None:
    """The user types again while the model still answers."""
    world.model = True

    def type_on() -> None:
        world.noticed = TYPING

    world.while_asking = type_on
    speaker = world.speaker()
    speaker.offer(RemarkKind.IDLE, "")
    await speaker.check()
    assert not world.said
    world.noticed = FREE
    await speaker.check()
    assert len(world.said) == 1
    assert len(world.asked) == 1, "the text exists already"


@lived
async def test_a_remark_that_is_kept_goes_to_the_inbox(world: World) -> None:
    told: list[int] = []
    world.noticed = TYPING
    speaker = world.speaker()
    end = speaker.subscribe(lambda: told.append(len(speaker.inbox)))
    speaker.offer(RemarkKind.TASK, "tea", "Tea is ready.")
    await speaker.check()
    world.now += STALE_SECONDS + 1
    await speaker.check()
    (left,) = speaker.inbox
    assert left.words == "Tea is ready."
    assert told[-1] == 1
    await speaker.reduce(RemarkKind.TASK)
    assert not speaker.offer(RemarkKind.TASK, "more", "x")
    await speaker.delete(left.id)
    assert told[-1] == 0
    speaker.add_to_inbox(RemarkKind.TASK, "more", "Something else is ready.")
    await speaker.check()
    assert told[-1] == 1
    end()
    again = world.speaker()
    await again.load()
    assert not again.offer(RemarkKind.TASK, "more", "x"), "“less” holds over a restart"


@lived
async def test_a_memory_is_an_opportunity_only_if_there_is_one(world: World) -> None:
    speaker = world.speaker()
    await speaker.check()
    world.now += 2000
    await speaker.check()
    assert not world.said
    world.fact = "Their cat is called Momo."
    world.now += 2000
    await speaker.check()
    assert "Momo" in world.said[0].words
    assert world.said[0].kind is RemarkKind.MEMORY


@lived
async def test_switched_off_it_does_nothing(world: World) -> None:
    world.settings = RemarkSettings()
    speaker = world.speaker()
    assert not speaker.is_wanted(RemarkKind.IDLE)
    assert not speaker.offer(RemarkKind.IDLE, "")
    await speaker.check()
    assert world.state.kept == {}


@lived
async def test_a_broken_store_means_silence_and_no_error(world: World) -> None:
    world.state.broken = True
    speaker = world.speaker()
    await speaker.load()
    speaker.offer(RemarkKind.IDLE, "")
    await speaker.check()
    assert not world.said
    speaker.offer(RemarkKind.TASK, "tea", "Tea is ready.")
    await speaker.check()
    assert len(world.said) == 1


def test_no_line_twice_in_a_month() -> None:
    said: dict[str, float] = {}
    when: dict[str, list[float]] = {}
    random = Random(3)
    for day in range(365):
        now = NOW + day * 86_400
        for part in ("morning", "evening"):
            line = choose_remark_line(Remark("r", RemarkKind.TIME, part, now), said, now, random)
            if line is not None:
                said[line] = now
                when.setdefault(line, []).append(now)
    assert set(when) == set(GREETING_LINES["morning"]) | set(GREETING_LINES["evening"])
    for times in when.values():
        assert all(b - a >= MONTH for a, b in itertools.pairwise(times))
    assert is_repeated(" good  morning", {"Good morning!": NOW}, NOW + 1)


def test_lines_fit_the_figure() -> None:
    remark = Remark("r", RemarkKind.TIME, "day", NOW)
    lines = {choose_remark_line(remark, {}, NOW, Random(n), neo=False) for n in range(60)}
    assert not any("tail" in (line or "") for line in lines)


def test_each_kind_has_its_request_and_its_reason() -> None:
    for kind in RemarkKind:
        errand = remark_prompt(Remark("r", kind, "about", NOW), chinese=True)
        assert "简体中文" in errand.text
        assert "{" not in errand.text
        assert (errand.purpose, errand.rounds, errand.tools) == ("errand", 1, frozenset())
        assert REMARK_REASONS[kind]
