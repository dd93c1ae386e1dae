"""How near, in numbers that compare."""

from __future__ import annotations

from neodeskpet.vectors.near import Near


def test_cosines_count_from_the_middle() -> None:
    near = Near((("a", 0.9), ("b", 0.85)), 0.8, 0.9)
    assert [round(near.share(one), 3) for one in (0.9, 0.85, 0.8, 0.1)] == [1, 0.5, 0, 0]
    assert [round(near.worth(one), 3) for one in (1.0, 0.9, 0.7)] == [1, 0.5, 0]


def test_where_all_are_alike_nothing_is_near() -> None:
    near = Near((("a", 0.5),), 0.5, 0.5)
    assert (near.share(0.5), near.share(0.9)) == (0, 0)


def test_what_is_near_like_many_others_does_not_stand_out() -> None:
    crowd = tuple((str(at), 0.8) for at in range(30))
    near = Near((("a", 0.9), *crowd), 0.5, 0.9)
    assert [round(near.apart(one), 3) for one in (0.9, 0.8, 0.7)] == [0.5, 0, 0]
    assert round(Near((("a", 0.9),), 0.8, 0.9).apart(0.9), 3) == 0.5
