"""Documents: they load nothing, follow the theme, and only some are kept."""

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QColor, QFont, QImage, QTextCursor, QTextDocument
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.chat.items.text_documents import (
    CAPACITY,
    DocumentCache,
    SafeDocument,
    column_widths,
    new_document,
    plain_document,
    set_column_widths,
    table_of,
    write_markdown,
    write_table,
)
from neodeskpet.ui.theme import LIGHT


@pytest.fixture
def look(qtbot: QtBot) -> ItemStyle:
    return ItemStyle(LIGHT)


def rendered(look: ItemStyle, source: str) -> SafeDocument:
    document = new_document(look.font)
    if source.startswith("|"):
        write_table(document, source, look)
    else:
        write_markdown(document, source, look)
    document.setTextWidth(400)
    return document


class Owner:
    def make_document(self, look: ItemStyle) -> SafeDocument:
        return new_document(look.font)


class TestSafety:
    @pytest.mark.parametrize("kind", ["file", "data", "path"])
    def test_no_picture_is_loaded(
        self, look: ItemStyle, tmp_path_factory: pytest.TempPathFactory, kind: str
    ) -> None:
        path = tmp_path_factory.mktemp("p") / "x.png"
        image = QImage(9, 9, QImage.Format.Format_RGB32)
        image.save(str(path))
        address = {
            "file": path.as_uri(),
            "path": str(path),
            "data": "data:image/png;base64,iVBORw0KGgo=",
        }[kind]
        document = rendered(look, f"![a cat]({address})")
        assert document.toPlainText() == "a cat"
        resource = QTextDocument.ResourceType.ImageResource.value
        assert document.resource(resource, QUrl(address)) is None

    def test_html_stays_text(self, look: ItemStyle) -> None:
        document = rendered(look, "before <b>x</b> <img src='file:///x'> <unclosed after")
        assert document.toPlainText() == "before <b>x</b> <img src='file:///x'> <unclosed after"


class TestDress:
    def test_headings_are_smaller_by_their_level(self, look: ItemStyle) -> None:
        sizes = []
        for level in ("#", "##", "###", "####", "######"):
            document = rendered(look, f"{level} Head")
            cursor = QTextCursor(document)
            cursor.movePosition(QTextCursor.MoveOperation.Right)
            sizes.append(cursor.charFormat().font().pixelSize())
            assert cursor.charFormat().fontWeight() == QFont.Weight.DemiBold
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[0] > sizes[1] > sizes[2] == LIGHT.heading_px > sizes[3] > LIGHT.font_px

    def test_the_head_of_a_column_is_aligned_like_its_cells(self, look: ItemStyle) -> None:
        document = new_document(look.font)
        write_table(document, "| a | b | c |\n|--:|:-:|---|\n| long | long | long |", look)
        table = table_of(document)
        assert table is not None
        for column in range(3):
            head, cell = (
                table.cellAt(row, column).firstCursorPosition().blockFormat().alignment()
                for row in (0, 1)
            )
            assert head == cell

    def test_code_and_links(self, look: ItemStyle) -> None:
        document = rendered(look, "`x` [y](https://z)")
        cursor = QTextCursor(document)
        cursor.setPosition(1)
        assert cursor.charFormat().background().color() == QColor(LIGHT.code)
        cursor.setPosition(3)
        form = cursor.charFormat()
        assert form.foreground().color() == QColor(LIGHT.accent)
        assert form.fontUnderline()

    def test_bullets_are_painted_by_the_item(self, look: ItemStyle) -> None:
        document = rendered(look, "- one\n- two\n  - deep\n- [x] box\n\n1. number")
        assert document.bullets == ((0, 1), (1, 1), (2, 2))

    def test_a_table_has_no_space_below(self, look: ItemStyle) -> None:
        document = rendered(look, "| a | b |\n|---|---|\n| 1 | 2 |")
        table = table_of(document)
        assert table is not None
        frame = document.documentLayout().frameBoundingRect(table)
        assert document.size().height() - frame.bottom() < 4

    def test_a_continued_table_has_the_columns_but_not_the_head(self, look: ItemStyle) -> None:
        first = rendered(look, "| some long head | b |\n|---|---|\n| 1 | 2 |")
        widths = column_widths(first)
        assert len(widths) == 2
        assert widths[0] > widths[1]
        second = rendered(look, "| some long head | b |\n|---|---|\n| 3 | 4 |")
        set_column_widths(second, widths, drop_head=True)
        assert [round(w) for w in column_widths(second)] == [round(w) for w in widths]
        assert "long head" not in second.toPlainText()

    def test_its_lines_have_the_colours_of_the_theme(self, look: ItemStyle) -> None:
        document = rendered(look, "| a | b |\n|---|---|\n| 1 | 2 |")
        table = table_of(document)
        assert table is not None
        assert table.format().borderBrush().color() == QColor(LIGHT.line)
        assert table.format().borderCollapse()

    def test_no_table_no_columns(self, look: ItemStyle) -> None:
        document = rendered(look, "text")
        assert column_widths(document) == []
        set_column_widths(document, [], drop_head=True)
        assert document.toPlainText() == "text"

    def test_plain_text_is_unchanged(self, look: ItemStyle) -> None:
        document = plain_document("**a**\n\tb", look.code, look.code_line, tab=30)
        assert document.toPlainText() == "**a**\n\tb"
        assert document.size().height() >= 2 * look.code_line


class TestLife:
    def test_the_oldest_are_dropped_first(self, look: ItemStyle) -> None:
        documents = DocumentCache(look)
        owners = [Owner() for _ in range(CAPACITY + 10)]
        first = documents.get(owners[0])
        for owner in owners[1:CAPACITY]:
            documents.get(owner)
        assert documents.get(owners[0]) is first
        for owner in owners[CAPACITY:]:
            documents.get(owner)
        assert len(documents) == CAPACITY
        assert documents.peek(owners[0]) is first
        assert documents.peek(owners[1]) is None
        assert documents.made == CAPACITY + 10

    def test_a_large_screen_keeps_more(self, look: ItemStyle) -> None:
        documents = DocumentCache(look)
        documents.set_visible_count(100)
        for owner in [Owner() for _ in range(150)]:
            documents.get(owner)
        assert len(documents) == 150

    def test_documents_can_be_dropped_and_cleared(self, look: ItemStyle) -> None:
        documents = DocumentCache(look)
        one, other = Owner(), Owner()
        documents.get(one)
        documents.get(other)
        documents.drop(one)
        assert documents.peek(one) is None
        documents.clear(look)
        assert len(documents) == 0


def test_a_chinese_text_has_wide_punctuation_from_its_first_letter(
    look: ItemStyle,
) -> None:
    document = rendered(look, "plain “words”,")
    assert document.defaultFont().featureTags() == look.font.featureTags()
    write_markdown(document, "plain “words”, 你好，", look)
    assert not document.defaultFont().featureTags()
    assert not plain_document("（大约）", look.font, 20).defaultFont().featureTags()
    write_markdown(document, "plain", look)
    assert document.defaultFont().featureTags() == look.font.featureTags()
