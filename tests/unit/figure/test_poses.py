from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.figure.files.model_reader import describe_model
from neodeskpet.figure.poses import (
    POSE_CANDIDATES,
    Pose,
    find_name,
    find_names,
    idle_group,
    name_words,
    touch_group,
)
from tests.unit.figure.models import NEO


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("TapBody", ["tap", "body"]),
        ("tap_body", ["tap", "body"]),
        ("F01_smile2", ["f", "smile"]),
        ("03.smile", ["smile"]),
        ("开心", ["开心"]),
        ("", []),
    ],
)
def test_words(name: str, split: list[str]) -> None:
    assert name_words(name) == split


@pytest.mark.parametrize(
    ("candidates", "names", "found"),
    [
        (("smile",), ["sad", "Smile"], "Smile"),
        (("smile",), ["F_smile_01", "smile"], "smile"),
        (("joy", "smile"), ["smile", "joy"], "joy"),
        (("happy",), ["happiness"], None),
        (("sad",), ["sadness"], "sadness"),
        (("sad",), ["crusade"], None),
        (("hi",), ["which", "hi"], "hi"),
        (("开心",), ["表情_开心1"], "表情_开心1"),
        (("smile",), [], None),
    ],
)
def test_find(candidates: tuple[str, ...], names: list[str], found: str | None) -> None:
    assert find_name(candidates, names) == found


def test_find_all() -> None:
    assert find_names(("nod", "happy", "yes"), ["Happy", "Nod", "Wave"]) == ["Nod", "Happy"]


def test_every_pose_has_a_direction_of_the_eyes() -> None:
    assert set(POSE_CANDIDATES) == set(Pose)


def test_the_bundled_figure_can_show_every_state_of_a_turn() -> None:
    found = describe_model(NEO)
    for pose in (Pose.THINKING, Pose.HAPPY, Pose.SORRY, Pose.SURPRISED, Pose.SLEEPY, Pose.ASKING):
        assert find_name(POSE_CANDIDATES[pose].expressions, found.expressions), pose
    assert idle_group(found.motions)


def test_idle_groups() -> None:
    assert idle_group({"Tap": 1, "Idle": 2}) == "Idle"
    assert idle_group({"": 3, "idle_main": 2}) == "idle_main"
    assert idle_group({"Tap": 1}) is None


@pytest.mark.parametrize(
    ("area", "groups", "found"),
    [
        ("Head", ["TapBody", "TapHead"], "TapHead"),
        ("Head", ["flick_head", "tap_body"], "flick_head"),
        ("HitAreaBody", ["TapBody"], "TapBody"),
        ("Head", ["TapBody"], None),
        ("Head", ["Tap", "Idle"], "Tap"),
        ("HandR", ["TapHandL", "TapHandR"], "TapHandR"),
        ("HandR", ["TapHand", "TapHead"], "TapHand"),
        ("HandR", ["TapCheekR", "TapHead"], None),
        ("", ["Tap"], "Tap"),
        ("", ["Idle"], None),
    ],
)
def test_touch_groups(area: str, groups: list[str], found: str | None) -> None:
    assert touch_group(area, dict.fromkeys(groups, 1)) == found


@given(st.lists(st.text(max_size=8), max_size=5), st.lists(st.text(max_size=8), max_size=5))
def test_find_returns_a_name_or_none(candidates: list[str], names: list[str]) -> None:
    found = find_name(candidates, names)
    assert found is None or found in names
