from __future__ import annotations

from random import Random

import pytest

from neodeskpet.figure.animation_script import parse_script
from neodeskpet.figure.behaviour import tricks
from neodeskpet.figure.behaviour.seasons import DayContext, DayPart, Holiday, Season
from neodeskpet.figure.behaviour.tricks import (
    REJOICE,
    SHIVER,
    STRETCH,
    YAWN,
    SeasonalActs,
    Trick,
    find_trick_motion,
    script_steps,
)
from neodeskpet.figure.files.model_reader import describe_model
from tests.unit.figure.models import NEO

FEATS = [one for one in vars(tricks).values() if isinstance(one, Trick)]


def hours(day: DayContext, count: int) -> list[tuple[float, Trick]]:
    chance = SeasonalActs(Random(1), 0.0)
    found = ((now, chance.due(day, float(now))) for now in range(0, count * 3600, 60))
    return [(now, feat) for now, feat in found if feat is not None]


def test_on_an_ordinary_day_there_is_nothing() -> None:
    assert hours(DayContext(), 12) == []


def test_mornings_nights_and_seasons_cause_acts_sometimes() -> None:
    assert {feat for _, feat in hours(DayContext(DayPart.MORNING), 12)} == {STRETCH}
    assert {feat for _, feat in hours(DayContext(DayPart.NIGHT, Season.WINTER), 24)} == {
        YAWN,
        SHIVER,
    }
    times = [now for now, _ in hours(DayContext(season=Season.SUMMER), 24)]
    assert 24 <= len(times) <= 24 * 4


def test_a_holiday_causes_acts_more_often() -> None:
    feast = hours(DayContext(holiday=Holiday.BIRTHDAY), 12)
    assert {feat for _, feat in feast} == {REJOICE}
    assert len(feast) > 2 * len(hours(DayContext(season=Season.SUMMER), 12))


@pytest.mark.parametrize("feat", FEATS)
def test_neo_has_a_motion_for_each(feat: Trick) -> None:
    neo = describe_model(NEO)
    script = script_steps(feat.pulses, neo.parameters)
    assert find_trick_motion(neo, feat.motions) is not None or script
    if script:
        parse_script(script, neo.parameters)
