"""Ink: outlines become pixels, in any size and colour."""

from PySide6.QtCore import QPointF, QRect
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from pytestqt.qtbot import QtBot

from neodeskpet.ui.rendering.formula_document import drawing_size, paint_formula
from neodeskpet.ui.rendering.formula_drawing import FormulaDrawing, Stroke
from neodeskpet.ui.rendering.formula_worker import draw_formula

FONT = QFont("Noto Sans CJK SC")


def painted(
    drawing: FormulaDrawing, px: float = 40, scale: float = 1.0, color: str = "black"
) -> QImage:
    """Paint it on white, 300 x 120, its baseline beginning at (20, 60)."""
    image = QImage(int(300 * scale), int(120 * scale), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    image.fill(QColor("white"))
    with QPainter(image) as painter:
        painter.setPen(QColor(color))
        paint_formula(painter, QPointF(20, 60), drawing, px, FONT)
    return image


def inked(image: QImage) -> QRect:
    """Return the smallest box around everything that isn't white."""
    spots = [
        (x, y)
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).lightness() < 200
    ]
    left, top = min(x for x, _ in spots), min(y for _, y in spots)
    return QRect(left, top, max(x for x, _ in spots) - left + 1, max(y for _, y in spots) - top + 1)


def test_it_is_on_the_baseline(qtbot: QtBot) -> None:
    box = inked(painted(draw_formula("x", display=False)))
    assert abs(box.bottom() - 60) <= 1
    assert abs(box.left() - 20) <= 2


def test_it_is_drawn_again_for_a_finer_screen(qtbot: QtBot) -> None:
    drawing = draw_formula(r"\frac{a}{b}", display=True)
    coarse, fine = painted(drawing), painted(drawing, scale=2.0)
    one, two = inked(coarse), inked(fine)
    assert abs(two.width() - 2 * one.width()) <= 3
    edges = sum(0 < fine.pixelColor(x, y).lightness() < 255 for x in range(600) for y in range(240))
    blurred = coarse.scaled(600, 240)
    assert fine != blurred
    assert edges < two.width() * two.height() / 3


def test_its_colour_is_that_of_the_text_or_its_own(qtbot: QtBot) -> None:
    drawing = draw_formula(r"x + \color{red}{y}", display=False)
    colors = {painted(drawing, color="#0000ff").pixelColor(x, 56).name() for x in range(300)}
    assert "#0000ff" in colors
    plain = painted(FormulaDrawing(500, 500, 0, {}, (Stroke(0, -400, width=400, height=400),)))
    odd = Stroke(0, -400, width=400, height=400, ink="url(file:///etc/passwd)")
    assert painted(FormulaDrawing(500, 500, 0, {}, (odd,))) == plain


def test_bars_frames_and_letters(qtbot: QtBot) -> None:
    for tex in (r"\boxed{x}", r"\cancel{x}", r"\text{字}", r"\overline{x}"):
        assert inked(painted(draw_formula(tex, display=False))).height() > 15


def test_the_largest_are_drawn_without_being_cached(qtbot: QtBot) -> None:
    drawing = draw_formula("x", display=False)
    assert inked(painted(drawing, px=4000)).height() > 50


def test_sizes(qtbot: QtBot) -> None:
    assert drawing_size(FormulaDrawing(2_000, 700, 300), 10) == (20, 10)
