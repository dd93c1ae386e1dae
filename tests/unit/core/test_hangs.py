"""When a program counts as hung."""

from __future__ import annotations

import pytest

from neodeskpet.core.hangs import ASK_AGAIN, LIMIT, Act, HangJudge


def passing(judge: HangJudge, start: float, seconds: int) -> list[Act]:
    """What is to be done in so many seconds without a heartbeat."""
    return [act for second in range(1, seconds + 1) for act in judge.step(start + second)]


@pytest.fixture
def judge() -> HangJudge:
    made = HangJudge()
    made.step(0.0)
    made.beat()
    return made


def test_a_hang_is_asked_about_once_and_again_later(judge: HangJudge) -> None:
    assert passing(judge, 0.0, int(LIMIT) - 1) == []
    assert judge.step(LIMIT) == [Act.WRITE_STACKS, Act.ASK]
    assert judge.quiet == LIMIT
    assert passing(judge, LIMIT, 200) == []
    judge.wait()
    assert passing(judge, LIMIT + 200, int(ASK_AGAIN)) == [Act.ASK]


def test_it_responds_again(judge: HangJudge) -> None:
    passing(judge, 0.0, 20)
    assert judge.beat() == [Act.WITHDRAW]
    assert passing(judge, 20.0, 9) == []
    assert judge.beat() == []
    assert passing(judge, 29.0, 10) == [Act.WRITE_STACKS, Act.ASK]


def test_suspend_a_debugger_and_a_clock_that_jumps_do_not_count(judge: HangJudge) -> None:
    assert judge.step(8_000.0) == []  # the computer slept
    assert judge.step(7_000.0) == []
    assert [judge.step(7_000.0 + second, stopped=True) for second in range(60)] == [[]] * 60
    assert passing(judge, 7_059.0, 9) == []


def test_nothing_counts_before_the_first_beat_and_after_the_last() -> None:
    judge = HangJudge()
    assert passing(judge, 0.0, 100) == []
    judge.beat()
    assert judge.pause() == []
    assert passing(judge, 100.0, 100) == []


def test_what_was_asked_to_end_ends_after_five_seconds(judge: HangJudge) -> None:
    judge.pause()
    assert judge.end_asked() == []
    assert passing(judge, 0.0, 4) == []
    assert judge.step(5.0) == [Act.WRITE_STACKS, Act.KILL]


def test_the_second_request_ends_it_at_once(judge: HangJudge) -> None:
    assert judge.end_asked() == []
    assert judge.end_asked() == [Act.KILL]
