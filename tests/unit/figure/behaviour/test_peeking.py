"""Where it may look out from an edge, and how much of it is visible there."""

from __future__ import annotations

import pytest

from neodeskpet.figure.behaviour.ground import DesktopArea
from neodeskpet.figure.behaviour.screen_edges import (
    HEAD_SHARE_SHOWN,
    PeekPosition,
    eased_share,
    nearest_peek,
    outer_edges,
    peek_after_drag,
    peek_corner,
    peek_seconds,
)

ONE = DesktopArea(0, 0, 1600, 1200)
RIGHT = DesktopArea(1600, 0, 3200, 900)
LEFT_BELOW = DesktopArea(-1000, 900, 0, 1700)
HEAD, HEIGHT = (20, 220), 340


def sides(*screens: DesktopArea, at: int) -> list[tuple[str, int]]:
    return sorted((one.side, one.x) for one in outer_edges(screens, at - HEIGHT, at))


def test_only_without_another_screen_beside_it() -> None:
    assert sides(ONE, at=800) == [("left", 0), ("right", 1600)]
    assert sides(ONE, RIGHT, at=800) == [("left", 0), ("right", 3200)]
    assert sides(ONE, RIGHT, at=1200) == [("left", 0), ("right", 3200)], "its head is beside it"
    assert sides(ONE, LEFT_BELOW, at=800) == [("left", 0), ("right", 1600)]
    assert sides(ONE, LEFT_BELOW, at=1200) == [("left", -1000), ("right", 1600)]
    assert sides(ONE, at=5000) == []


@pytest.mark.parametrize(
    ("x", "beyond", "found"),
    [
        (0, -100, PeekPosition("left", 0, 800)),
        (1360, 100, PeekPosition("right", 1600, 800)),
        (0, -20, None),
        (1360, 0, None),
        (700, -100, None),
    ],
)
def test_a_drag_pushes_it_over_the_edge(x: int, beyond: int, found: PeekPosition | None) -> None:
    figure = DesktopArea(x, 460, x + 240, 800)
    assert peek_after_drag([ONE], figure, beyond, (x + 120, 800)) == found


def test_between_two_screens_there_is_no_edge() -> None:
    figure = DesktopArea(1360, 460, 1600, 800)
    assert peek_after_drag([ONE, RIGHT], figure, 200, (1480, 800)) is None


def test_moved_aside_it_takes_the_nearest_edge() -> None:
    figure = DesktopArea(1000, 460, 1240, 800)
    assert nearest_peek([ONE], figure, (1120, 800)) == PeekPosition("right", 1600, 800)
    assert nearest_peek([ONE, RIGHT], figure, (1120, 800)) == PeekPosition("left", 0, 800)
    lost = DesktopArea(0, 4000, 240, 4340)
    assert nearest_peek([ONE], lost, (120, 4340)) == PeekPosition("left", 0, 4340)
    assert nearest_peek([], figure, (1120, 800)) is None


@pytest.mark.parametrize("side", ["left", "right"])
def test_half_of_its_head_is_visible(side: str) -> None:
    edge = 0 if side == "left" else 1600
    retreat = PeekPosition("left" if side == "left" else "right", edge, 800)
    found = peek_corner([ONE], retreat, HEAD, HEIGHT)
    assert found is not None
    x, y = found
    assert y == 800 - HEIGHT
    head = (x + HEAD[0], x + HEAD[1])
    seen = head[1] - edge if side == "left" else edge - head[0]
    assert seen == pytest.approx(HEAD_SHARE_SHOWN * 200, abs=1)


def test_it_stays_on_an_existing_screen() -> None:
    assert peek_corner([ONE], PeekPosition("right", 3200, 800), HEAD, HEIGHT) == peek_corner(
        [ONE], PeekPosition("right", 1600, 800), HEAD, HEIGHT
    ), "the other screen was removed"
    low = peek_corner([ONE], PeekPosition("left", 0, 5000), HEAD, HEIGHT)
    assert low is not None
    assert low[1] == 1200 - HEIGHT
    high = peek_corner([ONE], PeekPosition("left", 0, 100), HEAD, HEIGHT)
    assert high is not None
    assert high[1] == 0
    assert peek_corner([], PeekPosition("left", 0, 800), HEAD, HEIGHT) is None


def test_the_duration_of_the_way_is_limited() -> None:
    assert peek_seconds(10) == 0.3
    assert peek_seconds(-800) == 0.5
    assert peek_seconds(9000) == 0.9
    assert (eased_share(-1), eased_share(0.5), eased_share(2)) == (0.0, 0.5, 1.0)
