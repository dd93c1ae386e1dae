from __future__ import annotations

from itertools import pairwise
from random import Random

from neodeskpet.figure.animation_script import MOST_SECONDS, parse_script
from neodeskpet.figure.behaviour.tricks import (
    DANCE_TRICK,
    NOD_TRICK,
    SWAY_TRICK,
    Dancing,
    Trick,
    find_trick_motion,
    script_steps,
)
from neodeskpet.figure.files.model_reader import describe_model
from tests.unit.figure.models import NEO


def an_hour(dancing: Dancing, begin: float = 0.0) -> list[tuple[float, Trick]]:
    found = ((begin + at / 2, dancing.due(begin + at / 2)) for at in range(7200))
    return [(now, feat) for now, feat in found if feat is not None]


def test_in_silence_it_does_nothing() -> None:
    dancing = Dancing(Random(1))
    assert an_hour(dancing) == []
    dancing.set_playing(True, 0.0)
    assert an_hour(dancing)
    dancing.set_playing(False, 4000.0)
    assert an_hour(dancing, 4000.0) == []


def test_it_starts_soon_and_dances_rarely() -> None:
    dancing = Dancing(Random(2))
    dancing.set_playing(True, 0.0)
    feats = an_hour(dancing)
    assert feats[0][0] <= 5.0
    assert {feat for _, feat in feats} == {NOD_TRICK, SWAY_TRICK, DANCE_TRICK}
    dances = [now for now, feat in feats if feat is DANCE_TRICK]
    assert len(dances) >= 8
    assert all(later - earlier >= 120.0 for earlier, later in pairwise(dances))
    assert dances[0] >= 20.0, "not at the first note"


def test_frequent_pauses_cause_no_more_dances() -> None:
    dancing = Dancing(Random(3))
    dances = 0
    for now in range(0, 3600, 10):
        dancing.set_playing(True, float(now))
        dances += dancing.due(now + 9.0) is DANCE_TRICK
        dancing.set_playing(False, now + 9.5)
    assert dances <= 30


def test_neo_has_a_motion_for_each() -> None:
    neo = describe_model(NEO)
    assert find_trick_motion(neo, DANCE_TRICK.motions) is not None
    for feat in (NOD_TRICK, SWAY_TRICK):
        assert (
            parse_script(script_steps(feat.pulses, neo.parameters), neo.parameters).seconds
            <= MOST_SECONDS
        )
