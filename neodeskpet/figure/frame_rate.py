"""How often a frame is drawn: often while something moves, seldom at rest, never when the figure is
hidden. Pure: the caller owns the clock and the timer. Times are seconds of a monotonic clock.
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
"""What moves much of the picture when it changes, without "Param". Breath, tail and hair are slow,
or follow; signs float on and on.
"""
_STEP = 0.08
"""From frame to frame, as a share of a parameter's range: at 340 pixels a head goes some five."""


def visible_parameters(parameters: Sequence[str]) -> list[str]:
    """Those of a model's `parameters` that move much of its picture."""
    own = {name.lower().replace("_", ""): name for name in parameters}
    found = (own.get(f"param{name}".lower()) for name in VISIBLE_PARAMETERS)
    return [name for name in found if name is not None]


class MotionSpeed:
    """`spans`: the range of each parameter that is looked at."""

    def __init__(self, spans: Mapping[str, float]) -> None:
        self._spans = {name: span for name, span in spans.items() if span > 0.0}
        self._before: dict[str, float] = {}
        self._speed = math.inf

    def update(self, value: Callable[[str], float], seconds: float) -> None:
        """A new frame, with the `value` of each parameter by its name."""
        values = {name: value(name) for name in self._spans}
        if self._before and seconds > 0.0:
            moved = (abs(values[n] - self._before[n]) / span for n, span in self._spans.items())
            self._speed = max(moved) / seconds
        self._before = values

    @property
    def pace(self) -> float:
        """Frames a second at which it goes a small step from each to the next; infinite before
        the second frame, and without such parameters.
        """
        return self._speed / _STEP


@dataclass(frozen=True, slots=True)
class FrameRates:
    """Frames a second."""

    active: float = 30.0
    idle: float = 12.0
    resting: float = 6.0
    acting: float = 12.0
    """While it does something by itself that is more than breathing."""
    still: float = 12.0
    """At the turn of a breath, when almost nothing moves; up to `idle`, as it moves."""

    def at_most(self, most: FrameRates) -> FrameRates:
        """These, none above `most`."""
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
"""Where the processor draws, and nobody asked for other rates."""
STREAMING_RATES = FrameRates(active=8.0, idle=3.0, resting=1.0, acting=4.0, still=2.0)
"""There, while a reply streams: what a frame costs is taken from the text."""
_PATIENCE = 0.1


class FrameRateLimiter:
    def __init__(self, rates: FrameRates = FULL_RATES) -> None:
        self.rates = rates
        self.calm = False
        """The processor draws: the usual rates become calmer. What somebody chose is kept."""
        self.shared = False
        """A reply streams: where the processor draws, it has other work too."""
        self.resting = False
        """The companion sleeps: slow breath is all there is to see."""
        self.acting = False
        """It does something by itself: more frames than breath, fewer than what was asked for."""
        self.pace = math.inf
        """Frames a second that show what it does by itself without a jerk."""
        self.hurrying = False
        """It goes across the desktop: there the processor's calmer rates would be seen to jerk."""
        self._seen = False
        self._awake_until = -math.inf

    @property
    def visible(self) -> bool:
        return self._seen

    def set_visible(self, seen: bool) -> None:
        """The window came into sight, or was hidden or covered."""
        self._seen = seen

    def wake(self, now: float, seconds: float) -> bool:
        """Something moves for `seconds`; tells whether frames have to come faster than before."""
        was_slow = now >= self._awake_until
        self._awake_until = max(self._awake_until, now + seconds)
        return was_slow and self._seen

    def fps(self, now: float) -> float:
        """Frames a second wanted at `now`; 0 when nobody sees them."""
        if not self._seen:
            return 0.0
        rates = self.rates
        if self.hurrying:
            return rates.active
        if self.calm and rates in (FULL_RATES, BATTERY_RATES):
            rates = rates.at_most(STREAMING_RATES if self.shared else SOFTWARE_RATES)
        if now < self._awake_until:
            return rates.active
        if self.resting:
            return rates.resting
        least, most = (rates.idle, rates.acting) if self.acting else (rates.still, rates.idle)
        return max(least, min(most, self.pace))

    def interval(self, now: float) -> float | None:
        """Seconds to the next frame; None: no timer at all."""
        fps = self.fps(now)
        return 1.0 / fps if fps > 0 else None


class ReplyPriority:
    """Lets a reply that is about to be shown go first: a frame takes the thread for some ms.

    So while a reply streams a frame always follows something of it that was shown, never another
    frame; unless that takes so long that the figure would seem to be frozen.
    """

    def __init__(self) -> None:
        self._asked: float | None = None

    def should_wait(self, now: float, others: bool) -> bool:
        """Whether the frame that is due waits a little, since `others` wait to be shown."""
        if self._asked is None:
            self._asked = now
        if others and now - self._asked < _PATIENCE:
            return True
        self._asked = None
        return False


class FrameSchedule:
    """When frames are due: on a beat that is kept, though timers and paints come a little late.

    Each frame is planned from the plan of the one before it, so that delays don't add up. What is
    late by more than a frame is not caught up with: the beat begins anew.
    """

    def __init__(self, now: float) -> None:
        self._last = self._due = now

    def left(self, now: float, interval: float) -> float:
        """Seconds to the next frame, `interval` after the last; 0 when it is due."""
        self._due = self._last + interval
        if now - self._due > interval:
            self._due = now
        return max(0.0, self._due - now)

    def tick(self) -> None:
        """The frame that was due is drawn."""
        self._last = self._due
