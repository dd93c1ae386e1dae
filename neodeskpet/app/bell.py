"""Timers ring until they are answered: a sound, the pose, a bubble with buttons, a notice of the
desktop and one in the conversation. Those missed while the app was closed are listed at the start.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from neodeskpet.conversation.tasks import spawn
from neodeskpet.core.errors import KnownError, TimerMissed, TimerRang
from neodeskpet.engine import Engine
from neodeskpet.language import tr
from neodeskpet.timers.book import Timer
from neodeskpet.ui.pet.companion import Companion

_log = logging.getLogger(__name__)

SNOOZE_MINUTES = 5
_KEY = "timer "
_MISSED = "missed timers"
_OFTEN_MS, _SELDOM_MS = 5_000, 60_000
_OFTEN = 12
"""After that many sounds they come seldom: nobody is there, but somebody may come."""


class Sound(Protocol):
    def play(self) -> None: ...

    def stop(self) -> None: ...


class Bell(QObject):
    """`notify(title, text)` shows a notice of the desktop. `chat_requested`: the person clicked
    on the words. `troubled`: it can't be set anew.
    """

    chat_requested = Signal()
    troubled = Signal(str, str)

    def __init__(
        self,
        engine: Engine,
        companion: Companion,
        sound: Sound,
        notify: Callable[[str, str], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._companion = companion
        self._sound = sound
        self._notify = notify
        self._waiting: list[Timer] | None = []  # rung before anything is to be seen
        self._ringing: dict[str, Timer] = {}
        self._played = 0
        self._again = QTimer(self)
        self._again.timeout.connect(self._play)
        companion.answered.connect(self._answered)

    def ring(self, timer: Timer) -> None:
        """A timer is due."""
        if self._waiting is not None:
            self._waiting.append(timer)
            return
        key = f"{_KEY}{timer.id} {timer.due}"
        self._ringing[key] = timer
        words = _label(timer)
        if timer.missed:
            words = tr("{label} ({time}, while I was away)", label=words, time=_clock(timer))
        choices = (
            ("done", tr("Done")),
            ("later", tr("Snooze {minutes} min", minutes=str(SNOOZE_MINUTES))),
        )
        self._companion.ask(key, words, choices, sign="bell")
        self._notify(tr("Timer"), words)
        self._note(TimerRang(label=_label(timer), time=_clock(timer)))
        self._played = 0
        self._play()

    def begin(self) -> None:
        """The windows are there: ring what is due, and list what was missed."""
        waiting, self._waiting = self._waiting or [], None
        missed = [timer for timer in waiting if timer.missed]
        for timer in waiting:
            if not timer.missed:
                self.ring(timer)
        if not missed:
            return
        lines = [f"{_label(timer)} · {_clock(timer)}" for timer in missed]
        words = "\n\n".join([tr("These were due while I was away:"), *lines])
        self._companion.ask(_MISSED, words, (("done", tr("Done")),), sign="bell")
        self._notify(tr("Missed timers"), "\n".join(lines))
        for timer in missed:
            self._note(TimerMissed(label=_label(timer), time=_clock(timer)))

    def stop(self) -> None:
        """The app ends."""
        self._ringing.clear()
        self._silence()

    @Slot(str, str)
    def _answered(self, key: str, choice: str) -> None:
        timer = self._ringing.get(key)
        if timer is None and key != _MISSED:
            return
        self._silence()
        if not choice:
            self.chat_requested.emit()
            return
        self._companion.settle(key)
        self._ringing.pop(key, None)
        if choice == "later" and timer is not None:
            spawn(self._snooze(timer), name="snooze a timer")

    async def _snooze(self, timer: Timer) -> None:
        book = self._engine.timers
        try:
            book.set(book.now() + SNOOZE_MINUTES * 60, timer.label)
            await book.stored()
        except OSError:
            _log.exception("The timer can't be set again")
            self.troubled.emit(tr("The timer could not be set again."), "")

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

    def _note(self, event: TimerRang) -> None:
        async def note() -> None:
            try:
                await self._engine.chat.note(event, done=not isinstance(event, TimerMissed))
            except KnownError as error:
                _log.warning("The timer isn't in the conversation: %s", error)

        spawn(note(), name="note a timer")


def _label(timer: Timer) -> str:
    return timer.label or tr("Your timer")


def _clock(timer: Timer) -> str:
    """When it was due: the time, and the day if it wasn't today."""
    due = datetime.fromtimestamp(timer.due)
    today = due.date() == datetime.now().date()
    return due.strftime("%H:%M" if today else "%Y-%m-%d %H:%M")
