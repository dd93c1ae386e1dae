"""The calculator's own operations: exact if possible, always bounded."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.tools.builtin.arithmetic import (
    FUNCTIONS,
    OPERATORS,
    bounded_number,
    factorial,
    power,
    root,
    round_number,
    simplify,
)

HALF = Fraction(1, 2)


def test_a_fraction_without_a_remainder_is_an_int() -> None:
    assert type(simplify(Fraction(4, 2))) is int
    assert simplify(HALF) is HALF
    assert simplify(2.0) == 2.0


@pytest.mark.parametrize(
    ("base", "exponent", "result"),
    [
        (2, 10, 1024),
        (2, -3, Fraction(1, 8)),
        (Fraction(2, 3), 2, Fraction(4, 9)),
        (9, HALF, 3),
        (Fraction(1, 4), HALF, HALF),
        (2, HALF, math.sqrt(2)),
        (8, Fraction(1, 3), 2.0),
        (1.5, 2, 2.25),
        (-1, 10**9, 1),
    ],
)
def test_powers(base: float, exponent: float, result: float) -> None:
    assert power(base, exponent) == result


@pytest.mark.parametrize(
    ("base", "exponent"), [(9, 9**9), (10, 4000), (2.0, 10_000), (Fraction(1, 3), 10**6)]
)
def test_powers_that_are_too_large(base: float, exponent: float) -> None:
    with pytest.raises(OverflowError):
        power(base, exponent)


@pytest.mark.parametrize(
    ("value", "digits", "rounded"),
    [(Fraction(5, 2), 0, 3), (Fraction(-5, 2), 0, -3), (Fraction("1.005"), 2, Fraction("1.01"))],
)
def test_halves_are_rounded_away_from_zero(value: float, digits: int, rounded: float) -> None:
    assert round_number(value, digits) == rounded


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: root(-1), "no real square root"),
        (lambda: power(-8, Fraction(1, 3)), "isn't a real number"),
        (lambda: bounded_number(math.nan), "isn't defined"),
        (lambda: factorial(-1), "whole number from 0"),
        (lambda: factorial(HALF), "whole number from 0"),
        (lambda: round_number(1, 31), "0 to 30 digits"),
        (lambda: round_number(1, HALF), "0 to 30 digits"),
        (lambda: FUNCTIONS["ln"](0), "above 0"),
        (lambda: FUNCTIONS["log"](5, 1), "above 0"),
        (lambda: FUNCTIONS["tan"](math.pi / 2), "isn't defined there"),
        (lambda: FUNCTIONS["gcd"](HALF), "whole numbers"),
    ],
)
def test_operations_without_a_value(call, reason: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=reason):
        call()


def test_a_factorial_is_bounded() -> None:
    assert factorial(5) == 120
    with pytest.raises(OverflowError):
        factorial(10**6)
    with pytest.raises(OverflowError):
        FUNCTIONS["lcm"](*(2**900 + n for n in range(20)))


_numbers = st.fractions() | st.floats(allow_nan=False, allow_infinity=False) | st.integers()


@given(st.sampled_from(sorted(OPERATORS, key=lambda kind: kind.__name__)), _numbers, _numbers)
@settings(deadline=None)
def test_operators_give_a_bounded_number_or_refuse(kind: type, left: float, right: float) -> None:
    operate = OPERATORS[kind]
    arguments = (left,) if kind.__name__ in ("USub", "UAdd") else (left, right)
    try:
        result = operate(*arguments)
    except (OverflowError, ValueError, ZeroDivisionError):
        return
    assert bounded_number(result) == result
