"""Display formulas: drawn in the middle, scrolled, without jumping."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.core.markdown.pieces import Piece, PieceKind
from neodeskpet.ui.chat.items.text_items import MarkdownItem
from neodeskpet.ui.chat.items.wide_items import FormulaItem
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.theme import DARK
from tests.unit.ui.chat.doubles import find, move, open_view, said, spot, stream
from tests.unit.ui.rendering.test_inline import Drawn


def shown(qtbot: QtBot, text: str) -> tuple[ChatView, FormulaItem]:
    view = open_view(qtbot)
    view.scene.formulas = Drawn(view)
    view.add_message(said("a", text))
    _, item = find(view, "a", FormulaItem)
    assert isinstance(item, FormulaItem)
    return view, item


WIDE = "$$" + " + ".join(f"a_{{{n}}}" for n in range(60)) + "$$"


def test_it_is_drawn_in_the_middle(qtbot: QtBot) -> None:
    view, item = shown(qtbot, "$$x = 1$$")
    document = item.document(view.scene)
    assert document.characterCount() == 2
    assert item.text_between(view.scene, 0, 9) == "$$x = 1$$"
    assert item.accessible_text == "Formula: x = 1"
    left = document.firstBlock().layout().lineAt(0).cursorToX(0)[0]
    assert left > item.width / 3
    assert not item.overflow(view.item_style)


def test_a_wide_formula_is_scrolled(qtbot: QtBot) -> None:
    view, item = shown(qtbot, WIDE)
    place, _ = find(view, "a", FormulaItem)
    assert item.overflow(view.item_style) > 300
    (bar,) = item.hit_regions(view.scene)
    before = view.grab().toImage()
    at = spot(view, place, bar.rect.right() - 10, bar.rect.center().y())
    move(view, at)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert item.scroll_state.offset > 300
    assert view.grab().toImage() != before
    view.resize(4_000, 400)
    assert item.scroll_state.offset <= item.overflow(view.item_style)


def test_the_source_is_shown_until_it_is_closed(qtbot: QtBot) -> None:
    view = open_view(qtbot)
    view.scene.formulas = Drawn(view)
    stream(view, "a", "So\n\n$$\nx = ")
    _, item = find(view, "a", FormulaItem)
    assert isinstance(item, FormulaItem)
    assert item.document(view.scene).toPlainText() == "$$\nx = "
    assert item.accessible_text == "$$\nx = "
    stream(view, "a", "1\n$$")
    assert find(view, "a", FormulaItem)[1] is item
    assert item.document(view.scene).formulas
    stream(view, "a", "\n\nand more")
    assert find(view, "a", FormulaItem)[1] is item


def test_it_replaces_its_source_when_it_is_drawn(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "$x^2$ here\n\n| $y$ | b |\n|--|--|\n| 1 | 2 |\n\n$$z$$"))
    (_, prose), (_, table) = find(view, "a", MarkdownItem), find(view, "a", MarkdownItem, 1)
    _, wide = find(view, "a", FormulaItem)
    assert isinstance(prose, MarkdownItem)
    assert isinstance(table, MarkdownItem)
    assert isinstance(wide, FormulaItem)
    assert prose.document(view.scene).toPlainText() == "$x^2$ here"
    for item in (prose, table, wide):
        qtbot.waitUntil(lambda item=item: bool(item.document(view.scene).formulas), timeout=60_000)
    assert "Formula x^2 here" in view.access.message("a").text


def test_a_cell_is_as_wide_as_its_formula(qtbot: QtBot) -> None:
    text = "| x | y |\n|--|--|\n| $" + "a + b + " * 6 + "c$ | 2 |"
    view = open_view(qtbot)
    view.scene.formulas = Drawn(view)
    view.resize(300, 400)
    view.add_message(said("a", text))
    _, table = find(view, "a", MarkdownItem)
    assert isinstance(table, MarkdownItem)
    (placed,) = table.document(view.scene).formulas
    assert placed.formula.tex.endswith("c")
    assert table.height < 4 * view.item_style.theme.line_px + 20


def test_another_theme_changes_its_colour(qtbot: QtBot) -> None:
    view, _ = shown(qtbot, "$$x = 1$$")
    view.set_theme(DARK)
    box = view.scroller.row_rect(find(view, "a", FormulaItem)[0])
    picture = view.grab().toImage()
    across, down = range(box.left(), box.right()), range(box.top(), box.bottom())
    lights = [picture.pixelColor(x, y).lightness() for x in across for y in down]
    assert max(lights) > min(lights) + 100


def test_an_unclosed_formula_stays_source(qtbot: QtBot) -> None:
    view, item = shown(qtbot, "$$\nx = 1\n\nand so on")
    assert item.document(view.scene).toPlainText() == "$$\nx = 1"
    assert not item.accepts(Piece(PieceKind.PROSE))
