"""When it sits down on an edge, and how it gets there."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from neodeskpet.figure.behaviour.ground import SIT_SECONDS, SittingState, seat_offset


def test_after_a_while_it_sits_and_later_it_stands_again() -> None:
    sitting = SittingState(Random(2), 0.0)
    spells = [sitting.advance(float(now), can=True) for now in range(3600)]
    assert not any(spells[:45])
    changes = [now for now in range(1, 3600) if spells[now] is not spells[now - 1]]
    assert 15 <= len(changes) <= 60
    assert min(later - sooner for sooner, later in pairwise(changes)) >= 44
    assert 0.4 < sum(spells) / 3600 < 0.8


def test_where_sitting_is_impossible_it_stands_and_starts_again() -> None:
    sitting = SittingState(Random(2), 0.0)
    now = next(now for now in range(3600) if sitting.advance(float(now), can=True))
    assert not sitting.advance(now + 1.0, can=False)
    assert not any(sitting.advance(now + 2.0 + later, can=True) for later in range(44))


def test_it_sits_down_smoothly_and_no_further() -> None:
    low, frames = 0.0, 0
    while low < 23.0:
        low, frames = seat_offset(low, 23.0, 1 / 30, 23.0), frames + 1
    assert low == 23.0
    assert abs(frames / 30 - SIT_SECONDS) < 0.1
    assert seat_offset(5.0, 0.0, 0.25, 23.0) == 0.0
