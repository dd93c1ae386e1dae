"""The actor: one loaded model, moved frame by frame. It has no window and no clock.

Priorities, highest first: a requested expression or motion (a tool, a touch), the pose of the turn,
idling. A requested expression outlasts the pose changes of its turn, and they don't interrupt a
requested motion; several requested motions play one after another. Every command also causes a
small hop, so that it is visible in the next frame even if the model fades slowly or already has
that expression.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from neodeskpet.figure.actor_interface import HOP_SECONDS, hop_height_after, motion_in
from neodeskpet.figure.animation_script import AnimationScript, ParameterRange, ScriptPlayer
from neodeskpet.figure.behaviour.beats import (
    BeatChooser,
    beats_of,
    bridge_between,
    find_bridges,
)
from neodeskpet.figure.behaviour.gaze import Gaze
from neodeskpet.figure.behaviour.handling import Motion
from neodeskpet.figure.behaviour.idling import (
    IdleChooser,
    IdleMotions,
    Liveliness,
    UserActivity,
    drowsy_motions,
    idle_motions,
    sleeping_motions,
)
from neodeskpet.figure.behaviour.seasons import DayContext
from neodeskpet.figure.behaviour.sleep import CHANNELS, SleepMovements
from neodeskpet.figure.behaviour.walking import Feet
from neodeskpet.figure.behaviour.wearing import FADE_SECONDS, WornParts, wearable_parts
from neodeskpet.figure.files.model_reader import ModelDescription
from neodeskpet.figure.frame_rate import MotionSpeed, visible_parameters
from neodeskpet.figure.lipsync import VOWELS, mouth_shape
from neodeskpet.figure.live2d.framing import ModelPlacement
from neodeskpet.figure.live2d.library import CubismModel
from neodeskpet.figure.live2d.model_upkeep import ParameterReset
from neodeskpet.figure.poses import (
    LEAN_DEGREES,
    POSE_CANDIDATES,
    REST_MOTIONS,
    TURN_POSES,
    WALK_POSES,
    Pose,
    RestPose,
    find_name,
    find_names,
    idle_group,
)

IDLE_PRIORITY, TOLD_PRIORITY = 1, 3
FACE_SECONDS = 20.0
"""How long a requested expression stays after the last change of the turn."""
FLASH_SECONDS = 3.0
BRIEF_SECONDS = 6.0
"""How long a brief pose (happy, sorry) stays."""
MOTION_SECONDS = 10.0
"""The longest time that a motion delays waiting ones (looping ones never end)."""
IDLE_SECONDS = 18.0
MOST_QUEUED_MOTIONS = 4
_QUICK = 0.6
_BEGINS = 0.5
"""Seconds after its start for which an act may hardly move yet."""
_SWAY_MOST = 6.0
SIDE_SIGNS = ("ParamWisp",)
"""Parameters of the signs that are shown beside the figure: the bundled figure's foxfire."""
_EYES = {3: ("ParamEyeLOpen", "ParamEyeROpen"), 2: ("PARAM_EYE_L_OPEN", "PARAM_EYE_R_OPEN")}
_LASTING = TURN_POSES - {Pose.SPEAKING} | {Pose.DRAGGED, Pose.FALLING}
"""Poses whose motions are shown as beats while they last, instead of idling. A question that has
only one motion shows it once: it may be a wave.
"""


@dataclass(slots=True)
class Spring:
    """A value that oscillates to its target: the body that hangs from the pointer."""

    value: float = 0.0
    speed: float = 0.0
    target: float = 0.0

    def advance(self, seconds: float) -> None:
        left = min(seconds, 0.1)
        while left > 1e-6:
            step = min(left, 0.01)
            self.speed += ((self.target - self.value) * 90.0 - self.speed * 7.0) * step
            self.value += self.speed * step
            left -= step

    @property
    def still(self) -> bool:
        return abs(self.value - self.target) < 0.03 and abs(self.speed) < 0.3


def approach(value: float, goal: float, seconds: float) -> float:
    """Return `value` after this time on its way to `goal`: fast at first, slow at the end."""
    value += (goal - value) * min(1.0, seconds * 6.0)
    return goal if abs(goal - value) < 0.05 else value


class ModelActor:
    """Moves a model, which is loaded and placed. Times are seconds of one monotonic clock, passed
    by the caller.
    """

    def __init__(
        self, model: CubismModel, description: ModelDescription, random: Random, now: float
    ) -> None:
        self.model = model
        self.description = description
        self.gaze = Gaze(random)
        self.quiet = False
        """No idle motions; the model blinks, breathes and follows commands."""
        self.day = DayContext()
        self.activity = UserActivity.PAUSING
        self.liveliness = Liveliness.NORMAL
        self.on_motion: Callable[[Motion], object] = lambda motion: None
        self.is_crowded = False
        self._rest = RestPose.STANDING
        self._rest_motions: list[Motion] = []
        self._leans = 0.0
        self.placing: ModelPlacement | None = None
        self._random = random
        self._idling = IdleChooser(random)
        self._beats = BeatChooser(random)
        self._bridges = find_bridges(description)
        self._sleep = SleepMovements(random)
        self._feet = Feet(model)
        self._leftovers = ParameterReset(model, description.drives, self._feet.parameters)
        self._idle = idle_motions(description)
        self._alone = self._idle
        self._pose_motions: list[Motion] = []
        self._pose = Pose.IDLE
        self._pose_since = now
        self._pose_until = math.inf
        self._told_face: str | None = None
        self._told_until = now
        self._worn: str | None = None
        self._queue: deque[Motion] = deque(maxlen=MOST_QUEUED_MOTIONS)
        self._motion_since = now
        self._motion_until = now
        self._beat_at = now
        self._told_since = -math.inf
        self._hop_since = -math.inf
        self._sway = Spring()
        self._level = 0.0
        self._vowel = ""
        self._shut = 0.0
        self._signs_hidden = 0.0
        self._moving_until = self._moved_at = now
        self._animation = ScriptPlayer()
        parameters = set(model.GetParamIds())
        self._mouth = [name for name in description.mouth if name in parameters]
        own = {vowel: f"Param{vowel}" for vowel in VOWELS if description.version == 3}
        self._vowels = {vowel: name for vowel, name in own.items() if name in parameters}
        self._side_signs = [name for name in SIDE_SIGNS if name in parameters]
        self._eyes = [name for name in _EYES[description.version] if name in parameters]
        self._lying = self._find_lying(parameters)
        self._worn_parts = WornParts(wearable_parts(sorted(parameters)))
        seen = visible_parameters(sorted(parameters))
        self._tempo = MotionSpeed(
            {n: model.GetParamMaxById(n) - model.GetParamMinById(n) for n in seen}
        )
        self._apply_expression(now)

    # Commands

    @property
    def expression(self) -> str | None:
        """The current expression; None for the model's neutral face."""
        return self._worn

    @property
    def current_pose(self) -> Pose:
        return self._pose

    def parameters(self) -> dict[str, ParameterRange]:
        """The parameters of the model, without those that move by themselves, if known."""
        model = self.model
        return dict(self.description.parameters) or {
            name: ParameterRange(
                model.GetParamMinById(name),
                model.GetParamMaxById(name),
                model.GetParamDefaultById(name),
            )
            for name in model.GetParamIds()
        }

    def redescribe(self, description: ModelDescription, now: float) -> None:
        """Use another description of the same model, with other names, moods and areas."""
        self.description = description
        self._leftovers = ParameterReset(self.model, description.drives, self._feet.parameters)
        self._idle = idle_motions(description)
        self._bridges = find_bridges(description)
        self._pose_motions = self._motions_of(self._pose)
        self._beats.begin(beats_of(description, self._pose_motions), now)
        self._rest_motions = self._motions_at(self._rest)
        self._alone = self._find_alone()
        self._queue.clear()
        self._told_face = self._worn = None
        self._apply_expression(now)

    def animate(self, script: AnimationScript, now: float) -> None:
        """Move parameters by a script, which replaces the previous script."""
        self._animation.start(script, now)
        self._move_for(0.1, now)

    def wear(self, part: str, now: float, *, fades: bool = True) -> None:
        """Wear this part, or nothing with an unknown name, fading unless `fades` is false."""
        self._worn_parts.wear(part)
        if not fades:
            self._worn_parts.advance(FADE_SECONDS)
        self._move_for(FADE_SECONDS + 0.2, now)

    def express(self, name: str, now: float) -> None:
        """Show this expression. Does nothing for an unknown name."""
        if name not in self.description.expressions:
            return
        self._told_face = name
        self._told_until = now + FACE_SECONDS
        self._apply_expression(now)
        self._hop(now)

    def flash(self, name: str, now: float) -> None:
        """Show this expression for a moment, after a touch."""
        self.express(name, now)
        self._told_until = now + FLASH_SECONDS

    def land(self, now: float) -> None:
        """Land after a drag."""
        self._sway.target = 0.0
        self._hop(now)

    def play(self, group: str, index: int | None, now: float) -> None:
        """Play a motion after the ones that were requested just before. Does nothing for an unknown
        motion.
        """
        motion = motion_in(self.description, group, index, self._random)
        if motion is None:
            return
        if self._queue or now - self._told_since < _QUICK:
            self._queue.append(motion)
        else:
            self._start(motion, now)
            self._told_since = now
        self._hop(now)

    def pose(self, pose: Pose, now: float) -> None:
        """Show a state of the turn."""
        if pose is self._pose and pose in TURN_POSES:
            return
        if pose is Pose.LISTENING:
            self._told_face = None
        elif pose in TURN_POSES or self._pose in TURN_POSES:
            self._told_until = max(self._told_until, now + FACE_SECONDS)
        if self._pose in WALK_POSES and pose is not self._pose:
            self._feet.gather()
        look = POSE_CANDIDATES[pose]
        bridge = bridge_between(self._bridges, self._pose, pose, now - self._pose_since)
        self._pose, self._pose_since = pose, now
        self._pose_until = now + BRIEF_SECONDS if look.brief else math.inf
        self.gaze.pose(pose)
        self._apply_expression(now)
        self._pose_motions = self._motions_of(pose)
        self._beats.begin(beats_of(self.description, self._pose_motions), now)
        self._alone = self._find_alone()
        if pose is Pose.ASLEEP:
            self._sleep.begin(now)
        if not self._requested_motion_runs(now):
            self._begin_pose(bridge, now)
        if look.brief and not self._pose_motions:
            self._hop(now)
        self._move_for(1.5, now)

    def _begin_pose(self, bridge: Motion | None, now: float) -> None:
        """Start the motion into the new pose, or the first one that shows it."""
        if bridge is not None:
            self._start(bridge, now)
        elif self._pose_motions and not self._waits_for_feet:
            self._start(self._choose_first(now), now)
            if self._shows_beats:
                self._motion_until = now + self._beat_seconds(now)
        elif self._waits_for_feet or self.rest is RestPose.STANDING or self._pose is Pose.ASLEEP:
            # The motion of the last pose is over: a calm one replaces it.
            self._motion_until = now

    @property
    def still(self) -> bool:
        """Whether it neither breathes, which also sways head and body, nor looks around."""
        return self.gaze.still

    @still.setter
    def still(self, on: bool) -> None:
        self.gaze.still = on
        self.model.SetAutoBreath(not on)

    @property
    def rest(self) -> RestPose:
        """The current rest pose, as set by `set_rest` if the model has motions for it and shows
        nothing else.
        """
        return self._rest if self._idling.running in self._rest_motions else RestPose.STANDING

    def set_rest(self, rest: RestPose, now: float) -> None:
        """Set the pose while nothing is requested."""
        if rest is self._rest:
            return
        self._rest, self._rest_motions = rest, self._motions_at(rest)
        breath = self._alone.breath
        self._alone = self._find_alone()
        self._move_for(1.0, now)
        idle = self._pose is not Pose.ASLEEP and not (self._pose_motions or self.quiet)
        if (
            idle
            and self._alone.breath not in (None, breath)
            and not self._requested_motion_runs(now)
        ):
            self._start(self._alone.breath, now)

    def has_motion_for(self, pose: Pose) -> bool:
        """Return whether the model has a motion of its own for this pose."""
        return bool(self._motions_of(pose))

    @property
    def walking(self) -> bool:
        """Whether the current motion is a walk."""
        return self._pose in WALK_POSES and self._idling.running in self._pose_motions

    @property
    def _waits_for_feet(self) -> bool:
        """Return whether a walk starts as soon as the feet are under the figure."""
        return self._pose in WALK_POSES and self._feet.stepping

    def look(self, x: float, y: float, now: float) -> None:
        """Look in a direction (see `gaze`) for a while."""
        self.gaze.command(x, y, now)
        self._move_for(1.0, now)

    def speak(self, level: float, now: float, vowel: str = "") -> None:
        """Open the mouth: 0..1, in the shape of `vowel` (one of "AIUEO") if the model has that."""
        level = min(1.0, max(0.0, level))
        if level > 0.0 or self._level > 0.0:
            self._move_for(0.4, now)
        self._level = level
        self._vowel = vowel

    def drag(self, speed: float, now: float) -> None:
        """Drag the model with `speed` pixels a second to the right: the body swings behind."""
        self._sway.target = max(-_SWAY_MOST, min(_SWAY_MOST, -speed / 120.0))
        self._move_for(1.0, now)

    def did_lately(self, motion: Motion, now: float) -> bool:
        """Return whether the model did this so recently that it would be a repetition."""
        return self._idling.did_lately(motion, now)

    @property
    def moves_asleep(self) -> bool:
        """Whether it moves in its sleep; a few frames are enough for that."""
        return self._pose is Pose.ASLEEP and self._sleep.doing is not None and not self.quiet

    @property
    def is_acting(self) -> bool:
        """Whether it does more than breathe, by itself; this takes some more frames. A peeking
        figure hides and appears repeatedly.
        """
        calm = (None, self._idle.breath if self._peeks else self._alone.breath)
        if self._pose is Pose.ASLEEP or self._idling.running in calm:
            return False
        return not self.model.IsMotionFinished()

    @property
    def _peeks(self) -> bool:
        return self._rest not in (RestPose.STANDING, RestPose.SITTING)

    @property
    def pace(self) -> float:
        """Frames a second that are needed for what it does by itself; infinite if unknown, and at
        the start of an act.
        """
        begins = self._moved_at - self._motion_since < _BEGINS and self.is_acting
        return math.inf if begins else self._tempo.pace

    @property
    def is_lying(self) -> bool:
        """Whether it is lying down because nothing is requested."""
        running = self._idling.running
        lies = any(act.lies and act.motion == running for act in self._alone.acts)
        return lies and not self.model.IsMotionFinished()

    def moving(self, now: float) -> bool:
        """Return whether a high frame rate is needed."""
        return (
            now < self._moving_until
            or bool(self._queue)
            or not self._sway.still
            or self._leans != self._lean_now
            or self._feet.stepping
            or self._animation.running(now)
            or now - self._hop_since < HOP_SECONDS
        )

    # Frames

    def advance(self, now: float, seconds: float) -> None:
        """Advance everything by `seconds` to `now`. The model's Draw must follow."""
        if now >= self._pose_until:
            self.pose(Pose.IDLE, now)
        if self._told_face is not None and now >= self._told_until:
            self._told_face = None
            self._apply_expression(now)
        self._choose_motion(now)
        self._turn_to(*self.gaze.target(now))
        self._leftovers.advance(now)
        self._feet.advance(seconds)
        self.model.Update(seconds)
        self._feet.hold()
        self._move_mouth()
        self._move_lids(seconds)
        self._lie(now)
        self._hide_side_signs(seconds)
        for name, shown in self._worn_parts.advance(seconds).items():
            self.model.SetParamById(name, shown)
        for name, held in self._animation.held(now).items():
            self.model.SetParamById(name, held.value, held.weight)
        self._move_body(now, seconds)
        self._tempo.update(self.model.GetParamValueById, seconds)
        self._moved_at = now

    def _choose_motion(self, now: float) -> None:
        finished = self.model.IsMotionFinished()
        if self._waits_for_feet or (not finished and now < self._motion_until):
            return
        if self._queue:
            self._start(self._queue.popleft(), now)
            self._told_since = now
            return
        if self._pose in WALK_POSES and self._pose_motions:
            if finished or not self.walking:
                self._start(self._choose_first(now), now)  # step after step
            return
        if self._shows_beats:
            self._show_next_beat(now, finished=finished)
            return
        self._idling.liveliness = self.liveliness
        motion = self._idling.next(self._by_itself(), now, self.day, activity=self.activity)
        if motion is None:
            if not finished:
                # Its values stay and are eased back.
                self.model.StopAllMotions()
            self._leftovers.end(now)
            self._feet.gather()
        else:
            seconds = self._alone.lasting(motion) or IDLE_SECONDS
            self._go_on_with(motion, now, seconds, finished=finished)

    @property
    def _shows_beats(self) -> bool:
        """Return whether the pose lasts and has motions that are shown one after another."""
        least = 2 if self._pose is Pose.ASKING else 1
        return self._pose in _LASTING and len(self._pose_motions) >= least

    def _show_next_beat(self, now: float, *, finished: bool) -> None:
        """Show the next beat of a lasting pose, after a short pause if the last one has ended."""
        if finished and self._idling.running is not None:
            self._idling.end(now)
            self._beat_at = now + self._beats.pause()
        if finished and now < self._beat_at:
            return
        motion = self._beats.next(now)
        if motion is not None:
            self._go_on_with(motion, now, self._beat_seconds(now), finished=finished)

    def _beat_seconds(self, now: float) -> float:
        return min(self._beats.seconds_to_later_beat(now), IDLE_SECONDS)

    def _go_on_with(self, motion: Motion, now: float, seconds: float, *, finished: bool) -> None:
        """Start a motion by itself, for `seconds` at most."""
        self._take_over(motion, now)
        priority = IDLE_PRIORITY if finished else TOLD_PRIORITY
        self.model.StartMotion(*self.description.own_motion(motion), priority)
        self._motion_since = now
        self._motion_until = now + seconds

    def _by_itself(self) -> IdleMotions:
        """Return the idle motions of the current state."""
        if not self.quiet:
            return self._alone
        return IdleMotions(self._alone.breath) if self._pose is Pose.ASLEEP else IdleMotions()

    def _start(self, motion: Motion, now: float) -> None:
        self._take_over(motion, now)
        self.model.StartMotion(*self.description.own_motion(motion), TOLD_PRIORITY)
        self._motion_since = now
        self._motion_until = now + MOTION_SECONDS
        self._idling.restart(now)
        self._move_for(4.0, now)

    def _take_over(self, motion: Motion, now: float) -> None:
        """Prepare for `motion` to replace the previous one."""
        self.on_motion(motion)
        self._idling.note(motion, now)
        self._leftovers.begin(motion, now)
        if not self.walking:
            self._feet.gather()

    def _requested_motion_runs(self, now: float) -> bool:
        """Return whether a requested motion runs or waits: a pose doesn't interrupt it."""
        is_newer = self._told_since >= self._motion_since and now < self._motion_until
        return bool(self._queue) or (is_newer and not self.model.IsMotionFinished())

    def _turn_to(self, x: float, y: float) -> None:
        if self.placing is None:
            return
        width, height = self.placing.width, self.placing.height
        # As in the library: one unit is half of the longer side in pixels.
        unit = max(width, height) / 2
        self.model.Drag(width / 2 + x * unit, height / 2 - y * unit)

    def _move_mouth(self) -> None:
        # After Update, which writes the motion's value.
        if self._level > 0.0 or self._pose is Pose.SPEAKING:
            shape = mouth_shape(self._level, self._vowel, self._mouth, self._vowels)
            for name, value in shape.items():
                self.model.SetParamById(name, value)

    def _move_lids(self, seconds: float) -> None:
        goal = {Pose.ASLEEP: 1.0, Pose.SLEEPY: 0.35}.get(self._pose, 0.0)
        self._shut += (goal - self._shut) * min(1.0, seconds * 2.5)
        if self._shut < 0.01:
            return
        for name in self._eyes:
            self.model.SetParamById(name, self.model.GetParamValueById(name) * (1.0 - self._shut))

    def _hide_side_signs(self, seconds: float) -> None:
        """Hide the signs beside the figure while a window of the app is there."""
        goal = 1.0 if self.is_crowded else 0.0
        self._signs_hidden += (goal - self._signs_hidden) * min(1.0, seconds * 8.0)
        if self._signs_hidden < 0.01:
            return
        for name in self._side_signs:
            value = self.model.GetParamValueById(name)
            self.model.SetParamById(name, value * (1.0 - self._signs_hidden))

    def _lie(self, now: float) -> None:
        """Add the movements of sleep to those of the motion; they fade when the eyes open."""
        if self._pose is Pose.ASLEEP and not self.quiet:
            self._sleep.advance(now)
        if self._shut < 0.01 or self.quiet:
            return
        for name, value in self._sleep.values(now).items():
            own, half = self._lying.get(name, ("", 0.0))
            if own:
                self.model.AddParamById(own, value * half * self._shut)

    def _move_body(self, now: float, seconds: float) -> None:
        if self.placing is None:
            return
        self._sway.advance(seconds)
        self._sway.target *= 0.8
        self._leans = approach(self._leans, self._lean_now, seconds)
        sway = 0.0 if self._sway.still else self._sway.value
        self.model.Rotate(sway - self._leans)
        hop = hop_height_after(now - self._hop_since + seconds)
        placing = self.placing
        self.model.SetOffset(placing.x, placing.y + hop * placing.step)

    @property
    def _lean_now(self) -> float:
        """Return the angle to lean. A sleeping figure or one with a motion for it doesn't lean."""
        shown = self._pose is Pose.ASLEEP or self.rest is self._rest
        return 0.0 if shown else LEAN_DEGREES.get(self._rest, 0.0)

    def _apply_expression(self, now: float) -> None:
        """Show the current expression."""
        face = self._told_face if self._told_face is not None and now < self._told_until else None
        if face is None:
            face = self.description.face_for(self._pose)
        if face is None:
            face = self.description.face_for(Pose.IDLE)
        if face == self._worn:
            return
        if face is None:
            self.model.ResetExpression()
        else:
            self.model.SetExpression(self.description.own_expression(face))
        self._worn = face
        self._move_for(1.5, now)

    def _hop(self, now: float) -> None:
        self._hop_since = now
        self._move_for(HOP_SECONDS + 0.2, now)

    def _move_for(self, seconds: float, now: float) -> None:
        self._moving_until = max(self._moving_until, now + seconds)

    def _motions_of(self, pose: Pose) -> list[Motion]:
        """Return the motions that show a pose: the user's choice, else by their names. A brief pose
        uses any matching motion, a lasting one the best.
        """
        chosen = self.description.moods.motions.get(pose)
        if chosen:
            return list(chosen)
        look = POSE_CANDIDATES[pose]
        groups = [
            group
            for group in find_names(look.motions, self.description.motions)
            if group != idle_group(self.description.motions)
        ]
        counts = self.description.motions
        return [
            (group, index)
            for group in (groups[:2] if look.brief else groups[:1])
            for index in range(counts[group])
        ]

    def _choose_first(self, now: float) -> Motion:
        """Return the first motion of a pose."""
        breath = self._alone.breath
        if self._pose is Pose.ASLEEP and breath is not None:
            return breath
        if self._shows_beats and (beat := self._beats.next(now)) is not None:
            return beat
        return self._random.choice(self._pose_motions)

    def _find_alone(self) -> IdleMotions:
        """Return the idle motions of this pose."""
        if self._pose is Pose.ASLEEP:
            return sleeping_motions(self.description, self._pose_motions)
        if self._pose is Pose.SLEEPY:
            return drowsy_motions(self.description, self._pose_motions)
        return IdleMotions(self._rest_motions[0]) if self._rest_motions else self._idle

    def _motions_at(self, rest: RestPose) -> list[Motion]:
        """Return the motions that show a rest pose."""
        counts = self.description.motions
        group = find_name(REST_MOTIONS[rest], counts)
        return [] if group is None else [(group, index) for index in range(counts[group])]

    def _find_lying(self, parameters: set[str]) -> dict[str, tuple[str, float]]:
        """Return the model's name of each channel of sleep that it has, and half of its range."""
        found = {}
        for name in CHANNELS:
            own = name if self.description.version == 3 else _cubism2_name(name)
            if own in parameters:
                span = self.model.GetParamMaxById(own) - self.model.GetParamMinById(own)
                found[name] = (own, span / 2)
        return found


def _cubism2_name(name: str) -> str:
    """Return the Cubism 2 name of a standard parameter: PARAM_ANGLE_X."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper()
