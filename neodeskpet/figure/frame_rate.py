"""Decides how often a frame is drawn: often during movement, seldom at rest, never while the figure
is hidden. Pure: the caller has the clock and the timer. Times are seconds of a monotonic clock.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

VISIBLE_PARAMETERS = (
    "AngleX",
    "AngleY",
    "AngleZ",
    "BodyAngleX",
    "BodyAngleY",
    "BodyAngleZ",
    "BaseX",
    "BaseY",
    "BaseAngle",
    "Crouch",
    "EyeLOpen",
    "EyeROpen",
    "MouthOpenY",
    "ArmLA",
    "ArmLB",
    "ArmRA",
    "ArmRB",
)
"""Parameters whose change moves a large part of the picture, without "Param". Breath, tail and hair
are slow or follow other movements; signs float continuously.
"""
_STEP = 0.08
"""The step from frame to frame, as a share of a parameter's range: a head at 340 pixels moves about
five pixels.
"""


def visible_parameters(parameters: Sequence[str]) -> list[str]:
    """Return those of a model's `parameters` whose change moves a large part of its picture."""
    own = {name.lower().replace("_", ""): name for name in parameters}
    found = (own.get(f"param{name}".lower()) for name in VISIBLE_PARAMETERS)
    return [name for name in found if name is not None]


class MotionSpeed:
    """Measures the speed of movements. `spans`: the range of each measured parameter."""

    def __init__(self, spans: Mapping[str, float]) -> None:
        self._spans = {name: span for name, span in spans.items() if span > 0.0}
        self._before: dict[str, float] = {}
        self._speed = math.inf

    def update(self, value: Callable[[str], float], seconds: float) -> None:
        """Record a new frame, with the `value` of each parameter by its name."""
        values = {name: value(name) for name in self._spans}
        if self._before and seconds > 0.0:
            moved = (abs(values[n] - self._before[n]) / span for n, span in self._spans.items())
            self._speed = max(moved) / seconds
        self._before = values

    @property
    def pace(self) -> float:
        """Return the frames a second at which the movement between two frames is a small step;
        infinite before the second frame, and without such parameters.
        """
        return self._speed / _STEP


@dataclass(frozen=True, slots=True)
class FrameRates:
    """Frames a second."""

    active: float = 30.0
    idle: float = 12.0
    resting: float = 6.0
    acting: float = 12.0
    """During movements of its own other than breathing."""
    still: float = 12.0
    """Between two breaths, when almost nothing moves; up to `idle` with more movement."""

    def at_most(self, most: FrameRates) -> FrameRates:
        """Return these rates, each limited to `most`."""
        return FrameRates(
            min(self.active, most.active),
            min(self.idle, most.idle),
            min(self.resting, most.resting),
            min(self.acting, most.acting),
            min(self.still, most.still),
        )


FULL_RATES = FrameRates()
BATTERY_RATES = FrameRates(active=15.0, idle=6.0, resting=3.0, acting=6.0, still=6.0)
"""On battery."""
SOFTWARE_RATES = FrameRates(active=20.0, idle=3.0, resting=1.0, acting=7.0, still=2.0)
"""For software rendering with default rates."""
STREAMING_RATES = FrameRates(active=8.0, idle=3.0, resting=1.0, acting=4.0, still=2.0)
"""For software rendering while a reply streams: drawing takes time from the text."""
SOFTWARE_MOVING_FPS = 24.0
"""Frames a second for software rendering while the figure moves across the desktop: as smooth as a
film, and a fifth cheaper than `active`.
"""
_MAX_WAIT = 0.1
"""Longest wait in seconds of a frame for a reply."""
_LOOK_AGAIN = 0.003
_KEY_PAINTED, _NEXT_KEY = 0.015, 0.045
"""Seconds after a key: when its character is painted, and when the next key may come."""
_TYPING_ENDED = 0.35
"""Seconds without a key after which the user no longer types."""
_MAX_TYPING_WAIT = 0.25
"""Longest wait in seconds of a frame for the next key."""


class FrameRateLimiter:
    def __init__(self, rates: FrameRates = FULL_RATES) -> None:
        self.rates = rates
        self.calm = False
        """Software rendering: the default rates become lower. Rates that the user chose
        are kept.
        """
        self.shared = False
        """A reply streams: with software rendering the processor is needed for it."""
        self.resting = False
        """The companion sleeps: only slow breathing is visible."""
        self.acting = False
        """Movements of its own: more frames than for breathing, fewer than for requested ones."""
        self.pace = math.inf
        """Frames a second that show its own movements smoothly."""
        self.hurrying = False
        """The figure moves across the desktop: the lower rates of software rendering would look
        jerky, so only `SOFTWARE_MOVING_FPS` limits it.
        """
        self._seen = False
        self._awake_until = -math.inf

    @property
    def visible(self) -> bool:
        return self._seen

    def set_visible(self, seen: bool) -> None:
        """Set whether the window is visible."""
        self._seen = seen

    def wake(self, now: float, seconds: float) -> bool:
        """Record a movement of `seconds`; return whether frames are needed sooner than before."""
        was_slow = now >= self._awake_until
        self._awake_until = max(self._awake_until, now + seconds)
        return was_slow and self._seen

    def fps(self, now: float) -> float:
        """Return the frames a second at `now`; 0 while the figure is not visible."""
        if not self._seen:
            return 0.0
        rates = self.rates
        default = rates in (FULL_RATES, BATTERY_RATES)
        if self.hurrying:
            limited = self.calm and default
            return min(rates.active, SOFTWARE_MOVING_FPS) if limited else rates.active
        if self.calm and default:
            rates = rates.at_most(STREAMING_RATES if self.shared else SOFTWARE_RATES)
        if now < self._awake_until:
            return rates.active
        if self.resting:
            return rates.resting
        least, most = (rates.idle, rates.acting) if self.acting else (rates.still, rates.idle)
        return max(least, min(most, self.pace))

    def interval(self, now: float) -> float | None:
        """Return the seconds to the next frame; None: no timer at all."""
        fps = self.fps(now)
        return 1.0 / fps if fps > 0 else None


class InputPriority:
    """Gives priority to text that is about to be shown: a frame takes the thread for some
    milliseconds.

    While a reply streams, at least one update of it is shown between two frames. While the user
    types, a frame is drawn just after a typed character was painted, when the next key is not
    expected yet. Neither waits so long that the figure would seem frozen.
    """

    def __init__(self) -> None:
        self._asked: float | None = None
        self._typed = -math.inf

    def note_typing(self, now: float) -> None:
        """Record that the user has typed a character."""
        self._typed = now

    def wait(self, now: float, others: bool, *, calm: bool = False) -> float:
        """Return for how many seconds a due frame should wait; 0.0: it is drawn now. `others`: a
        reply has updates to show. `calm`: the processor draws, so that a key would wait for it.
        """
        if self._asked is None:
            self._asked = now
        waited = now - self._asked
        if others and waited < _MAX_WAIT:
            return _LOOK_AGAIN
        if calm and (pause := self._typing_pause(now, waited)) > 0.0:
            return pause
        self._asked = None
        return 0.0

    def _typing_pause(self, now: float, waited: float) -> float:
        since = now - self._typed
        if since < _KEY_PAINTED:
            return _KEY_PAINTED - since
        if since < _NEXT_KEY or since >= _TYPING_ENDED:
            return 0.0
        return min(_TYPING_ENDED - since, _MAX_TYPING_WAIT - waited)


class FrameSchedule:
    """Plans frames at regular times, although timers and paints are a little late.

    Each frame is planned from the planned time of the one before, so that delays don't add up.
    After a delay of more than one frame the plan starts again from now.
    """

    def __init__(self, now: float) -> None:
        self._last = self._due = now

    def left(self, now: float, interval: float) -> float:
        """Return the seconds to the next frame, `interval` after the last; 0 when it is due."""
        self._due = self._last + interval
        if now - self._due > interval:
            self._due = now
        return max(0.0, self._due - now)

    def tick(self) -> None:
        """Record that the due frame was drawn."""
        self._last = self._due
