from __future__ import annotations

import pytest

from neodeskpet.figure.behaviour.handling import Fondness, Handling, HandlingEvent

DAY = 86_400.0


def test_a_touch_is_no_hold() -> None:
    assert Handling(0.0).end(0.2) is None


def test_a_long_hold() -> None:
    assert Handling(0.0).end(Handling.HOLD) is HandlingEvent.HELD


def test_carried_and_put_down() -> None:
    handling = Handling(0.0)
    assert handling.move(900.0, 0.5) is None
    assert handling.move(10.0, 5.0) is None
    assert handling.end(5.1) is None


def test_a_throw() -> None:
    handling = Handling(0.0)
    handling.move(-2500.0, 0.3)
    assert handling.end(0.35) is HandlingEvent.THROWN


def test_a_fast_shake_is_felt_once() -> None:
    handling = Handling(0.0)
    felt = [handling.move(1000.0 * (-1) ** number, number * 0.15) for number in range(12)]
    assert felt.count(HandlingEvent.SHAKEN) == 1
    assert handling.end(2.0) is HandlingEvent.SHAKEN


def test_slow_turns_are_no_shake() -> None:
    handling = Handling(0.0)
    assert not any(handling.move(1000.0 * (-1) ** n, n * 1.0) for n in range(12))
    assert not any(handling.move(100.0 * (-1) ** n, 20 + n * 0.1) for n in range(12))


def test_fondness_grows_fades_and_is_stored() -> None:
    fond = Fondness()
    for number in range(50):
        fond.pet(1e9 + number)
    assert 0.7 < fond.now(1e9 + 50) < 1.0
    assert fond.now(1e9 + 30 * DAY) < fond.now(1e9 + DAY) < fond.now(1e9 + 50)
    kept = Fondness.read(fond.write())
    assert kept.now(2e9) == pytest.approx(fond.now(2e9), abs=1e-3)


@pytest.mark.parametrize("text", [None, "", "x", "1", "2 3", "nan 1", "0.5 inf", "-1 0"])
def test_an_unreadable_state_counts_as_no_fondness(text: str | None) -> None:
    assert Fondness.read(text) == Fondness()
