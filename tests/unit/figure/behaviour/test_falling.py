from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.figure.behaviour.ground import FASTEST_FALL, DesktopArea, Fall, Ledge

BOUNDS = DesktopArea(100, 0, 900, 800)
FLOOR = Ledge(0, 0, 1000, 800)
EDGE = Ledge(7, 300, 500, 400)


def land(fall: Fall, ledges: list[Ledge], seconds: float = 1 / 30) -> tuple[Ledge, float]:
    """Return where it ends, and after how many seconds."""
    for count in range(1, 300):
        landed = fall.advance(seconds, ledges)
        if landed is not None:
            return landed, count * seconds
    raise AssertionError("it falls for ever")


def test_it_lands_on_the_first_ledge_below_it() -> None:
    fall = Fall(400.0, 100.0, BOUNDS)
    assert land(fall, [FLOOR, EDGE])[0] == EDGE
    assert (fall.x, fall.y) == (400.0, 400.0)
    assert fall.heavy
    beside = Fall(250.0, 100.0, BOUNDS)
    assert land(beside, [FLOOR, EDGE])[0] == FLOOR


def test_a_small_step_is_no_heavy_landing() -> None:
    fall = Fall(400.0, 390.0, BOUNDS)
    assert land(fall, [EDGE])[0] == EDGE
    assert not fall.heavy


def test_its_speed_grows_up_to_a_limit() -> None:
    fall = Fall(400.0, 0.0, DesktopArea(100, 0, 900, 100_000))
    speeds = []
    for _ in range(60):
        fall.advance(1 / 30, [])
        speeds.append(fall.down)
    assert speeds[0] < speeds[5] < speeds[-1] == FASTEST_FALL


def test_a_throw_goes_sideways_and_ends() -> None:
    fall = Fall(400.0, 100.0, BOUNDS, across=9000.0, down=-600.0)
    fall.advance(0.05, [FLOOR])
    assert fall.x > 450.0
    assert fall.y < 100.0
    land(fall, [FLOOR])
    assert fall.x < 899.0, "it bounced off the side"


def test_it_can_be_thrown_no_higher_than_the_screen() -> None:
    fall = Fall(400.0, 20.0, BOUNDS, down=-5000.0)
    fall.advance(0.1, [FLOOR])
    assert fall.y >= 0.0
    assert land(fall, [FLOOR])[0] == FLOOR


def test_a_late_frame_skips_no_ledge_and_does_not_jump() -> None:
    fall = Fall(400.0, 100.0, BOUNDS)
    assert fall.advance(30.0, [EDGE, FLOOR]) is None
    assert fall.y < 200.0
    assert land(fall, [EDGE, FLOOR], 0.25)[0] == EDGE


def test_without_a_ledge_it_stands_at_the_lower_edge() -> None:
    landed, _ = land(Fall(400.0, 100.0, BOUNDS), [])
    assert landed.top == BOUNDS.bottom


@given(
    st.floats(0, 1000),
    st.floats(0, 790),
    st.floats(-9000, 9000),
    st.floats(-9000, 9000),
    st.floats(0.001, 0.3),
)
def test_every_fall_ends_on_the_screen(
    x: float, y: float, across: float, down: float, step: float
) -> None:
    fall = Fall(x, y, BOUNDS, across, down)
    for _ in range(10_000):
        landed = fall.advance(step, [EDGE, FLOOR])
        assert BOUNDS.left <= fall.x < BOUNDS.right
        assert BOUNDS.top <= fall.y <= BOUNDS.bottom
        if landed is not None:
            assert fall.y == landed.top
            return
    raise AssertionError("it falls for ever")
