"""How it takes a snack: gladly, very gladly when the last was long ago, and not at all when it is
full. Pure: times are unix seconds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from neodeskpet.live2d.life.feats import ParameterPulse, Trick
from neodeskpet.live2d.poses import Pose


class SnackReaction(Enum):
    LIKES = auto()
    LOVES = auto()
    FULL = auto()


@dataclass(slots=True)
class Appetite:
    """`eaten`: when it ate lately, oldest first."""

    eaten: Sequence[float] = ()

    MOST, WITHIN = 3, 1800.0
    HUNGRY = 4 * 3600.0

    def offer(self, now: float) -> SnackReaction:
        """It is given a snack, which it eats unless it is FULL."""
        lately = [at for at in self.eaten if 0.0 <= now - at < self.WITHIN]
        if len(lately) >= self.MOST:
            return SnackReaction.FULL
        last = max(self.eaten, default=-math.inf)
        self.eaten = (*lately, now)
        return SnackReaction.LOVES if now - last >= self.HUNGRY else SnackReaction.LIKES

    def write(self) -> str:
        return " ".join(f"{at:.0f}" for at in self.eaten)

    @classmethod
    def read(cls, text: str | None) -> Appetite:
        """As it was kept; what can't be read is an empty stomach."""
        try:
            eaten = sorted(float(part) for part in (text or "").split())
        except ValueError:
            return cls()
        return cls(tuple(eaten[-cls.MOST :])) if all(map(math.isfinite, eaten)) else cls()


BITES, BITE_SECONDS = 3, 0.6
EAT_TRICK = Trick(
    ("eat", "snack", "nom", "吃"),
    (
        ParameterPulse("ParamMouthOpenY", 0.7, BITE_SECONDS / 2, 2 * BITES),
        ParameterPulse("ParamAngleY", -0.15, BITE_SECONDS, BITES),
        ParameterPulse("ParamCheek", 0.8, BITES * BITE_SECONDS),
    ),
    Pose.HAPPY,
    ("smile", "happy", "joy", "微笑", "开心"),
)
LOVE_TRICK = Trick(
    ("happy", "cheer", "joy", "开心"), pose=Pose.HAPPY, face=("love", "joy", "excited", "smile")
)
REFUSE_TRICK = Trick(
    ("shake", "refuse", "摇头"),
    (ParameterPulse("ParamAngleX", 0.4, 0.5), ParameterPulse("ParamAngleX", -0.4, 0.5, after=0.5)),
    Pose.SHY,
)
