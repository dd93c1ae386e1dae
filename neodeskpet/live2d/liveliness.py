"""What makes it seem alive when nothing is asked of it: idling, patience, sleep.

Pure: chance and time come from the caller. Times are seconds of one steady clock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from random import Random

from neodeskpet.live2d.poses import Pose, words

Motion = tuple[str, int]


class Idling:
    """Idle motions in varied order, with rests between them, never one twice in a row (unless
    there is but one).
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        self._bag: list[Motion] = []
        self._last: Motion | None = None
        self._rest_until = 0.0

    def restart(self, now: float) -> None:
        """Something else moved: be quiet for a moment first."""
        self._rest_until = max(self._rest_until, now + self._random.uniform(0.4, 1.6))

    def next(self, motions: Sequence[Motion], now: float) -> Motion | None:
        """The motion to start now, None to rest a little longer."""
        if not motions or now < self._rest_until:
            return None
        known = set(motions)
        self._bag = [motion for motion in self._bag if motion in known]
        if not self._bag:
            self._bag = list(motions)
            self._random.shuffle(self._bag)
            if len(self._bag) > 1 and self._bag[-1] == self._last:
                self._bag.insert(0, self._bag.pop())
        self._last = self._bag.pop()
        self._rest_until = now + self._random.uniform(0.2, 3.0)
        return self._last


class Patience:
    """How it takes being touched: gladly, shyly, and after many times less so."""

    COOL_DOWN = 0.7
    SULK = 6.0
    MANY = 5
    WINDOW = 7.0

    def __init__(self, random: Random) -> None:
        self._random = random
        self._touches: deque[float] = deque(maxlen=self.MANY)
        self._quiet_until = -1.0

    def touch(self, area: str, now: float) -> Pose | None:
        """The reaction to a touch of `area`; None while it is still busy with the last one."""
        if now < self._quiet_until:
            return None
        self._touches.append(now)
        many = len(self._touches) == self.MANY and now - self._touches[0] < self.WINDOW
        if many:
            self._touches.clear()
            self._quiet_until = now + self.SULK
            return Pose.ANNOYED
        self._quiet_until = now + self.COOL_DOWN
        if set(words(area)) & {"head", "face", "hair", "头", "脸"}:
            return self._random.choice((Pose.SHY, Pose.HAPPY, Pose.HAPPY))
        return self._random.choice((Pose.SURPRISED, Pose.HAPPY, Pose.SHY))


class Spirits:
    """Awake, sleepy, asleep: after a long silence, sooner at night."""

    SLEEPY = 300.0
    ASLEEP = 540.0
    NIGHT = 0.4
    """The share of those times that is enough at night."""

    def __init__(self, now: float) -> None:
        self._stirred = now

    def stir(self, now: float, hour: int) -> bool:
        """Something happened; tells whether that woke it."""
        woke = self.state(now, hour) is Pose.ASLEEP
        self._stirred = now
        return woke

    def state(self, now: float, hour: int) -> Pose:
        """IDLE, SLEEPY or ASLEEP; `hour` is the person's (0 to 23)."""
        silence = now - self._stirred
        if is_night(hour):
            silence /= self.NIGHT
        if silence >= self.ASLEEP:
            return Pose.ASLEEP
        return Pose.SLEEPY if silence >= self.SLEEPY else Pose.IDLE


def is_night(hour: int) -> bool:
    return hour >= 23 or hour < 6
