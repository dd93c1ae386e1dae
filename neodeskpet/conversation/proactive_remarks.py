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

from neodeskpet.conversation.background_prompts import BackgroundPrompt
from neodeskpet.conversation.orchestrator import RunOutcome
from neodeskpet.conversation.remark_texts import (
    MAX_REMARK,
    choose_remark_line,
    is_repeated,
    read_said_lines,
    remark_prompt,
    write_said_lines,
)
from neodeskpet.core.errors import StoreError
from neodeskpet.core.markdown.plain_sentences import plain_text
from neodeskpet.core.proactive import (
    Remark,
    RemarkContext,
    RemarkHistory,
    RemarkKind,
    RemarkOpportunities,
    RemarkSettings,
    UserPresence,
)
from neodeskpet.language import language, tr
from neodeskpet.platform.observers import Observers

_log = logging.getLogger(__name__)

REMARK_HISTORY_KEY = "initiative"
SAID_LINES_KEY = "greetings"
"""The greetings at the start are remembered there too."""


class StateStore(Protocol):
    """Where it is kept. Coroutines raise StoreError."""

    async def get_state(self, key: str) -> str | None: ...

    async def set_state(self, key: str, value: str | None) -> None: ...


class PresenceDetector(Protocol):
    """What can be noticed of the person at this computer."""

    async def read_presence(self) -> UserPresence: ...


@dataclass(frozen=True, slots=True)
class RemarkConditions:
    """What of the app a speaker has to know, asked at each look. `wishes`: what the person wants;
    `quiet`: they want quiet, or nothing shows a bubble; `talking`: a turn runs or is being written;
    `talked`: when the two talked last; `fact`: something the person told once, "" for nothing;
    `neo`: whether the bundled figure speaks. `ask` runs an errand; None where there is no model.
    """

    settings: Callable[[], RemarkSettings]
    quiet: Callable[[], bool]
    is_reply_running: Callable[[], bool]
    last_talked: Callable[[], float | None]
    random_fact: Callable[[Random], Awaitable[str]]
    is_bundled_figure: Callable[[], bool]
    run_prompt: Callable[[BackgroundPrompt], Awaitable[RunOutcome | None]]
    has_model: Callable[[BackgroundPrompt], bool]


class RemarkScheduler:
    """`say` shows a remark. `look` is called now and then, and before it `open` once. `presence`
    and `clock` (unix seconds) may be others at any time.
    """

    def __init__(
        self,
        state: StateStore,
        presence: PresenceDetector,
        around: RemarkConditions,
        say: Callable[[Remark], None],
        *,
        now: Callable[[], float] = time.time,
        random: Random | None = None,
    ) -> None:
        self._state = state
        self.presence = presence
        self._conditions = around
        self._say = say
        self.clock = now
        self._random = random or Random()
        self._chances = RemarkOpportunities()
        self._history = RemarkHistory()
        self._saved = ""
        self._looking = asyncio.Lock()
        self._observers: Observers[[]] = Observers()

    @property
    def inbox(self) -> Sequence[Remark]:
        """What couldn't be said, the newest first."""
        return self._history.inbox

    @property
    def waiting(self) -> Sequence[Remark]:
        """What waits for a pause."""
        return self._history.waiting

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call it when the inbox has changed. Gives back what ends that."""
        return self._observers.subscribe(observer)

    async def load(self) -> None:
        """What was said before the app ended counts, and what waited waits on."""
        try:
            kept = await self._state.get_state(REMARK_HISTORY_KEY)
        except StoreError:
            _log.exception("What was said by itself can't be read")
            return
        self._history = RemarkHistory.read(kept)
        self._saved = kept or ""
        self._observers.notify()

    def is_wanted(self, kind: RemarkKind) -> bool:
        """Whether the person wants it to speak by itself for this reason."""
        wishes = self._conditions.settings()
        return wishes.on and kind in wishes.kinds

    def offer(self, kind: RemarkKind, about: str, words: str = "") -> bool:
        """Something worth a word has happened. Whether it waits to be said."""
        return self._history.offer(self._remark(kind, about, words), self._conditions.settings())

    def add_to_inbox(self, kind: RemarkKind, about: str, words: str = "") -> None:
        """Something has happened that isn't to be said: it goes to the inbox with the next look."""
        self._history.move_to_inbox(self._remark(kind, about, words))

    async def save(self) -> None:
        """What was left is in the inbox from now on."""
        await self._save()

    def _remark(self, kind: RemarkKind, about: str, words: str) -> Remark:
        return Remark(str(uuid.uuid4()), kind, about, self.clock(), words)

    async def check(self) -> None:
        """Is there a chance, and may it be taken?"""
        async with self._looking:
            wishes = self._conditions.settings()
            if wishes.on or self._history.waiting:
                await self._say_next(wishes)
                await self._save()

    async def reduce(self, kind: RemarkKind) -> Callable[[], Awaitable[None]]:
        """None of this kind for a day, and seldom afterwards; returns what takes that back."""
        undo = self._history.reduce_kind(kind, self.clock())
        await self._save()

        async def take_back() -> None:
            undo()
            await self._save()

        return take_back

    async def put_back(self, remark: Remark) -> None:
        """It is to be read in the inbox again."""
        self._history.move_to_inbox(remark)
        await self._save()

    async def delete(self, remark_id: str) -> None:
        """It was read in the inbox."""
        self._history.remove_from_inbox(remark_id)
        await self._save()

    async def _say_next(self, wishes: RemarkSettings) -> None:
        moment = await self._moment()
        for kind, about in self._chances.update(moment, self._conditions.last_talked()):
            if kind is RemarkKind.MEMORY:
                about = await self._conditions.random_fact(self._random)
            if about or kind is not RemarkKind.MEMORY:
                self.offer(kind, about)
        remark = self._history.next(moment, wishes)
        if remark is None:
            return
        if not remark.words:
            words = await self._find_words(remark)
            if not words:
                self._history.discard(remark.id)
                return
            self._history.set_words(remark.id, words)
            moment = await self._moment()
        if self._history.may_say(remark.id, moment, self._conditions.settings()):
            said = self._history.mark_said(remark.id, moment.now)
            if said is not None:
                self._say(said)

    async def _moment(self) -> RemarkContext:
        noticed = await self.presence.read_presence()
        now = self.clock()
        clock = datetime.fromtimestamp(now)
        around = self._conditions
        minute = clock.hour * 60 + clock.minute
        return RemarkContext(now, minute, noticed, around.quiet(), around.is_reply_running())

    async def _find_words(self, remark: Remark) -> str:
        """By a model, else one of our own; "" for none that wasn't said in the last month."""
        try:
            said = read_said_lines(await self._state.get_state(SAID_LINES_KEY))
        except StoreError:
            return ""
        chinese = language().startswith("zh")
        errand = remark_prompt(remark, chinese=chinese)
        now = self.clock()
        if self._conditions.has_model(errand):
            outcome = await self._conditions.run_prompt(errand)
            told = plain_text(outcome.text) if outcome is not None and outcome.success else ""
            words = mark = told if len(told) <= MAX_REMARK else ""
        else:
            line = (
                choose_remark_line(
                    remark, said, now, self._random, neo=self._conditions.is_bundled_figure()
                )
                or ""
            )
            words = tr(line, about=remark.about) if line else ""
            mark = words if remark.kind is RemarkKind.MEMORY else line
        if not words or is_repeated(mark, said, now):
            return ""
        said[mark] = now
        try:
            await self._state.set_state(SAID_LINES_KEY, write_said_lines(said, now))
        except StoreError:
            return ""
        return words

    async def _save(self) -> None:
        """As it is now, if it has changed."""
        text = self._history.write()
        if text == self._saved:
            return
        self._saved = text
        try:
            await self._state.set_state(REMARK_HISTORY_KEY, text)
        except StoreError:
            _log.exception("What was said by itself can't be kept")
        self._observers.notify()
