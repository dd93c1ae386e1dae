"""Arithmetic as typed, converted to one notation."""

import pytest

from neodeskpet.tools.builtin.arithmetic import normalize_formula


@pytest.mark.parametrize(
    ("typed", "tidy"),
    [
        ("１２×（３＋４）", "12*(3+4)"),
        ("1,234,567 ÷ 2", "1234567 / 2"),
        ("1，234", "1234"),
        ("1,23", "1,23"),
        ("max(1,234)", "max(1,234)"),
        ("2^10", "2**10"),
        ("3² − 1", "3**2 - 1"),
        ("√9 + √(16)", "sqrt(9) + sqrt(16)"),
        ("5! + (2+1)!", "factorial(5) + factorial((2+1))"),
        ("10%", "10*percent"),
        ("(1+2)% + 1", "(1+2)*percent + 1"),
        ("17 % 5", "17 % 5"),
        ("17 mod 5", "17 % 5"),
        ("15% of 80", "15*percent*80"),
        ("80的15％", "80*15*percent"),
        ("3 x 4 X 5", "3*4*5"),
        ("2(3)(4)pi", "2*(3)*(4)*pi"),
        ("2pi", "2*pi"),
        ("1e5 + 2E-3", "1e5 + 2E-3"),
        ("log10(5)", "log10(5)"),
        ("007.50", "7.50"),
        ("[1+{2}]", "(1+(2))"),
        ("½", "(1/2)"),
        ("30°", "30*(pi/180)"),
        ("1+1 = ?", "1+1"),
        ("1+1 等于多少？", "1+1"),
        (" = ", ""),
        ("1\n+\t1", "1 + 1"),
    ],
)
def test_the_notation(typed: str, tidy: str) -> None:
    assert normalize_formula(typed) == tidy


@pytest.mark.parametrize("text", ["1+'a'", "1;2", "a:=1", "你", "1 & 2", "$5"])
def test_invalid_texts(text: str) -> None:
    with pytest.raises(ValueError, match="isn't allowed in a calculation"):
        normalize_formula(text)
