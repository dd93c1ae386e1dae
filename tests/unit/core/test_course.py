"""Which companion speaks next, and when a dialogue ends."""

from __future__ import annotations

import pytest

from neodeskpet.core.companion_dialogue import DialogueBudget, DialogueCourse, DialogueEnd


def test_two_speak_in_turn_until_the_turns_are_used_up() -> None:
    course = DialogueCourse(2, DialogueBudget(turns=4, tokens=1000))
    spoke = []
    while course.ended is None:
        spoke.append(course.speaker)
        course.record_turn(f"line {len(spoke)}", 10, whole=True)
    assert (spoke, course.ended) == ([0, 1, 0, 1], DialogueEnd.TURNS)
    assert (course.turns, course.tokens) == (4, 40)


def test_three_speak_in_turn() -> None:
    course = DialogueCourse(3, DialogueBudget(turns=5, tokens=1000))
    spoke = []
    for number in range(5):
        spoke.append(course.speaker)
        course.record_turn(str(number), 1, whole=True)
    assert spoke == [0, 1, 2, 0, 1]


def test_the_turn_that_uses_up_the_tokens_is_the_last() -> None:
    course = DialogueCourse(2, DialogueBudget(turns=100, tokens=50))
    course.record_turn("one", 30, whole=True)
    assert course.ended is None
    course.record_turn("two", 30, whole=True)
    assert course.ended is DialogueEnd.TOKENS


@pytest.mark.parametrize(
    ("words", "whole", "why"),
    [
        ("half", False, DialogueEnd.FAILED),
        (" \n", True, DialogueEnd.SILENT),
        ("  HELLO \n you", True, DialogueEnd.REPEATED),
    ],
)
def test_a_dialogue_ends_with_its_error(words: str, whole: bool, why: DialogueEnd) -> None:
    course = DialogueCourse(2, DialogueBudget(turns=100, tokens=1000))
    course.record_turn("Hello you", 1, whole=True)
    course.record_turn(words, 1, whole=whole)
    assert course.ended is why
    course.record_turn("more", 1, whole=True)
    course.stop()
    assert course.ended is why


def test_a_dialogue_can_be_stopped_and_needs_two_speakers() -> None:
    course = DialogueCourse(2, DialogueBudget(turns=100, tokens=1000))
    course.stop()
    assert course.ended is DialogueEnd.STOPPED
    assert DialogueCourse(1, DialogueBudget(turns=5, tokens=5)).ended is DialogueEnd.SILENT
