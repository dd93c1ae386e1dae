"""Evaluates arithmetic as people write it.

`simpleeval` walks the syntax tree; only numbers, names, operators and calls are allowed. Numbers
are exact fractions as long as the operations allow it, so 0.1 + 0.2 is 0.3 and 1/3*3 is 1. Every
intermediate result is bounded in size, so that no expression takes long.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from fractions import Fraction
from typing import Annotated, cast

from pydantic import Field
from simpleeval import InvalidExpression, SimpleEval

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.i18n import N_, InvalidValue
from neodeskpet.core.tool_result import ToolResult, text_brief
from neodeskpet.core.toolspec import Risk
from neodeskpet.toolkit.registry import Tool, tool
from neodeskpet.tools.builtin.arithmetic import (
    CONSTANTS,
    FUNCTIONS,
    OPERATORS,
    PERCENT,
    Number,
    bounded_number,
    normalize_formula,
    simplify,
)

MOST_EXPRESSION_CHARACTERS = 500
_DIGITS = 15
_EXACT_DIGITS = 30
_WHOLE_DIGITS = 300


def calc_tools() -> list[Tool]:
    @tool(
        "calc.evaluate",
        title=N_("Calculate"),
        risk=Risk.READ,
        main_argument="expression",
        timeout=5,
    )
    def evaluate_expression(
        expression: Annotated[
            str,
            Field(
                description="Arithmetic: 3.5*(2+1), 2^10, sqrt(2), 15% of 80, sin(30°), 5!. "
                "Functions: " + ", ".join(sorted(FUNCTIONS)) + "."
            ),
        ],
    ) -> ToolResult:
        """Calculate exactly. Use it for any sum that isn't trivial."""
        try:
            value = evaluate(expression)
        except InvalidValue as error:
            raise InvalidArguments(reasons=[error.at("expression")]) from None
        shown, exact = show_number(value)
        sign = "=" if exact else "≈"
        text = f"{expression.strip().rstrip('=＝?？ ')} {sign} {shown}"
        return ToolResult(text, brief=text_brief(f"{sign} {shown}"))

    return [evaluate_expression]


def evaluate(expression: str) -> Number:
    """Return the value of `expression`. Raises InvalidValue with the reason if it can't be
    calculated.
    """
    if len(expression) > MOST_EXPRESSION_CHARACTERS:
        text = N_("it is longer than {count} characters; calculate it in parts.")
        raise InvalidValue(text, count=str(MOST_EXPRESSION_CHARACTERS))
    formula = normalize_formula(expression)
    if not formula:
        raise InvalidValue(N_("it is empty."))
    try:
        tree = ast.parse(formula, mode="eval")
        value = _Calculator().run(formula, tree.body)
    except SyntaxError:
        text = N_("“{text}” isn't a complete calculation.")
        raise InvalidValue(text, text=expression.strip()) from None
    except ZeroDivisionError:
        raise InvalidValue(N_("it divides by zero.")) from None
    except OverflowError:
        raise InvalidValue(N_("the result is too large.")) from None
    except (RecursionError, MemoryError):
        raise InvalidValue(N_("the calculation is nested too deeply.")) from None
    except InvalidExpression as error:
        raise _refusal(error) from None
    except ValueError as error:
        raise _outside(error) from None
    except TypeError:
        raise InvalidValue(N_("a function has the wrong number of arguments.")) from None
    return value


def _outside(error: ValueError) -> InvalidValue:
    """Return `error` itself, or an InvalidValue for the message of a function that isn't defined
    there (asin(2)).
    """
    if isinstance(error, InvalidValue):
        return error
    return InvalidValue(N_("the result isn't defined."))


class _Calculator:
    """`SimpleEval` restricted to numbers."""

    def __init__(self) -> None:
        self._eval = SimpleEval(operators=OPERATORS, functions=FUNCTIONS, names=CONSTANTS)
        nodes = cast("Mapping[type[ast.AST], Callable[[ast.AST], Number]]", self._eval.nodes)
        self._binary = nodes[ast.BinOp]
        self._eval.nodes = {
            ast.Constant: self._constant,
            ast.Name: nodes[ast.Name],
            ast.UnaryOp: nodes[ast.UnaryOp],
            ast.BinOp: self._operation,
            ast.Call: nodes[ast.Call],
        }

    def run(self, formula: str, tree: ast.expr) -> Number:
        value = self._eval.eval(formula, previously_parsed=tree)
        if not isinstance(value, int | float | Fraction) or isinstance(value, bool):
            raise InvalidValue(N_("the result isn't a number."))
        return simplify(value)

    def _constant(self, node: ast.Constant) -> Number:
        if isinstance(node.value, float) and math.isfinite(node.value):
            return bounded_number(Fraction(repr(node.value)))
        if isinstance(node.value, int | float) and not isinstance(node.value, bool):
            return bounded_number(node.value)
        raise InvalidValue(N_("{value} isn't a number."), value=repr(node.value))

    def _operation(self, node: ast.BinOp) -> Number:
        """Add percentages as a pocket calculator does: 200 + 10% is 220, while 50% + 10% is 60%."""
        if (
            isinstance(node.op, ast.Add | ast.Sub)
            and _is_percentage(node.right)
            and not _is_percentage(node.left)
        ):
            whole = self._eval._eval(node.left)
            share = OPERATORS[ast.Mult](whole, self._eval._eval(node.right))
            return cast("Number", OPERATORS[type(node.op)](whole, share))
        return self._binary(node)


def _is_percentage(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mult)
        and isinstance(node.right, ast.Name)
        and node.right.id == PERCENT
    )


def _refusal(error: InvalidExpression) -> InvalidValue:
    name = getattr(error, "func_name", None) or getattr(error, "name", None)
    if name is None:
        return InvalidValue(
            N_("only numbers, + - * / // % ^, parentheses and functions can be calculated.")
        )
    known = ", ".join([*sorted(FUNCTIONS), *(key for key in CONSTANTS if key != PERCENT)])
    return InvalidValue(N_("there is no “{name}”. Known: {names}."), name=name, names=known)


def show_number(value: Number) -> tuple[str, bool]:
    """Return the number as text, and whether the text is exact."""
    if isinstance(value, float):
        shown = f"{value:.{_DIGITS}g}"
        return shown, value.is_integer() and abs(value) < 1e15
    if isinstance(value, int):
        return _show_whole(value)
    finite = _finite_digits(value)
    if finite is not None:
        return finite, True
    return _approximate(value), False


def _show_whole(value: int) -> tuple[str, bool]:
    text = str(value)
    return (text, True) if len(text) <= _WHOLE_DIGITS else (_approximate(Fraction(value)), False)


def _finite_digits(value: Fraction) -> str | None:
    """Return the exact decimal form, None if there is none or it is long."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        return None
    exact = Context(prec=_EXACT_DIGITS * 4).divide(
        Decimal(value.numerator), Decimal(value.denominator)
    )
    digits = len(exact.as_tuple().digits)
    if digits > _EXACT_DIGITS or Fraction(exact) != value:
        return None
    small = abs(value) < Fraction(1, 10**6)
    return f"{exact.normalize():e}" if small else f"{exact:f}"


def _approximate(value: Fraction) -> str:
    context = Context(prec=_DIGITS)
    number = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    plain = Fraction(1, 10**6) <= abs(value) < 10**15
    return f"{number:f}" if plain else f"{number.normalize():e}"
