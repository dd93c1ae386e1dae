"""A figure made of pictures: it shows the state of the turn, follows commands, idles and is
dragged.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from neodeskpet.figure.behaviour.reactions import Reactions
from neodeskpet.figure.files.model_description import ModelDescription
from neodeskpet.figure.poses import Pose, RestPose
from neodeskpet.figure.sprites.sprite_actor import SpriteActor
from neodeskpet.figure.sprites.sprite_figure import Animation, Frame, Sprite, SpriteFigure

NAMES = ("idle", "idle-tail", "think", "happy", "sorry", "TapHead", "running-left", "jumping")


def body(*, voice: bool = True, looks: int = 0) -> SpriteFigure:
    """Each animation has two frames of its own."""
    animations = {
        name: Animation(
            frames=(Frame(cel=2 * n, seconds=0.2), Frame(cel=2 * n + 1, seconds=0.2)),
            loops=name not in ("happy", "sorry", "jumping"),
        )
        for n, name in enumerate(NAMES)
    }
    animations["face smile"] = Animation(frames=(Frame(cel=20, seconds=1.0),))
    if voice:
        loud = tuple(Frame(cel=30 + n, seconds=0.1) for n in range(3))
        animations["voice"] = Animation(frames=loud, voice=True)
    cel = Sprite(sheet=0, left=0, top=0, width=9, height=9, x=0, y=0)
    return SpriteFigure(
        name="Cat",
        canvas=(9, 9),
        sheets=("sheet-0.png",),
        cels=(cel,) * 60,
        animations=animations,
        faces={"smile": "face smile", "angry": "face smile"},
        looks=tuple(range(40, 40 + looks)),
        towards="left",
        figure=(0, 0, 9, 9),
    )


def described(made: SpriteFigure) -> ModelDescription:
    return ModelDescription(
        name="Cat",
        file=Path("body.json"),
        root=Path(),
        version=0,
        settings="",
        moc=Path("body.json"),
        textures=(),
        expressions=tuple(made.faces),
        motions=made.acts,
        pictures=made,
    )


@pytest.fixture
def actor() -> SpriteActor:
    return SpriteActor(described(body()), Random(1), 0.0)


def at(actor: SpriteActor, now: float) -> int:
    actor.advance(now, 0.03)
    return actor.posture().cel


def test_it_stands_and_its_frames_advance(actor: SpriteActor) -> None:
    assert [at(actor, now) for now in (0.1, 0.3, 0.5)] == [0, 1, 0]
    assert actor.description.motions == dict.fromkeys(NAMES, 1)


def test_it_shows_the_state_of_the_turn(actor: SpriteActor) -> None:
    actor.pose(Pose.THINKING, 1.0)
    assert actor.shown == "think"
    actor.pose(Pose.HAPPY, 2.0)
    assert actor.shown == "happy"
    assert at(actor, 3.0) == 7, "the last frame stays for a moment"
    at(actor, 5.0)
    assert actor.shown == "idle"
    at(actor, 9.0)
    assert actor.current_pose is Pose.IDLE


def test_a_pose_without_an_animation_has_a_face(actor: SpriteActor) -> None:
    actor.pose(Pose.ANNOYED, 1.0)
    assert actor.shown == "face smile"


def test_told_animations_play_one_after_another(actor: SpriteActor) -> None:
    actor.play("jumping", None, 1.0)
    actor.play("think", 0, 1.1)
    actor.play("nothing", None, 1.1)
    actor.play("think", 7, 1.1)
    assert actor.shown == "jumping"
    actor.pose(Pose.THINKING, 1.2)
    actor.pose(Pose.IDLE, 1.3)
    assert actor.shown == "jumping", "a pose doesn't interrupt it"
    at(actor, 2.0)
    assert actor.shown == "think"
    at(actor, 4.0)
    assert actor.shown == "idle"


def test_a_told_face_ends_after_a_while(actor: SpriteActor) -> None:
    actor.express("smile", 1.0)
    actor.express("grin", 1.0)
    assert (actor.expression, at(actor, 1.1)) == ("smile", 20)
    at(actor, 25.0)
    assert actor.expression is None
    actor.flash("smile", 30.0)
    at(actor, 34.0)
    assert actor.expression is None


def test_it_speaks_with_its_mouth(actor: SpriteActor) -> None:
    actor.pose(Pose.SPEAKING, 1.0)
    seen = []
    for level in (0.1, 0.5, 1.0):
        actor.speak(level, 1.1)
        seen.append(at(actor, 1.1))
    assert seen == [30, 32, 32]
    actor.speak(0.0, 1.2)
    assert at(actor, 1.3) < 2


def test_without_a_mouth_it_bobs() -> None:
    actor = SpriteActor(described(body(voice=False)), Random(1), 0.0)
    actor.speak(1.0, 1.0)
    actor.advance(1.0, 0.03)
    assert actor.posture().stretch > 1.02


def test_it_looks_and_turns_round() -> None:
    actor = SpriteActor(described(body(looks=16)), Random(1), 0.0)
    actor.look(1.0, 0.0, 1.0)
    assert at(actor, 1.1) == 44
    assert actor.posture().mirrored, "it is drawn looking left"
    actor.look(-1.0, 0.0, 2.0)
    actor.advance(2.1, 0.03)
    assert not actor.posture().mirrored


def test_being_dragged(actor: SpriteActor) -> None:
    reactions = Reactions(Random(1), 0.0)
    reactions.lift(actor, 1.0, 12)
    assert actor.current_pose is Pose.DRAGGED
    actor.drag(-400.0, 1.1)
    for step in range(5):
        actor.advance(1.1 + step * 0.03, 0.03)
    assert actor.shown == "running-left"
    assert actor.posture().turn > 0.0
    assert actor.moving(1.3)
    reactions.put_down(actor, 1.4)
    actor.advance(1.5, 0.03)
    assert actor.shown == "idle"
    assert actor.posture().lift > 0.0


def test_a_touch_of_the_head(actor: SpriteActor) -> None:
    Reactions(Random(1), 0.0).touch(actor, "Head", 1.0, 12)
    assert actor.shown == "TapHead"


def test_it_idles_unless_in_quiet_mode(actor: SpriteActor) -> None:
    seen = set()
    for second in range(200):
        actor.advance(float(second), 0.03)
        seen.add(actor.shown)
    assert seen == {"idle", "idle-tail"}
    actor.quiet = True
    for second in range(220, 400):
        actor.advance(float(second), 0.03)
        assert actor.shown == "idle"


def test_it_breathes_unless_it_is_still(actor: SpriteActor) -> None:
    def heights() -> set[float]:
        actor.express("smile", 0.0)  # a face of one frame
        found = set()
        for step in range(8):
            actor.advance(step / 5, 0.03)
            found.add(round(actor.posture().stretch, 4))
        return found

    assert len(heights()) > 3
    actor.still = True
    assert actor.still
    assert len(heights()) == 1


def test_other_names(actor: SpriteActor) -> None:
    found = replace(actor.description, expressions=())
    actor.redescribe(found, 1.0)
    actor.express("smile", 1.0)
    assert actor.expression is None
    assert actor.parameters() == {}


def test_it_turns_to_the_direction_of_its_walk() -> None:
    made = body()
    walks = {"walk": made.animations[NAMES[0]], **made.animations}
    actor = SpriteActor(described(made.model_copy(update={"animations": walks})), Random(1), 0.0)
    assert actor.has_motion_for(Pose.WALKING_LEFT)
    for pose, mirrored in ((Pose.WALKING_LEFT, False), (Pose.WALKING_RIGHT, True)):
        actor.pose(pose, 1.0)
        actor.look(1.0 if pose is Pose.WALKING_LEFT else -1.0, 0.0, 1.0)
        actor.advance(1.1, 0.03)
        assert actor.shown == ("walk" if mirrored else "running-left")
        assert actor.posture().mirrored is mirrored


def test_it_leans_gradually(actor: SpriteActor) -> None:
    actor.set_rest(RestPose.PEEKING_RIGHT, 0.0)
    actor.advance(1.0, 0.03)
    assert 0.0 < actor.posture().lean < 18.0
    assert actor.moving(1.0)
    for frame in range(60):
        actor.advance(1.1 + frame / 30, 1 / 30)
    assert actor.posture().lean == 18.0
