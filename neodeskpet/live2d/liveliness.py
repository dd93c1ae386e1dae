"""What makes it seem alive when nothing is asked of it: patience, and when its night is.

Pure: chance and time come from the caller. Times are seconds of one steady clock.
"""

from __future__ import annotations

from collections import deque
from random import Random

from neodeskpet.live2d.poses import Pose, name_words

Motion = tuple[str, int]


class TouchPatience:
    """How it takes being touched: gladly, shyly, and after many times less so."""

    COOL_DOWN = 0.7
    SULK = 6.0
    JOY, MANY, MORE = 3, 5, 3
    WINDOW = 7.0

    def __init__(self, random: Random) -> None:
        self._random = random
        self._touches: deque[float] = deque(maxlen=self.MANY + self.MORE)
        self._quiet_until = -1.0

    def touch(self, area: str, now: float, fondness: float = 0.0) -> Pose | None:
        """The reaction to a touch of `area`; None while it is still busy with the last one. Pats
        add up to joy before they are too many, which with `fondness` (0 to 1) they are later.
        """
        if now < self._quiet_until:
            return None
        self._touches.append(now)
        recent = sum(now - at < self.WINDOW for at in self._touches)
        if recent >= self.MANY + round(self.MORE * fondness):
            self._touches.clear()
            self._quiet_until = now + self.SULK
            return Pose.ANNOYED
        self._quiet_until = now + self.COOL_DOWN
        if recent >= self.JOY:
            return Pose.HAPPY
        if set(name_words(area)) & {"head", "face", "hair", "头", "脸"}:
            return self._random.choice((Pose.SHY, Pose.HAPPY, Pose.HAPPY))
        return self._random.choice((Pose.SURPRISED, Pose.HAPPY, Pose.SHY))


def is_night(hour: int) -> bool:
    return hour >= 23 or hour < 6
