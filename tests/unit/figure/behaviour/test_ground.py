from __future__ import annotations

from neodeskpet.figure.behaviour.ground import (
    FLOOR_WINDOW,
    DesktopArea,
    Foothold,
    Ledge,
    VisibleWindow,
    is_fullscreen,
    is_supported,
    ledge_between,
    ledge_near,
    ledges,
)

SCREEN = DesktopArea(0, 0, 1000, 800)
FLOOR_LEDGE = Ledge(FLOOR_WINDOW, 0, 1000, 800)


def found(*windows: VisibleWindow) -> list[Ledge]:
    return ledges(windows, [SCREEN], 200)


def test_without_windows_the_floor_of_each_screen_is_a_ledge() -> None:
    other = DesktopArea(1000, 100, 1800, 700)
    assert ledges((), [SCREEN, other], 200) == [FLOOR_LEDGE, Ledge(FLOOR_WINDOW, 1000, 1800, 700)]


def test_an_upper_edge_is_a_ledge() -> None:
    assert found(VisibleWindow(7, DesktopArea(100, 300, 500, 700))) == [
        Ledge(7, 100, 500, 300),
        FLOOR_LEDGE,
    ]


def test_a_covered_edge_is_no_ledge() -> None:
    above, below = (
        VisibleWindow(8, DesktopArea(200, 250, 300, 700)),
        VisibleWindow(7, DesktopArea(100, 300, 500, 700)),
    )
    assert found(above, below) == [
        Ledge(8, 200, 300, 250),
        Ledge(7, 100, 200, 300),
        Ledge(7, 300, 500, 300),
        FLOOR_LEDGE,
    ]


def test_no_ledge_if_the_head_would_be_off_the_screen_or_the_edge_is_narrow() -> None:
    assert found(VisibleWindow(7, DesktopArea(0, 199, 1000, 800))) == [FLOOR_LEDGE]
    assert found(VisibleWindow(7, DesktopArea(0, 200, 1000, 800)))[0].window == 7
    assert found(VisibleWindow(7, DesktopArea(100, 300, 140, 700))) == [FLOOR_LEDGE]
    assert found(VisibleWindow(7, DesktopArea(980, 300, 1400, 700))) == [FLOOR_LEDGE]
    assert found(VisibleWindow(7, DesktopArea(100, 900, 500, 1000))) == [FLOOR_LEDGE]


def test_maximized_and_special_windows_have_no_ledge_but_cover_others() -> None:
    below = VisibleWindow(7, DesktopArea(100, 300, 500, 700))
    assert found(VisibleWindow(8, SCREEN, full=True), below) == [FLOOR_LEDGE]
    assert found(VisibleWindow(8, DesktopArea(0, 250, 1000, 800), firm=False), below) == [
        FLOOR_LEDGE
    ]


def test_the_nearest_ledge_and_the_first_one_on_the_way() -> None:
    one, two = Ledge(7, 100, 500, 300), Ledge(8, 100, 500, 320)
    assert ledge_near(200, 315, [one, two], 30) == two
    assert ledge_near(200, 400, [one, two], 30) is None
    assert ledge_near(500, 300, [one, two], 30) is None
    assert ledge_between(200, 290, 330, [two, one]) == one
    assert ledge_between(200, 301, 319, [two, one]) is None
    assert is_supported(200, 300, [one])
    assert not is_supported(200, 303, [one])


def test_it_keeps_its_place_on_a_window_that_moves() -> None:
    hold = Foothold(7, 50.0)
    assert hold.feet([VisibleWindow(7, DesktopArea(130, 260, 500, 700))]) == (180.0, 260.0)
    assert hold.feet([VisibleWindow(8, DesktopArea(130, 260, 500, 700))]) is None


def test_a_full_screen_window_counts_unless_something_covers_most_of_it() -> None:
    film = VisibleWindow(8, SCREEN, full=True)
    small, large = (
        VisibleWindow(7, DesktopArea(0, 0, 400, 400)),
        VisibleWindow(7, DesktopArea(0, 0, 1000, 700)),
    )
    assert is_fullscreen(SCREEN, [film, large])
    assert is_fullscreen(SCREEN, [small, film])
    assert not is_fullscreen(SCREEN, [large, film])
    assert not is_fullscreen(SCREEN, [large])
    assert not is_fullscreen(DesktopArea(1000, 0, 2000, 800), [film]), "another screen"
    assert not is_fullscreen(SCREEN, [])


def test_areas() -> None:
    assert SCREEN.share_of(DesktopArea(500, 0, 1500, 800)) == 0.5
    assert SCREEN.share_of(DesktopArea(2000, 0, 2500, 800)) == 0.0
    assert (SCREEN.width, SCREEN.height) == (1000, 800)
    assert SCREEN.holds(999, 0)
    assert not SCREEN.holds(1000, 0)
