"""Small acts of the figure: tricks, eating a snack, dancing to music, tapping along with the
keyboard, and showing the season or the time of day. A trick is a motion of that name, otherwise
a script of standard parameters, otherwise a pose. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from random import Random

from neodeskpet.figure.actor_interface import FigureActor
from neodeskpet.figure.animation_script import ParameterRange, parse_script
from neodeskpet.figure.behaviour.handling import Motion
from neodeskpet.figure.behaviour.idling import motion_stems
from neodeskpet.figure.behaviour.seasons import DayContext, DayPart, Season
from neodeskpet.figure.files.model_description import ModelDescription
from neodeskpet.figure.poses import Pose, find_names, name_words


@dataclass(frozen=True, slots=True)
class ParameterPulse:
    """A parameter that moves there and back `times` times, each time in `seconds`. `to` is a share
    of the way from its default to its maximum (1) or its minimum (-1).
    """

    parameter: str
    to: float
    seconds: float
    times: int = 1
    after: float = 0.0


@dataclass(frozen=True, slots=True)
class HeldParameter:
    """A parameter that moves in `seconds` and stays until shortly after all else has ended; a pulse
    of the same parameter starts from there. `to` as in `ParameterPulse`.
    """

    parameter: str
    to: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Trick:
    """A trick. `motions`: words of motion names, the best first. `face`: words of an expression's
    name.
    """

    motions: tuple[str, ...] = ()
    pulses: tuple[ParameterPulse, ...] = ()
    pose: Pose | None = None
    face: tuple[str, ...] = ()
    stays: tuple[HeldParameter, ...] = ()


def perform_trick(actor: FigureActor, feat: Trick, now: float, *, asked: bool = False) -> None:
    """Perform a trick in the best way that the figure has; if it has none, do nothing. Unless the
    trick was `asked` for, a motion that was just shown is replaced by movements of parameters.
    """
    motion = find_trick_motion(actor.description, feat.motions)
    seen = motion is not None and not asked and actor.did_lately(motion, now)
    steps = script_steps(feat.pulses, actor.parameters(), feat.stays)
    if seen and not steps:
        return
    face = next(iter(find_names(feat.face, actor.description.expressions)), None)
    if face is not None:
        actor.flash(face, now)
    if motion is not None and not seen:
        actor.play(*motion, now)
    elif steps:
        actor.animate(parse_script(steps, actor.parameters()), now)
    elif feat.pose is not None:
        actor.pose(feat.pose, now)


def find_trick_motion(description: ModelDescription, named: Sequence[str]) -> Motion | None:
    """Return the motion that one of these words names, the best first: by its group or its file."""
    groups = find_names(named, description.motions)
    if groups:
        return groups[0], 0
    stems = {motion: set(name_words(stem)) for motion, stem in motion_stems(description).items()}
    found = (motion for word in named for motion, known in stems.items() if word in known)
    return next(found, None)


def script_steps(
    pulses: Sequence[ParameterPulse],
    ranges: Mapping[str, ParameterRange],
    stays: Sequence[HeldParameter] = (),
) -> list[dict[str, object]]:
    """Return a script of the movements that this figure has parameters for."""
    staying: dict[str, list[dict[str, object]]] = {}
    for stay in stays:
        if stay.parameter in ranges:
            to = _value(stay.to, ranges[stay.parameter])
            move = {"do": "tween", "parameter": stay.parameter, "to": to, "seconds": stay.seconds}
            staying[stay.parameter] = [move]
    steps: list[dict[str, object]] = []
    for pulse in pulses:
        if pulse.parameter not in ranges:
            continue
        moved: dict[str, object] = {
            "do": "pulse",
            "parameter": pulse.parameter,
            "to": _value(pulse.to, ranges[pulse.parameter]),
            "seconds": pulse.seconds,
            "times": pulse.times,
        }
        waits: dict[str, object] = {"do": "wait", "seconds": pulse.after}
        own = [waits, moved] if pulse.after else [moved]
        if pulse.parameter in staying:
            staying[pulse.parameter] += own
        else:
            steps.append({"do": "sequence", "steps": own} if pulse.after else moved)
    return steps + [{"do": "sequence", "steps": own} for own in staying.values()]


def _value(to: float, span: ParameterRange) -> float:
    end = span.maximum if to > 0.0 else span.minimum
    return span.default + abs(to) * (end - span.default)


class SnackReaction(Enum):
    LIKES = auto()
    LOVES = auto()
    FULL = auto()


@dataclass(slots=True)
class Appetite:
    """The appetite. `eaten`: the times of recent snacks, oldest first."""

    eaten: Sequence[float] = ()

    MOST, WITHIN = 3, 1800.0
    HUNGRY = 4 * 3600.0

    def offer(self, now: float) -> SnackReaction:
        """Offer a snack, which the figure eats unless it is FULL."""
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
        """Parse the stored value; no snacks if it can't be read."""
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
    """Dances to music: `set_playing` reports the music, `due` returns the next move."""

    BEGINS = (1.5, 4.0)
    PAUSE = (6.0, 14.0)
    """Seconds between the starts of two moves; none is longer than five seconds."""
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
        """Set whether music plays."""
        if playing and not self._playing:
            self._next = now + self._random.uniform(*self.BEGINS)
            self._dance_at = max(self._dance_at, now + self._random.uniform(20.0, 60.0))
        self._playing = playing

    def due(self, now: float) -> Trick | None:
        """Return the trick to perform now, if any."""
        if not self._playing or now < self._next:
            return None
        self._next = now + self._random.uniform(*self.PAUSE)
        if now >= self._dance_at:
            self._dance_at = now + self._random.uniform(*self.DANCE_APART)
            return DANCE_TRICK
        return self._random.choice((NOD_TRICK, SWAY_TRICK))


_ARM = (("A", 0.22), ("B", 0.4))
_READY = 0.06
_TAP = 0.12
_BEFORE = (
    *(HeldParameter(f"ParamArm{side}{joint}", to, _READY) for side in "LR" for joint, to in _ARM),
    HeldParameter("ParamCrouch", 0.35, 0.2),
    HeldParameter("ParamAngleY", -0.3, 0.2),
    HeldParameter("ParamEyeBallY", -0.5, 0.2),
    HeldParameter("ParamKeyboard", 1.0, 0.15),
)
"""While the user types, both paws are in front of the figure, over its keyboard if it has one, and
it looks down at them.
"""


def _tap(side: str, lean: float) -> Trick:
    pulses = (
        ParameterPulse(f"ParamArm{side}A", 0.14, _TAP),
        ParameterPulse(f"ParamArm{side}B", 0.28, _TAP),
        ParameterPulse(f"ParamHand{side}", -0.6, _TAP),
        ParameterPulse("ParamBodyAngleZ", lean, _TAP + _READY),
        ParameterPulse(f"ParamKey{side}", 1.0, _TAP),
    )
    return Trick((), pulses, stays=_BEFORE)


TAPS = (_tap("L", 0.2), _tap("R", -0.2))
"""The left and the right tap. A figure without arm parameters of these names looks down a little
and leans.
"""


class TypingTaps:
    """Taps along with the user's typing, at most eight times a second."""

    APART = 0.125

    def __init__(self) -> None:
        self._side = 0
        self._free_at = 0.0

    def press(self, now: float) -> Trick | None:
        """Return the tap for a pressed key, None while the paw is still down."""
        if now < self._free_at:
            return None
        self._free_at = now + self.APART
        self._side = 1 - self._side
        return TAPS[self._side]


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
    """Occasional acts that fit the day. Times: seconds of a monotonic clock."""

    SELDOM = (900.0, 2400.0)
    """The pause between two acts in seconds; a third of it on a holiday."""

    def __init__(self, random: Random, now: float) -> None:
        self._random = random
        self._next = now + random.uniform(*self.SELDOM) / 3

    def due(self, day: DayContext, now: float) -> Trick | None:
        """Return the trick to perform now, if any."""
        if now < self._next:
            return None
        pause = self._random.uniform(*self.SELDOM)
        self._next = now + (pause / 3 if day.holiday is not None else pause)
        season = _OF_SEASON[day.season] if day.season is not None else None
        joy = REJOICE if day.holiday is not None else None
        known = [feat for feat in (_OF_PART.get(day.part), season, joy) if feat is not None]
        return self._random.choice(known) if known else None
