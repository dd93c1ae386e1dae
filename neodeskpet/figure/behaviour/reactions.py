"""How the actor reacts by itself: to touches, to being carried, to silence, to the time of day.

No clock and no chance of its own; times are seconds of one steady clock, `hour` is the person's.
"""

from __future__ import annotations

from random import Random

from neodeskpet.figure.actor_interface import FigureActor
from neodeskpet.figure.behaviour.handling import HandlingEvent, Motion, TouchPatience
from neodeskpet.figure.behaviour.sleep import SleepState, WakeReaction
from neodeskpet.figure.files.model_description import ModelDescription
from neodeskpet.figure.poses import WALK_POSES, Pose, mood_shown, touch_group

_QUIET = frozenset({Pose.IDLE, Pose.SLEEPY, Pose.ASLEEP})

_UNDISTURBED = 90.0
"""Who has touched nothing for so many seconds wants nothing of it."""
_FOND = 0.5
_FELT = {
    HandlingEvent.HELD: Pose.SHY,
    HandlingEvent.SHAKEN: Pose.ANNOYED,
    HandlingEvent.THROWN: Pose.SURPRISED,
}
_FONDLY = {**_FELT, HandlingEvent.HELD: Pose.HAPPY, HandlingEvent.SHAKEN: Pose.SURPRISED}


class Reactions:
    def __init__(self, random: Random, now: float) -> None:
        self._random = random
        self._patience = TouchPatience(random)
        self._spirits = SleepState(now)
        self._last = Pose.IDLE
        self.fondness = 0.0
        """How fond it is of being petted, 0 to 1."""

    @property
    def asleep(self) -> bool:
        return self._last is Pose.ASLEEP

    def come_into_view(self, idle: float | None, now: float, hour: int) -> None:
        """It comes into sight. Where the person was meanwhile is nothing to it."""
        self._spirits.disturb(now, hour)
        self._spirits.update_presence(idle, now, hour)

    def update_presence(
        self, actor: FigureActor | None, idle: float | None, now: float, hour: int
    ) -> WakeReaction:
        """The person's last key or movement, anywhere, was `idle` seconds ago; None if nobody
        tells. Whether that is a return, on which it wakes heavily.
        """
        wake = self._spirits.update_presence(idle, now, hour)
        if actor is not None:
            actor.undisturbed = idle is None or idle >= _UNDISTURBED
        if wake is not WakeReaction.NONE:
            self._last = Pose.IDLE
            if actor is not None and actor.current_pose in _QUIET:
                actor.pose(Pose.GROGGY, now)
        return wake

    def disturb(self, actor: FigureActor | None, now: float, hour: int) -> None:
        """Something happened that it notices; asleep, it wakes with a start."""
        woke = self._spirits.disturb(now, hour)
        was, self._last = self._last, Pose.IDLE
        if actor is not None and was is not Pose.IDLE and actor.current_pose in _QUIET:
            actor.pose(Pose.WAKING if woke else Pose.IDLE, now)

    def touch(self, actor: FigureActor, area: str, now: float, hour: int) -> None:
        """The person touched `area` ("" when the model names none there)."""
        self.disturb(actor, now, hour)
        mood = self._patience.touch(area, now, self.fondness)
        if mood is None:
            return
        group = touch_group(area, actor.description.motions)
        motion = None
        if group is not None and mood is not Pose.ANNOYED:
            motion, mood = self._motion_for(mood, group, actor.description)
        face = actor.description.face_for(mood)
        if face is not None:
            actor.flash(face, now)
        if motion is not None:
            actor.play(*motion, now)
        else:
            actor.pose(mood, now)

    def _motion_for(
        self, mood: Pose, group: str, description: ModelDescription
    ) -> tuple[Motion, Pose]:
        """A motion of the group and the mood that its face is to show: they have to agree. One that
        shows `mood` comes before others; a motion that says nothing goes with any mood.
        """
        every = [(group, index) for index in range(description.motions[group])]
        shown = {motion: mood_shown(description.motion_words(motion)) for motion in every}
        fitting = [motion for motion in every if shown[motion] is mood]
        motion = self._random.choice(fitting or every)
        return motion, shown[motion] or mood

    def lift(self, actor: FigureActor, now: float, hour: int) -> None:
        """It is being dragged."""
        self.disturb(actor, now, hour)
        if actor.current_pose in _QUIET or actor.current_pose in (Pose.WAKING, Pose.GROGGY):
            actor.pose(Pose.DRAGGED, now)

    def put_down(self, actor: FigureActor, now: float) -> None:
        """It was let go."""
        if actor.current_pose is Pose.DRAGGED:
            actor.pose(Pose.IDLE, now)
        actor.land(now)

    def handle(self, actor: FigureActor, handled: HandlingEvent, now: float, hour: int) -> None:
        """It was held for long, shaken or thrown. Fond of the person, it takes that better."""
        self.disturb(actor, now, hour)
        if actor.current_pose in _QUIET or actor.current_pose in (
            Pose.DRAGGED,
            Pose.WAKING,
            Pose.GROGGY,
        ):
            glad = self.fondness >= _FOND
            felt = _FONDLY if glad else _FELT
            actor.pose(felt[handled], now)

    def tick(self, actor: FigureActor, now: float, hour: int) -> None:
        """Time passes: it grows sleepy, and falls asleep, while nothing else goes on."""
        if actor.current_pose in WALK_POSES:
            return  # of its own accord, which keeps nobody awake
        if actor.current_pose not in _QUIET:
            self._spirits.disturb(now, hour)
            self._last = Pose.IDLE
            return
        state = self._spirits.state(now, hour)
        if state is not self._last:
            self._last = state
            actor.pose(state, now)
