"""Whose turn it is, and when a talk ends."""

from __future__ import annotations

import pytest

from neodeskpet.core.talk.course import Budget, Course, End


def test_they_speak_in_turn_until_the_turns_are_used_up() -> None:
    course = Course(2, Budget(turns=4, tokens=1000))
    spoke = []
    while course.ended is None:
        spoke.append(course.speaker)
        course.note(f"line {len(spoke)}", 10, whole=True)
    assert (spoke, course.ended) == ([0, 1, 0, 1], End.TURNS)
    assert (course.turns, course.tokens) == (4, 40)


def test_three_speak_in_turn() -> None:
    course = Course(3, Budget(turns=5, tokens=1000))
    spoke = []
    for number in range(5):
        spoke.append(course.speaker)
        course.note(str(number), 1, whole=True)
    assert spoke == [0, 1, 2, 0, 1]


def test_the_turn_in_which_the_tokens_run_out_is_the_last() -> None:
    course = Course(2, Budget(turns=100, tokens=50))
    course.note("one", 30, whole=True)
    assert course.ended is None
    course.note("two", 30, whole=True)
    assert course.ended is End.TOKENS


@pytest.mark.parametrize(
    ("words", "whole", "why"),
    [
        ("half", False, End.FAILED),
        (" \n", True, End.SILENT),
        ("  HELLO \n you", True, End.REPEATED),
    ],
)
def test_it_ends_with_what_went_wrong(words: str, whole: bool, why: End) -> None:
    course = Course(2, Budget(turns=100, tokens=1000))
    course.note("Hello you", 1, whole=True)
    course.note(words, 1, whole=whole)
    assert course.ended is why
    course.note("more", 1, whole=True)
    course.stop()
    assert course.ended is why


def test_it_is_stopped_and_alone_nobody_talks() -> None:
    course = Course(2, Budget(turns=100, tokens=1000))
    course.stop()
    assert course.ended is End.STOPPED
    assert Course(1, Budget(turns=5, tokens=5)).ended is End.SILENT
