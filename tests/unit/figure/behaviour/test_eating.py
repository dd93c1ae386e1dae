"""Eating snacks, until the figure has had enough."""

from __future__ import annotations

import pytest

from neodeskpet.figure.animation_script import parse_script
from neodeskpet.figure.behaviour.tricks import (
    EAT_TRICK,
    LOVE_TRICK,
    REFUSE_TRICK,
    Appetite,
    SnackReaction,
    find_trick_motion,
    script_steps,
)
from neodeskpet.figure.files.model_reader import describe_model
from tests.unit.figure.models import NEO


def test_three_are_enough_for_now() -> None:
    appetite = Appetite()
    tastes = [appetite.offer(1e6 + 60.0 * n) for n in range(5)]
    assert tastes == [
        SnackReaction.LOVES,
        SnackReaction.LIKES,
        SnackReaction.LIKES,
        SnackReaction.FULL,
        SnackReaction.FULL,
    ]
    assert appetite.offer(1e6 + 1900.0) is SnackReaction.LIKES
    assert appetite.offer(1e6 + 1900.0 + appetite.HUNGRY) is SnackReaction.LOVES


def test_it_is_stored() -> None:
    appetite = Appetite()
    for n in range(3):
        appetite.offer(1e6 + n)
    kept = Appetite.read(appetite.write())
    assert kept.offer(1e6 + 10) is SnackReaction.FULL


@pytest.mark.parametrize("text", [None, "", "soup", "nan 5", "inf"])
def test_an_unreadable_state_counts_as_hungry(text: str | None) -> None:
    assert Appetite.read(text).offer(1e6) is SnackReaction.LOVES


def test_a_clock_that_was_set_back_does_no_harm() -> None:
    appetite = Appetite((2e6, 2e6 + 1, 2e6 + 2))
    assert appetite.offer(1e6) is not SnackReaction.FULL


def test_neo_has_motions_for_eating_and_refusing() -> None:
    neo = describe_model(NEO)
    for feat in (EAT_TRICK, REFUSE_TRICK, LOVE_TRICK):
        steps = script_steps(feat.pulses, neo.parameters)
        assert steps or find_trick_motion(neo, feat.motions)
        if steps:
            parse_script(steps, neo.parameters)
