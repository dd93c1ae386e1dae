from __future__ import annotations

from random import Random

from neodeskpet.figure.behaviour.ground import DesktopArea
from neodeskpet.figure.behaviour.screen_edges import (
    HIDING_SHARE_SHOWN,
    HidingRound,
    HidingStep,
    hiding_place,
)

LEFT, RIGHT = DesktopArea(-1920, 0, 0, 1080), DesktopArea(0, 0, 2560, 1440)
FIGURE = DesktopArea(100, 500, 300, 840)


def shown(place: tuple[int, int], screen: DesktopArea) -> int:
    """Return how many pixels of its width are on the screen."""
    x, _ = place
    return min(x + FIGURE.width, screen.right) - max(x, screen.left)


def test_it_looks_out_from_an_edge_and_stays_within_the_height() -> None:
    for seed in range(50):
        place = hiding_place([RIGHT], FIGURE, Random(seed))
        assert place is not None
        assert shown(place, RIGHT) == round(HIDING_SHARE_SHOWN * FIGURE.width)
        assert 0 <= place[1] <= RIGHT.height - FIGURE.height


def test_never_at_an_edge_with_another_screen_beside_it() -> None:
    for seed in range(50):
        place = hiding_place([LEFT, RIGHT], FIGURE, Random(seed))
        assert place is not None
        assert place[0] < LEFT.left or place[0] + FIGURE.width > RIGHT.right


def test_nor_at_a_gap_that_is_only_a_rounding_error() -> None:
    beside = DesktopArea(RIGHT.right + 5, 0, 4000, 1440)
    places = [hiding_place([RIGHT, beside], FIGURE, Random(seed)) for seed in range(50)]
    assert all(place and (place[0] < 0 or place[0] + FIGURE.width > 4000) for place in places)


def test_a_screen_below_is_not_behind_an_edge() -> None:
    lower = DesktopArea(1920, 1440, 3840, 2520)
    places = {hiding_place([RIGHT, lower], FIGURE, Random(seed)) for seed in range(50)}
    assert {place[1] >= 1440 for place in places if place} == {True, False}


def test_no_place_without_a_screen_and_the_top_of_a_low_one() -> None:
    assert hiding_place([], FIGURE, Random(1)) is None
    place = hiding_place([DesktopArea(0, 50, 800, 250)], FIGURE, Random(1))
    assert place is not None
    assert place[1] == 50


def test_a_round_of_hide_and_seek() -> None:
    one = HidingRound(100.0)
    steps = [(now, one.due(float(now))) for now in range(100, 300)]
    done = [(now, step) for now, step in steps if step is not None]
    assert [step for _, step in done] == [
        HidingStep.HIDE,
        *[HidingStep.HINT] * 3,
        HidingStep.GIVE_UP,
    ]
    assert done[0][0] == 103
    assert done[-1][0] == 160
