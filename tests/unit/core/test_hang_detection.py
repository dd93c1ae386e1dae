"""When a program is regarded as hung."""

from __future__ import annotations

import pytest

from neodeskpet.core.hang_detection import ASK_AGAIN, HANG_SECONDS, HangAction, HangDetector


def passing(judge: HangDetector, start: float, seconds: int) -> list[HangAction]:
    """The commands after so many seconds without a heartbeat."""
    return [act for second in range(1, seconds + 1) for act in judge.step(start + second)]


@pytest.fixture
def judge() -> HangDetector:
    made = HangDetector()
    made.step(0.0)
    made.beat()
    return made


def test_a_hang_is_reported_once_and_again_later(judge: HangDetector) -> None:
    assert passing(judge, 0.0, int(HANG_SECONDS) - 1) == []
    assert judge.step(HANG_SECONDS) == [HangAction.WRITE_STACKS, HangAction.ASK]
    assert judge.silent_seconds == HANG_SECONDS
    assert passing(judge, HANG_SECONDS, 200) == []
    judge.keep_waiting()
    assert passing(judge, HANG_SECONDS + 200, int(ASK_AGAIN)) == [HangAction.ASK]


def test_the_program_responds_again(judge: HangDetector) -> None:
    passing(judge, 0.0, 20)
    assert judge.beat() == [HangAction.WITHDRAW]
    assert passing(judge, 20.0, 9) == []
    assert judge.beat() == []
    assert passing(judge, 29.0, 10) == [HangAction.WRITE_STACKS, HangAction.ASK]


def test_suspend_a_debugger_and_a_clock_that_jumps_are_no_hang(judge: HangDetector) -> None:
    assert judge.step(8_000.0) == []  # The computer was suspended.
    assert judge.step(7_000.0) == []
    assert [judge.step(7_000.0 + second, stopped=True) for second in range(60)] == [[]] * 60
    assert passing(judge, 7_059.0, 9) == []


def test_no_hang_before_the_first_and_after_the_last_beat() -> None:
    judge = HangDetector()
    assert passing(judge, 0.0, 100) == []
    judge.beat()
    assert judge.pause() == []
    assert passing(judge, 100.0, 100) == []


def test_a_program_that_was_asked_to_end_is_killed_after_five_seconds(judge: HangDetector) -> None:
    judge.pause()
    assert judge.end_asked() == []
    assert passing(judge, 0.0, 4) == []
    assert judge.step(5.0) == [HangAction.WRITE_STACKS, HangAction.KILL]


def test_the_second_request_kills_it_at_once(judge: HangDetector) -> None:
    assert judge.end_asked() == []
    assert judge.end_asked() == [HangAction.KILL]
