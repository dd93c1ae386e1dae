"""Which of a figure's motions are its breathing, which it does now and then, and how often.

Figures name their motions as they like. A group tells little ("Idle"), the names of the files often
more ("idle_sneeze"); where nothing tells, the first of the group is the calm one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from neodeskpet.live2d.files.description import ModelDescription
from neodeskpet.live2d.life.idling import RARE, IdleAct, IdleMotions
from neodeskpet.live2d.liveliness import Motion
from neodeskpet.live2d.poses import (
    POSE_CANDIDATES,
    Pose,
    find_names,
    idle_group,
    name_words,
    tap_groups,
)

_BREATHS = frozenset({"breathe", "breath", "breathing", "stand", "standby", "base", "呼吸"})
_RARE = frozenset({"sneeze", "yawn", "stretch", "dance", "jump", "hop", "cough", "scratch"})
_RARE |= {"groom", "wash", "lick", "roll", "喷嚏", "哈欠", "懒腰", "跳舞"}
_OFTEN = frozenset({"look", "glance", "tail", "hum", "ear", "ears", "blink", "shift", "sigh"})
_ALONE = ("stretch", "sneeze", "yawn", "groom", "scratch", "hum", "喷嚏", "哈欠", "懒腰")
"""Groups of what a figure does alone, though they aren't among the idle ones."""
_LYING = ("lie", "lying", "趴", "躺")
_LIES, _LIES_APART = 45.0, 900.0
"""Seconds for which it lies at most, if the motion doesn't end sooner, and how seldom."""
_DROWSY = ("yawn", "stretch", "哈欠", "懒腰")
_SLEEPING = ("dream", "sigh", "snore", "shift", "twitch", "roll", "做梦", "翻身")
"""Groups of what a sleeper does."""


def idle_motions(description: ModelDescription) -> IdleMotions:
    """What it does awake and alone."""
    chosen = list(description.moods.motions.get(Pose.IDLE, ()))
    own = chosen or _of(description, [idle_group(description.motions)])
    alone = (*_ALONE, *_LYING)
    others = [] if chosen else _of(description, _groups(description, alone))
    return _idle_motions(description, own, others)


def drowsy_motions(description: ModelDescription, shown: Sequence[Motion]) -> IdleMotions:
    """What it does when it grows sleepy; `shown` are the motions that show that."""
    idle = idle_motions(description)
    yawns = shown or _of(description, _groups(description, _DROWSY))
    stems = motion_stems(description)
    slow = [act.motion for act in idle.acts if set(name_words(stems.get(act.motion, ""))) & _YAWNS]
    acts = [motion for motion in dict.fromkeys((*yawns, *slow)) if motion != idle.breath]
    return IdleMotions(idle.breath, tuple(IdleAct(motion) for motion in acts))


def sleeping_motions(description: ModelDescription, shown: Sequence[Motion]) -> IdleMotions:
    """What a sleeper does; `shown` are the motions that show sleep, the first its breathing."""
    return _idle_motions(description, shown, _of(description, _groups(description, _SLEEPING)))


def motion_stems(description: ModelDescription) -> Mapping[Motion, str]:
    """The names of the motions' files, without folders and endings, by the names people see."""
    try:
        tree = json.loads(description.settings)
        groups = tree.get("FileReferences", {}).get("Motions") or tree.get("motions", {})
        named = {
            (group, index): _stem(entry)
            for group, entries in groups.items()
            for index, entry in enumerate(entries)
        }
    except (ValueError, AttributeError, TypeError):
        return {}
    every = _of(description, description.motions)
    return {motion: named.get(description.own_motion(motion), "") for motion in every}


_YAWNS = frozenset(_DROWSY)


def _stem(entry: Mapping[str, Any]) -> str:
    file = str(entry.get("File") or entry.get("file") or "")
    return PurePosixPath(file.replace("\\", "/")).name.split(".")[0]


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
    return IdleAct(motion, 3.0 if named & _OFTEN else 2.0, named=frozenset(named))


def _groups(description: ModelDescription, candidates: Sequence[str]) -> list[str]:
    """The groups of these names that answer neither a touch nor a state of the turn."""
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
