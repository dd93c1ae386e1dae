"""Formulas that are awaited, and as SVG."""

from __future__ import annotations

from neodeskpet.core.markdown.formulas import Formula
from neodeskpet.ui.rendering.formula_drawing import FormulaDrawing, Stroke
from neodeskpet.ui.rendering.formula_svg import BlockingFormulaRenderer, formula_to_svg


def test_drawn_in_order_and_cached() -> None:
    drawer = BlockingFormulaRenderer()
    try:
        first = drawer.draw([("x", False), ("\\nonsense", False), ("y", True)])
        assert [one is not None for one in first] == [True, False, True]
        assert drawer.draw([("y", True), ("x", False)]) == [first[2], first[0]]
        svg, none = drawer.svg([Formula("x", "$x$"), Formula("\\nonsense", "$\\nonsense$")])
        assert svg is not None and svg.startswith("<svg") and none is None
        assert drawer.packed([("\\nonsense", False)]) == [None]
    finally:
        drawer.end()


def test_svg_of_every_stroke() -> None:
    strokes = (
        Stroke(1, 2, 0.5, "g", ink='red" onload="x'),
        Stroke(0, 0, 1, "g", frame=20, ink="blue"),
        Stroke(0, 0, letter="<"),
        Stroke(0, 0, width=10, height=5),
        Stroke(0, 0, width=10, height=5, frame=2),
    )
    drawing = FormulaDrawing(100, 80, 20, {"g": "M0 0Z"}, strokes)
    svg = formula_to_svg(Formula("x", '$"<x>$', display=True), drawing)
    assert 'aria-label="$&quot;&lt;x&gt;$"' in svg
    assert "onload" not in svg and "&lt;</text>" in svg
    assert 'fill="none" stroke="blue" stroke-width="20.0"' in svg
    assert 'stroke="currentColor" stroke-width="2.0"' in svg
    assert "vertical-align:-0.024em" in svg
