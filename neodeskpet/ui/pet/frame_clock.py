"""Decides when a window draws its next frame.

A single timer is set after each frame, to the interval that the `FrameRateLimiter` returns. No
timer runs while the window is hidden, minimised or covered.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from neodeskpet.figure.frame_rate import (
    FrameRateLimiter,
    FrameRates,
    FrameSchedule,
    InputPriority,
)

_LONGEST_FRAME = 0.25
"""Seconds; a longer pause (sleep, a blocked loop) isn't caught up."""


class FrameClock(QObject):
    """The owner draws on `due`, between `begin_frame` and `schedule_next`, and sets the visibility
    (`set_visible`).
    """

    due = Signal(float)
    """A frame is due; time in seconds of a monotonic clock."""

    def __init__(self, parent: QObject, clock: Callable[[], float]) -> None:
        super().__init__(parent)
        self._clock = clock
        self._limiter = FrameRateLimiter()
        self._priority = InputPriority()
        self._others: Callable[[], bool] = lambda: False
        self._streams: Callable[[], bool] = lambda: False
        self._last_frame = clock()
        self._schedule = FrameSchedule(self._last_frame)
        self._waits = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)

    def set_rates(self, rates: FrameRates) -> None:
        """Set the frame rates."""
        self._limiter.rates = rates
        self.schedule_next()

    def set_calm(self, calm: bool) -> None:
        """Set whether the CPU draws: the rates are lower then."""
        self._limiter.calm = calm
        self.schedule_next()

    def set_yielding(
        self, others: Callable[[], bool], streams: Callable[[], bool] = lambda: False
    ) -> None:
        """Delay a due frame while `others` returns true: other content must be painted first. While
        a reply `streams`, the rate is lower if the CPU draws.
        """
        self._others = others
        self._streams = streams

    def note_typing(self) -> None:
        """Record that the user has typed a character: its paint comes before the next frame."""
        now = self._clock()
        self._priority.note_typing(now)
        if self._waits:
            self._tick()

    @property
    def is_running(self) -> bool:
        """Whether the timer runs."""
        return self._timer.isActive()

    @property
    def is_visible(self) -> bool:
        """Whether the window is visible."""
        return self._limiter.visible

    @property
    def last_frame_time(self) -> float:
        """The start time of the last frame (s, monotonic clock)."""
        return self._last_frame

    def frames_per_second(self) -> float:
        """Return the current frame rate of the governor."""
        self._limiter.shared = self._streams()
        return self._limiter.fps(self._clock())

    def wake(self, seconds: float) -> None:
        """Draw at full rate for `seconds`, starting at once."""
        if self._limiter.wake(self._clock(), seconds):
            self.schedule_next()

    def set_resting(self, resting: bool) -> None:
        """Set whether the companion sleeps, which needs few frames."""
        self._limiter.resting = resting

    def set_activity(self, acting: bool, pace: float) -> None:
        """Set whether it acts by itself, and the frame rate for that."""
        self._limiter.acting = acting
        self._limiter.pace = pace

    def set_moving(self, on: bool) -> None:
        """Set whether the window moves across the desktop: each frame has another position."""
        if on is not self._limiter.hurrying:
            self._limiter.hurrying = on
            self.schedule_next()

    def set_visible(self, seen: bool) -> None:
        """Whether the window is visible."""
        self._limiter.set_visible(seen)
        self.schedule_next()

    def begin_frame(self) -> tuple[float, float]:
        """Start a frame; return its time, and the seconds since the last one."""
        now = self._clock()
        seconds = min(max(now - self._last_frame, 0.0), _LONGEST_FRAME)
        self._last_frame = now
        return now, seconds

    def schedule_next(self) -> None:
        """Set the timer to the next frame, or stop it."""
        now = self._clock()
        self._limiter.shared = self._streams()
        interval = self._limiter.interval(now)
        if interval is None:
            self._timer.stop()
            self._waits = False
            return
        self._timer.start(round(self._schedule.left(now, interval) * 1000))

    def _tick(self) -> None:
        now = self._clock()
        calm = self._limiter.calm and not self._limiter.hurrying
        pause = self._priority.wait(now, self._others(), calm=calm)
        if pause > 0.0:
            self._waits = True
            self._timer.start(math.ceil(pause * 1000))
            return
        self._waits = False
        self._schedule.tick()
        self.due.emit(now)
