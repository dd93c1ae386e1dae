from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest

from neodeskpet.figure.behaviour.handling import HandlingEvent, StrokeEvent, TouchPatience
from neodeskpet.figure.behaviour.reactions import Reactions
from neodeskpet.figure.behaviour.sleep import SleepState, WakeReaction
from neodeskpet.figure.live2d.model_actor import ModelActor
from neodeskpet.figure.poses import Pose
from tests.unit.figure.doubles import PaperModel, description

NOON = 12


def make(motions: dict[str, int] | None = None) -> tuple[Reactions, ModelActor, PaperModel]:
    model = PaperModel()
    model.finished = False
    found = description(("neutral", "smile", "shy", "surprised", "angry", "sleepy"), motions)
    return Reactions(Random(1), 0.0), ModelActor(model, found, Random(1), 0.0), model


def test_a_touch_plays_the_motion_of_the_area() -> None:
    temper, actor, model = make()
    temper.touch(actor, "Head", 1.0, NOON)
    assert ("TapHead", 0) in [entry[:2] for entry in model.named("motion")]
    assert actor.expression in ("smile", "shy")


def test_without_such_a_motion_it_poses() -> None:
    temper, actor, _ = make({"Idle": 1})
    temper.touch(actor, "Body", 1.0, NOON)
    assert actor.current_pose in (Pose.SURPRISED, Pose.HAPPY, Pose.SHY)


def test_too_many_touches_annoy() -> None:
    temper, actor, _ = make()
    for number in range(TouchPatience.MANY):
        temper.touch(actor, "Head", 1.0 + number, NOON)
    assert actor.current_pose is Pose.ANNOYED
    assert actor.expression == "angry"


def test_it_grows_sleepy_sleeps_and_wakes_with_a_start() -> None:
    temper, actor, _ = make()
    temper.tick(actor, SleepState.BLIND.sleepy + 1, NOON)
    assert actor.current_pose is Pose.SLEEPY
    assert not temper.asleep
    temper.tick(actor, SleepState.BLIND.asleep + 1, NOON)
    assert actor.current_pose is Pose.ASLEEP
    assert temper.asleep
    temper.disturb(actor, SleepState.BLIND.asleep + 2, NOON)
    assert actor.current_pose is Pose.WAKING
    assert not temper.asleep


def test_from_sleepiness_it_wakes_without_a_start() -> None:
    temper, actor, _ = make()
    temper.tick(actor, SleepState.BLIND.sleepy + 1, NOON)
    temper.disturb(actor, SleepState.BLIND.sleepy + 2, NOON)
    assert actor.current_pose is Pose.IDLE


def test_a_turn_keeps_it_awake() -> None:
    temper, actor, _ = make()
    actor.pose(Pose.SPEAKING, 1.0)
    temper.tick(actor, SleepState.BLIND.asleep + 1, NOON)
    assert actor.current_pose is Pose.SPEAKING
    actor.pose(Pose.IDLE, SleepState.BLIND.asleep + 2)
    temper.tick(actor, SleepState.BLIND.asleep + 3, NOON)
    assert actor.current_pose is Pose.IDLE


def test_lifted_and_dropped() -> None:
    temper, actor, _ = make()
    temper.lift(actor, 1.0, NOON)
    assert actor.current_pose is Pose.DRAGGED
    temper.put_down(actor, 2.0)
    assert actor.current_pose is Pose.IDLE
    assert actor.moving(2.0)


def test_being_carried_does_not_hide_the_turn() -> None:
    temper, actor, _ = make()
    actor.pose(Pose.WORKING, 1.0)
    temper.lift(actor, 2.0, NOON)
    temper.put_down(actor, 3.0)
    assert actor.current_pose is Pose.WORKING


def test_stirring_without_an_actor_is_fine() -> None:
    temper = Reactions(Random(1), 0.0)
    temper.disturb(None, 1.0, NOON)
    assert not temper.asleep


def test_the_user_returns_and_it_wakes_slowly() -> None:
    temper, actor, _ = make()
    assert temper.update_presence(actor, 1300.0, 1300.0, NOON) is WakeReaction.NONE
    temper.tick(actor, 1301.0, NOON)
    assert actor.current_pose is Pose.ASLEEP
    assert temper.update_presence(actor, 1.0, 1310.0, NOON) is WakeReaction.WELCOME
    assert actor.current_pose is Pose.GROGGY
    assert not temper.asleep
    temper.lift(actor, 1311.0, NOON)
    assert actor.current_pose is Pose.DRAGGED


def test_becoming_visible_is_no_return() -> None:
    temper, actor, _ = make()
    temper.come_into_view(3.0, 9000.0, NOON)
    assert temper.update_presence(actor, 1.0, 9002.0, NOON) is WakeReaction.NONE
    temper.tick(actor, 9003.0, NOON)
    assert actor.current_pose is Pose.IDLE


def test_held_shaken_and_thrown_and_gentler_with_fondness() -> None:
    felt = {}
    for fondness in (0.0, 0.9):
        for handled in HandlingEvent:
            temper, actor, _ = make()
            temper.fondness = fondness
            temper.lift(actor, 1.0, NOON)
            temper.handle(actor, handled, 2.0, NOON)
            felt[handled, fondness > 0.5] = actor.current_pose
    assert felt[HandlingEvent.SHAKEN, False] is Pose.ANNOYED
    assert felt[HandlingEvent.SHAKEN, True] is Pose.SURPRISED
    assert felt[HandlingEvent.HELD, True] is Pose.HAPPY
    assert felt[HandlingEvent.THROWN, False] is Pose.SURPRISED
    temper, actor, _ = make()
    actor.pose(Pose.WORKING, 1.0)
    temper.handle(actor, HandlingEvent.THROWN, 2.0, NOON)
    assert actor.current_pose is Pose.WORKING, "the turn continues"


def test_walking_by_itself_does_not_keep_it_awake() -> None:
    temper, actor, _ = make()
    for minute in range(1, 29):
        now = minute * 60.0
        actor.pose(Pose.WALKING_LEFT, now)
        temper.tick(actor, now + 1, NOON)
        assert actor.current_pose is Pose.WALKING_LEFT
        actor.pose(Pose.IDLE, now + 5)
        temper.tick(actor, now + 5, NOON)
    temper.tick(actor, SleepState.BLIND.asleep + 1, NOON)
    assert actor.current_pose is Pose.ASLEEP


FACES = {Pose.HAPPY: "smile", Pose.SURPRISED: "surprised", Pose.SHY: "shy"}
MOODS = {"pat": Pose.HAPPY, "giggle": Pose.HAPPY, "start": Pose.SURPRISED, "shy": Pose.SHY}


@pytest.mark.parametrize("seed", range(12))
def test_the_face_of_a_touch_is_that_of_its_motion(seed: int) -> None:
    files = {
        "TapBody": ["tapbody_start", "tapbody_giggle"],
        "TapHead": ["taphead_pat", "taphead_shy"],
    }
    model = PaperModel()
    model.finished = False
    faces = ("neutral", "smile", "shy", "surprised", "angry")
    found = description(faces, {group: len(names) for group, names in files.items()})
    motions = {
        group: [{"File": f"motions/{name}.motion3.json"} for name in names]
        for group, names in files.items()
    }
    found = replace(found, settings=json.dumps({"FileReferences": {"Motions": motions}}))
    actor = ModelActor(model, found, Random(seed), 0.0)
    temper = Reactions(Random(seed), 0.0)
    temper.touch(actor, "Body", 1.0, NOON)
    temper.touch(actor, "Head", 20.0, NOON)
    played = model.named("motion")[-1]
    name = files[str(played[0])][int(str(played[1]))]
    assert actor.expression == FACES[MOODS[name.split("_")[1]]]


def test_strokes_purr_and_later_show_hearts() -> None:
    temper, actor, model = make({"Idle": 1, "TapHead": 2, "Purr": 2})
    assert temper.stroke(actor, StrokeEvent.BEGUN, 1.0, NOON)
    assert temper.stroke(actor, StrokeEvent.CONTINUED, 4.0, NOON)
    assert [entry[:2] for entry in model.named("motion")][-2:] == [("Purr", 0), ("Purr", 1)]
    assert actor.expression in (None, "neutral"), "the motion closes the eyes"


def test_a_figure_without_such_a_motion_enjoys_strokes_as_a_pat() -> None:
    temper, actor, model = make({"Idle": 1, "TapHead": 2})
    temper.stroke(actor, StrokeEvent.BEGUN, 1.0, NOON)
    assert ("TapHead", 0) in [entry[:2] for entry in model.named("motion")]
    assert actor.expression == "smile"
    temper, actor, _ = make({"Idle": 1})
    temper.stroke(actor, StrokeEvent.BEGUN, 1.0, NOON)
    assert actor.current_pose is Pose.HAPPY


def test_strokes_neither_wake_nor_interrupt() -> None:
    temper, actor, _ = make()
    actor.pose(Pose.WORKING, 1.0)
    assert not temper.stroke(actor, StrokeEvent.BEGUN, 2.0, NOON)
    temper, actor, _ = make()
    temper.tick(actor, SleepState.BLIND.asleep + 1, NOON)
    assert not temper.stroke(actor, StrokeEvent.BEGUN, SleepState.BLIND.asleep + 2, NOON)
    assert actor.current_pose is Pose.ASLEEP


def test_a_touch_that_wakes_shows_nothing_else() -> None:
    temper, actor, model = make()
    temper.tick(actor, SleepState.BLIND.asleep + 1, NOON)
    temper.touch(actor, "Head", SleepState.BLIND.asleep + 2, NOON)
    assert actor.current_pose is Pose.WAKING
    assert not [entry for entry in model.named("motion") if str(entry[0]).startswith("Tap")]
    assert actor.expression != "smile"


def test_shaken_it_is_dizzy_if_it_can_be() -> None:
    model = PaperModel()
    model.finished = False
    found = description(("neutral", "smile", "angry", "dizzy"), {"Idle": 1, "Dizzy": 1})
    temper, actor = Reactions(Random(1), 0.0), ModelActor(model, found, Random(1), 0.0)
    temper.lift(actor, 1.0, NOON)
    temper.shake(actor, 1.5)
    assert actor.expression == "dizzy"
    temper.put_down(actor, 2.0)
    temper.handle(actor, HandlingEvent.SHAKEN, 2.0, NOON)
    assert actor.expression == "dizzy" and actor.current_pose is Pose.IDLE
    assert model.named("motion")[-1][0] == "Dizzy"
