from __future__ import annotations

from random import Random

import pytest

from neodeskpet.live2d.animation_script import parse
from neodeskpet.live2d.files.catalog import describe
from neodeskpet.live2d.life import turning
from neodeskpet.live2d.life.almanac import Day, Feast, Part, Season
from neodeskpet.live2d.life.feats import Feat, find_motion, steps_of
from neodeskpet.live2d.life.turning import REJOICE, SHIVER, STRETCH, YAWN, Turning
from tests.unit.live2d.models import NEO

FEATS = [one for one in vars(turning).values() if isinstance(one, Feat)]


def hours(day: Day, count: int) -> list[tuple[float, Feat]]:
    chance = Turning(Random(1), 0.0)
    found = ((now, chance.due(day, float(now))) for now in range(0, count * 3600, 60))
    return [(now, feat) for now, feat in found if feat is not None]


def test_an_ordinary_day_shows_nothing() -> None:
    assert hours(Day(), 12) == []


def test_mornings_nights_and_seasons_show_now_and_then() -> None:
    assert {feat for _, feat in hours(Day(Part.MORNING), 12)} == {STRETCH}
    assert {feat for _, feat in hours(Day(Part.NIGHT, Season.WINTER), 24)} == {YAWN, SHIVER}
    times = [now for now, _ in hours(Day(season=Season.SUMMER), 24)]
    assert 24 <= len(times) <= 24 * 4


def test_a_feast_shows_more_often() -> None:
    feast = hours(Day(feast=Feast.BIRTHDAY), 12)
    assert {feat for _, feat in feast} == {REJOICE}
    assert len(feast) > 2 * len(hours(Day(season=Season.SUMMER), 12))


@pytest.mark.parametrize("feat", FEATS)
def test_neo_can_do_each(feat: Feat) -> None:
    neo = describe(NEO)
    script = steps_of(feat.pulses, neo.parameters)
    assert find_motion(neo, feat.motions) is not None or script
    if script:
        parse(script, neo.parameters)
