"""Now and then it shows what day it is: it shivers, yawns, stretches, watches a leaf.

Pure: chance and time come from the caller.
"""

from __future__ import annotations

from random import Random

from neodeskpet.live2d.life.almanac import DayContext, DayPart, Season
from neodeskpet.live2d.life.feats import ParameterPulse, Trick
from neodeskpet.live2d.poses import Pose

SHIVER = Trick(("shiver", "cold"), (ParameterPulse("ParamBodyAngleX", 0.12, 0.12, 12),))
SNIFF = Trick(
    ("sniff",),
    (ParameterPulse("ParamAngleY", 0.35, 0.5, 2), ParameterPulse("ParamEyeLOpen", -0.6, 1.0)),
)
STRETCH = Trick(
    ("stretch", "懒腰"),
    (
        ParameterPulse("ParamBodyAngleY", 0.9, 2.4),
        ParameterPulse("ParamAngleY", 0.8, 2.4),
        ParameterPulse("ParamBodyAngleX", 0.4, 2.0, after=0.2),
    ),
    Pose.HAPPY,
)
YAWN = Trick(
    ("yawn", "哈欠"),
    (
        ParameterPulse("ParamMouthOpenY", 0.9, 2.2),
        ParameterPulse("ParamEyeLOpen", -0.9, 2.2),
        ParameterPulse("ParamEyeROpen", -0.9, 2.2),
        ParameterPulse("ParamAngleY", 0.4, 2.2),
    ),
)
PANT = Trick(
    ("pant", "fan"),
    (ParameterPulse("ParamMouthOpenY", 0.35, 0.4, 6), ParameterPulse("ParamAngleY", -0.2, 2.4)),
)
WATCH_A_LEAF = Trick(
    (),
    (
        ParameterPulse("ParamAngleX", 0.6, 1.4),
        ParameterPulse("ParamAngleX", -0.6, 1.4, after=1.4),
        ParameterPulse("ParamAngleY", 0.5, 1.4),
        ParameterPulse("ParamAngleY", -0.6, 1.4, after=1.4),
    ),
)
REJOICE = Trick(("cheer", "dance", "happy", "joy", "跳舞", "开心"), pose=Pose.HAPPY)

_OF_PART = {DayPart.MORNING: STRETCH, DayPart.NIGHT: YAWN}
_OF_SEASON = {
    Season.SPRING: SNIFF,
    Season.SUMMER: PANT,
    Season.AUTUMN: WATCH_A_LEAF,
    Season.WINTER: SHIVER,
}


class SeasonalActs:
    """Now and then it shows what day it is. Times: seconds of a steady clock."""

    SELDOM = (900.0, 2400.0)
    """The pause between two of them; on a feast a third of it."""

    def __init__(self, random: Random, now: float) -> None:
        self._random = random
        self._next = now + random.uniform(*self.SELDOM) / 3

    def due(self, day: DayContext, now: float) -> Trick | None:
        """What to do now, if anything."""
        if now < self._next:
            return None
        pause = self._random.uniform(*self.SELDOM)
        self._next = now + (pause / 3 if day.holiday is not None else pause)
        season = _OF_SEASON[day.season] if day.season is not None else None
        joy = REJOICE if day.holiday is not None else None
        known = [feat for feat in (_OF_PART.get(day.part), season, joy) if feat is not None]
        return self._random.choice(known) if known else None
