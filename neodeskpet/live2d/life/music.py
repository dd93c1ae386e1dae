"""While music plays it nods and sways, and now and then it dances.

Pure: chance and time come from the caller. Times are seconds of one steady clock.
"""

from __future__ import annotations

from random import Random

from neodeskpet.live2d.life.feats import ParameterPulse, Trick
from neodeskpet.live2d.poses import Pose

_BEAT = 0.6
NOD_TRICK = Trick(
    ("bob", "groove"),
    (
        ParameterPulse("ParamAngleY", -0.35, _BEAT, 8),
        ParameterPulse("ParamBodyAngleY", -0.3, _BEAT, 8),
    ),
)
SWAY_TRICK = Trick(
    ("sway",),
    tuple(
        ParameterPulse(name, side * share, 2 * _BEAT, after=turn * 2 * _BEAT)
        for name, share in (("ParamAngleZ", 0.45), ("ParamBodyAngleZ", 0.5))
        for turn, side in enumerate((1, -1, 1, -1))
    ),
)
DANCE_TRICK = Trick(("dance", "跳舞"), SWAY_TRICK.pulses, Pose.HAPPY, ("joy", "smile", "happy"))


class Dancing:
    """`hear` what plays, and `due` says what to do."""

    BEGINS = (1.5, 4.0)
    PAUSE = (6.0, 14.0)
    """From the beginning of one feat to the next; none is longer than five seconds."""
    DANCE_APART = (120.0, 300.0)

    def __init__(self, random: Random) -> None:
        self._random = random
        self._playing = False
        self._next = 0.0
        self._dance_at = 0.0

    @property
    def playing(self) -> bool:
        return self._playing

    def set_playing(self, playing: bool, now: float) -> None:
        """Music begins or ends."""
        if playing and not self._playing:
            self._next = now + self._random.uniform(*self.BEGINS)
            self._dance_at = max(self._dance_at, now + self._random.uniform(20.0, 60.0))
        self._playing = playing

    def due(self, now: float) -> Trick | None:
        """What to do now, if anything."""
        if not self._playing or now < self._next:
            return None
        self._next = now + self._random.uniform(*self.PAUSE)
        if now >= self._dance_at:
            self._dance_at = now + self._random.uniform(*self.DANCE_APART)
            return DANCE_TRICK
        return self._random.choice((NOD_TRICK, SWAY_TRICK))
