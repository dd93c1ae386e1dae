"""An hour of the real reactions and the real actor, on a clock that is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

import pytest

from neodeskpet.live2d.actor import Actor
from neodeskpet.live2d.files.catalog import describe
from neodeskpet.live2d.framing import Placing
from neodeskpet.live2d.life.slumber import SAME
from neodeskpet.live2d.life.spirits import Wake
from neodeskpet.live2d.poses import Pose
from neodeskpet.live2d.reactions import Reactions
from tests.unit.live2d.doubles import PaperModel, description
from tests.unit.live2d.models import NEO

NOON, STEP = 12, 0.25
BARE = description(motions={"Idle": 3, "TapHead": 1})
FULL = describe(NEO)


class TimedModel(PaperModel):
    """Its motions take their time, like those of the library."""

    def __init__(self, length: float) -> None:
        super().__init__()
        self.values |= dict.fromkeys(("ParamAngleX", "ParamAngleZ", "ParamBodyAngleZ"), 0.0)
        self.length, self.now, self.end = length, 0.0, 0.0
        self.played: list[tuple[float, tuple[str, int]]] = []

    def StartMotion(self, group: str, no: int, priority: int = 3) -> None:
        self.played.append((self.now, (group, no)))
        self.end = self.now + self.length

    def Update(self, deltaSecs: float = -1.0) -> None:  # noqa: N803
        super().Update(deltaSecs)
        self.values |= dict.fromkeys(("ParamAngleX", "ParamAngleZ", "ParamBodyAngleZ"), 0.0)

    def IsMotionFinished(self) -> bool:
        return self.now >= self.end

    def StopAllMotions(self) -> None:
        self.end = self.now


@dataclass
class Day:
    model: TimedModel
    actor: Actor
    reactions: Reactions
    poses: list[tuple[float, Pose]] = field(default_factory=list)
    wakes: list[Wake] = field(default_factory=list)
    now: float = 0.0

    def live(self, seconds: float, idle: Callable[[float], float | None]) -> None:
        """As the window does it, frame by frame."""
        end = self.now + seconds
        while self.now < end:
            self.now += STEP
            self.model.now = self.now
            if self.now % 2.0 < STEP:
                wake = self.reactions.notice(self.actor, idle(self.now), self.now, NOON)
                self.wakes += [wake] if wake is not Wake.NONE else []
            self.reactions.tick(self.actor, self.now, NOON)
            self.actor.advance(self.now, STEP)
            if not self.poses or self.poses[-1][1] is not self.actor.posed:
                self.poses.append((self.now, self.actor.posed))


def begin(found: object, seed: int, length: float = 8.0) -> Day:
    assert found in (BARE, FULL)
    model = TimedModel(length)
    actor = Actor(model, BARE if found is BARE else FULL, Random(seed), 0.0)
    actor.placing = Placing(200, 400, 0.0, 0.0, 2.0)
    return Day(model, actor, Reactions(Random(seed), 0.0))


def breathing(day: Day) -> set[tuple[str, int]]:
    found = {("Idle", 0)}
    return found | {("Sleep", 0)} if "Sleep" in day.actor.description.motions else found


@pytest.mark.parametrize("found", [BARE, FULL])
@pytest.mark.parametrize(("seed", "present"), [(1, True), (2, False), (3, True), (4, False)])
def test_alone_nothing_but_breathing_repeats_soon_or_takes_much_time(
    found: object, seed: int, present: bool
) -> None:
    day = begin(found, seed)
    day.live(3600.0, lambda now: now % 20.0 if present else now)
    ends = [at for at, _ in day.model.played[1:]] + [day.now]
    others: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for (at, motion), end in zip(day.model.played, ends, strict=True):
        if motion not in breathing(day):
            others.setdefault(motion, []).append((at, min(end - at, day.model.length)))
    assert len(others) >= 2, "it does something"
    for motion, runs in others.items():
        assert all(b[0] - a[0] >= SAME for a, b in pairwise(runs)), motion
        assert sum(took for _, took in runs) <= 0.12 * 3600.0, motion
    if present:
        assert [pose for _, pose in day.poses] == [Pose.IDLE]
    else:
        assert [pose for _, pose in day.poses] == [Pose.IDLE, Pose.SLEEPY, Pose.ASLEEP]


@pytest.mark.parametrize("found", [BARE, FULL])
def test_it_sleeps_while_nobody_is_there_and_welcomes_once(found: object) -> None:
    day = begin(found, 5)
    day.live(1200.0, lambda now: now)
    assert day.actor.posed is Pose.ASLEEP
    assert day.wakes == []
    back = day.now
    day.live(600.0, lambda now: (now - back) % 20.0)
    assert day.wakes == [Wake.WELCOME]
    assert [pose for _, pose in day.poses][-2:] == [Pose.GROGGY, Pose.IDLE]
    gone = day.now
    day.live(1300.0, lambda now: now - gone)
    assert day.actor.posed is Pose.ASLEEP
    back = day.now
    day.live(60.0, lambda now: now - back)
    assert day.wakes == [Wake.WELCOME, Wake.GROGGY], "no second word so soon"


def test_asleep_it_lies_differently_now_and_then() -> None:
    day = begin(BARE, 6)
    day.live(1200.0, lambda now: now)
    lay = set()
    for _ in range(60):
        day.live(20.0, lambda now: now)
        lay.add(round(day.model.values["ParamAngleZ"], 2))
    assert len(lay) > 5
    day.reactions.stir(day.actor, day.now, NOON)
    day.live(10.0, lambda now: 0.0)
    assert day.model.values["ParamAngleZ"] == 0.0
