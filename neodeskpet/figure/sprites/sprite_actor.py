"""The actor of a sprite figure (a figure made of pictures): which frame is shown, and its position.

As with a model (`figure/live2d/model_actor.py`), a requested expression or animation has priority
over the pose of the turn, and that over idling; every command causes a small hop. The actor has no
window and no clock.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from neodeskpet.figure.actor_interface import HOP_SECONDS, hop_height_after, motion_in
from neodeskpet.figure.animation_script import AnimationScript, ParameterRange
from neodeskpet.figure.behaviour.gaze import Gaze
from neodeskpet.figure.behaviour.handling import Motion
from neodeskpet.figure.behaviour.idling import Liveliness, UserActivity
from neodeskpet.figure.behaviour.seasons import DayContext
from neodeskpet.figure.files.model_description import ModelDescription
from neodeskpet.figure.live2d.model_actor import (
    BRIEF_SECONDS,
    FACE_SECONDS,
    FLASH_SECONDS,
    MOST_QUEUED_MOTIONS,
    Spring,
    approach,
)
from neodeskpet.figure.poses import (
    LEAN_DEGREES,
    POSE_CANDIDATES,
    TURN_POSES,
    WALK_POSES,
    Pose,
    RestPose,
    name_words,
)
from neodeskpet.figure.sprites.sprite_figure import (
    Animation,
    SpriteFigure,
    animation_for,
    drag_animation,
    look_index,
    rest_animation,
)

MOST_SECONDS = 8.0
"""The longest duration of a requested animation in seconds."""
_LEAST_SECONDS = 1.5
_LINGER = 1.5
"""Seconds for which the last frame of an animation without loop stays."""
_QUICK = 0.6
_SWAY_MOST = 8.0
_BREATH, _DEEP_BREATH = (3.6, 0.007), (5.2, 0.014)
"""Seconds of a breath, and the share of the height that it lifts, awake and asleep."""
_VOICE = 0.035
_AWHILE = (14.0, 40.0)
"""Seconds between two idle animations."""
_CALM = frozenset({"idle", "sit", "sprawl", "stand"})


@dataclass(frozen=True, slots=True)
class SpritePosture:
    """The position of a drawing: lifted by a share of the figure's height, rotated by degrees
    around the upper end of its feet, stretched upwards, and mirrored or not; it leans to the right
    by degrees around its middle.
    """

    cel: int
    lift: float = 0.0
    turn: float = 0.0
    stretch: float = 1.0
    mirrored: bool = False
    lean: float = 0.0


class SpriteActor:
    """Moves a figure made of pictures; `description.pictures` is set. Times are seconds of one
    monotonic clock.
    """

    def __init__(self, description: ModelDescription, random: Random, now: float) -> None:
        assert description.pictures is not None
        self.description = description
        self.body: SpriteFigure = description.pictures
        self.gaze = Gaze(random)
        self.quiet = False
        self.day = DayContext()
        self.activity = UserActivity.PAUSING
        self.liveliness = Liveliness.NORMAL
        self.on_motion: Callable[[Motion], object] = lambda motion: None
        self.is_crowded = False
        self._settled = RestPose.STANDING
        self._leans = 0.0
        self._random = random
        self._pose = Pose.IDLE
        self._pose_since = now
        self._pose_until = math.inf
        self._face: str | None = None
        self._face_until = now
        self._requested: deque[tuple[str, float]] = deque(maxlen=MOST_QUEUED_MOTIONS)
        self._shown = ""
        self._shown_since = now
        self._until = -math.inf
        self._hop_since = -math.inf
        self._sway = Spring()
        self._speed = 0.0
        self._level = 0.0
        self._moving_until = now
        self._idle_at = now + random.uniform(*_AWHILE)
        self._now = now
        self._find_names()
        self._show(self._rest, now)

    def _find_names(self) -> None:
        acts = [name for name, one in self.body.animations.items() if not one.voice]
        faces = set(self.body.faces.values())
        own = [name for name in acts if name not in faces] or acts
        self._rest = rest_animation(own)
        self._of_pose = {pose: animation_for(pose, own) or self._rest for pose in Pose}
        self._voice = next((one for one in self.body.animations.values() if one.voice), None)
        self._idles = [
            name for name in own if name != self._rest and (name_words(name) or [""])[0] in _CALM
        ]

    # Commands

    @property
    def expression(self) -> str | None:
        return self._face

    @property
    def current_pose(self) -> Pose:
        return self._pose

    @property
    def shown(self) -> str:
        """The visible animation."""
        return self._shown

    def parameters(self) -> Mapping[str, ParameterRange]:
        """Figures made of pictures have no parameters."""
        return {}

    def animate(self, script: AnimationScript, now: float) -> None:
        """Do nothing: there are no parameters."""

    def wear(self, part: str, now: float, *, fades: bool = True) -> None:
        """Do nothing: there are no worn parts."""

    def redescribe(self, description: ModelDescription, now: float) -> None:
        """Use another description of the same figure, with other names, moods and areas."""
        self.description = description
        self._requested.clear()
        self._face = None
        self._choose(now)

    def express(self, name: str, now: float) -> None:
        if name in self.description.expressions:
            self._face, self._face_until = name, now + FACE_SECONDS
            self._choose(now)
            self._hop(now)

    def flash(self, name: str, now: float) -> None:
        """Show this expression for a moment, after a touch."""
        self.express(name, now)
        self._face_until = now + FLASH_SECONDS

    def land(self, now: float) -> None:
        """Land after a drag."""
        self._sway.target = self._speed = 0.0
        self._choose(now)
        self._hop(now)

    def play(self, group: str, index: int | None, now: float) -> None:
        """Show an animation after the ones that were requested just before."""
        motion = motion_in(self.description, group, index, self._random)
        if motion is None:
            return
        name = self.description.own_motion(motion)[0]
        one = self.body.animations.get(name)
        if one is None:
            return
        self._requested.append((name, _length(one)))
        if len(self._requested) == 1 and (now - self._shown_since >= _QUICK or now >= self._until):
            self._until = now
        self._choose(now)
        self._hop(now)

    def pose(self, pose: Pose, now: float) -> None:
        """Show a state of the turn."""
        if pose is self._pose and pose in TURN_POSES:
            return
        if pose is Pose.LISTENING:
            self._face = None
        elif self._face is not None and (pose in TURN_POSES or self._pose in TURN_POSES):
            self._face_until = max(self._face_until, now + FACE_SECONDS)
        brief = POSE_CANDIDATES[pose].brief
        self._pose, self._pose_since = pose, now
        self._pose_until = now + BRIEF_SECONDS if brief else math.inf
        self.gaze.pose(pose)
        if pose is Pose.IDLE:
            self._put_off_idling(now)
        self._choose(now)
        if brief:
            self._hop(now)
        self._move_for(1.5, now)

    @property
    def rest(self) -> RestPose:
        return RestPose.STANDING  # pictures have no animations for it

    def set_rest(self, rest: RestPose, now: float) -> None:
        """Set the pose while nothing is requested."""
        self._settled = rest
        self._move_for(0.4, now)

    def has_motion_for(self, pose: Pose) -> bool:
        """Return whether the figure has an animation of its own for this pose."""
        chosen = self.description.moods.motions.get(pose)
        return bool(chosen) or self._of_pose[pose] != self._rest

    @property
    def walking(self) -> bool:
        return self._pose in WALK_POSES  # in any case: pictures have no feet that must be kept

    def look(self, x: float, y: float, now: float) -> None:
        self.gaze.command(x, y, now)
        self._move_for(1.0, now)

    def speak(self, level: float, now: float, vowel: str = "") -> None:
        """Set the loudness, 0 to 1. Pictures have no vowels."""
        level = min(1.0, max(0.0, level))
        if level > 0.0 or self._level > 0.0:
            self._move_for(0.4, now)
        self._level = level

    def drag(self, speed: float, now: float) -> None:
        self._sway.target = max(-_SWAY_MOST, min(_SWAY_MOST, -speed / 110.0))
        self._speed = speed
        self._choose(now)
        self._move_for(1.0, now)

    def did_lately(self, motion: Motion, now: float) -> bool:
        """Return False if the figure has one animation only, which may be repeated."""
        return False

    @property
    def moves_asleep(self) -> bool:
        return False

    @property
    def is_acting(self) -> bool:
        return False  # its acts have frames of their own

    @property
    def pace(self) -> float:
        return math.inf

    @property
    def is_lying(self) -> bool:
        return False

    def moving(self, now: float) -> bool:
        return (
            now < self._moving_until
            or bool(self._requested)
            or not self._sway.still
            or self._leans != self._lean_now
            or now - self._hop_since < HOP_SECONDS
            or (self._shown != self._rest and len(self._animation.frames) > 1)
        )

    # Frames

    def advance(self, now: float, seconds: float) -> None:
        """Advance everything by `seconds` to `now`."""
        self._now = now
        if now >= self._pose_until:
            self.pose(Pose.IDLE, now)
        if self._face is not None and now >= self._face_until:
            self._face = None
        self._choose(now)
        self._leans = approach(self._leans, self._lean_now, seconds)
        self._sway.advance(seconds)
        self._sway.target *= 0.8

    @property
    def still(self) -> bool:
        """Whether it neither breathes nor looks around."""
        return self.gaze.still

    @still.setter
    def still(self, on: bool) -> None:
        self.gaze.still = on

    def posture(self) -> SpritePosture:
        """Return the position at the time of the last `advance`."""
        now = self._now
        x, y = self.gaze.target(now)
        return SpritePosture(
            self._cel(now, x, y),
            hop_height_after(now - self._hop_since),
            0.0 if self._sway.still else self._sway.value,
            self._stretch(now),
            self._is_mirrored(x),
            self._leans,
        )

    def _is_mirrored(self, x: float) -> bool:
        """Return whether the picture is mirrored: a figure drawn towards one side turns to where it
        looks or walks.
        """
        towards = self.body.towards
        if not towards or self._pose is Pose.ASLEEP:
            return False
        if self._pose in WALK_POSES:
            if {"left", "right"} & set(name_words(self._shown)):
                return False  # drawn for this way
            return (self._pose is Pose.WALKING_LEFT) != (towards == "left")
        return x > 0.3 if towards == "left" else x < -0.3

    @property
    def _lean_now(self) -> float:
        """Return the angle to lean; a sleeping figure doesn't lean."""
        return 0.0 if self._pose is Pose.ASLEEP else LEAN_DEGREES.get(self._settled, 0.0)

    @property
    def _animation(self) -> Animation:
        return self.body.animations[self._shown]

    def _cel(self, now: float, x: float, y: float) -> int:
        at_rest = self._shown == self._rest
        if self._voice is not None and self._level > 0.0 and (at_rest or self._speaks(now)):
            return self._voice.frames[self._voice.frame_for(self._level)].cel
        if at_rest and self._pose not in (Pose.ASLEEP, Pose.SLEEPY):
            look = look_index(x, y, len(self.body.looks))
            if look is not None:
                return self.body.looks[look]
        animation = self._animation
        return animation.frames[animation.frame_at(now - self._shown_since)].cel

    def _speaks(self, now: float) -> bool:
        """Return whether its pose is that of speech, with nothing else requested."""
        return self._pose is Pose.SPEAKING and self._face is None and now >= self._until

    def _stretch(self, now: float) -> float:
        stretch = 1.0
        if len(self._animation.frames) == 1 and not self.still:
            seconds, share = _DEEP_BREATH if self._pose is Pose.ASLEEP else _BREATH
            stretch += share * math.sin(now / seconds * math.tau)
        if self._voice is None or not (self._shown == self._rest or self._speaks(now)):
            stretch += _VOICE * self._level
        return stretch

    def _choose(self, now: float) -> None:
        """Show the current animation, from its start if it has changed."""
        if now < self._until and self._pose is not Pose.DRAGGED:
            return
        if self._requested:
            name, seconds = self._requested.popleft()
            self._show(name, now, restart=True)
            self._until = now + seconds
            return
        self._show(self._wanted_animation(now), now)

    def _wanted_animation(self, now: float) -> str:
        if self._face is not None:
            return self.body.faces[self.description.own_expression(self._face)]
        chosen = self.description.moods.motions.get(self._pose)
        if chosen:
            return self.description.own_motion(chosen[0])[0]
        if self._pose is Pose.DRAGGED:
            return drag_animation(self._speed, self.body.animations) or self._of_pose[Pose.DRAGGED]
        if self._pose is Pose.IDLE:
            return self._idle(now)
        name = self._of_pose[self._pose]
        if name == self._rest:
            face = self.description.face_for(self._pose)
            if face is not None:
                return self.body.faces[self.description.own_expression(face)]
        one = self.body.animations[name]
        over = now - self._pose_since > one.seconds + _LINGER
        if POSE_CANDIDATES[self._pose].brief and not one.loops and over:
            return self._rest
        mood = self.description.moods.expressions.get(self._pose)
        if mood is not None:
            return self.body.faces[self.description.own_expression(mood)]
        return name

    def _idle(self, now: float) -> str:
        """Return the rest animation, and occasionally another one for a while."""
        works = self.activity is UserActivity.WORKING
        if works or self.quiet or not self._idles or now < self._idle_at:
            return self._rest
        leanings = [self.day.weight(set(name_words(name))) for name in self._idles]
        (name,) = self._random.choices(self._idles, leanings)
        self._put_off_idling(now)
        self._until = now + min(max(self.body.animations[name].seconds, 4.0), MOST_SECONDS)
        return name

    def _show(self, name: str, now: float, *, restart: bool = False) -> None:
        if name == self._shown and not restart:
            return
        self._shown, self._shown_since = name, now
        self.on_motion((name, 0))
        self._move_for(0.4, now)

    def _put_off_idling(self, now: float) -> None:
        pause = self._random.uniform(*_AWHILE) * self.liveliness.pause_factor
        self._idle_at = now + pause

    def _hop(self, now: float) -> None:
        self._hop_since = now
        self._move_for(HOP_SECONDS + 0.2, now)

    def _move_for(self, seconds: float, now: float) -> None:
        self._moving_until = max(self._moving_until, now + seconds)


def _length(one: Animation) -> float:
    """Return how long a requested animation is shown: complete rounds, up to a limit."""
    if not one.loops:
        return min(one.seconds + 0.4, MOST_SECONDS)
    rounds = math.ceil(_LEAST_SECONDS / one.seconds)
    return min(one.seconds * rounds, MOST_SECONDS)
