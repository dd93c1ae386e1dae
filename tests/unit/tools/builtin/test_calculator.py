"""The calculator: its results, and that no other code can be run."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from neodeskpet.tools.builtin.calculator import calc_tools, evaluate, show_number


def calculate(expression: str) -> str:
    toolbox = Toolbox(AppTools(calc_tools()))
    arguments = {"expression": expression}
    return asyncio.run(
        toolbox.offer().run("calc.evaluate", arguments, lambda fraction, text: None)
    ).text


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("0.1+0.2", "0.1+0.2 = 0.3"),
        ("12*7+3 =？", "12*7+3 = 87"),
        ("1/3*3", "1/3*3 = 1"),
        ("1/3", "1/3 ≈ 0.333333333333333"),
        ("10/4", "10/4 = 2.5"),
        ("1-0.9", "1-0.9 = 0.1"),
        ("-2^2", "-2^2 = -4"),
        ("2^3^2", "2^3^2 = 512"),
        ("100 + 10%", "100 + 10% = 110"),
        ("100 - 15%", "100 - 15% = 85"),
        ("50% + 10%", "50% + 10% = 0.6"),
        ("200 * 15%", "200 * 15% = 30"),
        ("17 % 5", "17 % 5 = 2"),
        ("-7 // 2", "-7 // 2 = -4"),
        ("sin(30°)", "sin(30°) ≈ 0.5"),
        ("sin(pi)", "sin(pi) = 0"),
        ("sqrt(2)", "sqrt(2) ≈ 1.4142135623731"),
        ("√9", "√9 = 3"),
        ("25!", "25! = 15511210043330985984000000"),
        ("1/10^9", "1/10^9 = 1e-9"),
        ("1/(3*10^9)", "1/(3*10^9) ≈ 3.33333333333333e-10"),
        ("10^400", "10^400 ≈ 1e+400"),
        ("2^0.001", "2^0.001 ≈ 1.00069338746258"),
        ("1e300*1.5", "1e300*1.5 ≈ 1.5e+300"),
        ("max(1, 2.5) + min(3, 2)", "max(1, 2.5) + min(3, 2) = 4.5"),
        ("floor(2.7)+ceil(2.1)+round(2.5)+abs(-1)", "floor(2.7)+ceil(2.1)+round(2.5)+abs(-1) = 9"),
        ("gcd(12, 18) + lcm(4, 6)", "gcd(12, 18) + lcm(4, 6) = 18"),
        ("log(100, 10) + log2(8) + ln(e)", "log(100, 10) + log2(8) + ln(e) = 6"),
        ("degrees(pi) + radians(0) + exp(0)", "degrees(pi) + radians(0) + exp(0) = 181"),
        ("asin(0)+acos(1)+atan(0)+cos(0)+tan(0)", "asin(0)+acos(1)+atan(0)+cos(0)+tan(0) = 1"),
    ],
)
def test_results(expression: str, said: str) -> None:
    assert calculate(expression) == said


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("", "it is empty"),
        ("3 +", "“3 +” isn't a complete calculation"),
        ("1 2", "isn't a complete calculation"),
        ("5, 3", "only numbers"),
        ("1/0", "it divides by zero"),
        ("5 % 0", "it divides by zero"),
        ("9**9**9", "the result is too large"),
        ("1e999", "the result is too large"),
        ("9999!", "the result is too large"),
        ("exp(10^6)", "the result is too large"),
        ("foo(2)", "there is no “foo”. Known: abs,"),
        ("bar + 1", "there is no “bar”. Known: abs,"),
        ("sqrt(1, 2)", "wrong number of arguments"),
        ("sqrt", "the result isn't a number"),
        ("True", "True isn't a number"),
        ("2j", "there is no “j”"),
        ("1 if 1 else 2", "“1 if 1 else 2” isn't a complete calculation"),
        ("(1).real", "only numbers"),
        ("lambda(1)", "isn't a complete calculation"),
        ("__import__(1)", "there is no “__import__”"),
        ("asin(2)", "isn't defined"),
        ("1" * 501, "it is longer than 500 characters"),
        ("-" * 400 + "1" + "(" * 99, "isn't a complete calculation"),
    ],
)
def test_refused_expressions(expression: str, reason: str) -> None:
    with pytest.raises(InvalidArguments) as failure:
        calculate(expression)
    assert reason in str(failure.value)
    assert str(failure.value).startswith("The arguments are not valid. expression: ")


@given(st.text() | st.text(alphabet="0123456789+-*/%^().,!e xπ√°", max_size=30))
@settings(deadline=None)
def test_any_text_gives_a_number_or_a_reason(expression: str) -> None:
    try:
        text, _ = show_number(evaluate(expression))
    except ValueError as error:
        assert str(error)
    else:
        assert len(text) < 400


@given(st.decimals(-1000, 1000, places=3), st.decimals(-1000, 1000, places=3))
@settings(deadline=None)
def test_decimals_are_exact(left: object, right: object) -> None:
    text, exact = show_number(evaluate(f"({left}) + ({right})"))
    assert exact
    assert text == f"{(left + right).normalize() + 0:f}"  # type: ignore[operator]
