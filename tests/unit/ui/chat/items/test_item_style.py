"""A theme prepared for painting."""

from PySide6.QtGui import QColor, QPalette
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.theme import DARK, LIGHT


def test_colours_by_token(qtbot: QtBot) -> None:
    look = ItemStyle(LIGHT)
    assert look.color("accent") == QColor(LIGHT.accent)
    assert look.color("syntax.keyword") == QColor(LIGHT.syntax.keyword)
    assert look.color("accent") is look.color("accent")


def test_metrics_of_its_fonts(qtbot: QtBot) -> None:
    look = ItemStyle(DARK)
    wide = [
        look.metrics_of(font).horizontalAdvance("some words")
        for font in (look.small, look.small_bold, look.font, look.bold, look.code)
    ]
    assert wide[0] == wide[1] < wide[2] < wide[3]
    assert wide[4] == look.code_metrics.horizontalAdvance("some words")


def test_a_column_is_72_digits_wide(qtbot: QtBot) -> None:
    look = ItemStyle(LIGHT)
    assert look.column_width == round(look.metrics.horizontalAdvance("0") * 72)


def test_estimates_grow(qtbot: QtBot) -> None:
    look = ItemStyle(LIGHT)
    assert look.estimate(0, 300) == LIGHT.line_px
    assert look.estimate(1000, 300) > look.estimate(1000, 600)
    assert look.estimate(10, 300, lines=5) == 5 * LIGHT.line_px


def test_palettes(qtbot: QtBot) -> None:
    look = ItemStyle(LIGHT)
    role = QPalette.ColorRole.Text
    assert look.palette.color(role) == QColor(LIGHT.text)
    assert look.muted_palette.color(role) == QColor(LIGHT.muted)
    assert look.failed_palette.color(role) == QColor(LIGHT.failed)
