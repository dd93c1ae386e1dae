"""Text items: heights, positions, links, the caret."""

import re
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import (
    QColor,
    QImage,
    QPainter,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextDocument,
)
from pytestqt.qtbot import QtBot

from neodeskpet.core.markdown.pieces import Continuation, Piece, PieceKind
from neodeskpet.core.text_search import SearchPattern
from neodeskpet.ui.chat.items.code_items import MonospaceItem
from neodeskpet.ui.chat.items.item import PaintContext, Scene
from neodeskpet.ui.chat.items.markdown_flow import MarkdownFlow
from neodeskpet.ui.chat.items.text_items import MarkdownItem, TextItem, ordinary_separators
from neodeskpet.ui.chat.items.wide_items import MarkdownTableItem
from neodeskpet.ui.rendering.formula_cache import FormulaCache
from tests.unit.ui.chat.doubles import open_view


def piece(
    text: str, kind: PieceKind = PieceKind.PROSE, *, closed: bool = True, indent: int = 0
) -> Piece:
    made = Piece(kind, closed=closed, indent=indent)
    for line in text.split("\n"):
        made.add(line)
    return made


@pytest.fixture
def scene(qtbot: QtBot) -> Iterator[Scene]:
    view = open_view(qtbot)
    yield view.scene


def laid_out(
    scene: Scene,
    text: str,
    kind: PieceKind = PieceKind.PROSE,
    width: int = 300,
    *,
    closed: bool = True,
) -> MarkdownItem:
    made = MarkdownTableItem if kind is PieceKind.TABLE else MarkdownItem
    item = made(piece(text, kind, closed=closed), scene.formulas)
    item.measure(scene, width)
    return item


def test_a_narrower_column_is_higher(scene: Scene) -> None:
    item = laid_out(scene, "words " * 60, width=500)
    wide = item.height
    item.measure(scene, 200)
    assert item.height > 2 * wide
    assert item.width == 200


@pytest.mark.parametrize("text", ["x", "words " * 200, "字" * 500, "a\nb\nc\nd"])
def test_the_estimate_is_close(scene: Scene, text: str) -> None:
    item = laid_out(scene, text)
    guess = MarkdownItem(piece(text), FormulaCache()).estimate(scene, 300)
    assert 0.5 < guess / item.height < 2


def test_lines_have_room(scene: Scene) -> None:
    assert laid_out(scene, "One").height == scene.style.theme.line_px
    assert laid_out(scene, "中文").height == scene.style.theme.line_px
    assert laid_out(scene, "One\ntwo").height == 2 * scene.style.theme.line_px


def test_a_long_word_wraps(scene: Scene) -> None:
    item = laid_out(scene, "w" * 1000)
    assert item.height > 20 * scene.style.theme.line_px
    assert item.document(scene).idealWidth() <= 301


def test_positions_and_texts(scene: Scene) -> None:
    item = laid_out(scene, "One **two** three")
    assert item.plain_text == "One two three"
    assert item.source == "One **two** three"
    assert item.length(scene) == len("One two three")
    assert item.text_between(scene, 4, 7) == "two"
    assert item.text_between(scene, 4, 999) == "two three"
    assert item.position_at(scene, QPointF(-5, 5)) == 0
    assert item.position_at(scene, QPointF(290, 5)) == 13
    after = scene.style.metrics.horizontalAdvance("One ")
    assert item.position_at(scene, QPointF(after, 10)) == 4


def test_links(scene: Scene) -> None:
    item = laid_out(scene, "[here](https://example.org) not")
    assert item.link_at(scene, QPointF(5, 10)) == "https://example.org"
    assert item.link_at(scene, QPointF(250, 10)) == ""


def colours_of(scene: Scene, item: TextItem, selected: tuple[int, int] | None) -> set[str]:
    """The colours of the pixels of the item."""
    image = QImage(300, item.height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(scene.style.color("window"))
    box = QRectF(image.rect())
    with QPainter(image) as painter:
        item.paint(scene, PaintContext(painter, box, box, selected))
    places = ((x, y) for x in range(image.width()) for y in range(image.height()))
    return {image.pixelColor(x, y).name() for x, y in places}


def test_selected_and_found_text_is_in_the_colour_of_text(scene: Scene) -> None:
    """The other colours are not readable on the grounds of a selection and a match."""
    item = laid_out(scene, "[here](https://example.org)")
    accent, ground = scene.style.color("accent").name(), scene.style.color("selection").name()
    assert accent in colours_of(scene, item, None)
    colours = colours_of(scene, item, (0, 4))
    assert ground in colours
    assert accent not in colours
    scene.marks.set_needle(SearchPattern(["here"]))
    colours = colours_of(scene, item, None)
    assert scene.style.color("mark").name() in colours
    assert accent not in colours


class _Keyword(QSyntaxHighlighter):
    """Colours the first six letters."""

    def __init__(self, document: QTextDocument, colour: QColor) -> None:
        super().__init__(document)
        self._form = QTextCharFormat()
        self._form.setForeground(colour)
        self._form.setFontUnderline(True)

    def highlightBlock(self, text: str) -> None:
        self.setFormat(0, 6, self._form)


def test_selected_code_is_in_the_colour_of_text(scene: Scene) -> None:
    item = MonospaceItem("import os", Continuation.NONE)
    item.measure(scene, 300)
    colours = _Keyword(item.document(scene), scene.style.color("syntax.keyword"))
    colours.rehighlight()
    colour = scene.style.color("syntax.keyword").name()
    assert colour in colours_of(scene, item, None)
    assert colour not in colours_of(scene, item, (0, 9))


def test_the_caret_stands_after_the_last_character(scene: Scene) -> None:
    item = laid_out(scene, "One")
    wide = scene.style.metrics.horizontalAdvance("One")
    assert abs(item.caret_position(scene).x() - wide) < 4
    two = laid_out(scene, "One\ntwo")
    assert two.caret_position(scene).y() >= scene.style.theme.line_px - 2
    assert not item.is_animated
    item.shows_caret = True
    assert item.is_animated


def test_in_a_list_it_is_after_the_indent(scene: Scene) -> None:
    item = laid_out(scene, "- one\n  - two words", PieceKind.LIST)
    spot = item.caret_position(scene)
    assert spot.y() > scene.style.theme.line_px
    assert 30 < spot.x() - scene.style.metrics.horizontalAdvance("two words") < 60


def test_in_a_table_it_is_in_the_last_cell(scene: Scene) -> None:
    item = laid_out(scene, "| a | b |\n|---|---|\n| 1 | some words |", PieceKind.TABLE)
    spot = item.caret_position(scene)
    assert item.height / 2 < spot.y() < item.height
    assert spot.x() > scene.style.metrics.horizontalAdvance("some words")


def test_quotes_have_a_line_and_muted_text(scene: Scene) -> None:
    item = laid_out(scene, "> said", PieceKind.QUOTE)
    assert item.ruled
    assert item.palette(scene.style) is scene.style.muted_palette
    assert item.inset(scene.style).left > 0
    assert item.plain_text == "said"


def test_a_growing_text(scene: Scene) -> None:
    item = MarkdownItem(piece("One", closed=False), FormulaCache())
    item.measure(scene, 300)
    grown = piece("One two", closed=False)
    assert item.accepts(grown)
    assert item.update(grown, scene)
    assert item.width == 0
    item.measure(scene, 300)
    assert item.text_between(scene, 0, 99) == "One two"
    assert not item.update(piece("One two", closed=False), scene)
    assert not item.accepts(piece("One", PieceKind.QUOTE))
    assert not item.accepts(piece("One", indent=1))


def test_a_growing_text_without_a_document(scene: Scene) -> None:
    item = MarkdownItem(piece("One", closed=False), FormulaCache())
    assert item.update(piece("One two"), scene)
    assert len(scene.documents) == 0
    item.measure(scene, 300)
    assert item.text_between(scene, 0, 99) == "One two"


def test_indented_pieces_are_indented(scene: Scene) -> None:
    assert (
        MarkdownItem(piece("x", indent=2), FormulaCache()).indent
        == 2 * MarkdownItem(piece("x", indent=1), FormulaCache()).indent
    )


def test_a_continued_table_waits_for_its_first_part(scene: Scene) -> None:
    lines = "| a | b |\n|---|---|\n| 1 | 2 |"
    first = MarkdownTableItem(piece(lines, PieceKind.TABLE), FormulaCache())
    second_piece = piece(lines, PieceKind.TABLE)
    second_piece.head = ("| a | b |", "|---|---|")
    second_piece.continuation = Continuation.LINE
    second = MarkdownTableItem(second_piece, FormulaCache())
    second.join_table(first.shape)
    second.measure(scene, 300)
    assert first.width == 300
    assert first.shape.width == 300


def test_separators_of_qt() -> None:
    assert ordinary_separators("a\u2029b\u2028c\u00a0d\ufdd0e\ufdd1f") == "a\nb\nc de\nf"


@pytest.mark.parametrize(
    "text", ["**重点：**流式", "他说**“好”**吧", "用**`code`**写", "~~旧的，~~新"]
)
def test_emphasis_without_spaces_around_it(scene: Scene, text: str) -> None:
    item = laid_out(scene, text)
    plain = item.text_between(scene, 0, 99)
    assert plain == re.sub(r"[*`]", "", text)


def links(item: MarkdownItem, scene: Scene) -> set[str]:
    return {
        item.link_at(scene, QPointF(x, y))
        for x in range(0, 300, 4)
        for y in range(4, item.height, 8)
    } - {""}


@pytest.mark.parametrize("end", [". Then", "。然后", "，还有", "）", "!"])
def test_a_bare_link_ends_before_the_full_stop(scene: Scene, end: str) -> None:
    item = laid_out(scene, f"See https://a.org/x{end}")
    assert links(item, scene) == {"https://a.org/x"}
    assert item.text_between(scene, 0, 99) == f"See https://a.org/x{end}"


def painted(scene: Scene, item: MarkdownItem) -> QImage:
    picture = QImage(300, item.height, QImage.Format.Format_RGB32)
    picture.fill(QColor("white"))
    box = QRectF(0, 0, 300, item.height)
    with QPainter(picture) as painter:
        item.paint(scene, PaintContext(painter, box, box))
    return picture


def ink(picture: QImage, area: QRect) -> int:
    """Return how many pixels of an area are not white."""
    return sum(
        picture.pixelColor(x, y) != QColor("white")
        for x in range(area.left(), area.right())
        for y in range(area.top(), area.bottom())
    )


@pytest.mark.parametrize("mark", ["-", "1."])
def test_task_lists_have_boxes(scene: Scene, mark: str) -> None:
    plain = laid_out(scene, f"{mark} word", PieceKind.LIST)
    undone = laid_out(scene, f"{mark} [ ] word", PieceKind.LIST)
    done = laid_out(scene, f"{mark} [x] word", PieceKind.LIST)
    whole = QRect(0, 0, 300, plain.height)
    marks = [ink(painted(scene, item), whole) for item in (plain, undone, done)]
    assert marks[0] < marks[1] < marks[2]
    assert [item.height for item in (undone, done)] == [plain.height] * 2


def test_a_nested_quote_is_indented_with_a_line_of_its_own(scene: Scene) -> None:
    item = laid_out(scene, "> one\n>\n> > two\n> > and\n> >\n> > three", PieceKind.QUOTE)
    picture = painted(scene, item)
    line = scene.style.theme.line_px
    rule = scene.style.color("control_line")
    first = [picture.pixelColor(1, y) == rule for y in range(item.height)]
    second = [picture.pixelColor(15, y) == rule for y in range(item.height)]
    assert all(first)
    assert not any(second[:line])
    assert all(second[line + 10 : -4])
    inside = item.position_at(scene, QPointF(14 + 14, item.height - line / 2))
    assert item.text_between(scene, 0, inside).endswith("\n")


@pytest.mark.parametrize("mark", ["-", "- [ ]"])
def test_bullets_are_at_the_beginning_of_the_line(scene: Scene, mark: str) -> None:
    for text, begins_left in ((f"{mark} word", True), (f"{mark} עברית", False)):
        item = laid_out(scene, text, PieceKind.LIST)
        picture = painted(scene, item)
        left, right = (
            ink(picture, QRect(x, 0, 20, item.height)) for x in (0, picture.width() - 20)
        )
        assert (left > right) is begins_left
        assert min(left, right) == 0


def test_the_number_of_a_footnote_is_small_and_raised(scene: Scene) -> None:
    item = laid_out(scene, "said[^1]: so")
    assert item.text_between(scene, 0, 99) == "said1: so"
    form = item.document(scene).find("1").charFormat()
    assert form.verticalAlignment() is form.VerticalAlignment.AlignSuperScript
    assert item.plain_text == "said[^1]: so"


_GROWING = (
    "It rains, **and it rains more** than *it did*; see `code` and [a link](https://a.bc) or "
    "https://example.org/a_b or www.a.bc, $x^2$, and so on.\nA second ~~line~~ of it\n\n"
    "明天上海小雨转阴，**重点：**出门记得带伞，气温九到“十四度”。\n\n"
    "1. One\n2. Two and more\n   - three **bold words here** four\n- [ ] to do so\n\n"
    "> Said & done, 1 &lt; 2 &amp; so on\n> > within\n\n## A heading of words\n\n"
    "A heading\n---\n\n2024 was 3 * 4 and 2 ** 3 so\n\n[it]: here and there\n\n"
    "What[^1] a note\n\n[^1]: It says so\n"
)


@pytest.mark.parametrize("step", [1, 3, 8])
def test_a_text_that_grew_equals_one_that_came_at_once(scene: Scene, step: int) -> None:
    flow = MarkdownFlow()
    for at in range(0, len(_GROWING), step):
        flow.append(_GROWING[at : at + step])
        flow.sync(scene)
        for item in flow.items:
            if type(item) is MarkdownItem:
                shown = scene.documents.get(item)
                anew = item.make_document(scene.style)
                assert shown.toHtml() == anew.toHtml()
                assert shown.bullets == anew.bullets


def test_words_are_appended_to_the_existing_document(scene: Scene) -> None:
    """No part of it is removed and laid out again."""
    item = laid_out(scene, "It rains, **and so", closed=False)
    removed: list[int] = []
    scene.documents.get(item).contentsChange.connect(lambda _at, gone, _new: removed.append(gone))
    for text in ("It rains, **and so on", "It rains, **and so on, again"):
        item.update(piece(text, closed=False), scene)
    assert removed
    assert not any(removed)
    item.update(piece("It rains, **and so on**, again", closed=False), scene)
    assert any(removed)
