"""Timers ring until they are answered: a sound, a pose, a bubble with buttons, a notification of
the desktop and a notice in the conversation. Timers missed while the app was closed are listed at
the start.

An answer counts in all places (here, in the window of timers, by a tool): a timer that is no longer
stored stops ringing.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from neodeskpet.app.engine import Engine
from neodeskpet.core.errors import KnownError, TimerMissed, TimerRang
from neodeskpet.core.speech_bubble import BubbleRank
from neodeskpet.language import tr
from neodeskpet.notebook.timers import Timer
from neodeskpet.ui.desktop.desktop_notifications import DEFAULT_ACTION, DesktopNotification
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter, parse_answer
from neodeskpet.ui.task_runner import TaskRunner

_log = logging.getLogger(__name__)

SNOOZE_MINUTES = 5
_TIMER_NOTICE = "timer "
_MISSED_NOTICE = "missed timers"
_FAST_RING_MS, _SLOW_RING_MS = 5_000, 60_000
_FAST_RINGS = 12
"""The number of sounds after which they become less frequent: the user seems to be away but may
come back.
"""


class TimerAnswer(StrEnum):
    """The user's answer to a timer."""

    DONE = "done"
    LATER = "later"


class AlarmSound(Protocol):
    def play(self) -> None: ...

    def stop(self) -> None: ...


class TimerAlarm(QObject):
    """Rings timers. `notify(notice)` shows a notification of the desktop and returns the answer to
    it, if any. `chat_requested`: the user clicked on the text. `error_occurred`: the timer can't be
    set again.
    """

    chat_requested = Signal()
    error_occurred = Signal(str, str)

    def __init__(
        self,
        engine: Engine,
        companion: CompanionPresenter,
        sound: AlarmSound,
        notify: Callable[[DesktopNotification], Awaitable[str]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._companion = companion
        self._sound = sound
        self._notify = notify
        self._work = TaskRunner("bell", failed=self._fail)
        self._notices = TaskRunner("notices", failed=self._fail)
        self._waiting: list[Timer] | None = []  # timers that are due before the windows exist
        self._ringing: dict[str, Timer] = {}
        self._missed: list[Timer] = []
        self._played = 0
        self._again = QTimer(self)
        self._again.timeout.connect(self._play)
        companion.answered.connect(self._answered)
        self._end = engine.notebook.timers.subscribe(lambda: self._work.replace("look", self._look))

    @property
    def ringing(self) -> str:
        """The label of the ringing timer, "" for none."""
        return next((_timer_label(timer) for timer in self._ringing.values()), "")

    def end_ringing(self) -> None:
        """End the ringing: the user has seen the timer."""
        key = next(iter(self._ringing), None)
        if key is not None:
            self._answered(key, TimerAnswer.DONE)

    def ring(self, timer: Timer) -> None:
        """Ring a timer that is due."""
        if self._waiting is not None:
            self._waiting.append(timer)
            return
        key = _notice_key(timer)
        self._ringing[key] = timer
        words = _timer_label(timer)
        if timer.missed:
            words = tr("{label} ({time}, while I was away)", label=words, time=_due_time(timer))
        choices = (
            (TimerAnswer.DONE, tr("Dismiss")),
            (TimerAnswer.LATER, tr("Snooze {minutes} min", minutes=str(SNOOZE_MINUTES))),
        )
        self._companion.ask(
            key,
            words,
            choices,
            sign="bell",
            dismiss_choice=TimerAnswer.DONE,
            rank=BubbleRank.TIMER,
        )
        self._show(key, DesktopNotification(tr("Timer"), words, choices))
        self._note(timer, TimerRang(label=_timer_label(timer), time=_due_time(timer)))
        self._played = 0
        self._play()

    async def start(self) -> None:
        """Ring timers that are due and list missed ones; the windows exist by then."""
        await self._engine.notebook.timers.looked.wait()  # otherwise each missed timer would ring
        waiting, self._waiting = self._waiting or [], None
        missed = [timer for timer in waiting if timer.missed]
        for timer in waiting:
            if not timer.missed:
                self.ring(timer)
        if not missed:
            return
        self._missed = missed
        lines = [f"{_timer_label(timer)} · {_due_time(timer)}" for timer in missed]
        words = "\n\n".join([tr("These were due while I was away:"), *lines])
        choices = ((TimerAnswer.DONE, tr("Dismiss")),)
        self._companion.ask(
            _MISSED_NOTICE,
            words,
            choices,
            sign="bell",
            dismiss_choice=TimerAnswer.DONE,
            rank=BubbleRank.TIMER,
        )
        self._show(
            _MISSED_NOTICE, DesktopNotification(tr("Missed timers"), "\n".join(lines), choices)
        )
        for timer in missed:
            self._note(timer, TimerMissed(label=_timer_label(timer), time=_due_time(timer)))

    def stop(self) -> None:
        """Stop ringing."""
        self._end()
        self._notices.cancel_all()
        self._ringing.clear()
        self._missed = []
        self._silence()

    def _show(self, key: str, notice: DesktopNotification) -> None:
        """Show a notification on the desktop until the timer is answered in any place."""

        async def ask() -> None:
            choice = await self._notify(notice)
            if choice in (DEFAULT_ACTION, *dict(notice.choices)):
                self._answered(key, "" if choice == DEFAULT_ACTION else choice)

        self._notices.start(key, ask)

    @Slot(str, str)
    def _answered(self, key: str, choice: str) -> None:
        timer = self._ringing.get(key)
        if timer is None and key != _MISSED_NOTICE:
            return
        self._silence()
        said = parse_answer(TimerAnswer, choice)
        if said is None:
            self.chat_requested.emit()
            return
        answered = [timer] if timer is not None else self._missed
        self._settle(key)
        snooze = said is TimerAnswer.LATER
        self._work.start("answer", partial(self._answer, answered, snooze=snooze))

    def _settle(self, key: str) -> None:
        """Stop ringing for this key."""
        self._companion.withdraw(key)
        self._notices.cancel_task(key)
        if key == _MISSED_NOTICE:
            self._missed = []
        self._ringing.pop(key, None)
        if not self._ringing:
            self._silence()

    async def _answer(self, timers: Sequence[Timer], *, snooze: bool) -> None:
        service = self._engine.notebook.timers
        try:
            for timer in timers:
                if snooze:
                    await service.snooze(timer, SNOOZE_MINUTES * 60)
                else:
                    await service.answer(timer)
        except KnownError:
            _log.exception("The answer to a timer can't be stored")
            if snooze:
                self.error_occurred.emit(tr("The timer could not be set again."), "")

    async def _look(self) -> None:
        """Stop ringing for timers that were answered elsewhere."""
        try:
            there = {_notice_key(timer) for timer in await self._engine.notebook.timers.timers()}
        except KnownError:
            return  # they continue to ring
        for key in [key for key in self._ringing if key not in there]:
            self._settle(key)
        if self._missed and not any(_notice_key(timer) in there for timer in self._missed):
            self._settle(_MISSED_NOTICE)

    def _play(self) -> None:
        if not self._engine.settings.settings.companion.timer_sound:
            self._silence()
            return
        self._sound.play()
        self._played += 1
        self._again.start(_FAST_RING_MS if self._played < _FAST_RINGS else _SLOW_RING_MS)

    def _silence(self) -> None:
        self._again.stop()
        self._sound.stop()

    def _note(self, timer: Timer, event: TimerRang) -> None:
        """Add one notice to the conversation: an unanswered timer is missed again at each start."""
        done = not isinstance(event, TimerMissed)
        note = partial(self._engine.chat.add_notice, event, key=_notice_key(timer), done=done)
        self._work.start("note", note)

    def _fail(self, error: KnownError) -> None:
        _log.warning("The notice of the timer can't be added to the conversation: %s", error)


def _notice_key(timer: Timer) -> str:
    return f"{_TIMER_NOTICE}{timer.id} {timer.due}"


def _timer_label(timer: Timer) -> str:
    return timer.label or tr("Your timer")


def _due_time(timer: Timer) -> str:
    """Return when the timer was due: the time, with the day if it wasn't today."""
    due = datetime.fromtimestamp(timer.due)
    today = due.date() == datetime.now().date()
    return due.strftime("%H:%M" if today else "%Y-%m-%d %H:%M")
