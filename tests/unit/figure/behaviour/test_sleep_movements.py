"""The movements during sleep."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from neodeskpet.figure.behaviour.sleep import (
    CHANNELS,
    LEAST_SLEEP_REPEAT_SECONDS,
    SleepAct,
    SleepMovements,
)


def test_it_shifts_sighs_and_dreams_rarely_and_never_jumps() -> None:
    slumber, began = SleepMovements(Random(4)), dict[SleepAct, list[float]]()
    slumber.begin(0.0)
    before, doing, step = dict(slumber.values(0.0)), None, 0.05
    for number in range(1, round(3600 / step)):
        now = number * step
        slumber.advance(now)
        if slumber.doing is not doing:
            doing = slumber.doing
            if doing is not None:
                began.setdefault(doing, []).append(now)
        values = dict(slumber.values(now))
        assert set(values) <= set(CHANNELS)
        for name in CHANNELS:
            value = values.get(name, 0.0)
            assert abs(value) <= 1.0
            assert abs(value - before.get(name, 0.0)) < 0.12, (name, now)
        before = values
    assert set(began) == set(SleepAct)
    for times in began.values():
        assert len(times) > 5
        assert all(b - a >= LEAST_SLEEP_REPEAT_SECONDS for a, b in pairwise(times))


def test_falling_asleep_again_it_lies_differently() -> None:
    slumber = SleepMovements(Random(4))
    slumber.begin(0.0)
    lay = dict(slumber.values(0.0))
    slumber.begin(100.0)
    assert dict(slumber.values(100.0)) != lay
