"""Idling: breathing and occasional motions, and which motions of the figure are used for that while
it is awake, drowsy or asleep. Pure: randomness and time are passed by the caller.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from random import Random

from neodeskpet.figure.behaviour.handling import Motion
from neodeskpet.figure.behaviour.seasons import PLAIN_DAY, DayContext
from neodeskpet.figure.files.model_description import ModelDescription
from neodeskpet.figure.poses import (
    POSE_CANDIDATES,
    Pose,
    find_names,
    idle_group,
    name_words,
    tap_groups,
)

LEAST_REPEAT_SECONDS = 120.0
"""Seconds within which no motion but breathing is repeated."""
RARE = 600.0
MOST_TIME_SHARE = 0.11
"""The largest share of the time that one act may take."""
_FIRST, _PAUSE = (4.0, 15.0), (10.0, 32.0)
_PAUSE_AT_WORK = (60.0, 180.0)
_PAUSE_BEGINS = (2.0, 8.0)
"""Seconds after the user's last input counts as a pause, in which an act starts."""
LEAST_REPEAT_ALONE_SECONDS = 600.0
_WORK_SECONDS, _ALONE_SECONDS = 30.0, 90.0


class UserActivity(Enum):
    """What the user does at the computer; it decides how much the figure does by itself."""

    WORKING = auto()
    """The last key or pointer movement was less than 30 s ago: only small acts, and seldom."""
    PAUSING = auto()
    AWAY = auto()
    """No input for 90 s: every act, each of them at most once in ten minutes."""


def activity_after(idle: float | None) -> UserActivity:
    """Return the activity of a user whose last input was `idle` seconds ago; None if unknown."""
    if idle is None:
        return UserActivity.PAUSING
    if idle < _WORK_SECONDS:
        return UserActivity.WORKING
    return UserActivity.PAUSING if idle < _ALONE_SECONDS else UserActivity.AWAY


class Liveliness(StrEnum):
    """How much the figure does by itself."""

    CALM = "calm"
    NORMAL = "normal"
    LIVELY = "lively"

    @property
    def pause_factor(self) -> float:
        """The factor by which all pauses between acts and between small reactions differ from those
        of `NORMAL`.
        """
        return {Liveliness.CALM: 2.0, Liveliness.NORMAL: 1.0, Liveliness.LIVELY: 0.6}[self]


@dataclass(frozen=True, slots=True)
class IdleAct:
    """An idle motion. `least_gap`: the least number of seconds between two starts. `named`: the
    words of its name in lower case. `lasts`: the seconds that it may take. `calm`: only while the
    user is away. `small`: hardly noticeable, so that it may be done beside a working user.
    """

    motion: Motion
    weight: float = 2.0
    least_gap: float = LEAST_REPEAT_SECONDS
    named: frozenset[str] = frozenset()
    lasts: float = 0.0
    calm: bool = False
    small: bool = False

    @property
    def lies(self) -> bool:
        """Whether the figure lies down; only this has a limit of time."""
        return self.lasts > 0.0


@dataclass(frozen=True, slots=True)
class IdleMotions:
    """The idle motions. `breath` runs all the time; None if the figure breathes without a
    motion.
    """

    breath: Motion | None = None
    acts: tuple[IdleAct, ...] = ()

    def lasting(self, motion: Motion) -> float:
        """Return the seconds that a motion may take, 0 if unknown."""
        return next((act.lasts for act in self.acts if act.motion == motion), 0.0)

    def __bool__(self) -> bool:
        return self.breath is not None or bool(self.acts)


class IdleChooser:
    """Chooses idle motions. `note` must be called for every motion that starts, of any cause."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self.liveliness = Liveliness.NORMAL
        self._last: Motion | None = None
        self._began = 0.0
        self._played: dict[Motion, tuple[float, float]] = {}  # start and duration of each
        self._rest_until = 0.0
        self._act_at: float | None = None
        self._activity = UserActivity.PAUSING

    @property
    def running(self) -> Motion | None:
        """The motion that started last and has not ended."""
        return self._last

    def restart(self, now: float) -> None:
        """Pause for a moment after another movement."""
        self._rest_until = max(self._rest_until, now + self._random.uniform(0.4, 1.6))
        self._put_off(now)

    def note(self, motion: Motion, now: float) -> None:
        """Record that this motion starts."""
        self.end(now)
        self._last, self._began = motion, now
        self._played[motion] = (now, 0.0)

    def end(self, now: float) -> None:
        """Record that the running motion has ended."""
        last = self._last
        if last is not None and last in self._played:
            began, took = self._played[last]
            self._played[last] = (began, max(took, now - began))
        self._last = None

    def did_lately(self, motion: Motion, now: float) -> bool:
        """Return whether this motion started less than LEAST_REPEAT_SECONDS ago."""
        return motion in self._played and now - self._played[motion][0] < LEAST_REPEAT_SECONDS

    def next(
        self,
        repertoire: IdleMotions,
        now: float,
        day: DayContext = PLAIN_DAY,
        *,
        activity: UserActivity = UserActivity.PAUSING,
    ) -> Motion | None:
        """Return the motion to start now, None to rest a little longer. `day` makes some motions
        more likely than others.
        """
        self.end(now)
        self._follow(activity, now)
        if now < self._rest_until or not repertoire:
            return None
        if self._act_at is None:
            self._act_at = now + self._random.uniform(*_FIRST)
        if now >= self._act_at:
            acts = [act for act in repertoire.acts if _is_allowed(act, activity)]
            act = self._choose(acts, now, day)
            self._put_off(now)
            if act is not None:
                return act
        if repertoire.breath is not None:
            self._rest_until = now + self._random.uniform(0.1, 1.2)
        return repertoire.breath

    def _follow(self, activity: UserActivity, now: float) -> None:
        """Adapt the time of the next act when the user starts or stops working."""
        before, self._activity = self._activity, activity
        if activity is before:
            return
        if activity is UserActivity.WORKING:
            self._put_off(now)
        elif before is UserActivity.WORKING:
            self._act_at = now + self._random.uniform(*_PAUSE_BEGINS)

    def _put_off(self, now: float) -> None:
        works = self._activity is UserActivity.WORKING
        pause = self._random.uniform(*(_PAUSE_AT_WORK if works else _PAUSE))
        pause *= self.liveliness.pause_factor
        # However lively it is, beside a working user a minute passes between two acts.
        least = _PAUSE_AT_WORK[0] if works else 0.0
        self._act_at = max(self._act_at or 0.0, now + max(pause, least))

    def _choose(self, acts: Sequence[IdleAct], now: float, day: DayContext) -> Motion | None:
        free = [act for act in acts if now >= self._free_at(act)]
        if not free:
            return None
        (chosen,) = self._random.choices(free, [act.weight * day.weight(act.named) for act in free])
        return chosen.motion

    def _free_at(self, act: IdleAct) -> float:
        """Return when the act may be repeated; long ones later."""
        if act.motion not in self._played:
            return 0.0
        began, took = self._played[act.motion]
        alone = self._activity is UserActivity.AWAY
        least = LEAST_REPEAT_ALONE_SECONDS if alone else 0.0
        return began + max(act.least_gap, least, took / MOST_TIME_SHARE)


def _is_allowed(act: IdleAct, activity: UserActivity) -> bool:
    if activity is UserActivity.WORKING:
        return act.small
    return activity is UserActivity.AWAY or not act.calm


_BREATHS = frozenset({"breathe", "breath", "breathing", "stand", "standby", "base", "呼吸"})
_RARE = frozenset({"sneeze", "yawn", "stretch", "dance", "jump", "hop", "cough", "scratch"})
_RARE |= {"groom", "wash", "lick", "roll", "喷嚏", "哈欠", "懒腰", "跳舞"}
_OFTEN = frozenset({"look", "glance", "tail", "hum", "ear", "ears", "blink", "shift", "sigh"})
_SMALL = frozenset({"glance", "ear", "ears", "blink", "shift", "nose", "twitch", "hum", "sigh"})
_SCENES = frozenset({"bell", "chase", "play", "wisp", "toy", "玩"})
"""Long acts that would distract: only while the user is away."""
_ALONE = ("stretch", "sneeze", "yawn", "groom", "scratch", "hum", "喷嚏", "哈欠", "懒腰")
"""Groups of motions that are used for idling although they aren't among the idle ones."""
_LYING = ("lie", "lying", "趴", "躺")
_LIES, _LIES_APART = 45.0, 900.0
"""Seconds for which the figure lies at most if the motion doesn't end sooner, and the least gap
between two such times.
"""
_DROWSY = ("yawn", "stretch", "哈欠", "懒腰")
_SLEEPING = ("dream", "sigh", "snore", "shift", "twitch", "roll", "做梦", "翻身")
"""Groups of motions of sleep."""


def idle_motions(description: ModelDescription) -> IdleMotions:
    """Return the idle motions while the figure is awake."""
    chosen = list(description.moods.motions.get(Pose.IDLE, ()))
    own = chosen or _of(description, [idle_group(description.motions)])
    alone = (*_ALONE, *_LYING)
    others = [] if chosen else _of(description, _groups(description, alone))
    return _idle_motions(description, own, others)


def drowsy_motions(description: ModelDescription, shown: Sequence[Motion]) -> IdleMotions:
    """Return the idle motions of a sleepy figure; `shown` are the motions that show sleepiness."""
    idle = idle_motions(description)
    yawns = shown or _of(description, _groups(description, _DROWSY))
    stems = motion_stems(description)
    slow = [act.motion for act in idle.acts if set(name_words(stems.get(act.motion, ""))) & _YAWNS]
    acts = [motion for motion in dict.fromkeys((*yawns, *slow)) if motion != idle.breath]
    return IdleMotions(idle.breath, tuple(IdleAct(motion, small=True) for motion in acts))


def sleeping_motions(description: ModelDescription, shown: Sequence[Motion]) -> IdleMotions:
    """Return the idle motions of a sleeping figure; `shown` are the motions that show sleep, the
    first of them its breathing.
    """
    return _idle_motions(description, shown, _of(description, _groups(description, _SLEEPING)))


def motion_stems(description: ModelDescription) -> Mapping[Motion, str]:
    """Return the names of the motions' files, without folders and endings, by the shown names."""
    named = description.own_motion_files()
    if not named:
        return {}
    every = _of(description, description.motions)
    return {motion: named.get(description.own_motion(motion), "") for motion in every}


_YAWNS = frozenset(_DROWSY)


def _idle_motions(
    description: ModelDescription, own: Sequence[Motion], more: Iterable[Motion]
) -> IdleMotions:
    stems = motion_stems(description)
    named = [motion for motion in own if _BREATHS & set(name_words(stems.get(motion, "")))]
    breath = next(iter((*named, *own)), None)
    others = [motion for motion in dict.fromkeys((*own, *more)) if motion != breath]
    acts = (
        _act(motion, {*name_words(stems.get(motion, "")), *name_words(motion[0])})
        for motion in others
    )
    return IdleMotions(breath, tuple(acts))


def _act(motion: Motion, named: set[str]) -> IdleAct:
    if named & set(_LYING):
        return IdleAct(motion, 2.0, _LIES_APART, frozenset(named), _LIES, calm=True)
    if named & _RARE:
        return IdleAct(motion, 1.0, RARE, frozenset(named))
    if named & _SCENES:
        return IdleAct(motion, 3.0, named=frozenset(named), calm=True)
    weight, small = 3.0 if named & _OFTEN else 2.0, bool(named & _SMALL)
    return IdleAct(motion, weight, named=frozenset(named), small=small)


def _groups(description: ModelDescription, candidates: Sequence[str]) -> list[str]:
    """Return the groups of these names that are used neither for a touch nor for a state of the
    turn.
    """
    busy = (Pose.LISTENING, Pose.THINKING, Pose.WORKING, Pose.ASKING)
    taken = {*tap_groups(description.motions), idle_group(description.motions)}
    for pose in busy:
        taken.update(find_names(POSE_CANDIDATES[pose].motions, description.motions)[:1])
    found = find_names(candidates, description.motions)
    return [group for group in found if group not in taken]


def _of(description: ModelDescription, groups: Iterable[str | None]) -> list[Motion]:
    counts = description.motions
    return [
        (group, index) for group in groups if group is not None for index in range(counts[group])
    ]
