"""While a span of work runs the companion works beside the person; at its end both stretch.

The spans are timers of the book, and ring like all of them (`app/bell.py`). With the end of one
that was set here a break is set, once it is answered.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from random import Random

from PySide6.QtCore import QObject, QTimer, Slot

from neodeskpet.app.pastimes.company import Company
from neodeskpet.language import tr
from neodeskpet.live2d.life.spans import (
    BREAK_MINUTES,
    MINUTES,
    Beside,
    Running,
    is_work,
    span_at,
)
from neodeskpet.timers.book import Timer
from neodeskpet.timers.repeat import Repeat
from neodeskpet.ui.work import Work

LOOK_MS = 1_000


class WorkBeside(QObject):
    """`clock` is steady, `now` tells unix seconds."""

    def __init__(
        self,
        company: Company,
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
        self._beside = Beside(random or Random())
        self._timers: Sequence[Timer] = ()
        self._work = Work("spans", failed=lambda error: None)
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)
        book = company.engine.timers
        self._ends = book.observe(self._read_soon), book.observe_answers(self._note_answer)

    def begin(self) -> None:
        """The windows are there."""
        self._read_soon()

    def apply(self) -> None:
        """The settings are others."""
        self._read_soon()

    async def close(self) -> None:
        self._timer.stop()
        for end in self._ends:
            end()
        await self._work.close()

    @property
    def labels(self) -> list[str]:
        """Of the timers that were seen last."""
        return [one.label for one in self._timers]

    def start(self) -> None:
        """The person wants a span of work."""
        due = self._now() + MINUTES * 60
        self._work.start("set", lambda: self._set(due, tr("Pomodoro")))

    @Slot()
    def look(self) -> None:
        """Is there something to do?"""
        known = [Running(one.label, one.set_at, one.due) for one in self._timers]
        self._beside.see(span_at(known, self._now()), self._clock())
        if self._beside.span is None:
            self._timer.stop()
            return
        pet = self._company.pet
        if not pet.at_leisure:
            return
        deed = self._beside.due(self._clock())
        if deed is None:
            return
        if deed.pose is not None:
            self._company.companion.show(deed.pose, deed.seconds)
        elif deed.feat is not None:
            pet.do(deed.feat)

    def _read_soon(self) -> None:
        self._work.replace("read", self._read)

    async def _read(self) -> None:
        if not self._company.settings.spans:
            self._timers = ()
            self.look()
            return
        self._timers = await self._company.engine.timers.timers()
        self._timer.start()
        self.look()

    def _note_answer(self, timer: Timer) -> None:
        """A span of work that is over is followed by a break."""
        if self._company.settings.spans and is_work(timer.label) and timer.repeat is Repeat.ONCE:
            self._work.start("break", self._take_break)

    async def _take_break(self) -> None:
        label = tr("Break")
        timers = await self._company.engine.timers.timers()
        if not any(one.label == label or is_work(one.label) for one in timers):
            await self._set(self._now() + BREAK_MINUTES * 60, label)

    async def _set(self, due: float, label: str) -> None:
        await self._company.engine.timers.set(due, label)
