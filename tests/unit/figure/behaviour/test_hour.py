"""An hour of the real reactions and the real actor, on a simulated clock."""

from __future__ import annotations

from random import Random

import pytest

from neodeskpet.figure.behaviour.seasons import DayContext, DayPart, Holiday, Season
from neodeskpet.figure.behaviour.sleep import LEAST_SLEEP_REPEAT_SECONDS, WakeReaction
from neodeskpet.figure.behaviour.tricks import SeasonalActs
from neodeskpet.figure.files.model_description import ModelDescription
from neodeskpet.figure.files.model_reader import describe_model
from neodeskpet.figure.poses import Pose
from tests.support.lifetime import NOON, begin, lengths_of
from tests.unit.figure.doubles import description
from tests.unit.figure.models import NEO

BARE = description(motions={"Idle": 3, "TapHead": 1})
FULL = describe_model(NEO)
WINTER_NIGHT = DayContext(DayPart.NIGHT, Season.WINTER)
BIRTHDAY = DayContext(DayPart.MORNING, Season.SUMMER, Holiday.BIRTHDAY)


@pytest.mark.parametrize("found", [BARE, FULL])
@pytest.mark.parametrize(
    ("seed", "present", "day"),
    [
        (1, True, DayContext()),
        (2, False, DayContext()),
        (3, True, WINTER_NIGHT),
        (4, False, WINTER_NIGHT),
        (5, True, BIRTHDAY),
    ],
)
def test_alone_only_breathing_is_repeated_soon_or_takes_much_time(
    found: ModelDescription, seed: int, present: bool, day: DayContext
) -> None:
    life = begin(found, seed)
    life.day, life.turning = day, SeasonalActs(Random(seed), 0.0)
    life.live(3600.0, lambda now: now % 60.0 if present else now)
    assert len(life.acts()) >= 2, "it does something"
    assert life.soonest() >= LEAST_SLEEP_REPEAT_SECONDS
    assert life.largest_share() <= 0.12
    poses = [pose for _, pose in life.poses if pose is not Pose.HAPPY]
    if present:
        assert set(poses) == {Pose.IDLE}
    else:
        assert poses == [Pose.IDLE, Pose.SLEEPY, Pose.ASLEEP]


def test_undisturbed_it_lies_down_sometimes_and_gets_up_again() -> None:
    life = begin(FULL, 7)
    life.live(3600.0, lambda now: now % 20.0)
    assert "Lie" not in {group for group, _ in life.acts()}, "beside a busy user it stands"
    life.live(7200.0, lambda _now: 200.0)
    while not life.actor.is_lying:
        life.live(1.0, lambda _now: 200.0)
    assert life.model.commands[-1][1] == ("Lie", 0)
    life.live(40.0, lambda _now: 200.0)
    assert not life.actor.is_lying
    lay = [took for (group, _), runs in life.acts().items() if group == "Lie" for _, took in runs]
    assert 2 <= len(lay) <= 9
    assert set(lay) == {lengths_of(FULL)["Lie", 0]}, "until it has got up by itself"
    assert life.soonest() >= LEAST_SLEEP_REPEAT_SECONDS
    assert life.largest_share() <= 0.12


@pytest.mark.parametrize("found", [BARE, FULL])
def test_it_sleeps_while_the_user_is_away_and_welcomes_them_once(found: ModelDescription) -> None:
    life = begin(found, 5)
    life.live(1200.0, lambda now: now)
    assert life.actor.current_pose is Pose.ASLEEP
    assert life.wakes == []
    back = life.now
    life.live(600.0, lambda now: (now - back) % 20.0)
    assert life.wakes == [WakeReaction.WELCOME]
    assert [pose for _, pose in life.poses][-2:] == [Pose.GROGGY, Pose.IDLE]
    gone = life.now
    life.live(1300.0, lambda now: now - gone)
    assert life.actor.current_pose is Pose.ASLEEP
    back = life.now
    life.live(60.0, lambda now: now - back)
    assert life.wakes == [WakeReaction.WELCOME, WakeReaction.GROGGY], "no second text so soon"


def test_asleep_it_changes_its_position_sometimes() -> None:
    life = begin(BARE, 6)
    life.live(1200.0, lambda now: now)
    lay = set()
    for _ in range(60):
        life.live(20.0, lambda now: now)
        lay.add(round(life.model.values["ParamAngleZ"], 2))
    assert len(lay) > 5
    life.reactions.disturb(life.actor, life.now, NOON)
    life.live(10.0, lambda now: 0.0)
    assert life.model.values["ParamAngleZ"] == 0.0
