"""A GL window with one frame clock, driven by need.

A single timer is set anew after each frame, to the beat that the governor wants. While nobody sees
the window (hidden, minimised, covered) no timer runs at all.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QExposeEvent, QHideEvent
from PySide6.QtOpenGL import QOpenGLWindow

from neodeskpet.live2d.governor import Beat, Governor, Rates

_LONGEST_FRAME = 0.25
"""A longer pause (sleep, a blocked loop) is not caught up with, seconds."""


class ClockedWindow(QOpenGLWindow):
    """Override `frame_due` (before a frame, no GL) and `paint_frame` (GL is current)."""

    advanced = Signal(float)
    """A frame is due, at this time (s, steady clock)."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__()
        self._clock = clock
        self._governor = Governor()
        self._last_frame = clock()
        self._beat = Beat(self._last_frame)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)

    def set_rates(self, rates: Rates) -> None:
        """How many frames there may be."""
        self._governor.rates = rates
        self._schedule()

    @property
    def running(self) -> bool:
        """Whether the frame clock runs."""
        return self._timer.isActive()

    def frames_per_second(self) -> float:
        """What the governor wants now."""
        return self._governor.fps(self._clock())

    def wake(self, seconds: float) -> None:
        """Something moves for this long: the next frame comes at once."""
        if self._governor.wake(self._clock(), seconds):
            self._schedule()

    def rest(self, resting: bool) -> None:
        """Whether the companion sleeps, so that few frames do."""
        self._governor.resting = resting

    def frame_due(self, now: float) -> None:
        """Move what is not drawn here; may wake the clock."""

    def paint_frame(self, now: float, seconds: float) -> None:
        """Draw, `seconds` after the last frame."""

    def paintGL(self) -> None:
        now = self._clock()
        seconds = min(max(now - self._last_frame, 0.0), _LONGEST_FRAME)
        self._last_frame = now
        self.paint_frame(now, seconds)
        self._schedule()

    def exposeEvent(self, event: QExposeEvent) -> None:
        self._governor.see(self.isExposed() and self.isVisible())
        super().exposeEvent(event)
        self._schedule()

    def hideEvent(self, event: QHideEvent) -> None:
        self._governor.see(False)
        self._timer.stop()
        super().hideEvent(event)

    def _schedule(self) -> None:
        now = self._clock()
        interval = self._governor.interval(now)
        if interval is None:
            self._timer.stop()
            return
        self._timer.start(round(self._beat.left(now, interval) * 1000))

    def _tick(self) -> None:
        now = self._clock()
        self._beat.tick()
        self.frame_due(now)
        self.advanced.emit(now)
        self.update()
