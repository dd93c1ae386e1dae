"""Decides where the companion looks: at the pointer while it moves, otherwise around at random.

Directions are (x, y) with -1..1 each, x to the viewer's right, y up; (0, 0) is straight ahead.
Times are seconds of one monotonic clock, passed by the caller.
"""

from __future__ import annotations

import math
from random import Random

from neodeskpet.figure.poses import WALK_POSES, Pose

GAZE_REACH = 420.0
"""Pixels between the face and a point at which the head turns to three quarters of its range."""
ATTENTION_SECONDS = 5.0
"""Seconds for which the figure looks at a pointer that has stopped."""
COMMANDED_SECONDS = 4.0
"""Seconds for which the figure looks at a requested point."""

_SHORTEST, _LONGEST = 1.2, 4.5
_HABITS: dict[Pose, tuple[float, float]] = {
    Pose.THINKING: (-0.2, 0.45),
    Pose.WORKING: (0.3, -0.55),
    Pose.SORRY: (0.0, -0.45),
    Pose.SLEEPY: (0.0, -0.35),
    Pose.ASLEEP: (0.0, -0.5),
    Pose.ASKING: (0.0, 0.05),
    Pose.WALKING_LEFT: (-0.6, 0.0),
    Pose.WALKING_RIGHT: (0.6, 0.0),
}
_FIXED = WALK_POSES | {Pose.THINKING, Pose.WORKING, Pose.SORRY, Pose.SLEEPY, Pose.ASLEEP}


def gaze_direction(from_x: float, from_y: float, to_x: float, to_y: float) -> tuple[float, float]:
    """Return the direction from the face to a point, both in screen pixels (y down); it saturates
    softly.
    """
    dx, dy = to_x - from_x, from_y - to_y
    distance = math.hypot(dx, dy)
    if distance < 1.0:
        return 0.0, 0.0
    turned = math.tanh(distance / GAZE_REACH)
    return dx / distance * turned, dy / distance * turned


class Gaze:
    def __init__(self, random: Random) -> None:
        self.still = False
        """Whether it doesn't look around by itself."""
        self._random = random
        self._pose = Pose.IDLE
        self._pointer: tuple[float, float] | None = None
        self._pointer_moved = -math.inf
        self._commanded: tuple[float, float] | None = None
        self._commanded_until = -math.inf
        self._glance = (0.0, 0.0)
        self._glance_until = -math.inf

    def pose(self, pose: Pose) -> None:
        self._pose = pose
        self._glance_until = -math.inf

    def point(self, x: float, y: float, now: float) -> bool:
        """Set the direction of the pointer; return whether it has moved."""
        last = self._pointer
        moved = last is None or math.hypot(x - last[0], y - last[1]) > 0.004
        if moved:
            self._pointer = (x, y)
            if last is not None:
                self._pointer_moved = now
        return moved and last is not None

    def command(self, x: float, y: float, now: float) -> None:
        """Look in this direction for a while, with priority over everything else."""
        self._commanded = (x, y)
        self._commanded_until = now + COMMANDED_SECONDS

    def target(self, now: float) -> tuple[float, float]:
        """Return where to look at `now`."""
        if self._commanded is not None and now < self._commanded_until:
            return self._commanded
        if (
            self._pose not in _FIXED
            and self._pointer
            and now - self._pointer_moved < ATTENTION_SECONDS
        ):
            return self._pointer
        return self._wander(now)

    def _wander(self, now: float) -> tuple[float, float]:
        if now >= self._glance_until:
            self._glance_until = now + self._random.uniform(_SHORTEST, _LONGEST)
            x, y = _HABITS.get(self._pose, (0.0, 0.0))
            looks_around = not self.still and self._pose is not Pose.ASLEEP
            if looks_around and self._random.random() < 0.6:
                x += self._random.gauss(0.0, 0.22)
                y += self._random.gauss(0.0, 0.12)
            self._glance = (max(-1.0, min(1.0, x)), max(-1.0, min(1.0, y)))
        return self._glance
