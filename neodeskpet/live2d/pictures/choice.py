"""Which animation shows a state, by its name: packs call them as they like.

First come words that packs of pictures use, best first, then those that fit the motions and faces
of any figure (`poses.LOOKS`). A state that finds nothing stands as at rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import atan2, hypot, tau

from neodeskpet.live2d.poses import POSE_CANDIDATES, Pose, find_name

_REST = ("idle", "stand", "normal", "neutral", "default", "待机", "站", "立")

_OWN: Mapping[Pose, tuple[str, ...]] = {
    Pose.IDLE: _REST,
    Pose.LISTENING: ("listening", "SitAndLookUp", "sitandlookatmouse", "waiting"),
    Pose.THINKING: ("thinking", "review", "SitAndSpinHeadAction", "sitandlookup", "sit"),
    Pose.SPEAKING: ("speaking", "talking", "talk"),
    Pose.WORKING: ("working", "running", "run", "walk", "SitAndDangleLegs", "typing"),
    Pose.ASKING: ("asking", "waiting", "SitAndLookUp"),
    Pose.HAPPY: ("happy", "jumping", "jump", "bouncing"),
    Pose.SORRY: ("sorry", "failed", "fail", "tripping", "sprawl"),
    Pose.SURPRISED: ("surprised", "jumping", "falling"),
    Pose.SHY: ("shy", "waving", "SitWithLegsUp", "bouncing"),
    Pose.ANNOYED: ("annoyed", "failed", "resisting"),
    Pose.DRAGGED: ("dragged", "pinched", "resisting", "falling", "jumping"),
    Pose.FALLING: ("falling", "jumping", "dragged", "pinched"),
    Pose.LANDING: ("landing", "bouncing", "bounce"),
    Pose.WALKING_LEFT: ("walking-left", "walk-left", "walkleft", "running-left"),
    Pose.WALKING_RIGHT: ("walking-right", "walk-right", "walkright", "running-right"),
    Pose.SLEEPY: ("sleepy", "sit", "waiting"),
    Pose.ASLEEP: ("asleep", "sleeping", "sleep", "sprawl", "lie"),
    Pose.GROGGY: ("groggy", "waking", "yawn", "sleepy", "sit", "waiting"),
    Pose.WAKING: ("waking", "jumping", "bouncing"),
    Pose.GREETING: ("greeting", "waving", "bouncing"),
}


def animation_for(pose: Pose, names: Iterable[str]) -> str | None:
    """The animation that shows a pose; None if none does."""
    known = list(names)
    look = POSE_CANDIDATES[pose]
    words = (*(word.casefold() for word in _OWN[pose]), *look.motions)
    return find_name(words, known) or find_name(_own_faces(pose), known)


def rest_animation(names: Iterable[str]) -> str:
    """The animation that it stands with; the first if none says so."""
    known = list(names)
    return find_name(_REST, known) or find_name(("sit",), known) or known[0]


def _own_faces(pose: Pose) -> tuple[str, ...]:
    """Without the calm ones, which rest shows as well."""
    calm = set(POSE_CANDIDATES[Pose.IDLE].expressions)
    return tuple(word for word in POSE_CANDIDATES[pose].expressions if word not in calm)


def drag_animation(speed: float, names: Iterable[str]) -> str | None:
    """The animation for being dragged with this speed (pixels a second to the right), where a pack
    has one for each way.
    """
    known = set(names)
    way = "running-right" if speed > 0 else "running-left"
    return way if way in known and abs(speed) > 1.0 else None


def look_index(x: float, y: float, count: int) -> int | None:
    """Which of `count` looks (the first up, on clockwise) is nearest to a direction (right and up,
    as in `gaze`); None for straight ahead.
    """
    if count == 0 or hypot(x, y) < 0.15:
        return None
    return round(atan2(x, y) / tau * count) % count
