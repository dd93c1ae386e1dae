"""Colours of code: spans as Qt counts, laid over parts, long code in the worker."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.items.documents import plain_document
from neodeskpet.ui.chat.items.highlight import (
    IN_WORKER,
    Highlighter,
    Span,
    lay_over,
    lex,
    lexer_for,
    utf16_length,
)
from neodeskpet.ui.chat.items.look import Look
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


def test_classes() -> None:
    code = "def f(x):\n    return 'a' + str(1)  # note"
    found = {code[s.start : s.start + s.length]: s.name for s in lex(code, "python")}
    assert found["def"] == "keyword"
    assert found["f"] == "name"
    assert found["str"] == "builtin"
    assert found["1"] == "number"
    assert found["# note"] == "comment"


@pytest.mark.parametrize("language", ["", "text", "no-such-language"])
def test_unknown_languages_have_no_colours(language: str) -> None:
    assert lexer_for(language) is None
    assert lex("def f(): pass", language) == []


def test_huge_code_isnt_lexed() -> None:
    assert lex("x = 1\n" * 60_000, "python") == []


def test_positions_count_as_qt_counts() -> None:
    spans = lex("'🌂' # 🌂 x", "python")
    assert [(s.start, s.length, s.name) for s in spans][-1] == (5, 6, "comment")


@given(st.text(max_size=30))
def test_length_as_qt_counts(text: str) -> None:
    assert utf16_length(text) == len(text.encode("utf-16-le", "surrogatepass")) // 2


def test_over_a_part_of_the_code(qtbot: QtBot) -> None:
    look = Look(LIGHT)
    code = '"""one\n🌂 two\nthree"""\nx = 1'
    lines = code.split("\n")
    part = "\n".join(lines[1:3])
    document = plain_document(part, look.code, look.code_line)
    lay_over(document, lex(code, "python"), utf16_length(lines[0]) + 1, look)
    string = look.color("syntax.string").name()
    assert colored(document) == [("🌂 two", string), ('three"""', string)]


def test_what_lies_before_and_after_is_left_out(qtbot: QtBot) -> None:
    look = Look(LIGHT)
    document = plain_document("bb", look.code, look.code_line)
    lay_over(document, [Span(0, 2, "name"), Span(3, 2, "keyword"), Span(6, 2, "name")], 3, look)
    assert colored(document) == [("bb", look.color("syntax.keyword").name())]


def test_short_code_comes_back_at_once(qtbot: QtBot) -> None:
    got: list[list[Span]] = []
    Highlighter().ask("x = 1", "python", got.append)
    assert len(got) == 1
    assert got[0]


def test_long_code_comes_back_from_the_worker(qtbot: QtBot) -> None:
    got: list[list[Span]] = []
    highlighter = Highlighter()
    highlighter.ask("x = 1\n" * IN_WORKER, "python", got.append)
    assert got == []
    qtbot.waitUntil(lambda: bool(got))
    assert len(got[0]) >= IN_WORKER
    highlighter.wait()
