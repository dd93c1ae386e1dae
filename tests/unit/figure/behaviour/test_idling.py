from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from random import Random

from neodeskpet.figure.behaviour.idling import (
    LEAST_REPEAT_ALONE_SECONDS,
    LEAST_REPEAT_SECONDS,
    RARE,
    IdleAct,
    IdleChooser,
    IdleMotions,
    Liveliness,
    UserActivity,
    activity_after,
)
from neodeskpet.figure.behaviour.seasons import DayContext, DayPart, Holiday


def test_it_rests_after_another_movement() -> None:
    idling = IdleChooser(Random(1))
    idling.restart(100.0)
    assert idling.next(IdleMotions(("Idle", 0)), 100.1) is None
    assert idling.next(IdleMotions(("Idle", 0)), 110.0) == ("Idle", 0)
    assert idling.next(IdleMotions(), 200.0) is None


def alone(
    repertoire: IdleMotions, seconds: float, length: float
) -> list[tuple[float, tuple[str, int]]]:
    idling, now, played = IdleChooser(Random(3)), 0.0, []
    while now < seconds:
        motion = idling.next(repertoire, now)
        if motion is None:
            now += 0.2
            continue
        idling.note(motion, now)
        played.append((now, motion))
        now += length
    return played


def test_it_breathes_and_acts_sometimes_and_rarely_does_rare_acts() -> None:
    breath, often, rare = ("Idle", 0), ("Idle", 1), ("Idle", 2)
    acts = (IdleAct(often, 3.0), IdleAct(rare, 1.0, RARE))
    played = alone(IdleMotions(breath, acts), 3600.0, 8.0)
    for motion, apart in ((often, LEAST_REPEAT_SECONDS), (rare, RARE)):
        times = [at for at, one in played if one == motion]
        assert len(times) > 3
        assert all(b - a >= apart for a, b in pairwise(times))
    assert len([at for at, one in played if one == rare]) <= 6


def test_a_long_act_is_rare_enough() -> None:
    act = ("Idle", 1)
    played = alone(IdleMotions(("Idle", 0), (IdleAct(act),)), 7200.0, 30.0)
    assert 0 < len([at for at, one in played if one == act]) * 30.0 <= 7200.0 * 0.12


def test_without_breathing_it_stands_between_acts() -> None:
    played = alone(IdleMotions(None, (IdleAct(("Idle", 0)),)), 600.0, 5.0)
    assert 2 <= len(played) <= 6


def test_acts_that_fit_the_day_are_more_frequent() -> None:
    acts = tuple(
        IdleAct((name.title(), 0), least_gap=1.0, named=frozenset({name}))
        for name in ("yawn", "dance")
    )

    def yawns(day: DayContext) -> int:
        idling, found = IdleChooser(Random(4)), 0
        for minute in range(400):
            motion = idling.next(IdleMotions(None, acts), minute * 60.0, day)
            found += motion == ("Yawn", 0)
        return found

    assert yawns(DayContext(DayPart.NIGHT)) > 300 > 250 > yawns(DayContext()) > 150
    assert yawns(DayContext(holiday=Holiday.BIRTHDAY)) < 120


def test_recent_acts_are_known() -> None:
    idling = IdleChooser(Random(1))
    idling.note(("Nod", 0), 10.0)
    assert idling.did_lately(("Nod", 0), 10.0 + LEAST_REPEAT_SECONDS - 1)
    assert not idling.did_lately(("Nod", 0), 10.0 + LEAST_REPEAT_SECONDS)
    assert not idling.did_lately(("Wave", 0), 10.0)


Act = tuple[float, tuple[str, int]]
SMALL, BIG, CALM = ("Idle", 1), ("Idle", 2), ("Idle", 3)
NEO = IdleMotions(
    ("Idle", 0),
    (IdleAct(SMALL, 3.0, small=True), IdleAct(BIG, 2.0), IdleAct(CALM, 2.0, calm=True)),
)


def beside(
    seconds: float,
    activity: Callable[[float], UserActivity],
    seed: int = 5,
    liveliness: Liveliness = Liveliness.NORMAL,
) -> list[Act]:
    """The acts with their times, while the user is in the state that `activity` gives for each
    second.
    """
    idling, now, played = IdleChooser(Random(seed)), 0.0, []
    idling.liveliness = liveliness
    while now < seconds:
        motion = idling.next(NEO, now, activity=activity(now))
        if motion is None:
            now += 0.2
            continue
        idling.note(motion, now)
        if motion != NEO.breath:
            played.append((now, motion))
        now += 4.0
    return played


def test_liveliness_changes_how_much_it_does_but_not_the_minute_beside_work() -> None:
    for activity in (UserActivity.WORKING, UserActivity.PAUSING):
        counts = {}
        for liveliness in Liveliness:
            runs = [beside(1800.0, lambda _: activity, seed, liveliness) for seed in range(10)]  # noqa: B023
            counts[liveliness] = sum(len(run) for run in runs)
            if activity is UserActivity.WORKING:
                gaps = [b - a for run in runs for (a, _), (b, _) in pairwise(run)]
                assert min(gaps) >= 60.0
        # In a pause the least time between two equal acts, of which there are few, counts most.
        most = 0.85 if activity is UserActivity.WORKING else 0.99
        assert counts[Liveliness.CALM] < most * counts[Liveliness.NORMAL]
        assert counts[Liveliness.LIVELY] > counts[Liveliness.NORMAL]


def test_beside_a_working_user_there_are_only_small_and_rare_acts() -> None:
    for seed in range(20):
        played = beside(1800.0, lambda _now: UserActivity.WORKING, seed)
        assert {motion for _, motion in played} == {SMALL}
        times = [at for at, _ in played]
        assert all(b - a >= 60.0 for a, b in pairwise(times))
        assert len(times) >= 8


def test_big_acts_come_when_the_user_pauses() -> None:
    def activity(now: float) -> UserActivity:
        return UserActivity.PAUSING if now % 300.0 >= 260.0 else UserActivity.WORKING

    big = [at for at, motion in beside(3000.0, activity) if motion == BIG]
    assert len({at // 300.0 for at in big}) >= 8, "hardly a pause has a big act"
    assert all(at % 300.0 >= 262.0 for at in big)


def test_alone_nothing_is_repeated_within_ten_minutes() -> None:
    played = beside(7200.0, lambda _now: UserActivity.AWAY)
    assert {motion for _, motion in played} == {SMALL, BIG, CALM}
    for one in (SMALL, BIG, CALM):
        times = [at for at, motion in played if motion == one]
        assert all(b - a >= LEAST_REPEAT_ALONE_SECONDS for a, b in pairwise(times))


def test_the_activity_follows_the_last_input() -> None:
    said = [activity_after(idle) for idle in (None, 0.0, 29.0, 30.0, 89.0, 90.0)]
    working, pausing, away = UserActivity.WORKING, UserActivity.PAUSING, UserActivity.AWAY
    assert said == [pausing, working, working, pausing, pausing, away]
