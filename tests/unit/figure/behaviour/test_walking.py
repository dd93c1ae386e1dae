"""When it walks, where to, and how."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from neodeskpet.figure.behaviour.ground import FLOOR_WINDOW, Ledge
from neodeskpet.figure.behaviour.walking import (
    NEAR_POINTER_PIXELS,
    WALK_SPEED,
    Walk,
    WalkContext,
    WalkRange,
    WalkSchedule,
    walk_goal,
    walkable_range,
)

HEIGHT = 340.0
SCREEN = WalkRange(0, 1600)
FLOOR_LEDGE = Ledge(FLOOR_WINDOW, 0, 1600, 1200)
REACH = (100.0, 140.0)
CALM = WalkContext(leisure=True, idle=20.0, pointer=400.0)


def test_it_walks_rarely_and_at_random() -> None:
    outings, walks, now = WalkSchedule(Random(1), 0.0), [], 0.0
    while now < 3600.0:
        now += 5.0
        if outings.due(now):
            walks.append(now)
            outings.put_off(now)
    pauses = [later - sooner for sooner, later in pairwise(walks)]
    assert 12 <= len(walks) <= 45
    assert min(pauses) >= 80.0
    assert len(set(pauses)) > 5


def test_if_it_would_disturb_it_checks_again_soon() -> None:
    outings = WalkSchedule(Random(1), 0.0)
    assert outings.due(300.0)
    outings.postpone(300.0)
    assert not outings.due(304.0)
    assert outings.due(315.0)


@pytest.mark.parametrize(
    "busy",
    [
        replace(CALM, leisure=False),
        replace(CALM, wanted=True),
        replace(CALM, idle=0.5),
        replace(CALM, idle=900.0),
        replace(CALM, pointer=NEAR_POINTER_PIXELS - 1),
    ],
)
def test_it_disturbs_no_work_and_walks_only_before_a_user(busy: WalkContext) -> None:
    assert CALM.free
    assert replace(CALM, idle=None).free, "without detection it walks all the same"
    assert not busy.free


def test_it_stays_completely_on_the_screen_within_the_limits_and_on_the_edge() -> None:
    assert walkable_range(FLOOR_LEDGE, SCREEN, None, REACH) == (100, 1460)
    assert walkable_range(FLOOR_LEDGE, SCREEN, WalkRange(400, 900), REACH) == (500, 760)
    window = Ledge(7, 450, 700, 500)
    assert walkable_range(window, SCREEN, None, REACH) == (470, 680)
    assert walkable_range(window, SCREEN, WalkRange(400, 900), REACH) == (500, 680)
    assert walkable_range(window, SCREEN, WalkRange(1000, 1500), REACH) is None
    assert walkable_range(FLOOR_LEDGE, SCREEN, WalkRange(400, 500), REACH) is None


def test_it_walks_a_short_way_and_never_beyond_the_limits() -> None:
    room, random = WalkRange(100, 1460), Random(3)
    goals = [walk_goal(room, 200.0, HEIGHT, random) for _ in range(200)]
    assert all(goal is not None and room.holds(goal) for goal in goals)
    far = [abs(goal - 200.0) / HEIGHT for goal in goals if goal is not None]
    assert min(far) > 0.29
    assert max(far) <= 2.2
    right = sum(goal is not None and goal > 200.0 for goal in goals)
    assert right > 150, "there is more room"


def test_without_room_it_stays_and_from_outside_it_comes_in() -> None:
    assert walk_goal(WalkRange(300, 360), 330.0, HEIGHT, Random(1)) is None
    assert walk_goal(WalkRange(300, 600), 900.0, HEIGHT, Random(1)) == 600
    assert walk_goal(WalkRange(300, 600), 10.0, HEIGHT, Random(1)) == 300


@pytest.mark.parametrize("goal", [700.0, 100.0])
def test_it_accelerates_and_slows_down_and_ends_exactly_there(goal: float) -> None:
    walk = Walk(400.0, goal, HEIGHT)
    assert walk.right is (goal > 400.0)
    speeds, places = [], [walk.x]
    while not walk.over:
        walk.advance(1 / 30)
        speeds.append(walk.speed)
        places.append(walk.x)
        assert len(places) < 1000
    assert places[-1] == goal
    assert places == sorted(places, reverse=goal < 400.0)
    top = WALK_SPEED * HEIGHT
    assert max(speeds) == pytest.approx(top)
    assert speeds[0] < top / 4
    assert speeds[-3] < top / 2
    assert 300.0 / top < len(speeds) / 30 < 300.0 / top + 2.0
    assert {walk.lift} == {0.0}


def test_without_steps_it_hops_and_stands_at_the_end() -> None:
    walk = Walk(400.0, 700.0, HEIGHT, steps=False)
    lifts = []
    while not walk.over:
        walk.advance(1 / 30)
        lifts.append(walk.lift)
    assert 5.0 < max(lifts) < 0.04 * HEIGHT
    assert sum(low < 2.0 for low in lifts) > 5, "it lands in between"
    assert lifts[-1] == 0.0


def test_a_long_pause_causes_no_jump() -> None:
    walk = Walk(400.0, 900.0, HEIGHT)
    walk.advance(30.0)
    assert walk.x < 410.0
