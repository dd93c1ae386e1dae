from __future__ import annotations

from dataclasses import replace

from neodeskpet.figure.files.model_description import OriginalNames, PoseChoices
from neodeskpet.figure.poses import Pose
from tests.unit.figure.doubles import description


def test_without_renames_the_names_are_those_of_the_library() -> None:
    found = description()
    assert found.own_expressions == found.expressions
    assert found.own_motions == dict(found.motions)
    assert found.own_motion(("Wave", 1)) == ("Wave", 1)


def test_renamed_ones_are_distinguished() -> None:
    own = OriginalNames({"happy": "smile"}, {("Bow", 0): ("Wave", 1)})
    found = replace(description(("happy",), {"Wave": 1, "Bow": 1}), own=own)
    assert found.own_expressions == ("smile",)
    assert found.own_motions == {"Wave": 2}


def test_the_face_for_a_pose_is_the_users_choice_or_found_by_name() -> None:
    found = description()
    assert found.face_for(Pose.SORRY) == "sad"
    assert found.face_for(Pose.SHY) == "smile"
    assert replace(found, moods=PoseChoices({Pose.SORRY: "smile"})).face_for(Pose.SORRY) == "smile"
    assert description(()).face_for(Pose.SORRY) is None
