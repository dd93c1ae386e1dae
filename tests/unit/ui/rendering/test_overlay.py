"""Colours applied to a part of the code, at once and again when it has grown."""

from collections.abc import Callable

from PySide6.QtGui import QColor, QTextCursor, QTextDocument
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.items.item_style import ItemStyle
from neodeskpet.ui.chat.items.text_documents import plain_document
from neodeskpet.ui.rendering.code_highlighter import apply_spans
from neodeskpet.ui.rendering.code_spans import CodeSpans, utf16_length
from neodeskpet.ui.rendering.highlight_worker import lex
from neodeskpet.ui.theme import LIGHT


def colored(document: QTextDocument) -> list[tuple[str, str]]:
    out = []
    block = document.begin()
    while block.isValid():
        text = block.text().encode("utf-16-le")
        for one in block.layout().formats():
            words = text[2 * one.start : 2 * (one.start + one.length)].decode("utf-16-le")
            out.append((words, one.format.foreground().color().name()))
        block = block.next()
    return out


def colour(look: ItemStyle) -> Callable[[str], QColor]:
    return lambda name: look.color(f"syntax.{name}")


def test_on_a_part_of_the_code(qtbot: QtBot) -> None:
    look = ItemStyle(LIGHT)
    code = '"""one\n🌂 two\nthree"""\nx = 1'
    lines = code.split("\n")
    part = "\n".join(lines[1:3])
    document = plain_document(part, look.code, look.code_line)
    apply_spans(document, lex(code, "python"), utf16_length(lines[0]) + 1, colour(look))
    string = look.color("syntax.string").name()
    assert colored(document) == [("🌂 two", string), ('three"""', string)]


def test_colours_before_and_after_it_are_ignored(qtbot: QtBot) -> None:
    look = ItemStyle(LIGHT)
    document = plain_document("bb", look.code, look.code_line)
    spans = CodeSpans.of([(0, 2, "name"), (3, 2, "keyword"), (6, 2, "name")])
    apply_spans(document, spans, 3, colour(look))
    assert colored(document) == [("bb", look.color("syntax.keyword").name())]


def test_only_new_text_is_coloured_again(qtbot: QtBot) -> None:
    look = ItemStyle(LIGHT)
    before, after = 'x = 1\ny = "a', 'x = 1\ny = "ab" # z'
    document = plain_document(before, look.code, look.code_line)
    first, second = lex(before, "python"), lex(after, "python")
    apply_spans(document, first, 0, colour(look))
    cursor = QTextCursor(document)
    cursor.movePosition(QTextCursor.MoveOperation.End)
    cursor.insertText(after[len(before) :])
    document.documentLayout()
    changed: list[int] = []
    document.contentsChange.connect(lambda at, *_: changed.append(at))
    apply_spans(document, second, 0, colour(look), since=second.differ_from(first))
    whole = plain_document(after, look.code, look.code_line)
    apply_spans(whole, second, 0, colour(look))
    assert colored(document) == colored(whole)
    assert min(changed) >= len("x = 1\n")


def test_outdated_colours_are_removed(qtbot: QtBot) -> None:
    look = ItemStyle(LIGHT)
    document = plain_document("a\nb", look.code, look.code_line)
    apply_spans(document, CodeSpans.of([(0, 1, "name"), (2, 1, "name")]), 0, colour(look))
    apply_spans(document, CodeSpans.of([(0, 1, "name")]), 0, colour(look), since=1)
    assert colored(document) == [("a", look.color("syntax.name").name())]
    apply_spans(document, CodeSpans(), 0, colour(look), since=99)
    assert len(colored(document)) == 1
