"""The companion keeps the user company during pomodoro sessions; at the end both stretch. The pill
at its feet counts down, and the sessions of the day are counted.

The sessions are ordinary timers and ring like all others (`app/timer_alarm.py`). When the user
answers the end of a work session, a break is set.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from random import Random

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from neodeskpet.app.activities.desktop_reactions import ActivityContext
from neodeskpet.figure.behaviour.pomodoro import (
    BREAK_MINUTES,
    MINUTES,
    FocusTally,
    PomodoroCompany,
    PomodoroPhase,
    RunningTimer,
    current_session,
    ended_sessions,
    is_work_label,
    tally_words,
)
from neodeskpet.figure.figure_state import FocusTime
from neodeskpet.language import tr
from neodeskpet.notebook.timers import Repeat, Timer
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.ui.formatting import countdown_words, format_due_time
from neodeskpet.ui.task_runner import TaskRunner

POMODORO_CHECK_MS = 1_000
TALLY_KEY = "focus.tally"


async def read_tally(store: SqliteStore, now: float) -> FocusTally:
    """Return the sessions of the day. Raises StoreError."""
    today = datetime.fromtimestamp(now).date()
    return FocusTally.of_text(await store.get_state(TALLY_KEY), today)


async def read_tally_words(store: SqliteStore) -> str:
    """Return the sessions of today as a sentence, "" for none. Raises StoreError."""
    words = tally_words(await read_tally(store, time.time()))
    return tr("Focus: {sessions}", sessions=words) if words else ""


class PomodoroActivity(QObject):
    """Accompanies pomodoro sessions. `clock` is monotonic; `now` returns Unix seconds."""

    changed = Signal()
    """A session or a break began, changed or ended."""

    def __init__(
        self,
        company: ActivityContext,
        parent: QObject | None = None,
        *,
        random: Random | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(parent)
        self._company = company
        self._clock = clock
        self._now = now
        self._beside = PomodoroCompany(random or Random())
        self._timers: Sequence[Timer] = ()
        self._shown: tuple[PomodoroPhase, RunningTimer] | None = None
        self._tally = FocusTally(datetime.fromtimestamp(now()).date())
        self._goals: tuple[str, ...] = ()
        self._work = TaskRunner("spans", failed=lambda error: None)
        self._timer = QTimer(self, interval=POMODORO_CHECK_MS)
        self._timer.timeout.connect(self.check)
        service = company.engine.notebook.timers
        self._ends = service.subscribe(self._read_soon), service.observe_answers(self._note_answer)

    def start(self) -> None:
        """Start; the windows exist by then."""
        self._read_soon()

    def apply(self) -> None:
        """Apply changed settings."""
        self._read_soon()

    async def aclose(self) -> None:
        self._timer.stop()
        for end in self._ends:
            end()
        await self._work.aclose()

    @property
    def labels(self) -> list[str]:
        """The labels of the timers that were read last."""
        return [one.label for one in self._timers]

    @property
    def focus(self) -> FocusTime | None:
        """The countdown of the current session or break, None if there is none."""
        now = self._now()
        if self._shown is None or self._shown[1].due <= now:
            return None
        phase, timer = self._shown
        is_break = phase is PomodoroPhase.REST
        end = format_due_time(timer.due, now)
        ends = tr("Break until {time}", time=end)
        if not is_break:
            ends = tr("Focus until {time}", time=end)
        summary = "\n".join(filter(None, (ends, tally_words(self._tally), *self._goals)))
        return FocusTime(timer.due - now, timer.due - timer.set_at, is_break, summary)

    def start_session(self) -> None:
        """Set the timer of a work session."""
        self._work.start("set", self._begin)

    @Slot()
    def check(self) -> None:
        """Perform the next pose or gesture of the session if it is due."""
        known = [_running(one) for one in self._timers if not one.is_paused]
        ended = ended_sessions(known, self._now())
        if any(round(one.set_at) not in self._tally.minutes for one in ended):
            self._work.start_once("count", lambda: self._count(ended))
        session = current_session(known, self._now())
        self._beside.set_phase(session[0] if session is not None else None, self._clock())
        if session != self._shown:
            self._shown = session
            self.changed.emit()
        if self._beside.phase is None:
            self._timer.stop()
            return
        pet = self._company.pet
        if not pet.is_idle:
            return
        action = self._beside.due(self._clock())
        if action is None:
            return
        if action.pose is not None:
            self._company.companion.show_pose(action.pose, action.seconds)
        elif action.trick is not None:
            pet.perform(action.trick)

    def _read_soon(self) -> None:
        self._work.replace("read", self._read)

    async def _read(self) -> None:
        if not self._company.settings.spans:
            self._timers = ()
            self.check()
            return
        engine, now = self._company.engine, self._now()
        timers = await engine.notebook.timers.timers()
        before = self._tally, self._goals
        self._tally = await read_tally(engine.storage.store, now)
        self._goals = await self._next_goal()
        self._timers = timers
        if before != (self._tally, self._goals):
            self.changed.emit()
        self._timer.start()
        self.check()

    def _note_answer(self, timer: Timer) -> None:
        """Set a break after a work session has ended."""
        if (
            self._company.settings.spans
            and is_work_label(timer.label)
            and timer.repeat is Repeat.ONCE
        ):
            self._work.start("break", lambda: self._take_break(_running(timer)))

    async def _take_break(self, session: RunningTimer) -> None:
        await self._count(ended_sessions([session], self._now()))
        label = tr("Break")
        timers = await self._company.engine.notebook.timers.timers()
        if not any(one.label == label or is_work_label(one.label) for one in timers):
            await self._set(self._now() + BREAK_MINUTES * 60, label)
            self._say(tr("Stand up and stretch with me."), tally_words(self._tally))

    async def _count(self, sessions: Sequence[RunningTimer]) -> None:
        """Add sessions that ended to the tally of the day."""
        store = self._company.engine.storage.store
        tally = await read_tally(store, self._now())
        for one in sessions:
            tally = tally.with_session(one)
        self._tally = tally
        if sessions:
            await store.set_state(TALLY_KEY, tally.text())
            self._company.engine.notebook.timers.notify_changed()

    async def _begin(self) -> None:
        await self._set(self._now() + MINUTES * 60, tr("Pomodoro"))
        self._goals = await self._next_goal()
        if self._goals:
            length = tr("{minutes} minutes. I work beside you.", minutes=str(MINUTES))
            self._say(length, *self._goals)

    async def _next_goal(self) -> tuple[str, ...]:
        """Return the words of the next countdown, if there is one."""
        todos, now = await self._company.engine.notebook.todos.todos(), self._now()
        words = (countdown_words(one.text, one.due, now) for one in todos if one.done is None)
        return tuple(filter(None, words))[:1]

    def _say(self, *lines: str) -> None:
        """Say something if nothing else is shown."""
        if self._company.may_speak():
            self._company.companion.show_notice("\n\n".join(filter(None, lines)))

    async def _set(self, due: float, label: str) -> None:
        await self._company.engine.notebook.timers.add(due, label)


def _running(timer: Timer) -> RunningTimer:
    return RunningTimer(timer.label, timer.set_at, timer.due)
