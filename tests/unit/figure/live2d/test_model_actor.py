from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import pytest

from neodeskpet.figure.animation_script import parse_script
from neodeskpet.figure.files.model_description import ModelDescription, OriginalNames, PoseChoices
from neodeskpet.figure.files.model_reader import describe_model
from neodeskpet.figure.live2d.framing import ModelPlacement
from neodeskpet.figure.live2d.model_actor import (
    BRIEF_SECONDS,
    FACE_SECONDS,
    FLASH_SECONDS,
    IDLE_PRIORITY,
    MOST_QUEUED_MOTIONS,
    MOTION_SECONDS,
    TOLD_PRIORITY,
    ModelActor,
)
from neodeskpet.figure.poses import Pose, RestPose
from tests.unit.figure.doubles import PaperModel, description
from tests.unit.figure.models import NEO


def make(
    found: ModelDescription | None = None, model: PaperModel | None = None
) -> tuple[ModelActor, PaperModel]:
    model = model or PaperModel()
    actor = ModelActor(model, found or description(), Random(1), 0.0)
    actor.placing = ModelPlacement(200, 400, 0.0, 0.0, 2.0)
    model.finished = False
    return actor, model


def run(actor: ModelActor, start: float, seconds: float, step: float = 0.1) -> float:
    now = start
    while now < start + seconds:
        now += step
        actor.advance(now, step)
    return now


def told(model: PaperModel) -> list[tuple[object, ...]]:
    return [entry[:2] for entry in model.named("motion") if entry[2] == TOLD_PRIORITY]


def test_it_begins_with_the_calm_face() -> None:
    actor, model = make()
    assert actor.expression == "neutral"
    assert model.named("expression") == [("neutral",)]


def test_a_told_expression_is_visible_in_the_next_frame() -> None:
    actor, model = make()
    actor.express("sad", 1.0)
    assert actor.expression == "sad"
    assert actor.moving(1.0)
    actor.advance(1.03, 0.03)
    assert model.named("offset")[-1][1] != 0.0, "it hops"


def test_the_same_expression_again_is_visible_too() -> None:
    actor, model = make()
    actor.express("sad", 1.0)
    run(actor, 1.0, 2.0)
    assert model.named("offset")[-1] == (0.0, 0.0)
    actor.express("sad", 4.0)
    actor.advance(4.03, 0.03)
    assert model.named("offset")[-1][1] != 0.0


def test_unknown_names_do_nothing() -> None:
    actor, model = make()
    before = list(model.log)
    actor.express("no such", 1.0)
    actor.play("No", None, 1.0)
    actor.play("Nod", 1, 1.0)
    actor.play("Nod", -1, 1.0)
    assert model.log == before


def test_a_told_face_stays_over_the_poses_of_its_turn() -> None:
    actor, _ = make()
    actor.pose(Pose.THINKING, 1.0)
    assert actor.expression == "thinking"
    actor.express("surprised", 2.0)
    actor.pose(Pose.SPEAKING, 3.0)
    actor.pose(Pose.HAPPY, 15.0)
    assert actor.expression == "surprised"
    run(actor, 15.0, FACE_SECONDS + 1.0)
    assert actor.expression == "neutral"


def test_a_new_message_clears_the_told_face() -> None:
    actor, _ = make()
    actor.express("sad", 1.0)
    actor.pose(Pose.LISTENING, 2.0)
    assert actor.expression == "neutral"


def test_a_flash_is_short() -> None:
    actor, _ = make()
    actor.flash("surprised", 1.0)
    run(actor, 1.0, FLASH_SECONDS + 0.5)
    assert actor.expression == "neutral"


def test_a_brief_pose_ends_by_itself() -> None:
    actor, _ = make()
    actor.pose(Pose.HAPPY, 1.0)
    assert actor.current_pose is Pose.HAPPY
    assert actor.expression == "smile"
    run(actor, 1.0, BRIEF_SECONDS + 1.0)
    assert actor.current_pose is Pose.IDLE
    assert actor.expression == "neutral"


def test_motions_told_together_play_one_after_another() -> None:
    actor, model = make()
    actor.play("Nod", 0, 1.0)
    actor.play("Wave", 1, 1.0)
    assert told(model) == [("Nod", 0)]
    actor.advance(1.5, 0.1)
    assert told(model) == [("Nod", 0)]
    model.finished = True
    actor.advance(2.0, 0.1)
    assert told(model) == [("Nod", 0), ("Wave", 1)]


def test_a_later_motion_takes_over() -> None:
    actor, model = make()
    actor.play("Nod", 0, 1.0)
    actor.play("Wave", 0, 3.0)
    assert told(model) == [("Nod", 0), ("Wave", 0)]


def test_a_looping_motion_does_not_delay_the_next() -> None:
    actor, model = make()
    actor.play("Nod", 0, 1.0)
    actor.play("Wave", 0, 1.1)
    run(actor, 1.1, MOTION_SECONDS + 1.0)
    assert told(model) == [("Nod", 0), ("Wave", 0)]


def test_the_length_of_the_queue_is_limited() -> None:
    actor, model = make()
    for _ in range(20):
        actor.play("Nod", 0, 1.0)
    model.finished = True
    run(actor, 1.0, 60.0)
    assert len(told(model)) == 1 + MOST_QUEUED_MOTIONS


def test_a_motion_without_an_index_is_any_of_the_group() -> None:
    actor, model = make()
    for second in range(20):
        actor.play("Wave", None, 1.0 + second * 2)
    assert set(told(model)) == {("Wave", 0), ("Wave", 1)}


def test_idle_motions_alternate() -> None:
    actor, model = make()
    model.finished = True
    run(actor, 0.0, 60.0)
    idle = [entry for entry in model.named("motion") if entry[2] == IDLE_PRIORITY]
    assert {entry[1] for entry in idle} == {0, 1}
    assert not told(model)


def test_it_stands_still_without_breathing() -> None:
    actor, model = make()
    assert not actor.still
    for on in (True, False):
        actor.still = on
        assert actor.still is on
    assert model.named("breath") == [(False,), (True,)]


def test_in_quiet_mode_it_only_follows_commands() -> None:
    actor, model = make()
    actor.quiet = True
    model.finished = True
    run(actor, 0.0, 20.0)
    assert model.named("motion") == []
    actor.play("Wave", None, 21.0)
    run(actor, 21.0, 22.0)
    assert told(model)


def test_without_idle_motions_it_stands() -> None:
    actor, model = make(description(motions={"Nod": 1}))
    model.finished = True
    run(actor, 0.0, 20.0)
    assert model.named("motion") == []


def test_the_mouth_follows_and_closes() -> None:
    actor, model = make()
    actor.speak(0.8, 1.0)
    actor.advance(1.03, 0.03)
    assert model.values["ParamMouthOpenY"] == pytest.approx(0.8)
    actor.speak(7.0, 1.1)
    actor.advance(1.13, 0.03)
    assert model.values["ParamMouthOpenY"] == 1.0
    actor.speak(0.0, 1.2)
    actor.advance(1.23, 0.03)
    assert model.values["ParamMouthOpenY"] == 0.0
    assert "ParamMissing" not in model.values


def test_vowels_shape_the_mouth_of_a_model_that_has_them() -> None:
    model = PaperModel()
    model.values |= {"ParamA": 0.0, "ParamO": 0.0}
    actor, _ = make(model=model)
    actor.speak(0.85, 1.0, "O")
    actor.advance(1.03, 0.03)
    assert (model.values["ParamO"], model.values["ParamMouthOpenY"]) == (1.0, 0.0)
    actor.speak(0.5, 1.1, "I")
    actor.advance(1.13, 0.03)
    assert (model.values["ParamO"], model.values["ParamMouthOpenY"]) == (0.0, 0.5)


def test_asleep_the_eyes_are_closed_and_nothing_idles() -> None:
    actor, model = make()
    actor.pose(Pose.ASLEEP, 1.0)
    run(actor, 1.0, 5.0)
    assert model.values["ParamEyeLOpen"] < 0.05
    model.log.clear()
    model.finished = True
    run(actor, 6.0, 10.0)
    assert model.named("motion") == []
    actor.pose(Pose.IDLE, 20.0)
    run(actor, 20.0, 5.0)
    assert model.values["ParamEyeLOpen"] == 1.0


def test_moving_in_its_sleep_needs_few_frames() -> None:
    actor, model = make()
    model.values["ParamAngleZ"] = 0.0
    actor.pose(Pose.ASLEEP, 1.0)
    now, dreamt = 1.0, 0
    for _ in range(2400):
        now = run(actor, now, 0.05)
        dreamt += actor.moves_asleep
        assert now < 6.0 or not actor.moving(now), "as many as for an act awake"
    assert 50 < dreamt < 1200
    actor.quiet = True
    assert not actor.moves_asleep
    actor.quiet = False
    actor.pose(Pose.IDLE, now)
    assert not actor.moves_asleep


def test_breathing_needs_fewer_frames_than_an_act() -> None:
    actor, model = make()
    actor.play("Nod", 0, 1.0)
    assert actor.is_acting
    model.finished = True
    assert not actor.is_acting


def test_peeking_needs_more_frames_than_breathing() -> None:
    actor, _ = make(description(motions={"Idle": 1, "PeekLeft": 1, "Sit": 1}))
    actor.set_rest(RestPose.SITTING, 1.0)
    run(actor, 1.0, 2.0)
    assert (actor.rest, actor.is_acting) == (RestPose.SITTING, False)
    actor.set_rest(RestPose.PEEKING_LEFT, 4.0)
    run(actor, 4.0, 2.0)
    assert (actor.rest, actor.is_acting) == (RestPose.PEEKING_LEFT, True)


def test_the_frame_rate_follows_the_movement() -> None:
    actor, _ = make()
    actor.play("Nod", 0, 1.0)
    assert actor.pace == math.inf, "it begins"
    now = run(actor, 1.0, 2.0)
    assert actor.pace == 0.0
    actor.speak(1.0, now)
    actor.advance(now + 0.1, 0.1)
    assert actor.pace > 20.0


def test_thinking_looks_up() -> None:
    actor, model = make()
    actor.pose(Pose.THINKING, 1.0)
    actor.advance(1.1, 0.1)
    _, y = model.named("drag")[-1]
    assert isinstance(y, float)
    assert y < 200


def test_a_look_on_command() -> None:
    actor, model = make()
    actor.look(1.0, 0.0, 1.0)
    actor.advance(1.1, 0.1)
    assert model.named("drag")[-1] == (300.0, 200.0)


def test_carried_it_swings_and_comes_to_rest() -> None:
    actor, model = make()
    actor.drag(2000.0, 1.0)
    run(actor, 1.0, 0.2, 0.03)
    assert model.degrees < -0.5
    assert actor.moving(1.3)
    actor.land(1.3)
    end = run(actor, 1.3, 6.0)
    assert model.degrees == 0.0
    assert not actor.moving(end)


def test_before_it_is_placed_it_only_updates() -> None:
    model = PaperModel()
    actor = ModelActor(model, description(), Random(1), 0.0)
    actor.advance(0.1, 0.1)
    assert model.named("drag") == []
    assert model.named("offset") == []


def test_a_model_without_expressions_keeps_its_plain_face() -> None:
    actor, model = make(description(expressions=()))
    actor.pose(Pose.HAPPY, 1.0)
    assert actor.expression is None
    assert model.named("expression") == []


def test_a_model_without_a_calm_face_is_reset() -> None:
    actor, model = make(description(expressions=("smile",)))
    actor.express("smile", 1.0)
    run(actor, 1.0, FACE_SECONDS + 1.0)
    assert actor.expression is None
    assert model.named("expression") == [("smile",), (None,)]


def test_a_lasting_pose_repeats_its_motion_instead_of_idling() -> None:
    actor, model = make(description(motions={"Idle": 3, "Work": 2, "Sleep": 1}))
    model.finished = True
    now = 1.0
    for pose, group in ((Pose.WORKING, "Work"), (Pose.ASLEEP, "Sleep")):
        actor.pose(pose, now)
        model.log.clear()
        run(actor, now, 30.0)
        assert {entry[0] for entry in model.named("motion")} == {group}
        now += 40.0


def test_a_long_thought_has_several_beats_and_a_bridge_into_speech() -> None:
    actor, model = make(describe_model(NEO))
    actor.pose(Pose.THINKING, 1.0)
    now = run(actor, 1.0, 60.0)
    motions = [(str(group), int(str(index))) for group, index, _ in model.named("motion")]
    assert {group for group, _ in motions} == {"Think"}
    assert {index for _, index in motions} == {0, 1, 2, 3}
    actor.pose(Pose.SPEAKING, now)
    assert told(model)[-1] == ("Bridge", 0)
    model.finished = True
    run(actor, now, 5.0)
    assert model.named("motion")[-1][0] == "Idle"


def test_a_question_is_shown_until_it_is_answered() -> None:
    actor, model = make(describe_model(NEO))
    actor.pose(Pose.ASKING, 1.0)
    now = run(actor, 1.0, 300.0)
    assert {entry[0] for entry in model.named("motion")} == {"Ask"}
    assert actor.current_pose is Pose.ASKING
    actor.pose(Pose.WORKING, now)
    assert told(model)[-1] == ("Bridge", 3)


def test_a_wave_that_shows_a_question_is_not_repeated() -> None:
    actor, model = make(description(motions={"Idle": 1, "Wave": 1}))
    actor.pose(Pose.ASKING, 1.0)
    model.finished = True
    run(actor, 1.0, 30.0)
    assert [entry[0] for entry in model.named("motion")].count("Wave") == 1


def test_a_pose_does_not_interrupt_a_told_motion() -> None:
    actor, model = make(description(motions={"Wave": 1, "Think": 1, "Work": 1}))
    actor.play("Wave", 0, 1.0)
    actor.pose(Pose.THINKING, 1.2)
    assert told(model) == [("Wave", 0)]
    model.finished = True
    actor.pose(Pose.WORKING, 4.0)
    assert told(model) == [("Wave", 0), ("Work", 0)]


def test_consecutive_poses_leave_nothing_behind() -> None:
    actor, model = make(description(motions={"Think": 1, "Work": 1}))
    actor.pose(Pose.THINKING, 1.0)
    actor.pose(Pose.WORKING, 1.1)
    actor.pose(Pose.IDLE, 1.2)
    model.finished = True
    run(actor, 1.2, 30.0)
    assert told(model) == [("Think", 0), ("Work", 0)]


def test_a_pose_without_motions_ends_the_motion_of_the_last_pose() -> None:
    actor, model = make(description(motions={"Think": 1}))
    actor.pose(Pose.THINKING, 1.0)
    run(actor, 1.0, 1.0)
    assert model.named("stop") == []
    actor.pose(Pose.SPEAKING, 2.0)
    run(actor, 2.0, 0.2)
    assert model.named("stop")


def test_an_idle_motion_replaces_the_motion_of_a_pose_at_once() -> None:
    actor, model = make(description(motions={"Idle": 1, "Think": 1}))
    actor.pose(Pose.THINKING, 1.0)
    run(actor, 1.0, 3.0)
    actor.pose(Pose.SPEAKING, 4.0)
    actor.advance(4.1, 0.1)
    assert model.named("motion")[-1] == ("Idle", 0, TOLD_PRIORITY)


def test_a_brief_pose_has_variety() -> None:
    actor, model = make(description(motions={"Happy": 2, "Nod": 1}))
    for second in range(40):
        actor.pose(Pose.HAPPY, 1.0 + second * 2)
    assert set(told(model)) == {("Happy", 0), ("Happy", 1), ("Nod", 0)}


def test_the_same_busy_pose_again_changes_nothing() -> None:
    actor, model = make(description(motions={"thinking": 1}))
    actor.pose(Pose.THINKING, 1.0)
    actor.pose(Pose.THINKING, 5.0)
    assert told(model) == [("thinking", 0)]


def test_the_foxfire_is_hidden_while_a_window_is_beside_it() -> None:
    model = PaperModel()
    model.values["ParamWisp"] = 1.0
    actor, _ = make(model=model)
    now = run(actor, 1.0, 1.0)
    assert model.values["ParamWisp"] == 1.0
    actor.is_crowded = True
    now = run(actor, now, 2.0)
    assert model.values["ParamWisp"] < 0.05
    model.values["ParamWisp"] = 1.0
    actor.is_crowded = False
    run(actor, now, 2.0)
    assert model.values["ParamWisp"] > 0.0


def test_a_script_moves_parameters_after_the_model() -> None:
    actor, model = make()
    ranges = actor.parameters()
    assert ranges["ParamEyeLOpen"] == (0.0, 1.0, 1.0)
    actor.animate(
        parse_script([{"do": "set", "parameter": "ParamEyeLOpen", "to": 0.2}], ranges), 1.0
    )
    assert actor.moving(1.0)
    actor.advance(1.03, 0.03)
    assert model.values["ParamEyeLOpen"] == 0.2
    run(actor, 1.03, 3.0)
    assert model.values["ParamEyeLOpen"] == 1.0
    assert not actor._animation.running(5.0)


def test_renamed_ones_reach_the_model_under_its_own_names() -> None:
    found = replace(
        description(),
        expressions=("calm", "smile"),
        motions={"Idle": 1, "Bow": 1},
        own=OriginalNames({"calm": "F01"}, {("Bow", 0): ("Idle", 1)}),
        moods=PoseChoices({Pose.IDLE: "calm", Pose.HAPPY: "smile"}, {Pose.SORRY: (("Bow", 0),)}),
    )
    actor, model = make(found)
    assert model.named("expression") == [("F01",)]
    actor.play("Bow", 0, 1.0)
    assert told(model) == [("Idle", 1)]
    run(actor, 1.0, MOTION_SECONDS)
    actor.pose(Pose.SORRY, 20.0)
    assert told(model)[-1] == ("Idle", 1)
    actor.pose(Pose.HAPPY, 40.0)
    assert actor.expression == "smile"


def test_another_description_of_the_same_model() -> None:
    actor, model = make()
    actor.express("smile", 1.0)
    actor.redescribe(replace(description(), moods=PoseChoices({Pose.IDLE: "sad"})), 2.0)
    assert actor.expression == "sad"
    assert model.named("expression")[-1] == ("sad",)


def test_it_repeats_its_step_while_it_walks() -> None:
    model = PaperModel()
    found = description(motions={"Idle": 2, "WalkLeft": 1, "WalkRight": 1})
    actor = ModelActor(model, found, Random(1), 0.0)
    assert actor.has_motion_for(Pose.WALKING_LEFT)
    assert not ModelActor(model, description(), Random(1), 0.0).has_motion_for(Pose.WALKING_LEFT)
    model.finished = True
    actor.pose(Pose.WALKING_RIGHT, 1.0)
    run(actor, 1.0, 2.0)
    steps = told(model)
    assert set(steps) == {("WalkRight", 0)}
    assert len(steps) > 3, "without a rest in between"


def test_it_leans_gradually_and_not_asleep() -> None:
    actor, model = make()
    actor.set_rest(RestPose.PEEKING_RIGHT, 1.0)
    run(actor, 1.0, 0.1)
    assert -18.0 < model.degrees < 0.0
    run(actor, 1.1, 2.0)
    assert model.degrees == -18.0
    actor.pose(Pose.ASLEEP, 4.0)
    run(actor, 4.0, 2.0)
    assert model.degrees == 0.0


def test_a_figure_with_a_motion_for_peeking_plays_it_and_leans_during_others() -> None:
    found = description(motions={"Idle": 3, "Listen": 1, "PeekLeft": 1, "PeekRight": 1})
    actor, model = make(found)
    actor.set_rest(RestPose.PEEKING_LEFT, 1.0)
    run(actor, 1.0, 60.0)
    assert set(told(model)) == {("PeekLeft", 0)}, "nothing else by itself"
    assert model.degrees == 0.0
    assert actor.rest is RestPose.PEEKING_LEFT
    actor.pose(Pose.LISTENING, 62.0)
    run(actor, 62.0, 2.0)
    assert model.degrees == 18.0, "it is visible all the same"
    assert actor.rest is RestPose.STANDING
    actor.pose(Pose.SPEAKING, 65.0)
    run(actor, 65.0, 3.0)
    assert actor.rest is RestPose.PEEKING_LEFT
    assert model.degrees == 0.0
    actor.set_rest(RestPose.STANDING, 70.0)
    run(actor, 70.0, 1.0)
    assert told(model)[-1] == ("Idle", 0)
