"""The text of a message with the places of its characters, and its translation into positions of
the drawn text.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.items.text_items import MarkdownItem
from neodeskpet.ui.chat.view.accessible_text import (
    MessageText,
    TextInterface,
    matched_positions,
    utf16_slice,
)
from neodeskpet.ui.chat.view.chat_view import ChatView
from tests.unit.ui.chat.doubles import call, companion, find, open_view, person, said

_WORDS = "Hello **there**, see [the page](https://example.org).\n\n- one 🙂 two\n- three\n\n好的。"


def position_of(text: MessageText, words: str) -> int:
    whole = text.between(0, text.length)
    return len(whole[: whole.index(words)].encode("utf-16-le")) // 2


@pytest.mark.parametrize(
    ("spoken", "drawn", "words"),
    [
        ("• one\n• two", "one\u2029two", "two"),
        ("1. first\n2. second", "first\u2029second", "second"),
        ("a\tb\nc\td", "a\u2029b\u2029c\u2029d", "d"),
        ("Formula x end", "\ufffc end", "end"),
        ("🙂 smile", "🙂 smile", "smile"),
        ("plain", "\u200bplain", "plain"),
    ],
)
def test_words_are_found_in_the_drawn_text(spoken: str, drawn: str, words: str) -> None:
    start = len(spoken[: spoken.index(words)].encode("utf-16-le")) // 2
    found = matched_positions(spoken, drawn)[start]
    assert utf16_slice(drawn, found, found + len(words)) == words


@given(st.text(max_size=60), st.text(max_size=60))
def test_positions_never_decrease_and_stay_inside(spoken: str, drawn: str) -> None:
    found = matched_positions(spoken, drawn)
    length = len(drawn.encode("utf-16-le", "surrogatepass")) // 2
    assert list(found) == sorted(found)
    assert all(0 <= position <= length for position in found)


@given(st.text(max_size=60))
def test_the_same_text_has_the_same_positions(text: str) -> None:
    assert list(matched_positions(text, text)) == list(
        range(len(text.encode("utf-16-le", "surrogatepass")) // 2 + 1)
    )


def test_each_character_is_found_where_it_is_drawn(qtbot: QtBot) -> None:
    view = open_view(qtbot, person("u", "Hello"), said("a", _WORDS))
    text = MessageText(view, "a")
    for words in ("there", "page", "two", "three", "的"):
        position = position_of(text, words)
        rect = text.rect(position)
        assert 0 < rect.width() < 40
        point = QPoint(rect.left() + rect.width() // 4, rect.center().y())
        assert text.position_at(point) == position, words
    assert MessageText(view, "u").position_at(text.rect(0).center()) == -1
    assert text.position_at(QPoint(-5, -500)) == -1


def test_what_is_not_drawn_as_text_has_the_rectangle_of_its_row(qtbot: QtBot) -> None:
    view = open_view(qtbot, companion("a", call(0)))
    text = MessageText(view, "a")
    rect = text.rect(0)
    assert rect.width() > 200
    assert text.position_at(rect.center()) == 0
    assert text.rect(9_999).isNull()
    assert MessageText(view, "gone").between(0, 10) == ""


def select(view: ChatView, start: int, end: int) -> TextInterface:
    face = TextInterface(view, "a")
    face.setSelection(0, start, end)
    return face


def test_a_screen_reader_selects_and_the_caret_is_at_its_end(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", _WORDS))
    text = MessageText(view, "a")
    assert text.selected_range() is None
    start, end = position_of(text, "there"), position_of(text, "two")
    face = select(view, start, end)
    assert view.selected_text().startswith("there, see the page.")
    assert text.selected_range() == (start, end)
    assert face.cursorPosition() == end
    face.removeSelection(0)
    assert face.cursorPosition() == 0
    face.addSelection(9_000, 9_001)
    assert view.selected_text() == ""


def test_a_caret_scrolls_to_its_row(qtbot: QtBot) -> None:
    view = open_view(qtbot, said("a", "\n\n".join(f"Line {n}." for n in range(200))))
    text = MessageText(view, "a")
    view.scroller.scroll_to_end()
    face = TextInterface(view, "a")
    face.setCursorPosition(0)
    place, _ = find(view, "a", MarkdownItem)
    assert view.scroller.row_rect(place).top() >= 0
    assert face.offsetAtPoint(view.viewport().mapToGlobal(text.rect(0).center())) == 0
    assert face.characterRect(0).topLeft() == view.viewport().mapToGlobal(text.rect(0).topLeft())
    assert face.text(0, 7) == "Line 0."
    assert face.characterCount() == text.length
