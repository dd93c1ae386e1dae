"""Marks of search results in a document."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from neodeskpet.core.text_search import SearchPattern
from neodeskpet.ui.chat.items.item import MatchMarks


@pytest.fixture
def marks(qtbot: QtBot) -> MatchMarks:
    made = MatchMarks()
    made.set_needle(SearchPattern(["bold"]))
    return made


def test_words_across_formats_and_after_emoji(marks: MatchMarks) -> None:
    document = QTextDocument()
    document.setMarkdown("😀 **bo**ld and BOLD")
    assert marks.match_positions("one", document) == [(3, 7), (12, 16)]
    marks.current = ("one", 1)
    assert marks.marked_spans("one", document) == [(3, 7, False), (12, 16, True)]
    assert marks.marked_spans("other", document)[1][2] is False


def test_a_text_that_grows_is_searched_again(marks: MatchMarks) -> None:
    document = QTextDocument("bold")
    assert len(marks.match_positions("one", document)) == 1
    assert marks.match_positions("one", document) is marks.match_positions("one", document)
    document.setPlainText("bold bold")
    assert len(marks.match_positions("one", document)) == 2
    for at in range(300):
        marks.match_positions(at, document)
    marks.set_needle(SearchPattern(()))
    assert marks.match_positions("one", document) == [] and marks.current is None
