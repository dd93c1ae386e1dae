from __future__ import annotations

from neodeskpet.live2d.place.ground import (
    FLOOR,
    Area,
    Foothold,
    Ledge,
    Seen,
    is_filled,
    ledge_between,
    ledge_near,
    ledges,
    stands,
)

SCREEN = Area(0, 0, 1000, 800)
FLOOR_LEDGE = Ledge(FLOOR, 0, 1000, 800)


def found(*windows: Seen) -> list[Ledge]:
    return ledges(windows, [SCREEN], 200)


def test_without_windows_there_is_the_floor_of_each_screen() -> None:
    other = Area(1000, 100, 1800, 700)
    assert ledges((), [SCREEN, other], 200) == [FLOOR_LEDGE, Ledge(FLOOR, 1000, 1800, 700)]


def test_an_upper_edge_is_a_ledge() -> None:
    assert found(Seen(7, Area(100, 300, 500, 700))) == [Ledge(7, 100, 500, 300), FLOOR_LEDGE]


def test_what_another_window_covers_isnt() -> None:
    above, below = Seen(8, Area(200, 250, 300, 700)), Seen(7, Area(100, 300, 500, 700))
    assert found(above, below) == [
        Ledge(8, 200, 300, 250),
        Ledge(7, 100, 200, 300),
        Ledge(7, 300, 500, 300),
        FLOOR_LEDGE,
    ]


def test_no_ledge_where_the_head_would_be_off_the_screen_or_the_edge_is_narrow() -> None:
    assert found(Seen(7, Area(0, 199, 1000, 800))) == [FLOOR_LEDGE]
    assert found(Seen(7, Area(0, 200, 1000, 800)))[0].window == 7
    assert found(Seen(7, Area(100, 300, 140, 700))) == [FLOOR_LEDGE]
    assert found(Seen(7, Area(980, 300, 1400, 700))) == [FLOOR_LEDGE]
    assert found(Seen(7, Area(100, 900, 500, 1000))) == [FLOOR_LEDGE]


def test_what_fills_the_screen_or_is_no_real_window_has_none_but_covers() -> None:
    below = Seen(7, Area(100, 300, 500, 700))
    assert found(Seen(8, SCREEN, full=True), below) == [FLOOR_LEDGE]
    assert found(Seen(8, Area(0, 250, 1000, 800), firm=False), below) == [FLOOR_LEDGE]


def test_the_nearest_ledge_and_the_first_that_is_met() -> None:
    one, two = Ledge(7, 100, 500, 300), Ledge(8, 100, 500, 320)
    assert ledge_near(200, 315, [one, two], 30) == two
    assert ledge_near(200, 400, [one, two], 30) is None
    assert ledge_near(500, 300, [one, two], 30) is None
    assert ledge_between(200, 290, 330, [two, one]) == one
    assert ledge_between(200, 301, 319, [two, one]) is None
    assert stands(200, 300, [one])
    assert not stands(200, 303, [one])


def test_it_keeps_its_place_on_a_window_that_moves() -> None:
    hold = Foothold(7, 50.0)
    assert hold.feet([Seen(7, Area(130, 260, 500, 700))]) == (180.0, 260.0)
    assert hold.feet([Seen(8, Area(130, 260, 500, 700))]) is None


def test_a_full_screen_counts_unless_something_lies_over_most_of_it() -> None:
    film = Seen(8, SCREEN, full=True)
    small, large = Seen(7, Area(0, 0, 400, 400)), Seen(7, Area(0, 0, 1000, 700))
    assert is_filled(SCREEN, [film, large])
    assert is_filled(SCREEN, [small, film])
    assert not is_filled(SCREEN, [large, film])
    assert not is_filled(SCREEN, [large])
    assert not is_filled(Area(1000, 0, 2000, 800), [film]), "another screen"
    assert not is_filled(SCREEN, [])


def test_areas() -> None:
    assert SCREEN.share_of(Area(500, 0, 1500, 800)) == 0.5
    assert SCREEN.share_of(Area(2000, 0, 2500, 800)) == 0.0
    assert (SCREEN.width, SCREEN.height) == (1000, 800)
    assert SCREEN.holds(999, 0)
    assert not SCREEN.holds(1000, 0)
