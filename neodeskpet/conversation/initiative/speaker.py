"""The life of a remark: a chance, a pause, words for it, and the moment looked at again before it
is said. What fails is silent.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Protocol

from neodeskpet.conversation.errands.errand import Errand
from neodeskpet.conversation.greeting import read_said, write_said
from neodeskpet.conversation.initiative.words import (
    LONGEST,
    ask_for_words,
    is_repeated,
    own_line,
)
from neodeskpet.conversation.orchestrator import Outcome
from neodeskpet.core.errors import StoreError
from neodeskpet.core.initiative.chances import Chances
from neodeskpet.core.initiative.ledger import Ledger
from neodeskpet.core.initiative.moment import Kind, Moment, Noticed, Remark, Wishes
from neodeskpet.core.markdown.sentences import plain_text
from neodeskpet.language import language, tr
from neodeskpet.observers import Observers

_log = logging.getLogger(__name__)

KEY = "initiative"
SAID = "greetings"
"""The greetings at the start are remembered there too."""


class State(Protocol):
    """Where it is kept. Coroutines raise StoreError."""

    async def get_state(self, key: str) -> str | None: ...

    async def set_state(self, key: str, value: str | None) -> None: ...


class Presence(Protocol):
    """What can be noticed of the person at this computer."""

    async def notice(self) -> Noticed: ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What of the app a speaker has to know, asked at each look. `wishes`: what the person wants;
    `quiet`: they want quiet, or nothing shows a bubble; `talking`: a turn runs or is being written;
    `talked`: when the two talked last; `fact`: something the person told once, "" for nothing;
    `neo`: whether the bundled figure speaks. `ask` runs an errand; None where there is no model.
    """

    wishes: Callable[[], Wishes]
    quiet: Callable[[], bool]
    talking: Callable[[], bool]
    talked: Callable[[], float | None]
    fact: Callable[[Random], Awaitable[str]]
    neo: Callable[[], bool]
    ask: Callable[[Errand], Awaitable[Outcome | None]]
    has_model: Callable[[Errand], bool]


class Speaker:
    """`say` shows a remark. `look` is called now and then, and before it `open` once. `presence`
    and `clock` (unix seconds) may be others at any time.
    """

    def __init__(
        self,
        state: State,
        presence: Presence,
        around: Surroundings,
        say: Callable[[Remark], None],
        *,
        now: Callable[[], float] = time.time,
        random: Random | None = None,
    ) -> None:
        self._state = state
        self.presence = presence
        self._around = around
        self._say = say
        self.clock = now
        self._random = random or Random()
        self._chances = Chances()
        self._ledger = Ledger()
        self._kept = ""
        self._looking = asyncio.Lock()
        self._observers: Observers[[]] = Observers()

    @property
    def inbox(self) -> Sequence[Remark]:
        """What couldn't be said, the newest first."""
        return self._ledger.inbox

    @property
    def held(self) -> Sequence[Remark]:
        """What waits for a pause."""
        return self._ledger.held

    def observe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call it when the inbox has changed. Gives back what ends that."""
        return self._observers.add(observer)

    async def open(self) -> None:
        """What was said before the app ended counts, and what waited waits on."""
        try:
            kept = await self._state.get_state(KEY)
        except StoreError:
            _log.exception("What was said by itself can't be read")
            return
        self._ledger = Ledger.read(kept)
        self._kept = kept or ""
        self._observers.tell()

    def wants(self, kind: Kind) -> bool:
        """Whether the person wants it to speak by itself for this reason."""
        wishes = self._around.wishes()
        return wishes.on and kind in wishes.kinds

    def offer(self, kind: Kind, about: str, words: str = "") -> bool:
        """Something worth a word has happened. Whether it waits to be said."""
        return self._ledger.offer(self._remark(kind, about, words), self._around.wishes())

    def leave(self, kind: Kind, about: str, words: str = "") -> None:
        """Something has happened that isn't to be said: it goes to the inbox with the next look."""
        self._ledger.leave(self._remark(kind, about, words))

    async def keep(self) -> None:
        """What was left is in the inbox from now on."""
        await self._keep()

    def _remark(self, kind: Kind, about: str, words: str) -> Remark:
        return Remark(str(uuid.uuid4()), kind, about, self.clock(), words)

    async def look(self) -> None:
        """Is there a chance, and may it be taken?"""
        async with self._looking:
            wishes = self._around.wishes()
            if wishes.on or self._ledger.held:
                await self._take(wishes)
                await self._keep()

    async def less(self, kind: Kind) -> Callable[[], Awaitable[None]]:
        """None of this kind for a day, and seldom afterwards; returns what takes that back."""
        undo = self._ledger.less(kind, self.clock())
        await self._keep()

        async def take_back() -> None:
            undo()
            await self._keep()

        return take_back

    async def put_back(self, remark: Remark) -> None:
        """It is to be read in the inbox again."""
        self._ledger.leave(remark)
        await self._keep()

    async def forget(self, remark_id: str) -> None:
        """It was read in the inbox."""
        self._ledger.forget(remark_id)
        await self._keep()

    async def _take(self, wishes: Wishes) -> None:
        moment = await self._moment()
        for kind, about in self._chances.look(moment, self._around.talked()):
            if kind is Kind.MEMORY:
                about = await self._around.fact(self._random)
            if about or kind is not Kind.MEMORY:
                self.offer(kind, about)
        remark = self._ledger.next(moment, wishes)
        if remark is None:
            return
        if not remark.words:
            words = await self._find_words(remark)
            if not words:
                self._ledger.drop(remark.id)
                return
            self._ledger.put_words(remark.id, words)
            moment = await self._moment()
        if self._ledger.may_say(remark.id, moment, self._around.wishes()):
            said = self._ledger.spend(remark.id, moment.now)
            if said is not None:
                self._say(said)

    async def _moment(self) -> Moment:
        noticed = await self.presence.notice()
        now = self.clock()
        clock = datetime.fromtimestamp(now)
        around = self._around
        minute = clock.hour * 60 + clock.minute
        return Moment(now, minute, noticed, around.quiet(), around.talking())

    async def _find_words(self, remark: Remark) -> str:
        """By a model, else one of our own; "" for none that wasn't said in the last month."""
        try:
            said = read_said(await self._state.get_state(SAID))
        except StoreError:
            return ""
        chinese = language().startswith("zh")
        errand = ask_for_words(remark, chinese=chinese)
        now = self.clock()
        if self._around.has_model(errand):
            outcome = await self._around.ask(errand)
            told = plain_text(outcome.text) if outcome is not None and outcome.success else ""
            words = mark = told if len(told) <= LONGEST else ""
        else:
            line = own_line(remark, said, now, self._random, neo=self._around.neo()) or ""
            words = tr(line, about=remark.about) if line else ""
            mark = words if remark.kind is Kind.MEMORY else line
        if not words or is_repeated(mark, said, now):
            return ""
        said[mark] = now
        try:
            await self._state.set_state(SAID, write_said(said, now))
        except StoreError:
            return ""
        return words

    async def _keep(self) -> None:
        """As it is now, if it has changed."""
        text = self._ledger.write()
        if text == self._kept:
            return
        self._kept = text
        try:
            await self._state.set_state(KEY, text)
        except StoreError:
            _log.exception("What was said by itself can't be kept")
        self._observers.tell()
