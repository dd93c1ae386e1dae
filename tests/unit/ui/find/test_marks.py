"""What is marked in a document."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from neodeskpet.core.find.needle import Needle
from neodeskpet.ui.find.marks import Marks


@pytest.fixture
def marks(qtbot: QtBot) -> Marks:
    made = Marks()
    made.look_for(Needle(["bold"]))
    return made


def test_words_across_formats_and_after_emoji(marks: Marks) -> None:
    document = QTextDocument()
    document.setMarkdown("😀 **bo**ld and BOLD")
    assert marks.places("one", document) == [(3, 7), (12, 16)]
    marks.here = ("one", 1)
    assert marks.spans("one", document) == [(3, 7, False), (12, 16, True)]
    assert marks.spans("other", document)[1][2] is False


def test_a_text_that_grows_is_looked_at_anew(marks: Marks) -> None:
    document = QTextDocument("bold")
    assert len(marks.places("one", document)) == 1
    assert marks.places("one", document) is marks.places("one", document)
    document.setPlainText("bold bold")
    assert len(marks.places("one", document)) == 2
    for at in range(300):
        marks.places(at, document)
    marks.look_for(Needle(()))
    assert marks.places("one", document) == [] and marks.here is None
