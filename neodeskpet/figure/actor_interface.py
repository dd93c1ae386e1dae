"""What moves a body, whatever it is made of: the actor of a Live2D model, or that of pictures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from random import Random
from typing import Protocol

from neodeskpet.figure.animation_script import AnimationScript, ParameterRange
from neodeskpet.figure.behaviour.gaze import Gaze
from neodeskpet.figure.behaviour.handling import Motion
from neodeskpet.figure.behaviour.seasons import DayContext
from neodeskpet.figure.files.model_description import ModelDescription
from neodeskpet.figure.poses import Pose, RestPose

HOP_SECONDS, _HOP_HEIGHT = 0.34, 0.022


def hop_height_after(passed: float) -> float:
    """How high it is, as a share of its height, so many seconds after a hop began."""
    share = passed / HOP_SECONDS
    return math.sin(math.pi * share) * _HOP_HEIGHT if 0.0 < share < 1.0 else 0.0


def motion_in(
    description: ModelDescription, group: str, index: int | None, random: Random
) -> Motion | None:
    """That motion of a group, one by chance without an index; None for one that isn't there."""
    count = description.motions.get(group, 0)
    if index is None and count:
        index = random.randrange(count)
    return (group, index) if index is not None and 0 <= index < count else None


class FigureActor(Protocol):
    """Times are seconds of one steady clock, given by the caller. Names that the body doesn't have
    do nothing. `quiet`: nothing by itself, only what it is told.
    """

    description: ModelDescription
    gaze: Gaze
    quiet: bool
    undisturbed: bool
    """Whether the person has touched nothing for a while: it may make itself comfortable."""
    day: DayContext
    """What it does by itself leans towards this."""

    @property
    def expression(self) -> str | None:
        """The expression it wears now; None for the plain face."""
        ...

    @property
    def current_pose(self) -> Pose: ...

    def parameters(self) -> Mapping[str, ParameterRange]: ...

    def redescribe(self, description: ModelDescription, now: float) -> None: ...

    def animate(self, script: AnimationScript, now: float) -> None: ...

    def express(self, name: str, now: float) -> None: ...

    def flash(self, name: str, now: float) -> None:
        """Wear this expression for a moment."""
        ...

    def play(self, group: str, index: int | None, now: float) -> None: ...

    def pose(self, pose: Pose, now: float) -> None: ...

    @property
    def rest(self) -> RestPose:
        """How it is now: as it was told to `settle`, if it has motions for that and shows nothing
        else.
        """
        ...

    def set_rest(self, rest: RestPose, now: float) -> None:
        """How it is from now on while nothing is asked of it. Who has no motion for peeking leans;
        it gets there by itself.
        """
        ...

    def has_motion_for(self, pose: Pose) -> bool:
        """Whether it has a motion of its own for this pose."""
        ...

    @property
    def walking(self) -> bool:
        """Whether a walk is what it shows now: it may be told something else meanwhile, and begins
        to walk when its feet are under it.
        """
        ...

    def look(self, x: float, y: float, now: float) -> None: ...

    def speak(self, level: float, now: float, vowel: str = "") -> None: ...

    def drag(self, speed: float, now: float) -> None:
        """It is dragged with so many pixels a second to the right."""
        ...

    def land(self, now: float) -> None: ...

    def did_lately(self, motion: Motion, now: float) -> bool:
        """Whether it did this so short ago that it would be a repetition."""
        ...

    @property
    def moves_asleep(self) -> bool:
        """Whether it moves in its sleep, which a few frames show."""
        ...

    @property
    def is_acting(self) -> bool:
        """Whether it does more than breathe, by itself: some frames more show it."""
        ...

    @property
    def pace(self) -> float:
        """Frames a second that show what it does by itself; infinite where that isn't known."""
        ...

    @property
    def is_lying(self) -> bool:
        """Whether it has made itself comfortable, since nobody wanted anything of it."""
        ...

    def moving(self, now: float) -> bool:
        """Whether frames have to come fast."""
        ...
