"""Similarity in comparable numbers."""

from __future__ import annotations

from neodeskpet.memory.vectors.vector_file import NearestTexts


def test_cosines_count_from_the_mean() -> None:
    near = NearestTexts((("a", 0.9), ("b", 0.85)), 0.8, 0.9)
    assert [round(near.relative(one), 3) for one in (0.9, 0.85, 0.8, 0.1)] == [1, 0.5, 0, 0]
    assert [round(near.absolute(one), 3) for one in (1.0, 0.9, 0.7)] == [1, 0.5, 0]


def test_if_all_are_equal_nothing_is_similar() -> None:
    near = NearestTexts((("a", 0.5),), 0.5, 0.5)
    assert (near.relative(0.5), near.relative(0.9)) == (0, 0)


def test_an_item_as_similar_as_many_others_does_not_stand_out() -> None:
    crowd = tuple((str(at), 0.8) for at in range(30))
    near = NearestTexts((("a", 0.9), *crowd), 0.5, 0.9)
    assert [round(near.distinct(one), 3) for one in (0.9, 0.8, 0.7)] == [0.5, 0, 0]
    assert round(NearestTexts((("a", 0.9),), 0.8, 0.9).distinct(0.9), 3) == 0.5
