from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

import pytest

from neodeskpet.figure.behaviour.pomodoro import (
    FocusTally,
    PomodoroAct,
    PomodoroCompany,
    PomodoroPhase,
    RunningTimer,
    current_session,
    ended_sessions,
    is_work_label,
    tally_words,
)
from neodeskpet.figure.behaviour.tricks import STRETCH
from neodeskpet.figure.poses import Pose

NOW = 1_000_000.0


def timer(label: str, left: float, length: float = 1500.0) -> RunningTimer:
    return RunningTimer(label, NOW + left - length, NOW + left)


@pytest.mark.parametrize(
    ("timers", "span"),
    [
        ([], None),
        ([timer("Tea", 60)], None),
        ([timer("Pomodoro", 60)], PomodoroPhase.WORK),
        ([timer("番茄钟", 60)], PomodoroPhase.WORK),
        ([timer("专注写作", 60)], PomodoroPhase.WORK),
        ([timer("Focus: taxes", 60)], PomodoroPhase.WORK),
        ([timer("Focus group in Berlin", 60, 5 * 3600)], None),
        ([timer("Pomodoro", -5)], PomodoroPhase.REST),
        ([timer("Pomodoro", -700)], None),
        ([timer("Break", 60)], PomodoroPhase.REST),
        ([timer("Break", -5)], None),
        ([timer("Break", 60), timer("Pomodoro", 60)], PomodoroPhase.REST),
    ],
)
def test_the_phase_of_running_timers(
    timers: list[RunningTimer], span: PomodoroPhase | None
) -> None:
    session = current_session(timers, NOW)
    assert (session[0] if session else None) is span


def test_which_timers_are_work() -> None:
    assert [is_work_label(label) for label in ("Pomodoro", "休息", "Tea", "")] == [
        True,
        False,
        False,
        False,
    ]


def test_it_works_looks_up_and_stretches_twice() -> None:
    beside = PomodoroCompany(Random(1))
    assert beside.due(0.0) is None
    beside.set_phase(PomodoroPhase.WORK, 0.0)
    found = [(now, beside.due(float(now))) for now in range(1500)]
    works = [(now, deed) for now, deed in found if deed is not None]
    assert {deed.pose for _, deed in works} == {Pose.WORKING}
    busy = sum(deed.seconds for _, deed in works)
    assert 0.5 * 1500 < busy < 0.95 * 1500
    beside.set_phase(PomodoroPhase.REST, 1500.0)
    rest = [(now, beside.due(float(now))) for now in range(1500, 1800)]
    stretches = [(now, deed) for now, deed in rest if deed is not None]
    assert [deed for _, deed in stretches] == [PomodoroAct(trick=STRETCH)] * 2
    assert stretches[1][0] - stretches[0][0] >= PomodoroCompany.AGAIN
    beside.set_phase(None, 1800.0)
    assert beside.due(1801.0) is None


def test_the_timer_of_the_phase_is_the_one_that_rings_first() -> None:
    first, second = timer("Pomodoro", 60), timer("Focus", 90)
    assert current_session([second, first], NOW) == (PomodoroPhase.WORK, first)
    assert current_session([timer("Tea", 5)], NOW) is None


def test_sessions_of_the_day_are_counted_once() -> None:
    rung = timer("Pomodoro", -2)
    others = [timer("Tea", -2), timer("Pomodoro", 2), timer("Focus", -2, 5 * 3600)]
    assert ended_sessions([rung, *others], NOW) == [rung]
    day = datetime.fromtimestamp(NOW).date()
    tally = FocusTally(day).with_session(rung).with_session(rung)
    longer = RunningTimer(rung.label, rung.set_at, rung.due + 300)
    later = timer("Pomodoro", -1, 600)
    tally = tally.with_session(longer).with_session(later)
    assert (tally.count, tally.total) == (2, 40)
    assert tally_words(tally) == "2 sessions today, 40 min"
    assert FocusTally.of_text(tally.text(), day) == tally
    assert FocusTally.of_text(tally.text(), day + timedelta(days=1)).count == 0
    assert tally_words(FocusTally(day)) == ""
    for damaged in (None, "", "[]", "{}", '{"day": 1, "minutes": []}'):
        assert FocusTally.of_text(damaged, day) == FocusTally(day)
    tomorrow = RunningTimer("Focus", NOW + 86_400, NOW + 87_000)
    assert tally.with_session(tomorrow).count == 1
