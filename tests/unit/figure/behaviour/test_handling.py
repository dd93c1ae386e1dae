from __future__ import annotations

import pytest

from neodeskpet.figure.behaviour.handling import (
    Fondness,
    Handling,
    HandlingEvent,
    StrokeEvent,
    Stroking,
)

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


def stroke(stroking: Stroking, start: float, end: float, pixels: float) -> list[StrokeEvent]:
    """Move the pointer to and fro over the head, `pixels` a step of 0.05 s; return the events."""
    found = []
    for step in range(round((end - start) / 0.05)):
        x = 100.0 + (pixels if step % 2 else 0.0)
        found.append(stroking.move(x, 50.0, start + step * 0.05, over_head=True))
    return [event for event in found if event is not None]


def test_strokes_over_the_head_are_felt_and_go_on() -> None:
    stroking = Stroking()
    assert stroke(stroking, 0.0, 1.4, 20.0) == [StrokeEvent.BEGUN]
    assert stroking.is_felt and abs(stroking.speed) == pytest.approx(400.0)
    assert stroke(stroking, 1.4, 7.4, 20.0) == [StrokeEvent.CONTINUED, StrokeEvent.CONTINUED]


def test_a_pointer_that_passes_slowly_or_elsewhere_does_not_stroke() -> None:
    stroking = Stroking()
    assert stroke(stroking, 0.0, 10.0, 4.0) == []
    for step in range(40):
        assert stroking.move(step * 30.0, 0.0, 20 + step * 0.05, over_head=False) is None
    assert not stroking.is_felt


def test_strokes_end_with_a_pause_and_off_the_head() -> None:
    stroking = Stroking()
    stroke(stroking, 0.0, 2.0, 20.0)
    stroking.move(0.0, 0.0, 2.0 + Stroking.PAUSE + 0.1, over_head=True)
    assert not stroking.is_felt and stroking.speed == 0.0
    stroke(stroking, 10.0, 12.0, 20.0)
    assert stroking.is_felt
    stroking.move(0.0, 0.0, 12.0, over_head=False)
    assert not stroking.is_felt
