"""Small reactions to clicks, to the window in use and to a pointer that rests on the face."""

from __future__ import annotations

import math
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.figure.behaviour.attentiveness import (
    DIRECTIONS,
    SLOW_BLINK,
    Attentiveness,
    WatchTarget,
    WindowWatch,
    ear_turn,
    glance_direction,
    glance_moves,
)
from neodeskpet.figure.behaviour.idling import LEAST_REPEAT_ALONE_SECONDS, Liveliness
from neodeskpet.figure.behaviour.tricks import script_steps
from neodeskpet.figure.files.model_reader import describe_model
from tests.unit.figure.models import NEO


def test_the_ear_on_the_side_of_the_click_turns_most() -> None:
    for x, near in ((-80.0, "ParamEarDroopR"), (80.0, "ParamEarDroopL")):
        strongest = min(ear_turn(x).pulses, key=lambda pulse: pulse.to)
        assert strongest.parameter == near


def test_clicks_in_quick_succession_turn_the_ear_once() -> None:
    mind = Attentiveness(Random(1), 0.0)
    turned = [mind.click(10.0, now) is not None for now in (0.0, 0.2, 1.0, 5.5)]
    assert turned == [True, False, False, True]


@given(st.integers(0, 2**32), st.lists(st.floats(0.05, 20.0), min_size=40, max_size=200))
def test_there_are_at_most_six_reactions_a_minute(seed: int, gaps: list[float]) -> None:
    mind, now, reacted = Attentiveness(Random(seed), 0.0), 0.0, list[float]()
    for gap in gaps:
        now += gap
        if mind.click(1.0, now) is not None:
            reacted.append(now)
        if mind.glance(300.0, 0.0, now) is not None:
            reacted.append(now)
        if mind.point((5, 5), now, on_face=True) is not None:
            reacted.append(now)
    for at in reacted:
        assert sum(at <= one < at + 60.0 for one in reacted) <= 6


def test_a_pointer_that_rests_on_the_face_gets_a_slow_blink() -> None:
    mind = Attentiveness(Random(1), 0.0)
    assert mind.point((5, 5), 0.0, on_face=True) is None
    assert mind.point((5, 5), 2.5, on_face=True) is None
    assert mind.point((5, 5), 3.1, on_face=True) is SLOW_BLINK
    assert mind.point((5, 5), 6.5, on_face=True) is None, "not again at once"
    assert mind.point((5, 5), 30.0, on_face=True) is SLOW_BLINK


def test_a_moving_pointer_or_one_beside_the_face_gets_none() -> None:
    mind = Attentiveness(Random(1), 0.0)
    for second in range(20):
        assert mind.point((second, 5), float(second), on_face=True) is None
    for second in range(20, 40):
        assert mind.point((5, 5), float(second), on_face=False) is None


@pytest.mark.parametrize("number", range(DIRECTIONS))
def test_glances_have_sixteen_directions(number: int) -> None:
    angle = (number + 0.3) * math.tau / DIRECTIONS
    found = glance_direction(200.0 * math.cos(angle), 200.0 * math.sin(angle))
    wanted = number * math.tau / DIRECTIONS
    assert found == pytest.approx((math.cos(wanted), math.sin(wanted)))


def test_there_is_no_glance_at_the_face_itself() -> None:
    assert glance_direction(0.0, 0.0) is None


def test_glances_are_rare() -> None:
    mind = Attentiveness(Random(3), 0.0)
    assert mind.glance(100.0, 0.0, 1.0) is None
    found = [now for now in range(600) if mind.glance(100.0, 0.0, float(now)) is not None]
    assert 6 <= len(found) <= 18
    assert mind.next_glance > found[-1]


def test_neo_has_the_ears_eyes_and_the_tail_for_them() -> None:
    neo = describe_model(NEO)
    for trick in (ear_turn(1.0), SLOW_BLINK, glance_moves((-0.7, -0.7))):
        steps = script_steps(trick.pulses, neo.parameters)
        assert len(steps) == len(trick.pulses)


def test_a_calm_figure_reacts_more_seldom_and_a_lively_one_within_the_limit() -> None:
    counts = {}
    for liveliness in Liveliness:
        mind, now = Attentiveness(Random(1), 0.0), 0.0
        mind.liveliness = liveliness
        reacted = list[float]()
        for _ in range(3000):
            now += 0.4
            if mind.click(20.0, now) or mind.glance(300.0, 10.0, now):
                reacted.append(now)
            within = [at for at in reacted if now - at < Attentiveness.WITHIN]
            assert len(within) <= Attentiveness.MOST
        counts[liveliness] = len(reacted)
    assert counts[Liveliness.CALM] < 0.6 * counts[Liveliness.NORMAL]
    assert counts[Liveliness.NORMAL] <= counts[Liveliness.LIVELY]


def test_while_alone_it_watches_the_window_and_the_pointer_once_in_ten_minutes() -> None:
    watch, seen = WindowWatch(Random(3)), list[tuple[float, WatchTarget]]()
    for tick in range(3 * 3600):
        target = watch.target(tick / 2, alone=True)
        if target is not None and (not seen or seen[-1][1] is not target):
            seen.append((tick / 2, target))
    looks = [target for _, target in seen]
    starts = [at for at, target in seen if target is WatchTarget.POINTER]
    assert len(starts) >= 3 and set(looks) == set(WatchTarget)
    gaps = [after - before for before, after in pairwise(starts)]
    assert min(gaps) >= LEAST_REPEAT_ALONE_SECONDS


def test_a_user_who_returns_ends_the_scene_and_it_is_not_repeated_soon() -> None:
    watch, now = WindowWatch(Random(5)), 0.0
    while watch.target(now, alone=True) is None:
        now += 0.5
    began = now
    assert watch.target(now + 1.0, alone=False) is None
    now += 2.0
    while watch.target(now, alone=True) is None:
        now += 0.5
    assert now - began >= LEAST_REPEAT_ALONE_SECONDS - 1.0


def test_nothing_is_watched_while_the_user_is_there() -> None:
    watch = WindowWatch(Random(5))
    assert all(watch.target(float(now), alone=False) is None for now in range(3600))
