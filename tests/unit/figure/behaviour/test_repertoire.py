from __future__ import annotations

import json
from dataclasses import replace

from neodeskpet.figure.behaviour.idling import (
    LEAST_REPEAT_SECONDS,
    RARE,
    drowsy_motions,
    idle_motions,
    motion_stems,
    sleeping_motions,
)
from neodeskpet.figure.files.model_description import OriginalNames, PoseChoices
from neodeskpet.figure.files.model_reader import describe_model
from neodeskpet.figure.poses import Pose
from tests.unit.figure.doubles import description
from tests.unit.figure.models import NEO


def test_neos_breathing_is_known_by_its_file_and_its_sneeze_is_rare() -> None:
    found = describe_model(NEO)
    stems, idle = motion_stems(found), idle_motions(found)
    assert idle.breath is not None
    assert stems[idle.breath] == "idle_breathe"
    apart = {stems[act.motion]: act.least_gap for act in idle.acts}
    assert apart["idle_sneeze"] == RARE
    assert apart["idle_look"] == LEAST_REPEAT_SECONDS
    touched = {"TapHead", "TapTail", "Listen", "Think", "Work", "Sleep"}
    assert not touched & {act.motion[0] for act in idle.acts}
    alone = {stems[act.motion] for act in idle.acts if act.calm}
    assert {"idle_bell", "idle_chase"} <= alone, "long scenes would distract a working user"


def test_without_a_hint_the_first_is_the_calm_one() -> None:
    idle = idle_motions(description(motions={"Idle": 3, "Sneeze": 1, "TapHead": 1}))
    assert idle.breath == ("Idle", 0)
    assert {act.motion for act in idle.acts} == {("Idle", 1), ("Idle", 2), ("Sneeze", 0)}
    assert not idle_motions(description(motions={"Nod": 1}))


def test_the_users_choice_is_the_whole_repertoire() -> None:
    chosen = PoseChoices(motions={Pose.IDLE: (("Wave", 1), ("Nod", 0))})
    idle = idle_motions(replace(description(), moods=chosen))
    assert (idle.breath, [act.motion for act in idle.acts]) == (("Wave", 1), [("Nod", 0)])


def test_files_of_both_kinds_and_renamed_ones() -> None:
    old = json.dumps({"motions": {"idle": [{"file": "m\\b.mtn"}, {"file": "m/idle_breath.mtn"}]}})
    found = replace(description(motions={"idle": 2}), settings=old)
    assert motion_stems(found) == {("idle", 0): "b", ("idle", 1): "idle_breath"}
    assert idle_motions(found).breath == ("idle", 1)
    own = replace(found, motions={"Rest": 1}, own=OriginalNames({}, {("Rest", 0): ("idle", 1)}))
    assert motion_stems(own) == {("Rest", 0): "idle_breath"}
    assert motion_stems(replace(found, settings="[]")) == {}


def test_sleepy_it_yawns_and_asleep_it_breathes_and_dreams() -> None:
    found = description(motions={"Idle": 1, "Yawn": 1, "Sleep": 2, "Dream": 1})
    drowsy = drowsy_motions(found, ())
    assert (drowsy.breath, [a.motion for a in drowsy.acts]) == (("Idle", 0), [("Yawn", 0)])
    asleep = sleeping_motions(found, [("Sleep", 0), ("Sleep", 1)])
    assert asleep.breath == ("Sleep", 0)
    assert [act.motion for act in asleep.acts] == [("Sleep", 1), ("Dream", 0)]
