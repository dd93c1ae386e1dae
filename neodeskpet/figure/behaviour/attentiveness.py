"""Small reactions to the user: an ear turns to a click, a glance at the window in use, a slow blink
when the pointer rests on the face. They are few, so that they don't distract a working user. While
the user is away, the figure watches the window that they left open. Pure.
Times are seconds of a monotonic clock.
"""

from __future__ import annotations

import math
from collections import deque
from enum import Enum, auto
from random import Random

from neodeskpet.figure.behaviour.idling import LEAST_REPEAT_ALONE_SECONDS, Liveliness
from neodeskpet.figure.behaviour.tricks import ParameterPulse, Trick

_LEFT_EAR, _RIGHT_EAR = "ParamEarDroopR", "ParamEarDroopL"
"""The ears as the user sees them: the figure's right ear is on the left."""
DIRECTIONS = 16
_BLINK = 1.5
SLOW_BLINK = Trick(
    pulses=(
        ParameterPulse("ParamEyeLOpen", -1.0, _BLINK),
        ParameterPulse("ParamEyeROpen", -1.0, _BLINK),
        ParameterPulse("ParamEyeLSmile", 0.5, _BLINK),
        ParameterPulse("ParamEyeRSmile", 0.5, _BLINK),
        ParameterPulse("ParamMouthForm", 0.4, _BLINK + 0.5),
    )
)


def ear_turn(x: float) -> Trick:
    """Return the turn of the ear towards a point that is `x` pixels to the right of the face."""
    near, far = (_LEFT_EAR, _RIGHT_EAR) if x < 0.0 else (_RIGHT_EAR, _LEFT_EAR)
    return Trick(
        pulses=(
            ParameterPulse(near, -0.9, 0.7),
            ParameterPulse(far, -0.3, 0.5, after=0.1),
        )
    )


def glance_direction(x: float, y: float) -> tuple[float, float] | None:
    """Return the nearest of sixteen directions to a point (pixels from the face, y down) as a unit
    vector; None for a point on the face.
    """
    if math.hypot(x, y) < 1.0:
        return None
    step = math.tau / DIRECTIONS
    angle = round(math.atan2(y, x) / step) * step
    return math.cos(angle), math.sin(angle)


def glance_moves(direction: tuple[float, float]) -> Trick:
    """Return the movements of ears and tail that go with a glance in a direction (y down)."""
    x, y = direction
    near, far = (_LEFT_EAR, _RIGHT_EAR) if x < 0.0 else (_RIGHT_EAR, _LEFT_EAR)
    return Trick(
        pulses=(
            ParameterPulse(near, -0.5 - 0.3 * abs(x), 1.8),
            ParameterPulse(far, -0.4 * max(0.0, -y) - 0.1, 1.4, after=0.15),
            ParameterPulse("ParamTailWag", -0.6 if x < 0.0 else 0.6, 1.6),
            ParameterPulse("ParamBodyAngleX", 0.35 * x, 2.0),
        )
    )


class Attentiveness:
    """Decides which of the small reactions to show. A method that returns a reaction counts it.
    `liveliness` changes the seconds between two of them.
    """

    MOST, WITHIN = 6, 60.0
    """The largest number of reactions within these seconds, however lively the figure is."""
    CLICK_APART = 5.0
    LOOKED_AT = 3.0
    BLINK_APART = 20.0
    GLANCES_APART = (35.0, 90.0)

    def __init__(self, random: Random, now: float) -> None:
        self._random = random
        self.liveliness = Liveliness.NORMAL
        self._reactions: deque[float] = deque(maxlen=self.MOST)
        self._clicked_at = -math.inf
        self._rests: tuple[int, int] | None = None
        self._rests_since = now
        self._blinked_at = -math.inf
        self._glance_at = now + random.uniform(*self.GLANCES_APART)

    def click(self, x: float, now: float) -> Trick | None:
        """Return the reaction to a click `x` pixels to the right of the face, if any."""
        apart = self.CLICK_APART * self.liveliness.pause_factor
        if now - self._clicked_at < apart or not self._may_react(now):
            return None
        self._clicked_at = now
        self._reactions.append(now)
        return ear_turn(x)

    def point(self, pointer: tuple[int, int], now: float, *, on_face: bool) -> Trick | None:
        """Return the slow blink when the pointer has rested on the face for `LOOKED_AT` seconds."""
        if not on_face or pointer != self._rests:
            self._rests = pointer if on_face else None
            self._rests_since = now
            return None
        looked = now - self._rests_since >= self.LOOKED_AT
        apart = self.BLINK_APART * self.liveliness.pause_factor
        if not looked or now - self._blinked_at < apart or not self._may_react(now):
            return None
        self._blinked_at = self._rests_since = now
        self._reactions.append(now)
        return SLOW_BLINK

    def glance(self, x: float, y: float, now: float) -> tuple[float, float] | None:
        """Return the direction of a glance at the window in use (pixels from the face to its
        middle, y down) when one is due.
        """
        if now < self._glance_at:
            return None
        pause = self._random.uniform(*self.GLANCES_APART)
        self._glance_at = now + pause * self.liveliness.pause_factor
        direction = glance_direction(x, y)
        if direction is None or not self._may_react(now):
            return None
        self._reactions.append(now)
        return direction

    @property
    def next_glance(self) -> float:
        """The time of the next glance."""
        return self._glance_at

    def _may_react(self, now: float) -> bool:
        full = len(self._reactions) == self.MOST
        within = self.WITHIN * max(1.0, self.liveliness.pause_factor)
        return not full or now - self._reactions[0] >= within


class WatchTarget(Enum):
    WINDOW = auto()
    """The window that was used last."""
    POINTER = auto()
    """The place where the pointer was left."""


class WindowWatch:
    """Decides when the figure looks at the window that the user left open, while the user is away.
    It looks at the window, then at the pointer, then at the window again, at most once in ten
    minutes.
    """

    BEGINS = (20.0, 120.0)
    """Shortest and longest pause in seconds before it looks. The pause begins when the user leaves,
    or ten minutes after the last time if that is later.
    """
    LOOKS = ((WatchTarget.WINDOW, 9.0), (WatchTarget.POINTER, 3.0), (WatchTarget.WINDOW, 6.0))
    """Where it looks, and for how many seconds."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._due: float | None = None
        self._began = -math.inf

    def target(self, now: float, *, alone: bool) -> WatchTarget | None:
        """Return where to look now. `alone`: the user is away and the figure is free; otherwise the
        scene ends at once.
        """
        if not alone:
            self._due = None
            return None
        if self._due is None:
            pause = self._random.uniform(*self.BEGINS)
            self._due = max(now, self._began + LEAST_REPEAT_ALONE_SECONDS) + pause
        passed = now - self._due
        if passed < 0.0:
            return None
        self._began = self._due
        for target, seconds in self.LOOKS:
            if passed < seconds:
                return target
            passed -= seconds
        self._due = None
        return None
