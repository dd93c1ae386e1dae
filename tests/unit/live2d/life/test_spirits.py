from __future__ import annotations

from neodeskpet.live2d.life.spirits import WELCOME_APART, Spirits, Wake
from neodeskpet.live2d.poses import Pose

NOON, NIGHT = 12, 2
MINUTE = 60.0


def test_blind_it_falls_asleep_late_and_wakes_when_it_is_stirred() -> None:
    spirits, spans = Spirits(0.0), Spirits.BLIND
    assert spirits.notice(None, 5.0, NOON) is Wake.NONE
    assert spirits.state(10.0, NOON) is Pose.IDLE
    assert spirits.state(spans.sleepy, NOON) is Pose.SLEEPY
    assert spirits.state(spans.asleep, NOON) is Pose.ASLEEP
    assert spirits.stir(spans.asleep, NOON)
    assert not spirits.stir(spans.asleep + 1, NOON)
    assert spirits.state(spans.asleep + 2, NOON) is Pose.IDLE
    assert spirits.state(spans.asleep * 2, NIGHT) is Pose.ASLEEP


def test_a_person_who_works_never_sees_it_sleepy_also_at_night() -> None:
    spirits, asked = Spirits(0.0), range(0, 6 * 3600, 2)
    for hour in (NOON, NIGHT):
        for now in asked:
            assert spirits.notice(float(now % 20), float(now), hour) is Wake.NONE
            assert spirits.state(float(now), hour) is Pose.IDLE


def away(spirits: Spirits, start: float, minutes: float, hour: int = NOON) -> Wake:
    """Gone from `start` on for `minutes`, then back."""
    spirits.stir(start, hour)
    now, end = start, start + minutes * MINUTE
    while now < end:
        assert spirits.notice(now - start, now, hour) is Wake.NONE
        now += 2.0
    wakes = {spirits.notice(1.0, end + s, hour) for s in range(0, 60, 2)} - {Wake.NONE}
    assert len(wakes) <= 1
    return next(iter(wakes), Wake.NONE)


def test_it_sleeps_while_they_are_away_and_welcomes_them_once() -> None:
    spirits = Spirits(0.0)
    assert away(spirits, 0.0, 5) is Wake.NONE
    assert away(spirits, 1000.0, 15) is Wake.GROGGY
    assert away(spirits, 4000.0, 20) is Wake.WELCOME
    assert away(spirits, 8000.0, 20) is Wake.GROGGY, "not again so soon"
    assert away(spirits, 4000.0 + WELCOME_APART + 2000.0, 60) is Wake.WELCOME


def test_twenty_minutes_away_it_is_asleep() -> None:
    spirits = Spirits(0.0)
    spirits.notice(20 * MINUTE, 20 * MINUTE, NOON)
    assert spirits.state(20 * MINUTE, NOON) is Pose.ASLEEP


def test_touched_asleep_there_is_no_second_wake() -> None:
    spirits = Spirits(0.0)
    spirits.notice(20 * MINUTE, 20 * MINUTE, NOON)
    assert spirits.stir(20 * MINUTE + 1, NOON)
    assert spirits.notice(0.0, 20 * MINUTE + 2, NOON) is Wake.NONE
