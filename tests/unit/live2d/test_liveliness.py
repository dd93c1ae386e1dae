from __future__ import annotations

from itertools import pairwise
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.live2d.liveliness import Idling, Patience, Spirits, is_night
from neodeskpet.live2d.poses import Pose

NOON, NIGHT = 12, 2


@given(st.integers(0, 2**32), st.integers(2, 6))
def test_no_idle_motion_twice_in_a_row(seed: int, count: int) -> None:
    idling = Idling(Random(seed))
    motions = [("Idle", index) for index in range(count)]
    played = [idling.next(motions, second * 10.0) for second in range(60)]
    assert None not in played
    assert all(a != b for a, b in pairwise(played))
    assert set(played) == set(motions)


def test_a_single_idle_motion_repeats() -> None:
    idling = Idling(Random(1))
    assert [idling.next([("Idle", 0)], s * 10.0) for s in range(3)] == [("Idle", 0)] * 3


def test_it_rests_between() -> None:
    idling = Idling(Random(1))
    motions = [("Idle", 0), ("Idle", 1)]
    assert idling.next(motions, 0.0)
    assert idling.next(motions, 0.1) is None
    assert idling.next([], 100.0) is None
    idling.restart(100.0)
    assert idling.next(motions, 100.1) is None


def test_motions_of_a_former_model_are_forgotten() -> None:
    idling = Idling(Random(1))
    idling.next([("Idle", index) for index in range(5)], 0.0)
    assert idling.next([("Other", 0)], 10.0) == ("Other", 0)


def test_touches_please_until_there_are_too_many() -> None:
    patience = Patience(Random(2))
    moods = [patience.touch("Head", float(second)) for second in range(Patience.MANY)]
    assert None not in moods
    assert moods[-1] is Pose.ANNOYED
    assert Pose.ANNOYED not in moods[:-1]
    assert patience.touch("Head", Patience.MANY + 0.1) is None, "it sulks"
    assert patience.touch("Head", Patience.MANY + Patience.SULK) is not Pose.ANNOYED


def test_touches_cool_down() -> None:
    patience = Patience(Random(2))
    assert patience.touch("Body", 0.0)
    assert patience.touch("Body", Patience.COOL_DOWN / 2) is None


def test_it_falls_asleep_and_wakes() -> None:
    spirits = Spirits(0.0)
    assert spirits.state(10.0, NOON) is Pose.IDLE
    assert spirits.state(Spirits.SLEEPY, NOON) is Pose.SLEEPY
    assert spirits.state(Spirits.ASLEEP, NOON) is Pose.ASLEEP
    assert spirits.stir(Spirits.ASLEEP, NOON)
    assert not spirits.stir(Spirits.ASLEEP + 1, NOON)
    assert spirits.state(Spirits.ASLEEP + 2, NOON) is Pose.IDLE


def test_at_night_sooner() -> None:
    assert is_night(NIGHT)
    assert is_night(23)
    assert not is_night(NOON)
    spirits = Spirits(0.0)
    assert spirits.state(Spirits.ASLEEP / 2, NIGHT) is Pose.ASLEEP
