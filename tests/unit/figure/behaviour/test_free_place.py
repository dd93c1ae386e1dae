"""Where the figure stands so that it never covers a window of the app."""

from __future__ import annotations

from random import Random

import pytest

from neodeskpet.figure.behaviour.free_place import (
    GAP,
    LEAST_SHOWN,
    LEGS_OVER_TITLE_BAR,
    ROOM_ABOVE_TITLE_BAR,
    SCALES,
    SMALLEST_HEIGHT,
    FigurePlace,
    OwnWindow,
    PlaceKind,
    WindowChanges,
    find_place,
    free_areas,
    legs_over,
    nearest_area,
)
from neodeskpet.figure.behaviour.ground import DesktopArea

SCREEN = DesktopArea(0, 0, 1600, 900)
HOME = DesktopArea(1300, 560, 1550, 900)


def place(*windows: DesktopArea, home: DesktopArea = HOME, title_bar: int = 30) -> FigurePlace:
    return find_place(home, 180, [SCREEN], [OwnWindow(one, title_bar) for one in windows])


def overlap(one: DesktopArea, other: DesktopArea) -> int:
    width = min(one.right, other.right) - max(one.left, other.left)
    height = min(one.bottom, other.bottom) - max(one.top, other.top)
    return max(0, width) * max(0, height)


def test_without_a_window_over_it_it_stays_at_home() -> None:
    assert place() == FigurePlace(PlaceKind.HOME, HOME)
    assert place(DesktopArea(0, 0, 1300, 900)).kind is PlaceKind.HOME, "it only touches"
    assert find_place(HOME, 180, [], [OwnWindow(HOME)]).kind is PlaceKind.HOME


def test_it_stands_beside_a_window_at_its_full_size() -> None:
    found = place(DesktopArea(1000, 100, 1600, 900))
    assert (found.kind, found.scale) == (PlaceKind.BESIDE, 1.0)
    assert found.area == DesktopArea(1000 - GAP - 250, 560, 1000 - GAP, 900)


def test_in_a_narrow_gap_it_is_smaller() -> None:
    found = place(DesktopArea(0, 0, 700, 900), DesktopArea(880, 0, 1600, 900))
    assert (found.kind, found.scale) == (PlaceKind.BESIDE, 0.6)
    assert found.area.left >= 700 + GAP and found.area.right <= 880 - GAP


def test_over_a_wide_window_it_sits_on_the_title_bar() -> None:
    found = place(DesktopArea(20, 300, 1580, 900))
    assert found.kind is PlaceKind.TITLE_BAR
    assert found.area.bottom == 300 + LEGS_OVER_TITLE_BAR
    assert found.area.right == 1580 - 138 - 16
    low = place(DesktopArea(20, 100, 1580, 900))
    assert low.kind is not PlaceKind.TITLE_BAR, "there is too little room above it"
    bare = place(DesktopArea(20, 300, 1580, 900), title_bar=0)
    assert bare.area.bottom == 300, "without a title bar its legs would cover the contents"


def test_without_room_above_it_looks_out_from_the_free_edge() -> None:
    found = place(DesktopArea(0, 0, 1530, 900))
    assert (found.kind, found.side) == (PlaceKind.EDGE, "right")
    assert found.area.left >= 1530 + GAP and found.area.right > 1600
    left = place(DesktopArea(70, 0, 1600, 900))
    assert (left.kind, left.side) == (PlaceKind.EDGE, "left")


def test_nothing_is_left_under_a_maximized_window() -> None:
    assert place(SCREEN).kind is PlaceKind.INDOORS


def test_another_screen_is_preferred_to_an_edge() -> None:
    second = DesktopArea(1600, 0, 2880, 800)
    found = find_place(HOME, 180, [SCREEN, second], [OwnWindow(SCREEN, 30)])
    assert found.kind is PlaceKind.BESIDE and second.share_of(found.area) == 1.0
    assert nearest_area(DesktopArea(3000, 0, 3100, 100), [SCREEN, second]) == second


def test_dropped_on_a_window_it_sits_on_it() -> None:
    window = OwnWindow(DesktopArea(800, 300, 1600, 900), 30)
    assert find_place(HOME, 180, [SCREEN], [window]).kind is PlaceKind.BESIDE
    found = find_place(HOME, 180, [SCREEN], [window], preferred=PlaceKind.TITLE_BAR)
    assert found.kind is PlaceKind.TITLE_BAR
    high = OwnWindow(DesktopArea(800, 20, 1600, 900), 30)
    assert (
        find_place(HOME, 180, [SCREEN], [high], preferred=PlaceKind.TITLE_BAR).kind
        is PlaceKind.BESIDE
    )


def test_it_does_not_sit_on_another_figure() -> None:
    other = OwnWindow(DesktopArea(20, 300, 1580, 900), firm=False)
    assert find_place(HOME, 180, [SCREEN], [other]).kind is not PlaceKind.TITLE_BAR


def test_moved_aside_it_looks_out_elsewhere() -> None:
    aside = DesktopArea(1500, 560, 1750, 900)
    window = OwnWindow(DesktopArea(1000, 500, 1600, 900), 30)
    found = find_place(aside, 180, [SCREEN], [window], preferred=PlaceKind.EDGE)
    assert (found.kind, found.side) == (PlaceKind.EDGE, "right")
    assert found.area.bottom <= 500


def test_another_window_on_the_title_bar_leaves_no_seat() -> None:
    below, above = DesktopArea(0, 400, 1600, 900), DesktopArea(1000, 0, 1600, 390)
    assert place(below, above).kind is not PlaceKind.TITLE_BAR


@pytest.mark.parametrize(("x", "over"), [(200, LEGS_OVER_TITLE_BAR), (700, 0)])
def test_legs_hang_over_the_title_bar_only_and_not_over_its_buttons(x: int, over: int) -> None:
    window = OwnWindow(DesktopArea(100, 400, 900, 800), 30)
    feet = DesktopArea(x, 100, x + 150, 400)
    assert legs_over(feet, 60, [window]) == over
    assert legs_over(feet, 60, []) == 60
    assert legs_over(feet, 60, [OwnWindow(window.area, 0)]) == 0


def test_free_areas_are_free_and_reach_from_window_to_window() -> None:
    window = DesktopArea(400, 300, 800, 600)
    found = free_areas(SCREEN, [window])
    assert SCREEN not in found
    assert DesktopArea(0, 0, 400, 900) in found and DesktopArea(0, 0, 1600, 300) in found
    assert not any(overlap(one, window) for one in found)


def _random_area(random: Random, within: DesktopArea, least: int) -> DesktopArea:
    width = random.randint(least, max(least, within.width))
    height = random.randint(least, max(least, within.height))
    left = random.randint(within.left - width // 3, within.right - width // 2)
    top = random.randint(within.top, within.bottom - height // 2)
    return DesktopArea(left, top, left + width, top + height)


def _random_screens(random: Random) -> list[DesktopArea]:
    left, screens = random.choice((0, -1920)), []
    for _ in range(random.randint(1, 3)):
        top = random.choice((0, 0, 28, 200))
        width = random.choice((800, 1280, 1600, 2560))
        height = random.choice((500, 860, 1000, 1400))
        screens.append(DesktopArea(left, top, left + width, top + height))
        left += width
    return screens


def test_ten_thousand_desktops() -> None:
    """It never covers a control of a window, never leaves the screens, and moves only when
    necessary.
    """
    ways = (*[None] * 8, PlaceKind.TITLE_BAR, PlaceKind.EDGE)
    random, kinds, changes = Random(34), set(), WindowChanges()
    for _ in range(10_000):
        screens = _random_screens(random)
        windows = [
            OwnWindow(_random_area(random, random.choice(screens), 160), random.choice((0, 28, 37)))
            for _ in range(random.randint(0, 8))
        ]
        screen = random.choice(screens)
        height = random.randint(100, min(screen.height, 600))
        width = random.randint(height // 2, height)
        left = random.randint(screen.left, screen.right - width)
        bottom = random.randint(screen.top + height, screen.bottom)
        home = DesktopArea(left, bottom - height, left + width, bottom)
        found = find_place(home, width * 3 // 4, screens, windows, preferred=random.choice(ways))
        kinds.add(found.kind)
        before, busy = changes.current, random.random() < 0.3
        changes.request(windows)
        changes.apply(busy=busy)
        assert changes.current == (before if busy else tuple(windows))
        again = find_place(found.area, width * 3 // 4, screens, windows)
        match found.kind:
            case PlaceKind.HOME:
                assert found.area == home
                assert not any(overlap(home, one.area) for one in windows)
            case PlaceKind.INDOORS:
                assert any(overlap(home, one.area) for one in windows)
            case _:
                assert not any(
                    overlap(found.area, part) for one in windows for part in one.controls
                ), (found, windows)
                assert any(overlap(home, one.area) for one in windows), "it moved without a reason"
                seen = max(overlap(found.area, one) for one in screens)
                whole = found.area.width * found.area.height
                if found.kind is PlaceKind.EDGE:
                    assert seen >= min(LEAST_SHOWN, found.area.width) * found.area.height
                else:
                    assert seen == whole
                assert found.area.height >= min(SMALLEST_HEIGHT, height)
                assert found.scale in SCALES or found.kind is PlaceKind.TITLE_BAR
        if found.kind is PlaceKind.BESIDE:
            assert again.kind is PlaceKind.HOME, "it would move again"
    assert kinds == set(PlaceKind), "every kind of place occurred"
    assert ROOM_ABOVE_TITLE_BAR > SMALLEST_HEIGHT
