"""The companion keeps the user company during pomodoro sessions; at the end both stretch.

The sessions are ordinary timers and ring like all others (`app/timer_alarm.py`). When the user
answers the end of a work session, a break is set.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from random import Random

from PySide6.QtCore import QObject, QTimer, Slot

from neodeskpet.app.activities.desktop_reactions import ActivityContext
from neodeskpet.figure.behaviour.pomodoro import (
    BREAK_MINUTES,
    MINUTES,
    PomodoroCompany,
    RunningTimer,
    is_work_label,
    pomodoro_phase_at,
)
from neodeskpet.language import tr
from neodeskpet.notebook.timers import Repeat, Timer
from neodeskpet.ui.task_runner import TaskRunner

POMODORO_CHECK_MS = 1_000


class PomodoroActivity(QObject):
    """Accompanies pomodoro sessions. `clock` is monotonic; `now` returns Unix seconds."""

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

    def start_session(self) -> None:
        """Set the timer of a work session."""
        due = self._now() + MINUTES * 60
        self._work.start("set", lambda: self._set(due, tr("Pomodoro")))

    @Slot()
    def check(self) -> None:
        """Perform the next pose or gesture of the session if it is due."""
        known = [
            RunningTimer(one.label, one.set_at, one.due)
            for one in self._timers
            if not one.is_paused
        ]
        self._beside.set_phase(pomodoro_phase_at(known, self._now()), self._clock())
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
        self._timers = await self._company.engine.notebook.timers.timers()
        self._timer.start()
        self.check()

    def _note_answer(self, timer: Timer) -> None:
        """Set a break after a work session has ended."""
        if (
            self._company.settings.spans
            and is_work_label(timer.label)
            and timer.repeat is Repeat.ONCE
        ):
            self._work.start("break", self._take_break)

    async def _take_break(self) -> None:
        label = tr("Break")
        timers = await self._company.engine.notebook.timers.timers()
        if not any(one.label == label or is_work_label(one.label) for one in timers):
            await self._set(self._now() + BREAK_MINUTES * 60, label)

    async def _set(self, due: float, label: str) -> None:
        await self._company.engine.notebook.timers.add(due, label)
