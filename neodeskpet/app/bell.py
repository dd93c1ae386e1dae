"""Timers ring until they are answered: a sound, the pose, a bubble with buttons, a notice of the
desktop and one in the conversation. Those missed while the app was closed are listed at the start.

Wherever one is answered (here, in the window of the timers, by a tool), it is answered everywhere:
what is no longer in the book rings no more.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from neodeskpet.core.errors import KnownError, TimerMissed, TimerRang
from neodeskpet.engine import Engine
from neodeskpet.language import tr
from neodeskpet.timers.book import Timer
from neodeskpet.ui.desktop.desktop_notice import OPENED, Notice
from neodeskpet.ui.pet.companion import Companion, chosen
from neodeskpet.ui.work import Work

_log = logging.getLogger(__name__)

SNOOZE_MINUTES = 5
_KEY = "timer "
_MISSED = "missed timers"
_OFTEN_MS, _SELDOM_MS = 5_000, 60_000
_OFTEN = 12
"""After that many sounds they come seldom: nobody is there, but somebody may come."""


class BellChoice(StrEnum):
    """What the person answers to a timer."""

    DONE = "done"
    LATER = "later"


class Sound(Protocol):
    def play(self) -> None: ...

    def stop(self) -> None: ...


class Bell(QObject):
    """`notify(notice)` shows a notice of the desktop and gives the answer to it, if there is one.
    `chat_requested`: the person clicked on the words. `troubled`: it can't be set anew.
    """

    chat_requested = Signal()
    troubled = Signal(str, str)

    def __init__(
        self,
        engine: Engine,
        companion: Companion,
        sound: Sound,
        notify: Callable[[Notice], Awaitable[str]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._companion = companion
        self._sound = sound
        self._notify = notify
        self._work = Work("bell", failed=self._fail)
        self._notices = Work("notices", failed=self._fail)
        self._waiting: list[Timer] | None = []  # rung before anything is to be seen
        self._ringing: dict[str, Timer] = {}
        self._missed: list[Timer] = []
        self._played = 0
        self._again = QTimer(self)
        self._again.timeout.connect(self._play)
        companion.answered.connect(self._answered)
        self._end = engine.timers.observe(lambda: self._work.replace("look", self._look))

    def ring(self, timer: Timer) -> None:
        """A timer is due."""
        if self._waiting is not None:
            self._waiting.append(timer)
            return
        key = _key(timer)
        self._ringing[key] = timer
        words = _label(timer)
        if timer.missed:
            words = tr("{label} ({time}, while I was away)", label=words, time=_clock(timer))
        choices = (
            (BellChoice.DONE, tr("Done")),
            (BellChoice.LATER, tr("Snooze {minutes} min", minutes=str(SNOOZE_MINUTES))),
        )
        self._companion.ask(key, words, choices, sign="bell")
        self._show(key, Notice(tr("Timer"), words, choices))
        self._note(timer, TimerRang(label=_label(timer), time=_clock(timer)))
        self._played = 0
        self._play()

    async def begin(self) -> None:
        """The windows are there: ring what is due, and list what was missed."""
        await self._engine.timers.looked.wait()  # else those missed would ring, each for itself
        waiting, self._waiting = self._waiting or [], None
        missed = [timer for timer in waiting if timer.missed]
        for timer in waiting:
            if not timer.missed:
                self.ring(timer)
        if not missed:
            return
        self._missed = missed
        lines = [f"{_label(timer)} · {_clock(timer)}" for timer in missed]
        words = "\n\n".join([tr("These were due while I was away:"), *lines])
        choices = ((BellChoice.DONE, tr("Done")),)
        self._companion.ask(_MISSED, words, choices, sign="bell")
        self._show(_MISSED, Notice(tr("Missed timers"), "\n".join(lines), choices))
        for timer in missed:
            self._note(timer, TimerMissed(label=_label(timer), time=_clock(timer)))

    def stop(self) -> None:
        """The app ends."""
        self._end()
        self._notices.cancel()
        self._ringing.clear()
        self._missed = []
        self._silence()

    def _show(self, key: str, notice: Notice) -> None:
        """On the desktop too, until it is answered somewhere."""

        async def ask() -> None:
            choice = await self._notify(notice)
            if choice in (OPENED, *dict(notice.choices)):
                self._answered(key, "" if choice == OPENED else choice)

        self._notices.start(key, ask)

    @Slot(str, str)
    def _answered(self, key: str, choice: str) -> None:
        timer = self._ringing.get(key)
        if timer is None and key != _MISSED:
            return
        self._silence()
        said = chosen(BellChoice, choice)
        if said is None:
            self.chat_requested.emit()
            return
        answered = [timer] if timer is not None else self._missed
        self._settle(key)
        snooze = said is BellChoice.LATER
        self._work.start("answer", partial(self._answer, answered, snooze=snooze))

    def _settle(self, key: str) -> None:
        """It rings no more."""
        self._companion.settle(key)
        self._notices.stop(key)
        if key == _MISSED:
            self._missed = []
        self._ringing.pop(key, None)
        if not self._ringing:
            self._silence()

    async def _answer(self, timers: Sequence[Timer], *, snooze: bool) -> None:
        book = self._engine.timers
        try:
            for timer in timers:
                if snooze:
                    await book.snooze(timer, SNOOZE_MINUTES * 60)
                else:
                    await book.finish(timer)
        except KnownError:
            _log.exception("The answer to a timer can't be kept")
            if snooze:
                self.troubled.emit(tr("The timer could not be set again."), "")

    async def _look(self) -> None:
        """Which of them were answered elsewhere."""
        try:
            there = {_key(timer) for timer in await self._engine.timers.timers()}
        except KnownError:
            return  # they ring on
        for key in [key for key in self._ringing if key not in there]:
            self._settle(key)
        if self._missed and not any(_key(timer) in there for timer in self._missed):
            self._settle(_MISSED)

    def _play(self) -> None:
        if not self._engine.settings.settings.companion.timer_sound:
            self._silence()
            return
        self._sound.play()
        self._played += 1
        self._again.start(_OFTEN_MS if self._played < _OFTEN else _SELDOM_MS)

    def _silence(self) -> None:
        self._again.stop()
        self._sound.stop()

    def _note(self, timer: Timer, event: TimerRang) -> None:
        """In the conversation, once: what nobody answers is missed anew at each start."""
        done = not isinstance(event, TimerMissed)
        note = partial(self._engine.chat.note, event, key=_key(timer), done=done)
        self._work.start("note", note)

    def _fail(self, error: KnownError) -> None:
        _log.warning("The timer isn't in the conversation: %s", error)


def _key(timer: Timer) -> str:
    return f"{_KEY}{timer.id} {timer.due}"


def _label(timer: Timer) -> str:
    return timer.label or tr("Your timer")


def _clock(timer: Timer) -> str:
    """When it was due: the time, and the day if it wasn't today."""
    due = datetime.fromtimestamp(timer.due)
    today = due.date() == datetime.now().date()
    return due.strftime("%H:%M" if today else "%Y-%m-%d %H:%M")
