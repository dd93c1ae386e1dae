from __future__ import annotations

from neodeskpet.live2d.governor import FULL, SAVING, Governor


def test_unseen_it_draws_nothing() -> None:
    governor = Governor()
    governor.wake(0.0, 10.0)
    assert governor.fps(0.0) == 0.0
    assert governor.interval(0.0) is None


def test_fast_while_something_moves() -> None:
    governor = Governor()
    governor.see(True)
    assert governor.seen
    assert governor.fps(0.0) == FULL.idle
    assert governor.wake(0.0, 2.0)
    assert not governor.wake(1.0, 2.0), "already fast"
    assert governor.fps(2.9) == FULL.active
    assert governor.fps(3.0) == FULL.idle


def test_a_shorter_wake_does_not_cut_a_longer_one() -> None:
    governor = Governor()
    governor.see(True)
    governor.wake(0.0, 5.0)
    governor.wake(1.0, 0.1)
    assert governor.fps(4.0) == FULL.active


def test_resting_is_slower() -> None:
    governor = Governor()
    governor.see(True)
    governor.resting = True
    assert governor.interval(0.0) == 1.0 / FULL.resting


def test_saving_power() -> None:
    governor = Governor()
    governor.see(True)
    governor.rates = SAVING
    governor.wake(0.0, 1.0)
    assert governor.fps(0.5) == SAVING.active < FULL.active


def test_waking_unseen_asks_for_no_frame() -> None:
    assert not Governor().wake(0.0, 1.0)
