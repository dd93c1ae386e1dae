"""Drawings are requested once and cached, and hostile formulas are given up."""

from pytestqt.qtbot import QtBot

from neodeskpet.core.markdown.formulas import Formula
from neodeskpet.ui.rendering.formula_cache import FormulaCache, FormulaListener
from neodeskpet.ui.rendering.formula_worker import draw_formula
from tests.unit.ui.rendering.test_formula_worker import SLOW


def formula(tex: str) -> Formula:
    return Formula(tex, f"${tex}$")


def test_they_come_later_and_are_cached(qtbot: QtBot) -> None:
    formulas, waiter, other = FormulaCache(), FormulaListener(), FormulaListener()
    asked = [formula(f"x_{n}") for n in range(30)]
    told: set[FormulaListener] = set()
    formulas.drawn.connect(told.update)
    for one in asked:
        assert formulas.get(one, waiter) is None
    assert formulas.get(asked[0], other) is None
    qtbot.waitUntil(lambda: formulas.get(asked[0], waiter) is not None, timeout=60_000)
    qtbot.waitUntil(lambda: all(formulas.get(one, waiter) for one in asked), timeout=60_000)
    assert told == {waiter, other}
    assert formulas.get(asked[3], waiter) == draw_formula("x_3", display=False)


def test_a_hostile_one_does_not_affect_others(qtbot: QtBot) -> None:
    formulas, waiter = FormulaCache(seconds=1.0), FormulaListener()
    asked = [formula("x"), formula(SLOW), formula("y")]
    for one in asked:
        formulas.get(one, waiter)
    qtbot.waitUntil(lambda: formulas.is_undrawable(asked[1]), timeout=60_000)
    qtbot.waitUntil(lambda: bool(formulas.get(asked[2], waiter)), timeout=60_000)
    qtbot.waitUntil(lambda: bool(formulas.get(asked[0], waiter)), timeout=60_000)
    assert formulas.get(asked[1], waiter) is None


def test_a_formula_that_is_too_long_is_never_requested(qtbot: QtBot) -> None:
    formulas = FormulaCache()
    long = formula("x" * 1_000_000)
    assert formulas.get(long, FormulaListener()) is None
    assert formulas.is_undrawable(long)
    assert not formulas.is_undrawable(formula("x"))
