from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.figure.behaviour.gaze import (
    ATTENTION_SECONDS,
    COMMANDED_SECONDS,
    Gaze,
    gaze_direction,
)
from neodeskpet.figure.poses import Pose


def test_directions() -> None:
    assert gaze_direction(0, 0, 0, 0) == (0.0, 0.0)
    x, y = gaze_direction(100, 100, 900, 100)
    assert x > 0.9
    assert y == 0.0
    assert gaze_direction(100, 100, 100, 50)[1] > 0, "up is positive"


@given(*(st.floats(-1e5, 1e5) for _ in range(4)))
def test_directions_are_limited(a: float, b: float, c: float, d: float) -> None:
    assert all(-1.0 <= value <= 1.0 for value in gaze_direction(a, b, c, d))


def test_it_follows_the_pointer_while_it_moves_and_a_little_longer() -> None:
    gaze = Gaze(Random(1))
    assert not gaze.point(0.0, 0.0, 0.0)
    assert gaze.point(0.5, 0.2, 1.0)
    assert not gaze.point(0.5, 0.2, 2.0)
    assert gaze.target(1.0 + ATTENTION_SECONDS - 0.1) == (0.5, 0.2)
    assert gaze.target(1.0 + ATTENTION_SECONDS + 0.1) != (0.5, 0.2)


def test_a_command_has_priority() -> None:
    gaze = Gaze(Random(1))
    gaze.point(0.0, 0.0, 0.0)
    gaze.point(0.5, 0.5, 0.1)
    gaze.command(-1.0, 0.0, 0.2)
    assert gaze.target(0.3) == (-1.0, 0.0)
    assert gaze.target(0.2 + COMMANDED_SECONDS) == (0.5, 0.5)


def test_thinking_looks_up_whatever_the_pointer_does() -> None:
    gaze = Gaze(Random(1))
    gaze.point(0.0, 0.0, 0.0)
    gaze.point(0.9, -0.9, 0.1)
    gaze.pose(Pose.THINKING)
    assert gaze.target(0.2)[1] > 0.2


def test_glances_change_and_are_limited() -> None:
    gaze = Gaze(Random(3))
    glances = {gaze.target(second / 2) for second in range(120)}
    assert len(glances) > 8
    assert all(-1 <= x <= 1 and -1 <= y <= 1 for x, y in glances)


def test_asleep_the_gaze_does_not_move() -> None:
    gaze = Gaze(Random(3))
    gaze.pose(Pose.ASLEEP)
    assert len({gaze.target(float(second)) for second in range(60)}) == 1


def test_it_looks_around_unless_it_is_still() -> None:
    gaze = Gaze(Random(1))
    assert len({gaze.target(float(now)) for now in range(0, 100, 5)}) > 5
    gaze.still = True
    assert {gaze.target(float(now)) for now in range(100, 200, 5)} == {(0.0, 0.0)}
    gaze.command(0.5, 0.5, 200.0)
    assert gaze.target(200.0) == (0.5, 0.5)
