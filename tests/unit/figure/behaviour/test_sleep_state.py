"""Awake, sleepy or asleep, depending on the user's absence."""

from __future__ import annotations

from neodeskpet.figure.behaviour.sleep import WELCOME_GAP_SECONDS, SleepState, WakeReaction
from neodeskpet.figure.poses import Pose

NOON, NIGHT = 12, 2
MINUTE = 60.0


def test_without_detection_it_falls_asleep_late_and_wakes_when_touched() -> None:
    state, spans = SleepState(0.0), SleepState.BLIND
    assert state.update_presence(None, 5.0, NOON) is WakeReaction.NONE
    assert state.state(10.0, NOON) is Pose.IDLE
    assert state.state(spans.sleepy, NOON) is Pose.SLEEPY
    assert state.state(spans.asleep, NOON) is Pose.ASLEEP
    assert state.disturb(spans.asleep, NOON)
    assert not state.disturb(spans.asleep + 1, NOON)
    assert state.state(spans.asleep + 2, NOON) is Pose.IDLE
    assert state.state(spans.asleep * 2, NIGHT) is Pose.ASLEEP


def test_a_working_user_never_sees_it_sleepy_also_at_night() -> None:
    state, asked = SleepState(0.0), range(0, 6 * 3600, 2)
    for hour in (NOON, NIGHT):
        for now in asked:
            assert state.update_presence(float(now % 20), float(now), hour) is WakeReaction.NONE
            assert state.state(float(now), hour) is Pose.IDLE


def away(state: SleepState, start: float, minutes: float, hour: int = NOON) -> WakeReaction:
    """Away from `start` on for `minutes`, then back."""
    state.disturb(start, hour)
    now, end = start, start + minutes * MINUTE
    while now < end:
        assert state.update_presence(now - start, now, hour) is WakeReaction.NONE
        now += 2.0
    wakes = {state.update_presence(1.0, end + s, hour) for s in range(0, 60, 2)} - {
        WakeReaction.NONE
    }
    assert len(wakes) <= 1
    return next(iter(wakes), WakeReaction.NONE)


def test_it_sleeps_while_they_are_away_and_welcomes_them_once() -> None:
    state = SleepState(0.0)
    assert away(state, 0.0, 5) is WakeReaction.NONE
    assert away(state, 1000.0, 15) is WakeReaction.GROGGY
    assert away(state, 4000.0, 20) is WakeReaction.WELCOME
    assert away(state, 8000.0, 20) is WakeReaction.GROGGY, "not again so soon"
    assert away(state, 4000.0 + WELCOME_GAP_SECONDS + 2000.0, 60) is WakeReaction.WELCOME


def test_twenty_minutes_away_it_is_asleep() -> None:
    state = SleepState(0.0)
    state.update_presence(20 * MINUTE, 20 * MINUTE, NOON)
    assert state.state(20 * MINUTE, NOON) is Pose.ASLEEP


def test_after_a_touch_there_is_no_second_wake() -> None:
    state = SleepState(0.0)
    state.update_presence(20 * MINUTE, 20 * MINUTE, NOON)
    assert state.disturb(20 * MINUTE + 1, NOON)
    assert state.update_presence(0.0, 20 * MINUTE + 2, NOON) is WakeReaction.NONE
