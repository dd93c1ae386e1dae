"""The interface of actors, which move a figure: the actor of a Live2D model and that of
pictures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from random import Random
from typing import Protocol

from neodeskpet.figure.animation_script import AnimationScript, ParameterRange
from neodeskpet.figure.behaviour.gaze import Gaze
from neodeskpet.figure.behaviour.handling import Motion
from neodeskpet.figure.behaviour.idling import Liveliness, UserActivity
from neodeskpet.figure.behaviour.seasons import DayContext
from neodeskpet.figure.files.model_description import ModelDescription
from neodeskpet.figure.poses import Pose, RestPose

HOP_SECONDS, _HOP_HEIGHT = 0.34, 0.022


def hop_height_after(passed: float) -> float:
    """Return how high the figure is, as a share of its height, this many seconds after the start of
    a hop.
    """
    share = passed / HOP_SECONDS
    return math.sin(math.pi * share) * _HOP_HEIGHT if 0.0 < share < 1.0 else 0.0


def motion_in(
    description: ModelDescription, group: str, index: int | None, random: Random
) -> Motion | None:
    """Return a motion of a group, a random one without an index; None if it doesn't exist."""
    count = description.motions.get(group, 0)
    if index is None and count:
        index = random.randrange(count)
    return (group, index) if index is not None and 0 <= index < count else None


class FigureActor(Protocol):
    """Moves a figure. Times are seconds of one monotonic clock, passed by the caller. Unknown names
    do nothing. `quiet`: no motions of its own, only requested ones. `still`: it neither
    breathes nor looks around.
    """

    description: ModelDescription
    gaze: Gaze
    quiet: bool
    still: bool
    activity: UserActivity
    """What the user does at the computer. Beside a working user the figure does little."""
    liveliness: Liveliness
    """How much it does by itself."""
    on_motion: Callable[[Motion], object]
    """Called with each motion that starts, for any reason."""
    is_crowded: bool
    """Whether a window of the app is beside the figure, which its signs must not cover."""
    day: DayContext
    """The day, which makes some idle motions more likely."""

    @property
    def expression(self) -> str | None:
        """The current expression; None for the neutral face."""
        ...

    @property
    def current_pose(self) -> Pose: ...

    def parameters(self) -> Mapping[str, ParameterRange]: ...

    def redescribe(self, description: ModelDescription, now: float) -> None: ...

    def animate(self, script: AnimationScript, now: float) -> None: ...

    def wear(self, part: str, now: float, *, fades: bool = True) -> None:
        """Wear this part, or nothing with an unknown name."""
        ...

    def express(self, name: str, now: float) -> None: ...

    def flash(self, name: str, now: float) -> None:
        """Show this expression for a moment."""
        ...

    def play(self, group: str, index: int | None, now: float) -> None: ...

    def pose(self, pose: Pose, now: float) -> None: ...

    @property
    def rest(self) -> RestPose:
        """The current rest pose, as set by `set_rest` if the figure has motions for it and shows
        nothing else.
        """
        ...

    def set_rest(self, rest: RestPose, now: float) -> None:
        """Set the pose while nothing is requested. A figure without a motion for peeking leans. The
        figure moves there by itself.
        """
        ...

    def has_motion_for(self, pose: Pose) -> bool:
        """Return whether the figure has a motion of its own for this pose."""
        ...

    @property
    def walking(self) -> bool:
        """Whether the current pose is a walk. The figure may be asked for another one meanwhile,
        and starts to walk when its feet are under it.
        """
        ...

    def look(self, x: float, y: float, now: float) -> None: ...

    def speak(self, level: float, now: float, vowel: str = "") -> None: ...

    def drag(self, speed: float, now: float) -> None:
        """Drag the figure to the right by this many pixels a second."""
        ...

    def land(self, now: float) -> None: ...

    def did_lately(self, motion: Motion, now: float) -> bool:
        """Return whether the figure did this so recently that it would be a repetition."""
        ...

    @property
    def moves_asleep(self) -> bool:
        """Whether it moves in its sleep; a few frames are enough for that."""
        ...

    @property
    def is_acting(self) -> bool:
        """Whether it does more than breathe, by itself; this takes some more frames."""
        ...

    @property
    def pace(self) -> float:
        """Frames a second that are needed for what it does by itself; infinite if unknown."""
        ...

    @property
    def is_lying(self) -> bool:
        """Whether it is lying down because nothing is requested."""
        ...

    def moving(self, now: float) -> bool:
        """Return whether a high frame rate is needed."""
        ...
