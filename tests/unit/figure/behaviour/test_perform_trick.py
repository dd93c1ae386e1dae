"""Tricks: a motion, otherwise a script, otherwise a pose."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

from neodeskpet.figure.animation_script import ParameterRange, parse_script
from neodeskpet.figure.behaviour.tricks import (
    HeldParameter,
    ParameterPulse,
    Trick,
    find_trick_motion,
    perform_trick,
    script_steps,
)
from neodeskpet.figure.files.model_description import ModelDescription
from neodeskpet.figure.live2d.framing import ModelPlacement
from neodeskpet.figure.live2d.model_actor import ModelActor
from neodeskpet.figure.poses import Pose
from tests.unit.figure.doubles import PaperModel, description

NOD = Trick(("nod",), (ParameterPulse("ParamMouthOpenY", 1.0, 0.5, 2),), Pose.HAPPY, ("smile",))
SPANS = {"A": ParameterRange(-10.0, 30.0, 0.0), "B": ParameterRange(0.0, 1.0, 1.0)}


def acting(found: ModelDescription) -> tuple[PaperModel, ModelActor]:
    model = PaperModel()
    actor = ModelActor(model, found, Random(1), 0.0)
    actor.placing = ModelPlacement(200, 400, 0.0, 0.0, 2.0)
    return model, actor


def test_a_motion_of_that_name_is_preferred() -> None:
    model, actor = acting(description())
    perform_trick(actor, NOD, 1.0)
    assert model.named("motion")[-1][:2] == ("Nod", 0)
    assert actor.expression == "smile"


def test_a_recent_trick_is_repeated_only_on_request() -> None:
    model, actor = acting(description())
    perform_trick(actor, NOD, 1.0)
    actor.advance(5.0, 0.25)
    played = len(model.named("motion"))
    perform_trick(actor, NOD, 60.0)
    assert len(model.named("motion")) == played
    perform_trick(actor, NOD, 60.0, asked=True)
    assert len(model.named("motion")) == played + 1
    perform_trick(actor, NOD, 200.0)
    assert len(model.named("motion")) == played + 2


def test_instead_of_a_recent_motion_it_moves_its_parameters() -> None:
    """A figure that nods to music doesn't stand still for two minutes after the first nod."""
    model, actor = acting(description())
    perform_trick(actor, NOD, 1.0)
    actor.advance(5.0, 0.25)
    perform_trick(actor, NOD, 60.0)
    actor.advance(60.25, 0.25)
    assert model.values["ParamMouthOpenY"] > 0.9
    assert [motion[0] for motion in model.named("motion")].count("Nod") == 1
    posed = actor.current_pose
    perform_trick(actor, Trick(("nod",), (), Pose.HAPPY), 70.0)
    assert actor.current_pose is posed, "nothing, if it has no parameters for it"


def test_without_a_motion_it_moves_its_parameters() -> None:
    model, actor = acting(description(motions={"Idle": 1}))
    perform_trick(actor, NOD, 1.0)
    actor.advance(1.25, 0.25)
    assert model.values["ParamMouthOpenY"] > 0.9
    assert actor.current_pose is Pose.IDLE


def test_without_those_it_takes_a_pose_or_does_nothing() -> None:
    _, actor = acting(description(motions={"Idle": 1}))
    perform_trick(actor, Trick(("nod",), (ParameterPulse("ParamNone", 1.0, 0.5),)), 1.0)
    assert actor.current_pose is Pose.IDLE
    perform_trick(actor, Trick(("nod",), (ParameterPulse("ParamNone", 1.0, 0.5),), Pose.HAPPY), 1.0)
    assert actor.current_pose is Pose.HAPPY


def test_motions_are_found_by_their_groups_and_by_their_files() -> None:
    files = {"Idle": [{"File": "idle_breathe.motion3.json"}, {"File": "idle_stretch.motion3.json"}]}
    settings = json.dumps({"FileReferences": {"Motions": files | {"Dance": [{"File": "d.json"}]}}})
    found = replace(description(motions={"Idle": 2, "Dance": 1}), settings=settings)
    assert find_trick_motion(found, ("dance",)) == ("Dance", 0)
    assert find_trick_motion(found, ("limbo", "stretch")) == ("Idle", 1)
    assert find_trick_motion(found, ("limbo",)) is None


def test_values_are_shares_of_the_range_to_either_end() -> None:
    pulses = (
        ParameterPulse("A", 0.5, 1.0),
        ParameterPulse("A", -0.5, 1.0, 2, after=1.0),
        ParameterPulse("B", -1.0, 1.0),
    )
    up, down, shut = script_steps(pulses, SPANS)
    assert up["to"] == 15.0
    assert down == {
        "do": "sequence",
        "steps": [
            {"do": "wait", "seconds": 1.0},
            {"do": "pulse", "parameter": "A", "to": -5.0, "seconds": 1.0, "times": 2},
        ],
    }
    assert shut["to"] == 0.0
    assert script_steps(pulses, {}) == []


def test_a_lasting_value_is_there_before_and_after_its_pulse() -> None:
    steps = script_steps(
        (ParameterPulse("A", 1.0, 0.5),),
        SPANS,
        (HeldParameter("A", 0.5, 0.25), HeldParameter("C", 1.0, 0.1)),
    )
    (own,) = steps
    script = parse_script([own], SPANS)
    assert script.seconds == 0.75
    values = [script.held(at)["A"].value for at in (0.25, 0.5, 0.75)]
    assert [round(value, 3) for value in values] == [15.0, 30.0, 15.0]
    assert script.held(0.75)["A"].weight == 1.0
