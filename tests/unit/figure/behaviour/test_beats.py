"""The beats of a lasting state, and the bridges between two states."""

from __future__ import annotations

import math
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.figure.behaviour.beats import (
    BELL_AFTER,
    BROWS_AFTER,
    Beat,
    BeatChooser,
    beats_of,
    bridge_between,
    find_bridges,
)
from neodeskpet.figure.files.model_reader import describe_model
from neodeskpet.figure.poses import Pose
from tests.unit.figure.models import NEO


def shown(chooser: BeatChooser, seconds: float) -> list[tuple[float, tuple[str, int]]]:
    """Return the beats of so many seconds, six seconds each, with their starts."""
    now, played = 0.0, []
    while now < seconds and (motion := chooser.next(now)) is not None:
        played.append((now, motion))
        now += min(6.0, chooser.seconds_to_later_beat(now)) + chooser.pause()
    return played


@given(st.integers(0, 2**32), st.integers(2, 6))
def test_all_beats_are_shown_and_none_twice_in_a_row(seed: int, count: int) -> None:
    chooser = BeatChooser(Random(seed))
    chooser.begin([Beat(("Think", index)) for index in range(count)], 0.0)
    motions = [motion for _, motion in shown(chooser, 150.0)]
    assert all(a != b for a, b in pairwise(motions))
    assert len(set(motions)) == count


def test_a_minute_of_thought_has_many_beats_in_varied_order() -> None:
    orders = set()
    for seed in range(20):
        chooser = BeatChooser(Random(seed))
        chooser.begin(beats_of(neo, [("Think", index) for index in range(4)]), 0.0)
        minute = shown(chooser, 60.0)
        assert 8 <= len(minute) <= 12
        orders.add(tuple(motion for _, motion in minute))
    assert len(orders) > 15


def test_a_single_motion_is_not_interrupted() -> None:
    chooser = BeatChooser(Random(1))
    chooser.begin([Beat(("Work", 0))], 0.0)
    assert [chooser.next(second * 10.0) for second in range(3)] == [("Work", 0)] * 3
    assert chooser.seconds_to_later_beat(0.0) == math.inf


def test_a_state_without_motions_has_no_beats() -> None:
    assert BeatChooser(Random(1)).next(0.0) is None


neo = describe_model(NEO)


@given(st.integers(0, 2**32))
def test_an_open_question_lifts_the_brows_and_later_rings_the_bell(seed: int) -> None:
    beats = beats_of(neo, [("Ask", index) for index in range(4)])
    chooser = BeatChooser(Random(seed))
    chooser.begin(beats, 0.0)
    played = shown(chooser, 150.0)
    brows = [at for at, motion in played if motion == ("Ask", 2)]
    bells = [at for at, motion in played if motion == ("Ask", 3)]
    assert BROWS_AFTER <= brows[0] <= BROWS_AFTER + 2.0
    assert BELL_AFTER <= bells[0] <= BELL_AFTER + 2.0
    assert all(b - a >= 120.0 for a, b in pairwise(bells)), "it doesn't nag"


def test_another_question_begins_anew() -> None:
    chooser = BeatChooser(Random(1))
    beats = [Beat(("Ask", 0)), Beat(("Ask", 1), after=10.0)]
    chooser.begin(beats, 0.0)
    assert len({motion for _, motion in shown(chooser, 60.0)}) == 2
    chooser.begin(beats, 100.0)
    assert chooser.next(100.0) == ("Ask", 0)
    assert chooser.seconds_to_later_beat(100.0) == 10.0


@pytest.mark.parametrize(
    ("before", "after", "lasted", "stem"),
    [
        (Pose.THINKING, Pose.SPEAKING, 20.0, "ah"),
        (Pose.LISTENING, Pose.THINKING, 5.0, "hm"),
        (Pose.WORKING, Pose.THINKING, 5.0, "done"),
        (Pose.ASKING, Pose.WORKING, 5.0, "thanks"),
        (Pose.WALKING_LEFT, Pose.IDLE, 3.0, "turn"),
    ],
)
def test_neo_has_bridges(before: Pose, after: Pose, lasted: float, stem: str) -> None:
    bridge = bridge_between(find_bridges(neo), before, after, lasted)
    assert bridge is not None
    assert neo.motion_words(bridge) == ["bridge", stem]


def test_a_short_thought_and_other_changes_have_no_bridge() -> None:
    bridges = find_bridges(neo)
    assert bridge_between(bridges, Pose.THINKING, Pose.SPEAKING, 0.4) is None
    assert bridge_between(bridges, Pose.IDLE, Pose.SPEAKING, 60.0) is None
    assert bridge_between({}, Pose.THINKING, Pose.SPEAKING, 60.0) is None
