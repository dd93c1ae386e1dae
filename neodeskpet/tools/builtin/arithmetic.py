"""Normalizes arithmetic as people type it (`２×（３＋４）`, `80 的 15%`, `3²`), and defines the
operators, functions and constants of the calculator, each with a bounded result. Pure.
"""

from __future__ import annotations

import ast
import math
import operator
import re
import unicodedata
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from neodeskpet.core.i18n import N_, InvalidValue

PERCENT = "percent"
"""The constant 1/100: `10%` becomes `10*percent`."""

_SIGNS = {
    "×": "*", "✕": "*", "·": "*", "⋅": "*", "∙": "*", "∗": "*", "•": "*",
    "÷": "/", "∕": "/", "⁄": "/", "−": "-", "–": "-", "—": "-", "，": ",", "、": ",",
    "²": "^2", "³": "^3", "π": "pi", "τ": "tau", "[": "(", "]": ")", "{": "(", "}": ")",
    "½": "(1/2)", "¼": "(1/4)", "¾": "(3/4)", "°": "*(pi/180)", "…": "", "。": "", "\\": "",
}  # fmt: skip
_FOREIGN = re.compile(r"[^0-9A-Za-z_+\-*/%().,\s]")
_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"


def normalize_formula(text: str) -> str:
    """Return Python notation with `percent` as a name; "" if nothing is left.

    Raises InvalidValue that names a character that is not allowed.
    """
    out = "".join(_SIGNS.get(char, char) for char in text)
    out = unicodedata.normalize("NFKC", out).strip()
    out = re.sub(r"(?:\s*(?:=|等于(?:多少|几)?|\?))+\s*$", "", out)
    if not re.search(r"[A-Za-z]\s*\(", out):  # in max(1,234) the comma separates arguments
        out = re.sub(r"(?<![\d.])(\d{1,3})((?:,\d{3})+)(?![\d,])", _ungroup, out)
    out = re.sub(rf"√\s*({_NUMBER})", r"sqrt(\1)", out).replace("√", "sqrt")
    out = re.sub(r"(\d+|\([^()]*\))\s*!(?!=)", r"factorial(\1)", out)
    out = out.replace("^", "**")
    out = re.sub(r"(?<=[\d)])(?<!\b0)\s*[xX]\s*(?=[\d(.])", "*", out)
    out = _percents(out)
    out = re.sub(r"的|\bof\b", "*", out)
    out = re.sub(r"\bmod\b", "%", out)
    out = _implied_products(out)
    out = re.sub(r"(?<![\w.])0+(?=\d)", "", out)
    foreign = _FOREIGN.search(out)
    if foreign:
        raise InvalidValue(N_("“{sign}” isn't allowed in a calculation."), sign=foreign[0])
    return " ".join(out.split())


def _ungroup(found: re.Match[str]) -> str:
    return found[0].replace(",", "")


def _percents(text: str) -> str:
    """Convert `%`: before a value it is the remainder of a division, else a percentage."""
    text = re.sub(r"%\s*(?:of\b|的)\s*", f"*{PERCENT}*", text)
    return re.sub(r"%(?!\s*[\d.(A-Za-z])", f"*{PERCENT}", text)


def _implied_products(text: str) -> str:
    """Insert the omitted `*` in `2(3)`, `(1)(2)`, `2pi` and `(1)sqrt(4)`."""
    number = rf"(?<![\w.])((?>{_NUMBER}))\s*(?=[(A-Za-z])"
    return re.sub(r"\)\s*(?=[\d(A-Za-z])", ")*", re.sub(number, r"\1*", text))


Number = int | float | Fraction

_BITS = 12_000
"""Most bits of a whole number: 3,600 digits."""
_FACTORIAL = 1_000


def bounded_number(value: Number) -> Number:
    """Return `value`. Raises OverflowError if it is too large, InvalidValue if it isn't real."""
    if isinstance(value, complex):
        raise InvalidValue(N_("the result isn't a real number."))
    if isinstance(value, float):
        if math.isnan(value):
            raise InvalidValue(N_("the result isn't defined."))
        if math.isinf(value):
            raise OverflowError
        return value
    size = max(value.numerator.bit_length(), value.denominator.bit_length())
    if size > _BITS:
        raise OverflowError
    return value


def simplify(value: Number) -> Number:
    """Convert a fraction with the denominator 1 to an int."""
    if isinstance(value, Fraction) and value.denominator == 1:
        return value.numerator
    return value


def power(base: Number, exponent: Number) -> Number:
    base, exponent = simplify(base), simplify(exponent)
    if isinstance(base, float) or not isinstance(exponent, int):
        if exponent == Fraction(1, 2):
            return root(base)
        raised: Any = float(base) ** float(exponent)
        return bounded_number(raised)
    exact = Fraction(base)
    size = max(exact.numerator.bit_length(), exact.denominator.bit_length())
    if abs(exact) != 1 and size * abs(exponent) > 2 * _BITS:
        raise OverflowError
    return bounded_number(simplify(exact**exponent))


def root(value: Number) -> Number:
    """Return the square root, exact if it is rational."""
    if value < 0:
        raise InvalidValue(N_("a negative number has no real square root."))
    if not isinstance(value, float):
        exact = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
        if exact * exact == value:
            return simplify(exact)
    return math.sqrt(value)


def factorial(value: Number) -> int:
    whole = simplify(value)
    if not isinstance(whole, int) or whole < 0:
        raise InvalidValue(N_("a factorial needs a whole number from 0."))
    if whole > _FACTORIAL:
        raise OverflowError
    return math.factorial(whole)


def round_number(value: Number, digits: Number = 0) -> Number:
    """Round halves away from zero, as people do."""
    places = simplify(digits)
    if not isinstance(places, int) or not 0 <= places <= 30:
        raise InvalidValue(N_("round takes from 0 to 30 digits."))
    scaled = Fraction(value) * 10**places
    whole = math.floor(abs(scaled) + Fraction(1, 2))
    return simplify(Fraction(whole if scaled >= 0 else -whole, 10**places))


def logarithm(value: Number, base: Number = math.e) -> float:
    if value <= 0 or base <= 0 or base == 1:
        raise InvalidValue(N_("a logarithm needs numbers above 0."))
    return math.log(value) if base == math.e else math.log(value) / math.log(base)


def tangent(angle: Number) -> float:
    if abs(math.cos(angle)) < 1e-15:
        raise InvalidValue(N_("the tangent isn't defined there."))
    return round(math.tan(angle), 15)


def whole_divisor(*values: Number) -> int:
    return math.gcd(*(_require_integer(value) for value in values))


def whole_multiple(*values: Number) -> Number:
    result: Number = 1
    for value in values:
        result = bounded_number(math.lcm(int(result), _require_integer(value)))
    return result


def _require_integer(value: Number) -> int:
    whole = simplify(value)
    if not isinstance(whole, int):
        raise InvalidValue(N_("gcd and lcm need whole numbers."))
    return whole


def _exactly(operation: Callable[[Any, Any], Any]) -> Callable[[Number, Number], Number]:
    """Wrap an operation: whole numbers become fractions before it, and its result is bounded."""

    def operate(left: Number, right: Number) -> Number:
        if not isinstance(left, float) and not isinstance(right, float):
            return bounded_number(simplify(operation(Fraction(left), Fraction(right))))
        return bounded_number(operation(float(left), float(right)))

    return operate


OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: _exactly(operator.add),
    ast.Sub: _exactly(operator.sub),
    ast.Mult: _exactly(operator.mul),
    ast.Div: _exactly(operator.truediv),
    ast.FloorDiv: _exactly(operator.floordiv),
    ast.Mod: _exactly(operator.mod),
    ast.Pow: power,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sqrt": root,
    "abs": lambda x: abs(x),
    "round": round_number,
    "floor": lambda x: math.floor(x),
    "ceil": lambda x: math.ceil(x),
    "min": lambda *x: min(x),
    "max": lambda *x: max(x),
    "exp": lambda x: bounded_number(math.exp(x)),
    "ln": lambda x: logarithm(x),
    "log": logarithm,
    "log10": lambda x: logarithm(x, 10),
    "log2": lambda x: logarithm(x, 2),
    "sin": lambda x: round(math.sin(x), 15),
    "cos": lambda x: round(math.cos(x), 15),
    "tan": tangent,
    "asin": lambda x: math.asin(x),
    "acos": lambda x: math.acos(x),
    "atan": lambda x: math.atan(x),
    "degrees": lambda x: math.degrees(x),
    "radians": lambda x: math.radians(x),
    "factorial": factorial,
    "gcd": whole_divisor,
    "lcm": whole_multiple,
}

CONSTANTS: dict[str, Number] = {
    "pi": math.pi,
    "e": math.e,
    "tau": math.tau,
    PERCENT: Fraction(1, 100),
}
