"""Drawings are sent from one process to the other."""

from neodeskpet.ui.rendering.formula_drawing import FormulaDrawing, Stroke, pack, unpack


def test_they_survive_the_pipe() -> None:
    strokes = (Stroke(1.5, -2.0, 3.0, "g", ink="red"), Stroke(0.0, 0.0, letter="字"))
    drawing = FormulaDrawing(10.0, 5.0, 2.0, {"g": "M 0 0 L 1 1 Z"}, strokes)
    assert unpack(pack([drawing, None])) == [drawing, None]
