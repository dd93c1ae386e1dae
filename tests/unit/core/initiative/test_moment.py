from __future__ import annotations

from dataclasses import replace

import pytest

from neodeskpet.core.initiative.chances import RECALL_EVERY, RESTING, SILENT, Chances, part_of_day
from neodeskpet.core.initiative.moment import (
    Hindrance,
    Kind,
    Moment,
    Noticed,
    Sense,
    Wishes,
    hindrance,
    is_night,
)

WISHES = Wishes(on=True)
FREE = Noticed(60.0, Sense.NO, Sense.NO, Sense.UNKNOWN)
NOON = Moment(1e9, 12 * 60, FREE)


@pytest.mark.parametrize(
    ("noticed", "reason"),
    [
        (FREE, None),
        (replace(FREE, call=Sense.UNKNOWN), None),
        (replace(FREE, idle=None), Hindrance.BLIND),
        (replace(FREE, fullscreen=Sense.UNKNOWN), Hindrance.BLIND),
        (replace(FREE, idle=3.0), Hindrance.TYPING),
        (replace(FREE, idle=3600.0), Hindrance.AWAY),
        (replace(FREE, fullscreen=Sense.YES), Hindrance.FULLSCREEN),
        (replace(FREE, call=Sense.YES), Hindrance.CALL),
        (replace(FREE, shared=Sense.YES), Hindrance.SHARED),
    ],
)
def test_what_it_notices_hinders_it(noticed: Noticed, reason: Hindrance | None) -> None:
    assert hindrance(replace(NOON, noticed=noticed), WISHES) is reason


def test_what_the_person_wants_hinders_it() -> None:
    assert hindrance(NOON, Wishes()) is Hindrance.OFF
    assert hindrance(replace(NOON, minute=23 * 60), WISHES) is Hindrance.NIGHT
    assert hindrance(replace(NOON, quiet=True), WISHES) is Hindrance.QUIET
    assert hindrance(replace(NOON, talking=True), WISHES) is Hindrance.TALKING


def test_quiet_hours_may_go_over_midnight() -> None:
    late, lunch = Wishes(quiet_from=22, quiet_to=8), Wishes(quiet_from=12, quiet_to=13)
    assert [is_night(hour * 60, late) for hour in (21, 22, 0, 7, 8)] == [0, 1, 1, 1, 0]
    assert [is_night(hour * 60, lunch) for hour in (11, 12, 13)] == [0, 1, 0]
    assert not any(is_night(minute, Wishes(quiet_from=9, quiet_to=9)) for minute in range(1440))


def found(chances: Chances, moment: Moment, talked: float | None = None) -> list[tuple[Kind, str]]:
    return list(chances.look(moment, talked))


def idle(seconds: float | None, now: float = 1e9, hour: int = 12) -> Moment:
    return Moment(now, hour * 60, replace(FREE, idle=seconds))


def test_chances() -> None:
    chances = Chances()
    assert found(chances, idle(None)) == []
    assert found(chances, idle(1e4)) == [], "nobody is there"
    assert found(chances, idle(1.0)) == [], "the start has its own greeting"
    assert found(chances, idle(RESTING)) == [(Kind.IDLE, "")]
    assert found(chances, idle(RESTING + 60)) == [], "one pause, one chance"
    assert found(chances, idle(1.0, hour=19)) == [(Kind.TIME, "evening")]
    assert found(chances, idle(RESTING, hour=19)) == [(Kind.IDLE, "")]
    assert found(chances, idle(30.0, hour=19), 1e9 - SILENT) == []
    assert found(chances, idle(30.0, hour=19), 1e9 - 3 * 86_400) == [(Kind.SILENCE, "3")]
    later = 1e9 + RECALL_EVERY
    assert found(chances, idle(30.0, later, 19)) == [(Kind.MEMORY, "")]
    assert found(chances, idle(30.0, later + 1, 19)) == []


def test_the_day_has_four_parts() -> None:
    parts = [part_of_day(hour * 60) for hour in (4, 5, 11, 18, 23)]
    assert parts == ["night", "morning", "day", "evening", "night"]
