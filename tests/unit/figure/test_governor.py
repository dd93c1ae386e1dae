from __future__ import annotations

import random

import pytest

from neodeskpet.figure.frame_rate import (
    BATTERY_RATES,
    FULL_RATES,
    SOFTWARE_RATES,
    STREAMING_RATES,
    FrameRateLimiter,
    FrameRates,
    FrameSchedule,
    InputPriority,
)


def test_hidden_it_draws_nothing() -> None:
    governor = FrameRateLimiter()
    governor.wake(0.0, 10.0)
    assert governor.fps(0.0) == 0.0
    assert governor.interval(0.0) is None


def test_fast_while_something_moves() -> None:
    governor = FrameRateLimiter()
    governor.set_visible(True)
    assert governor.visible
    assert governor.fps(0.0) == FULL_RATES.idle
    assert governor.wake(0.0, 2.0)
    assert not governor.wake(1.0, 2.0), "already fast"
    assert governor.fps(2.9) == FULL_RATES.active
    assert governor.fps(3.0) == FULL_RATES.idle


def test_a_shorter_wake_does_not_shorten_a_longer_one() -> None:
    governor = FrameRateLimiter()
    governor.set_visible(True)
    governor.wake(0.0, 5.0)
    governor.wake(1.0, 0.1)
    assert governor.fps(4.0) == FULL_RATES.active


def test_slower_at_rest() -> None:
    governor = FrameRateLimiter()
    governor.set_visible(True)
    governor.resting = True
    assert governor.interval(0.0) == 1.0 / FULL_RATES.resting


def test_saving_power() -> None:
    governor = FrameRateLimiter()
    governor.set_visible(True)
    governor.rates = BATTERY_RATES
    governor.wake(0.0, 1.0)
    assert governor.fps(0.5) == BATTERY_RATES.active < FULL_RATES.active


def test_waking_while_hidden_requests_no_frame() -> None:
    assert not FrameRateLimiter().wake(0.0, 1.0)


@pytest.mark.parametrize("rate", [30.0, 12.0])
def test_the_rate_is_kept_although_everything_is_late(rate: float) -> None:
    chance = random.Random(1)
    beat, now, frames = FrameSchedule(0.0), 0.0, 0
    while now < 60.0:
        # A timer counts whole milliseconds and is late, and so is the paint event.
        now += round(beat.left(now, 1.0 / rate) * 1000) / 1000 + chance.uniform(0.0, 0.003)
        beat.tick()
        frames += 1
        now += chance.uniform(0.005, 0.025)
    assert abs(frames - 60.0 * rate) <= 1


def test_a_long_pause_is_not_made_up_for() -> None:
    beat = FrameSchedule(0.0)
    assert beat.left(0.5, 0.1) == 0.0
    beat.tick()
    assert beat.left(0.5, 0.1) == pytest.approx(0.1)


def test_a_frame_that_is_a_little_late_is_made_up_for() -> None:
    beat = FrameSchedule(0.0)
    assert beat.left(0.15, 0.1) == 0.0
    beat.tick()
    assert beat.left(0.15, 0.1) == pytest.approx(0.05)


def test_a_faster_rate_counts_from_the_last_frame() -> None:
    beat = FrameSchedule(0.0)
    assert beat.left(0.0, 0.1) == pytest.approx(0.1)
    assert beat.left(0.02, 0.03) == pytest.approx(0.01)


def test_with_software_rendering_the_usual_rates_are_lower() -> None:
    governor = FrameRateLimiter()
    governor.set_visible(True)
    governor.calm = True
    assert governor.fps(0.0) == SOFTWARE_RATES.idle < FULL_RATES.idle
    governor.wake(0.0, 1.0)
    assert governor.fps(0.5) == SOFTWARE_RATES.active < FULL_RATES.active
    governor.rates = BATTERY_RATES
    assert governor.fps(0.5) == min(BATTERY_RATES.active, SOFTWARE_RATES.active)


def test_a_walk_is_smooth_but_a_fifth_cheaper_where_the_processor_draws() -> None:
    governor = FrameRateLimiter()
    governor.set_visible(True)
    governor.hurrying = True
    assert governor.fps(0.0) == 30.0
    governor.calm = True
    assert governor.fps(0.0) == 24.0
    governor.rates = BATTERY_RATES
    assert governor.fps(0.0) == BATTERY_RATES.active
    governor.rates = FrameRates(active=60.0)
    assert governor.fps(0.0) == 60.0, "the user chose it"


def test_acts_by_itself_are_drawn_more_often_than_breathing() -> None:
    governor = FrameRateLimiter()
    governor.set_visible(True)
    governor.acting = True
    assert governor.fps(0.0) == FULL_RATES.acting
    governor.calm = True
    assert SOFTWARE_RATES.idle < governor.fps(0.0) == SOFTWARE_RATES.acting < SOFTWARE_RATES.active
    governor.resting = True
    assert governor.fps(0.0) == SOFTWARE_RATES.resting


def test_rates_that_the_user_chose_are_kept_there() -> None:
    governor = FrameRateLimiter(FrameRates(active=60.0, idle=25.0, resting=12.0))
    governor.set_visible(True)
    governor.calm = True
    assert governor.fps(0.0) == 25.0


def test_no_two_consecutive_frames_while_a_reply_streams() -> None:
    """Text comes every 16 ms and is shown 14 ms after the previous one; a frame is due every 33 ms
    and tries again every 3 ms.
    """
    chance = random.Random(2)
    courtesy, shown, now = InputPriority(), "", 0.0
    text_at, flush_at, frame_at = 0.016, None, 0.033
    while now < 20.0:
        now += 0.001
        if now >= text_at:
            text_at += chance.uniform(0.002, 0.03)
            flush_at = flush_at or now + 0.014
        if flush_at is not None and now >= flush_at:
            flush_at = None
            shown += "t"
        if now >= frame_at:
            if pause := courtesy.wait(now, flush_at is not None):
                frame_at = now + pause
            else:
                assert flush_at is None, "the text has priority"
                shown += "F"
                frame_at += 0.033
    assert "FF" not in shown
    assert shown.count("F") > 20 * 25


def test_a_frame_does_not_wait_for_ever() -> None:
    courtesy = InputPriority()
    assert courtesy.wait(1.0, True)
    assert courtesy.wait(1.09, True)
    assert not courtesy.wait(1.2, True)
    assert courtesy.wait(1.3, True), "the next one waits anew"
    assert not courtesy.wait(1.31, False)


def test_no_frame_is_drawn_when_the_next_key_may_come() -> None:
    """Keys come every 80 to 200 ms; a frame is due 50 ms after the last one."""
    chance = random.Random(3)
    priority, now, waits = InputPriority(), 0.0, False
    key_at, typed, look_at = 0.0, 0.0, 0.05
    after_key: list[float] = []
    while now < 20.0:
        now += 0.001
        if now >= key_at:
            priority.note_typing(now)
            typed, key_at = now, now + chance.uniform(0.08, 0.2)
            look_at = now if waits else look_at
        if now >= look_at:
            pause = priority.wait(now, False, calm=True)
            waits = pause > 0.0
            if not waits:
                after_key.append(now - typed)
            look_at = now + (pause if waits else 0.05)
    assert all(0.014 < seconds < 0.046 for seconds in after_key)
    assert len(after_key) > 20 * 5, "the figure still moves"


def test_a_frame_waits_for_keys_only_where_the_processor_draws() -> None:
    priority = InputPriority()
    priority.note_typing(1.0)
    assert priority.wait(1.005, False) == 0.0
    assert priority.wait(1.005, False, calm=True) > 0.0


def test_a_frame_waits_a_quarter_of_a_second_for_the_next_key_at_most() -> None:
    priority, now = InputPriority(), 1.06
    priority.note_typing(1.0)
    while pause := priority.wait(now, False, calm=True):
        now += pause
    assert 1.3 <= now <= 1.36
    priority.note_typing(2.0)
    assert priority.wait(2.4, False, calm=True) == 0.0, "nobody types any more"


def test_while_a_reply_streams_software_rendering_draws_fewer_frames() -> None:
    governor = FrameRateLimiter()
    governor.set_visible(True)
    governor.wake(0.0, 1.0)
    governor.shared = True
    assert governor.fps(0.0) == FULL_RATES.active, "a graphics card draws in parallel"
    governor.calm = True
    assert governor.fps(0.0) == STREAMING_RATES.active < SOFTWARE_RATES.active
    governor.shared = False
    assert governor.fps(0.0) == SOFTWARE_RATES.active
    governor.rates, governor.shared = FrameRates(24.0, 8.0, 4.0), True
    assert governor.fps(0.0) == 24.0, "the user's choice is kept"


def test_with_software_rendering_the_rate_follows_the_movement() -> None:
    governor = FrameRateLimiter()
    governor.set_visible(True)
    governor.pace = 0.0
    assert governor.fps(0.0) == FULL_RATES.idle, "a graphics card is fast enough"
    governor.calm = True
    seen = []
    for acting in (False, True):
        governor.acting = acting
        for governor.pace in (0.0, 2.5, 5.0, 100.0):
            seen.append(governor.fps(0.0))
    assert seen == [
        SOFTWARE_RATES.still,
        2.5,
        SOFTWARE_RATES.idle,
        SOFTWARE_RATES.idle,
        SOFTWARE_RATES.idle,
        SOFTWARE_RATES.idle,
        5.0,
        SOFTWARE_RATES.acting,
    ]
