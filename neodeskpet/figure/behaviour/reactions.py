"""How the actor reacts by itself: to touches, dragging, the user's absence and the time of day.

Pure: randomness is passed in. Times are seconds of one monotonic clock; `hour` is the user's local
time.
"""

from __future__ import annotations

from random import Random

from neodeskpet.figure.actor_interface import FigureActor
from neodeskpet.figure.behaviour.handling import (
    HandlingEvent,
    Motion,
    StrokeEvent,
    TouchPatience,
)
from neodeskpet.figure.behaviour.idling import activity_after
from neodeskpet.figure.behaviour.sleep import SleepState, WakeReaction
from neodeskpet.figure.files.model_description import ModelDescription
from neodeskpet.figure.poses import (
    DIZZY_NAMES,
    PURR_MOTIONS,
    WALK_POSES,
    Pose,
    find_name,
    mood_shown,
    touch_group,
)

_QUIET = frozenset({Pose.IDLE, Pose.SLEEPY, Pose.ASLEEP})

_STROKED = frozenset({Pose.IDLE, Pose.SLEEPY, Pose.GROGGY, Pose.HAPPY, Pose.SHY, Pose.SURPRISED})
"""Poses in which the figure enjoys strokes."""
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
        self._sleep_state = SleepState(now)
        self._last = Pose.IDLE
        self.fondness = 0.0
        """The fondness, 0 to 1."""

    @property
    def asleep(self) -> bool:
        return self._last is Pose.ASLEEP

    def come_into_view(self, idle: float | None, now: float, hour: int) -> None:
        """Reset the presence when the figure becomes visible; the time before doesn't count."""
        self._sleep_state.disturb(now, hour)
        self._sleep_state.update_presence(idle, now, hour)

    def update_presence(
        self, actor: FigureActor | None, idle: float | None, now: float, hour: int
    ) -> WakeReaction:
        """Update the user's presence: the last input on the computer was `idle` seconds ago; None
        if unknown. Return whether this is a return, at which the figure wakes slowly.
        """
        wake = self._sleep_state.update_presence(idle, now, hour)
        if actor is not None:
            actor.activity = activity_after(idle)
        if wake is not WakeReaction.NONE:
            self._last = Pose.IDLE
            if actor is not None and actor.current_pose in _QUIET:
                actor.pose(Pose.GROGGY, now)
        return wake

    def disturb(self, actor: FigureActor | None, now: float, hour: int) -> None:
        """Notice an event; a sleeping figure wakes with a start."""
        woke = self._sleep_state.disturb(now, hour)
        was, self._last = self._last, Pose.IDLE
        if actor is not None and was is not Pose.IDLE and actor.current_pose in _QUIET:
            actor.pose(Pose.WAKING if woke else Pose.IDLE, now)

    def touch(self, actor: FigureActor, area: str, now: float, hour: int) -> None:
        """React to a touch of `area` ("" if the model names none there). A touch that wakes the
        figure has no other effect.
        """
        slept = self.asleep
        self.disturb(actor, now, hour)
        if slept:
            return
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
        """Return a motion of the group that agrees with the mood of the face. A motion that shows
        `mood` comes before others; one without a mood fits any.
        """
        every = [(group, index) for index in range(description.motions[group])]
        shown = {motion: mood_shown(description.motion_words(motion)) for motion in every}
        fitting = [motion for motion in every if shown[motion] is mood]
        motion = self._random.choice(fitting or every)
        return motion, shown[motion] or mood

    def enjoys_strokes(self, actor: FigureActor) -> bool:
        """Return whether the figure would feel strokes: it is awake and has no task."""
        return not self.asleep and actor.current_pose in _STROKED

    def stroke(self, actor: FigureActor, event: StrokeEvent, now: float, hour: int) -> bool:
        """React to strokes over the head; return whether the figure enjoys them now. They neither
        wake it nor interrupt a task.
        """
        if not self.enjoys_strokes(actor):
            return False
        self.disturb(actor, now, hour)
        motions = actor.description.motions
        purrs = find_name(PURR_MOTIONS, motions)
        group = purrs or touch_group("Head", motions)
        face = actor.description.face_for(Pose.HAPPY)
        if purrs is None and face is not None:
            actor.flash(face, now)
        if group is not None:
            last = motions[group] - 1
            actor.play(group, 0 if event is StrokeEvent.BEGUN else min(1, last), now)
        elif event is StrokeEvent.BEGUN:
            actor.pose(Pose.HAPPY, now)
        return True

    def shake(self, actor: FigureActor, now: float) -> None:
        """Show that the figure is being shaken."""
        face = find_name(DIZZY_NAMES, actor.description.expressions)
        face = face or actor.description.face_for(Pose.ANNOYED)
        if face is not None:
            actor.flash(face, now)

    def lift(self, actor: FigureActor, now: float, hour: int) -> None:
        """React to the start of a drag."""
        self.disturb(actor, now, hour)
        if actor.current_pose in _QUIET or actor.current_pose in (Pose.WAKING, Pose.GROGGY):
            actor.pose(Pose.DRAGGED, now)

    def put_down(self, actor: FigureActor, now: float) -> None:
        """React to the end of a drag."""
        if actor.current_pose is Pose.DRAGGED:
            actor.pose(Pose.IDLE, now)
        actor.land(now)

    def handle(self, actor: FigureActor, handled: HandlingEvent, now: float, hour: int) -> None:
        """React to a long hold, a shake or a throw; with fondness the reaction is friendlier."""
        self.disturb(actor, now, hour)
        if actor.current_pose in _QUIET or actor.current_pose in (
            Pose.DRAGGED,
            Pose.WAKING,
            Pose.GROGGY,
        ):
            staggers = find_name(DIZZY_NAMES, actor.description.motions)
            if handled is HandlingEvent.SHAKEN and staggers is not None:
                self.shake(actor, now)
                actor.play(staggers, None, now)
                return
            glad = self.fondness >= _FOND
            felt = _FONDLY if glad else _FELT
            actor.pose(felt[handled], now)

    def tick(self, actor: FigureActor, now: float, hour: int) -> None:
        """Update the state: without other activity the figure becomes sleepy and falls asleep."""
        if actor.current_pose in WALK_POSES:
            return  # started by the figure itself, so it may fall asleep
        if actor.current_pose not in _QUIET:
            self._sleep_state.disturb(now, hour)
            self._last = Pose.IDLE
            return
        state = self._sleep_state.state(now, hour)
        if state is not self._last:
            self._last = state
            actor.pose(state, now)
