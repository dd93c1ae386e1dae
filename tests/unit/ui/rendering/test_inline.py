"""Formulas in documents: on the baseline, complete, and copied as they were written."""

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QAbstractTextDocumentLayout, QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from neodeskpet.core.markdown.formulas import Formula, extract_formulas
from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.chat.items.text_documents import SafeDocument, new_document, write_markdown
from neodeskpet.ui.rendering.formula_cache import FormulaCache, FormulaListener
from neodeskpet.ui.rendering.formula_document import formula_width, place_formulas
from neodeskpet.ui.rendering.formula_drawing import FormulaDrawing
from neodeskpet.ui.rendering.formula_worker import draw_formula
from neodeskpet.ui.theme import LIGHT
from tests.unit.ui.rendering.test_ink import inked


class Drawn(FormulaCache):
    """Draws at once."""

    def get(self, formula: Formula, waiter: FormulaListener) -> FormulaDrawing | None:
        return (
            None if formula.tex == "later" else draw_formula(formula.tex, display=formula.display)
        )


def written(text: str, width: int = 400) -> SafeDocument:
    look = ItemStyle(LIGHT)
    document = new_document(look.font)
    marked, formulas = extract_formulas(text)
    write_markdown(document, marked, look)
    place_formulas(document, formulas, Drawn(), FormulaListener())
    document.setTextWidth(width)
    return document


def picture(document: SafeDocument) -> QImage:
    image = QImage(420, 120, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    context = QAbstractTextDocumentLayout.PaintContext()
    context.clip = QRectF(image.rect())
    with QPainter(image) as painter:
        document.documentLayout().draw(painter, context)
    return image


@pytest.mark.parametrize("text", ["$x$", r"$\frac{1}{2}$ $x$", r"# $x$", r"$x$ $\int_0^1$"])
def test_letters_are_on_the_baseline(qtbot: QtBot, text: str) -> None:
    document = written(text)
    line = document.firstBlock().layout().lineAt(0)
    base = document.firstBlock().layout().position().y() + line.y() + line.ascent()
    image = picture(document)
    number = text.count("$") // 2 if text.endswith("$x$") else 1
    left = line.cursorToX(document.firstBlock().text().rindex("\ufffc"))[0]
    if number == 1:
        left = 0.0
    column = image.copy(int(left), 0, 11, 120)
    assert abs(inked(column).bottom() + 1 - base) <= 1


def test_a_high_formula_has_room(qtbot: QtBot) -> None:
    plain, high = written("a b"), written(r"a $\displaystyle\frac{a^2}{b_2}$ b")
    assert high.size().height() > plain.size().height() + 8
    box = inked(picture(high))
    assert box.top() >= 0
    assert box.bottom() <= high.size().height()


def test_punctuation_stays_with_it(qtbot: QtBot) -> None:
    document = written("so ($x$), and")
    (placed,) = document.formulas
    assert (placed.before, placed.after) == ("(", "),")
    assert document.text_between(0, 99) == "so ($x$), and"
    assert document.text_between(3, 4) == "($x$),"
    assert document.text_between(4, 99) == " and"


def test_a_part_has_its_own_formulas(qtbot: QtBot) -> None:
    document = written("$a$ and $b$ and $c$")
    assert document.text_between(2, 10) == "and $b$ an"
    assert document.text_between(7, 99) == " and $c$"


def test_a_formula_that_is_not_drawn_is_shown_as_source(qtbot: QtBot) -> None:
    document = written("a $later$ b $x$")
    assert document.toPlainText() == "a $later$ b \ufffc"
    assert document.text_between(0, 99) == "a $later$ b $x$"


def test_a_wide_formula_is_scaled_down(qtbot: QtBot) -> None:
    document = written("$" + "a + b + " * 12 + "c$", width=200)
    assert formula_width(document.formulas[0], ItemStyle(LIGHT).font) > 300
    assert inked(picture(document)).right() <= 201


def test_alone_in_a_line_it_has_the_height_of_words(qtbot: QtBot) -> None:
    low = inked(picture(written("$x$"))).bottom()
    assert abs(low - inked(picture(written("x"))).bottom()) <= 1


def test_low_letters_do_not_separate_the_lines(qtbot: QtBot) -> None:
    height = written("words").size().height()
    for text in ("$x^2$", "$a + b$", r"$\alpha_1$"):
        assert written(f"so {text} is").size().height() <= height + 4
