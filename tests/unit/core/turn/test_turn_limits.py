"""Limits count the calls of a turn and report which one was reached. (Whole turns:
test_turn_tools.py.)
"""

from __future__ import annotations

from neodeskpet.core.blocks import ToolUse
from neodeskpet.core.errors import CallLimit, RepeatedCall, RoundLimit
from neodeskpet.core.turn.turn_limits import TurnLimiter, TurnLimits


def call(name: str, **arguments: object) -> ToolUse:
    return ToolUse(0, 0, "c", name, arguments=arguments)


def test_the_third_equal_call_in_a_row_is_stopped_before_it_runs() -> None:
    guard = TurnLimiter(TurnLimits(repeats=3))
    assert guard.admit(call("a", x=1, y=2))
    assert guard.admit(call("a", y=2, x=1))
    assert not guard.admit(call("a", x=1, y=2))
    assert isinstance(guard.reached, RepeatedCall)


def test_a_different_call_restarts_the_count() -> None:
    guard = TurnLimiter(TurnLimits(repeats=2))
    assert all(guard.admit(call(name)) for name in ("a", "b", "a", "b"))


def test_calls_and_rounds_are_counted() -> None:
    guard = TurnLimiter(TurnLimits(rounds=2, calls=2))
    guard.begin_round()
    assert guard.admit_round()
    guard.begin_round()
    assert not guard.admit_round()
    assert isinstance(guard.reached, RoundLimit)
    other = TurnLimiter(TurnLimits(calls=2))
    assert [other.admit(call(name)) for name in "abc"] == [True, True, False]
    assert isinstance(other.reached, CallLimit)


def test_after_a_limit_nothing_runs() -> None:
    guard = TurnLimiter(TurnLimits(calls=0))
    assert not guard.admit(call("a"))
    assert not guard.admit(call("b"))
    assert not guard.admit_round()


def test_arguments_that_can_not_be_serialised_are_compared_by_their_text() -> None:
    guard = TurnLimiter(TurnLimits(repeats=2))
    odd = {"a": {1, 2}}
    assert guard.admit(ToolUse(0, 0, "c", "dig", "one", odd))
    assert guard.admit(ToolUse(1, 0, "d", "dig", "two", odd))
    assert not guard.admit(ToolUse(2, 0, "e", "dig", "two", odd))


def test_long_calls_are_compared_too() -> None:
    def long(text: str) -> ToolUse:
        return ToolUse(0, 0, "c", "a", raw_arguments=text * 200_000, arguments={"text": "x"})

    guard = TurnLimiter(TurnLimits(repeats=2))
    assert guard.admit(long("x"))
    assert guard.admit(long("y"))
    assert not guard.admit(long("y"))
