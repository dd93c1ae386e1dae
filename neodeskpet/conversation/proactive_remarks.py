"""Proactive remarks: an occasion, a pause of the user, the text, and a last check before it is
shown. Errors are silent.
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
from neodeskpet.conversation.remark_texts import (
    MAX_REMARK,
    choose_remark_line,
    is_repeated,
    read_said_lines,
    remark_prompt,
    write_said_lines,
)
from neodeskpet.conversation.turn_run import RunOutcome
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
"""The key of texts already used, shared with the greetings at start."""


class StateStore(Protocol):
    """The store of the state. Coroutines raise StoreError."""

    async def get_state(self, key: str) -> str | None: ...

    async def set_state(self, key: str, value: str | None) -> None: ...


class PresenceDetector(Protocol):
    """Detects whether the user is at this computer."""

    async def read_presence(self) -> UserPresence: ...


@dataclass(frozen=True, slots=True)
class RemarkConditions:
    """The state of the app, read at each check. `settings`: the settings of the user; `quiet`:
    quiet mode, or no speech bubble; `is_reply_running`: a turn runs or the user is typing;
    `last_talked`: the time of the last message; `random_fact`: a fact about the user, "" for none.
    `run_prompt` runs a background prompt; None without a model.
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
    """Decides when to show remarks. `say` shows one. Call `load` once and then `check` at
    intervals. `presence` and `clock` (unix seconds) may be replaced at any time.
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
        """Return the remarks that could not be shown, newest first."""
        return self._history.inbox

    @property
    def waiting(self) -> Sequence[Remark]:
        """Return the remarks that wait for a pause of the user."""
        return self._history.waiting

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` when the inbox changes. Returns a function that unsubscribes."""
        return self._observers.subscribe(observer)

    async def load(self) -> None:
        """Load the state of the last run: remarks already made, and waiting ones."""
        try:
            kept = await self._state.get_state(REMARK_HISTORY_KEY)
        except StoreError:
            _log.exception("What was said by itself can't be read")
            return
        self._history = RemarkHistory.read(kept)
        self._saved = kept or ""
        self._observers.notify()

    def is_wanted(self, kind: RemarkKind) -> bool:
        """Return whether the user allows remarks of this kind."""
        remark_settings = self._conditions.settings()
        return remark_settings.on and kind in remark_settings.kinds

    def offer(self, kind: RemarkKind, about: str, words: str = "") -> bool:
        """Offer an occasion for a remark. Returns whether it waits to be shown."""
        return self._history.offer(self._remark(kind, about, words), self._conditions.settings())

    def add_to_inbox(self, kind: RemarkKind, about: str, words: str = "") -> None:
        """Put a remark into the inbox without showing it, at the next check."""
        self._history.move_to_inbox(self._remark(kind, about, words))

    async def save(self) -> None:
        """Move waiting remarks to the inbox and store them."""
        await self._save()

    def _remark(self, kind: RemarkKind, about: str, words: str) -> Remark:
        return Remark(str(uuid.uuid4()), kind, about, self.clock(), words)

    async def check(self) -> None:
        """Check whether a remark may be shown now, and show it."""
        async with self._looking:
            remark_settings = self._conditions.settings()
            if remark_settings.on or self._history.waiting:
                await self._say_next(remark_settings)
                await self._save()

    async def reduce(self, kind: RemarkKind) -> Callable[[], Awaitable[None]]:
        """Stop this kind of remark for a day and make it rare afterwards. Returns a function that
        undoes this.
        """
        undo = self._history.reduce_kind(kind, self.clock())
        await self._save()

        async def take_back() -> None:
            undo()
            await self._save()

        return take_back

    async def put_back(self, remark: Remark) -> None:
        """Put a remark back into the inbox."""
        self._history.move_to_inbox(remark)
        await self._save()

    async def delete(self, remark_id: str) -> None:
        """Delete a remark that was read in the inbox."""
        self._history.remove_from_inbox(remark_id)
        await self._save()

    async def _say_next(self, remark_settings: RemarkSettings) -> None:
        moment = await self._moment()
        for kind, about in self._chances.update(moment, self._conditions.last_talked()):
            if kind is RemarkKind.MEMORY:
                about = await self._conditions.random_fact(self._random)
            if about or kind is not RemarkKind.MEMORY:
                self.offer(kind, about)
        remark = self._history.next(moment, remark_settings)
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
        """Return a text from a model, otherwise a prepared one; "" if all were used in the last
        month.
        """
        try:
            said = read_said_lines(await self._state.get_state(SAID_LINES_KEY))
        except StoreError:
            return ""
        chinese = language().startswith("zh")
        prompt = remark_prompt(remark, chinese=chinese)
        now = self.clock()
        if self._conditions.has_model(prompt):
            outcome = await self._conditions.run_prompt(prompt)
            reply = plain_text(outcome.text) if outcome is not None and outcome.success else ""
            words = mark = reply if len(reply) <= MAX_REMARK else ""
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
        """Store the state if it changed."""
        text = self._history.write()
        if text == self._saved:
            return
        self._saved = text
        try:
            await self._state.set_state(REMARK_HISTORY_KEY, text)
        except StoreError:
            _log.exception("What was said by itself can't be kept")
        self._observers.notify()
