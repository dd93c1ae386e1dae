"""The animation for a state, in packs of all kinds."""

from __future__ import annotations

import pytest

from neodeskpet.figure.poses import Pose
from neodeskpet.figure.sprites.sprite_figure import (
    animation_for,
    drag_animation,
    look_index,
    rest_animation,
)

PET = [
    "idle", "running-right", "running-left", "waving", "jumping",
    "failed", "waiting", "running", "review",
]  # fmt: skip
SHIMEJI = ["Look", "Walk", "Stand", "Sit", "SitAndLookUp", "Sprawl", "Pinched", "Bouncing"]


@pytest.mark.parametrize(
    ("pose", "pet", "shimeji"),
    [
        (Pose.IDLE, "idle", "Stand"),
        (Pose.THINKING, "review", "SitAndLookUp"),
        (Pose.WORKING, "running", "Walk"),
        (Pose.SPEAKING, None, None),
        (Pose.ASKING, "waiting", "SitAndLookUp"),
        (Pose.HAPPY, "jumping", "Bouncing"),
        (Pose.SORRY, "failed", "Sprawl"),
        (Pose.DRAGGED, "jumping", "Pinched"),
        (Pose.ASLEEP, None, "Sprawl"),
        (Pose.GREETING, "waving", "Bouncing"),
    ],
)
def test_states(pose: Pose, pet: str | None, shimeji: str | None) -> None:
    assert animation_for(pose, PET) == pet
    assert animation_for(pose, SHIMEJI) == shimeji


def test_every_state_finds_its_own_name() -> None:
    for pose in Pose:
        assert animation_for(pose, ["zzz", pose.value]) == pose.value


def test_rest() -> None:
    assert rest_animation(["jump", "idle"]) == "idle"
    assert rest_animation(["jump", "Sit"]) == "Sit"
    assert rest_animation(["jump", "fall"]) == "jump"


def test_drags_and_looks() -> None:
    assert drag_animation(200.0, PET) == "running-right"
    assert drag_animation(-200.0, PET) == "running-left"
    assert drag_animation(200.0, SHIMEJI) is None
    assert drag_animation(0.0, PET) is None
    assert [look_index(x, y, 16) for x, y in ((0, 1), (1, 0), (0, -1), (-1, 0))] == [0, 4, 8, 12]
    assert look_index(0.0, 0.1, 16) is None
    assert look_index(1.0, 0.0, 0) is None


def test_walking_has_animations_of_its_own() -> None:
    left, right = Pose.WALKING_LEFT, Pose.WALKING_RIGHT
    assert [animation_for(pose, PET) for pose in (left, right)] == ["running-left", "running-right"]
    assert [animation_for(pose, SHIMEJI) for pose in (left, right)] == ["Walk", "Walk"]
    neo = ["Idle", "WalkLeft", "WalkRight"]
    assert [animation_for(pose, neo) for pose in (left, right)] == ["WalkLeft", "WalkRight"]
    assert animation_for(left, ["idle"]) is None
