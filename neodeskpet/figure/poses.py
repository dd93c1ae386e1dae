"""Poses: the states of the turn that the figure shows, matched to the expressions and motions of a
model, and the names of the bundled figure's parts. Models name their expressions freely, so a
candidate matches a name that is equal to it or contains it as a word, ignoring case. A pose without
a match keeps the neutral face.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from neodeskpet.core.i18n import N_
from neodeskpet.language import tr_in


class Pose(StrEnum):
    IDLE = "idle"
    LISTENING = "listening"
    THINKING = "thinking"
    SPEAKING = "speaking"
    WORKING = "working"
    ASKING = "asking"
    HAPPY = "happy"
    SORRY = "sorry"
    SURPRISED = "surprised"
    SHY = "shy"
    ANNOYED = "annoyed"
    DRAGGED = "dragged"
    FALLING = "falling"
    LANDING = "landing"
    WALKING_LEFT = "walking-left"
    WALKING_RIGHT = "walking-right"
    SLEEPY = "sleepy"
    ASLEEP = "asleep"
    WAKING = "waking"
    GROGGY = "groggy"
    GREETING = "greeting"


@dataclass(frozen=True, slots=True)
class PoseCandidates:
    """Candidates, best first. `brief` expressions end after a few seconds."""

    expressions: tuple[str, ...] = ()
    motions: tuple[str, ...] = ()
    brief: bool = False


_CALM = ("neutral", "normal", "default", "calm", "平静", "普通", "默认")
_SMILE = ("smile", "happy", "joy", "微笑", "开心", "高兴", "笑")

_WALK = ("walking", "walk", "走路", "散步")

WALK_POSES = frozenset({Pose.WALKING_LEFT, Pose.WALKING_RIGHT})
"""Poses while it crosses the desktop."""


class RestPose(StrEnum):
    """The pose while nothing is requested."""

    STANDING = "standing"
    PEEKING_LEFT = "peeking-left"
    """It peeks to the left from behind the right edge of a screen."""
    PEEKING_RIGHT = "peeking-right"
    SITTING = "sitting"


REST_MOTIONS: Mapping[RestPose, tuple[str, ...]] = {
    RestPose.STANDING: (),
    RestPose.PEEKING_LEFT: ("peeking-left", "peekleft", "peek-left", "peek_left", "向左探头"),
    RestPose.PEEKING_RIGHT: ("peeking-right", "peekright", "peek-right", "peek_right", "向右探头"),
    RestPose.SITTING: ("sitting", "sit", "坐"),
}
"""Candidates for the group of motions that shows the rest pose, best first."""
LEAN_DEGREES: Mapping[RestPose, float] = {
    RestPose.PEEKING_LEFT: -18.0,
    RestPose.PEEKING_RIGHT: 18.0,
}
"""Degrees to the right by which a figure without such a motion leans instead, so that its face is
visible.
"""

TURN_POSES = frozenset({Pose.LISTENING, Pose.THINKING, Pose.SPEAKING, Pose.WORKING, Pose.ASKING})
"""Poses while a turn runs."""

POSE_CANDIDATES: Mapping[Pose, PoseCandidates] = {
    Pose.IDLE: PoseCandidates(_CALM),
    Pose.LISTENING: PoseCandidates(
        ("listening", "listen", "attentive", "curious", "倾听", *_CALM),
        ("listening", "listen", "tilt", "倾听"),
    ),
    Pose.THINKING: PoseCandidates(
        ("thinking", "think", "ponder", "思考", "疑惑", "confused", "question"),
        ("thinking", "think", "ponder", "思考"),
    ),
    Pose.SPEAKING: PoseCandidates(("talk", "speak", "说话", *_CALM)),
    Pose.WORKING: PoseCandidates(
        ("working", "work", "focus", "serious", "determined", "专注", "认真", *_CALM),
        ("working", "work", "typing", "write", "search", "工作"),
    ),
    Pose.ASKING: PoseCandidates(
        ("asking", "ask", "question", "puppy", "curious", "疑问", "好奇", *_SMILE),
        ("asking", "ask", "question", "raise", "tilt", "wave", "提问"),
    ),
    Pose.HAPPY: PoseCandidates(
        _SMILE,
        ("nod", "happy", "joy", "cheer", "smile", "开心", "点头"),
        brief=True,
    ),
    Pose.SORRY: PoseCandidates(
        ("sorry", "sad", "apolog", "worried", "cry", "抱歉", "难过", "伤心", "哭"),
        ("sorry", "sad", "bow", "shake", "抱歉", "摇头"),
        brief=True,
    ),
    Pose.SURPRISED: PoseCandidates(
        ("surprised", "surprise", "shock", "惊讶"),
        ("surprised", "surprise", "jump", "惊讶"),
        brief=True,
    ),
    Pose.SHY: PoseCandidates(
        ("shy", "blush", "embarrass", "love", "害羞", "脸红", *_SMILE),
        ("shy", "wiggle", "害羞"),
        brief=True,
    ),
    Pose.ANNOYED: PoseCandidates(
        ("angry", "annoyed", "pout", "mad", "生气", "sad"),
        ("angry", "shake", "annoyed", "pout", "生气"),
        brief=True,
    ),
    Pose.DRAGGED: PoseCandidates(
        ("dragged", "surprised", "surprise", "scared", "panic", "惊讶"),
        ("dragged", "drag", "pick", "lift", "hang", "拖"),
    ),
    Pose.FALLING: PoseCandidates(
        ("falling", "surprised", "surprise", "scared", "panic", "惊讶"),
        ("falling", "fall", "dragged", "hang", "掉", "落"),
    ),
    Pose.LANDING: PoseCandidates(_CALM, ("landing", "land", "bouncing", "落地"), brief=True),
    Pose.WALKING_LEFT: PoseCandidates(
        _CALM, ("walking-left", "walkleft", "walk-left", "walk_left", "向左走", *_WALK)
    ),
    Pose.WALKING_RIGHT: PoseCandidates(
        _CALM, ("walking-right", "walkright", "walk-right", "walk_right", "向右走", *_WALK)
    ),
    Pose.SLEEPY: PoseCandidates(
        ("sleepy", "tired", "drowsy", "困", "累"),
        ("yawn", "sleepy", "stretch", "哈欠", "伸懒腰"),
    ),
    Pose.ASLEEP: PoseCandidates(
        ("asleep", "sleep", "sleepy", "closed", "睡", "困"),
        ("asleep", "sleep", "doze", "睡"),
    ),
    Pose.WAKING: PoseCandidates(
        ("surprised", "surprise", "sleepy", "惊讶"),
        ("wake", "stretch", "yawn", "surprised", "醒", "伸懒腰"),
        brief=True,
    ),
    Pose.GROGGY: PoseCandidates(
        ("groggy", "sleepy", "tired", "drowsy", "困", "累"),
        ("groggy", "yawn", "stretch", "wake", "哈欠", "伸懒腰", "醒"),
        brief=True,
    ),
    Pose.GREETING: PoseCandidates(
        _SMILE, ("wave", "greet", "hello", "hi", "招手", "挥手"), brief=True
    ),
}

IDLE_GROUPS = ("idle", "待机", "loop", "standby", "main")
_TAP_GROUPS = ("tap", "touch", "flick", "poke", "pat", "摸")
_SIDES = frozenset({"l", "r", "left", "right"})
_WORD = re.compile(r"[a-z]+|[^\W\d_a-z]+")


def find_name(candidates: Sequence[str], names: Iterable[str]) -> str | None:
    """Return the name that matches the best candidate, or None.

    A candidate matches a name that is equal to it, else one that contains it as a whole word
    ("TapBody" has "tap" and "body"), else one with a word that starts with it.
    """
    known = list(names)
    for candidate in candidates:
        for fits in (_equal, _has_word, _has_start):
            name = next((name for name in known if fits(name, candidate)), None)
            if name is not None:
                return name
    return None


def find_names(candidates: Sequence[str], names: Iterable[str]) -> list[str]:
    """Return every name that matches a candidate, the best first."""
    known = list(names)
    found = (find_name((candidate,), known) for candidate in candidates)
    return list(dict.fromkeys(name for name in found if name is not None))


def name_words(name: str) -> list[str]:
    """Return the lower-case words of a name in any style: TapBody, tap_body, F01_smile."""
    split = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return _WORD.findall(split.casefold())


def _equal(name: str, candidate: str) -> bool:
    return name.casefold() == candidate


def _has_word(name: str, candidate: str) -> bool:
    return candidate in name_words(name) or (not candidate.isascii() and candidate in name)


def _has_start(name: str, candidate: str) -> bool:
    return len(candidate) > 2 and any(word.startswith(candidate) for word in name_words(name))


def idle_group(motions: Mapping[str, int]) -> str | None:
    """Return the group of idle motions, if the model has one."""
    return find_name(IDLE_GROUPS, motions)


def tap_groups(motions: Iterable[str]) -> list[str]:
    """Return the groups for touches."""
    return [name for name in motions if any(_has_word(name, tap) for tap in _TAP_GROUPS)]


def touch_group(area: str, motions: Mapping[str, int]) -> str | None:
    """Return the group for a touch of `area`: "TapHead" for "Head", "TapHandL" rather than
    "TapHandR" for "HandL", else "Tap".
    """
    place = set(name_words(area)) - {"hit", "area"}
    taps = tap_groups(motions)
    plain = [name for name in taps if set(name_words(name)) <= set(_TAP_GROUPS)]
    shared = {name: len(place & set(name_words(name)) - _SIDES) for name in taps}
    best = max(
        taps, key=lambda name: (shared[name], len(place & set(name_words(name)))), default=None
    )
    if best is not None and shared[best]:
        return best
    return plain[0] if plain else None


PURR_MOTIONS = ("purr", "stroke", "petted", "呼噜", "抚摸")
"""Candidates for the group of motions that shows that the figure is stroked: at first, and then for
as long as the strokes go on.
"""
DIZZY_NAMES = ("dizzy", "giddy", "晕")
"""Candidates for the expression and for the group of motions after the figure was shaken."""
SHAKE_OFF_MOTIONS = ("shake-off", "shakeoff", "tumble", "抖毛")
"""Candidates for the group of motions in which the figure lands after a throw and shakes itself."""

_SHOWN = {
    Pose.HAPPY: {"giggle", "laugh", "smile", "happy", "joy", "pat", "purr", "five", "squish"}
    | {"笑", "开心"},
    Pose.SURPRISED: {"start", "startle", "startled", "surprise", "surprised", "yelp", "shock"},
    Pose.SHY: {"shy", "blush", "embarrassed", "害羞"},
    Pose.ANNOYED: {"angry", "annoyed", "anger", "sulk", "生气"},
}


def mood_shown(name: Sequence[str]) -> Pose | None:
    """Return the mood of a motion whose name has these words; None if unknown."""
    return next((pose for pose, known in _SHOWN.items() if known & set(name)), None)


_NAMES = {
    "neutral": N_("neutral"),
    "smile": N_("smile"),
    "joy": N_("joy"),
    "shy": N_("shy"),
    "sad": N_("sad"),
    "cry": N_("cry"),
    "angry": N_("angry"),
    "surprised": N_("surprised"),
    "sleepy": N_("sleepy"),
    "wink": N_("wink"),
    "thinking": N_("pondering"),
    "excited": N_("excited"),
    "proud": N_("proud"),
    "love": N_("in love"),
    "dizzy": N_("dizzy"),
    "Idle": N_("idle"),
    "Greet": N_("hello"),
    "Wave": N_("goodbye"),
    "Nod": N_("nod"),
    "Shake": N_("head shake"),
    "Happy": N_("hop"),
    "Sorry": N_("bow"),
    "TapHead": N_("head pat"),
    "TapBody": N_("poke"),
    "TapTail": N_("tail touch"),
    "TapHandL": N_("high five, left paw"),
    "TapHandR": N_("high five, right paw"),
    "TapCheekL": N_("touch of the left cheek"),
    "TapCheekR": N_("touch of the right cheek"),
    "Purr": N_("purring"),
    "Dizzy": N_("staggering"),
    "ShakeOff": N_("shaking itself"),
    "Think": N_("musing"),
    "Work": N_("at work"),
    "Listen": N_("listening"),
    "Sleep": N_("sleep"),
    "Wake": N_("waking"),
    "Dance": N_("dance"),
    "Ask": N_("raised paw"),
    "Shy": N_("squirming"),
    "Surprised": N_("start"),
    "Stretch": N_("stretch"),
    "Sneeze": N_("sneeze"),
    "WalkLeft": N_("walk to the left"),
    "WalkRight": N_("walk to the right"),
    "Sit": N_("sitting"),
    "Fall": N_("fall"),
    "Landing": N_("landing"),
    "Held": N_("hanging"),
    "Dragged": N_("struggling"),
    "Groggy": N_("drowsy waking"),
    "Sleepy": N_("nodding off"),
    "Type": N_("typing along"),
    "Groove": N_("bobbing along"),
    "Lie": N_("lying, chin on paws"),
    "PeekLeft": N_("peek to the left"),
    "PeekRight": N_("peek to the right"),
    "Bridge": N_("transition"),
}


def part_name(own: str, language: str = "") -> str:
    """Return the display name of the expression or group of motions `own` in a language ("": the
    interface's).
    """
    return tr_in(language, _NAMES[own]) if own in _NAMES else own
