"""The frame clock of a window, driven by need.

A single timer is set anew after each frame, to the beat that the governor wants. While nobody sees
the window (hidden, minimised, covered) no timer runs at all.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from neodeskpet.figure.frame_rate import FrameRateLimiter, FrameRates, FrameSchedule, ReplyPriority

_LONGEST_FRAME = 0.25
"""A longer pause (sleep, a blocked loop) is not caught up with, seconds."""
_LOOK_AGAIN_MS = 3


class FrameClock(QObject):
    """Its owner draws on `due`, between `begin` and `plan`, and says who sees it (`see`)."""

    due = Signal(float)
    """A frame is due, at this time (s, steady clock)."""

    def __init__(self, parent: QObject, clock: Callable[[], float]) -> None:
        super().__init__(parent)
        self._clock = clock
        self._governor = FrameRateLimiter()
        self._courtesy = ReplyPriority()
        self._others: Callable[[], bool] = lambda: False
        self._streams: Callable[[], bool] = lambda: False
        self._last_frame = clock()
        self._beat = FrameSchedule(self._last_frame)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)

    def set_rates(self, rates: FrameRates) -> None:
        """How many frames there may be."""
        self._governor.rates = rates
        self.schedule_next()

    def set_calm(self, calm: bool) -> None:
        """Whether the processor draws: the usual rates become calmer."""
        self._governor.calm = calm
        self.schedule_next()

    def set_yielding(
        self, others: Callable[[], bool], streams: Callable[[], bool] = lambda: False
    ) -> None:
        """A frame that is due waits a little while `others` is true: something is to be shown.
        While a reply `streams`, frames are fewer where the processor draws.
        """
        self._others = others
        self._streams = streams

    @property
    def is_running(self) -> bool:
        """Whether the clock runs."""
        return self._timer.isActive()

    @property
    def is_visible(self) -> bool:
        """Whether anybody sees the window."""
        return self._governor.visible

    @property
    def last_frame_time(self) -> float:
        """When the last frame was begun (s, steady clock)."""
        return self._last_frame

    def frames_per_second(self) -> float:
        """How many frames the governor wants now."""
        self._governor.shared = self._streams()
        return self._governor.fps(self._clock())

    def wake(self, seconds: float) -> None:
        """Something moves for this long: the next frame comes at once."""
        if self._governor.wake(self._clock(), seconds):
            self.schedule_next()

    def set_resting(self, resting: bool) -> None:
        """Whether the companion sleeps, so that few frames do."""
        self._governor.resting = resting

    def set_activity(self, acting: bool, pace: float) -> None:
        """Whether it does something by itself, and how many frames a second show that."""
        self._governor.acting = acting
        self._governor.pace = pace

    def set_moving(self, on: bool) -> None:
        """Whether it goes across the desktop, so that each frame is another place."""
        if on is not self._governor.hurrying:
            self._governor.hurrying = on
            self.schedule_next()

    def set_visible(self, seen: bool) -> None:
        """Whether anybody sees the window."""
        self._governor.set_visible(seen)
        self.schedule_next()

    def begin_frame(self) -> tuple[float, float]:
        """A frame is drawn now: this time, and the seconds since the last one."""
        now = self._clock()
        seconds = min(max(now - self._last_frame, 0.0), _LONGEST_FRAME)
        self._last_frame = now
        return now, seconds

    def schedule_next(self) -> None:
        """Set the timer to the next frame, or stop it."""
        now = self._clock()
        self._governor.shared = self._streams()
        interval = self._governor.interval(now)
        if interval is None:
            self._timer.stop()
            return
        self._timer.start(round(self._beat.left(now, interval) * 1000))

    def _tick(self) -> None:
        now = self._clock()
        if self._courtesy.should_wait(now, self._others()):
            self._timer.start(_LOOK_AGAIN_MS)
            return
        self._beat.tick()
        self.due.emit(now)
