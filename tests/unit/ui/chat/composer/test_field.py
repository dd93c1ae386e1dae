"""The field accepts text itself and passes pictures on; the rest is in test_composer.py."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QImage, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from neodeskpet.ui.chat.composer.message_field import (
    LONG_PASTE,
    SLICE_CHARS,
    SOFT_BREAK,
    MessageField,
    break_line,
)


def test_a_picture_is_passed_on_and_text_is_inserted(qtbot: QtBot) -> None:
    field = MessageField()
    qtbot.addWidget(field)
    offered: list[QMimeData] = []
    field.content_dropped.connect(offered.append)
    words, picture = QMimeData(), QMimeData()
    words.setText("a\r\nb")
    picture.setImageData(QImage(2, 2, QImage.Format.Format_RGB32))
    for source in (words, picture):
        assert field.canInsertFromMimeData(source)
        field.insertFromMimeData(source)
    assert field.text() == "a\nb"
    assert len(offered) == 1


WORDS = ["a", " ", "。", "好", "\n", "👩‍👩‍👧", "e\u0301"]
MIXED = st.lists(st.sampled_from(WORDS), max_size=40).map("".join)


@given(words=MIXED, times=st.integers(1, 1200))
@settings(max_examples=40)
def test_a_long_paragraph_keeps_its_text(qapp: QApplication, words: str, times: int) -> None:
    field = MessageField()
    text = words * times
    field.insert(text)
    assert field.text() == text
    field.selectAll()
    assert field.createMimeDataFromSelection().text() == text
    field.undo()
    assert field.text() == ""
    field.redo()
    assert field.text() == text


@given(line=st.text(alphabet=st.sampled_from("ab好 😀"), min_size=1, max_size=9))
@settings(max_examples=30)
def test_no_block_is_long_and_no_character_is_split(line: str) -> None:
    long = line * 2000
    pieces = break_line(long)
    assert "".join(pieces) == long
    assert all(2000 <= len(piece) <= 6800 for piece in pieces)
    family = "👩‍👩‍👧"
    assert all(piece.endswith("👧") for piece in break_line(family * 2000))


KEYS = {
    "back": Qt.Key.Key_Backspace,
    "delete": Qt.Key.Key_Delete,
    "enter": Qt.Key.Key_Return,
    "letter": Qt.Key.Key_X,
}


@given(
    edits=st.lists(
        st.tuples(st.integers(0, 19_100), st.integers(0, 9_000), st.sampled_from(sorted(KEYS))),
        max_size=8,
    )
)
@settings(max_examples=40)
def test_editing_a_long_paragraph_edits_the_text(
    qapp: QApplication, edits: list[tuple[int, int, str]]
) -> None:
    """The same edits on a text and in a field that keeps it in several blocks."""
    field = MessageField()
    text = "word " * 2000 + "\n" + "x" * 9000 + "\nend"
    field.insert(text)
    field.finish_insertion()
    for where, length, key in edits:
        start = min(where, len(text))
        end = min(start + length, len(text))
        select(field, start, end)
        QTest.keyClick(
            field,
            KEYS[key],
            modifier=Qt.KeyboardModifier.ShiftModifier
            if key == "enter"
            else Qt.KeyboardModifier.NoModifier,
        )
        if start == end and key == "back":
            start = max(0, start - 1)
        if start == end and key == "delete":
            end = min(len(text), end + 1)
        text = text[:start] + {"enter": "\n", "letter": "x"}.get(key, "") + text[end:]
        assert field.text() == text
    for _ in edits:
        field.undo()
    field.selectAll()
    assert field.createMimeDataFromSelection().text() == field.text()


def select(field: MessageField, start: int, end: int) -> None:
    """Select by positions in the text: those in the document also count soft separators."""
    cursor = QTextCursor(field.document())
    places = [text_position(field, start), text_position(field, end)]
    cursor.setPosition(places[0])
    cursor.setPosition(places[1], QTextCursor.MoveMode.KeepAnchor)
    field.setTextCursor(cursor)


def text_position(field: MessageField, place: int) -> int:
    """Return the lowest position in the document with this number of characters of text
    before it.
    """
    position, block = place, field.document().begin().next()
    while block.isValid() and block.position() <= position:
        position += block.charFormat().hasProperty(SOFT_BREAK) and block.position() - 1 < position
        block = block.next()
    return position


def test_blocks_stay_short_while_typing(qtbot: QtBot) -> None:
    """The cost of a key is the layout of its block."""
    field = MessageField()
    qtbot.addWidget(field)
    field.insert("x" * 20_000)
    for _ in range(3):
        field.insert("y" * 3_900)
    assert longest_block(field) <= 8_000
    assert len(field.text()) == 20_000 + 3 * 3_900


def longest_block(field: MessageField) -> int:
    block = field.document().begin()
    longest = 0
    while block.isValid():
        longest = max(longest, block.length())
        block = block.next()
    return longest


LONG = "Some words of a line.\n" * 500 + "and one long line " * 1_000


@pytest.mark.parametrize("text", [LONG, "\n" * 5_000, "w" * 20_000])
def test_a_long_insertion_is_done_in_slices_and_undone_at_once(qtbot: QtBot, text: str) -> None:
    field = MessageField()
    qtbot.addWidget(field)
    field.insert("before after")
    select(field, 6, 7)
    sizes: list[int] = []
    field.textChanged.connect(lambda: sizes.append(field.document().characterCount()))
    field.insert(text)
    assert field.text() == f"before{text}after"  # the remaining text counts
    qtbot.waitUntil(
        lambda: field.document().characterCount() > len(text) and not field.is_inserting
    )
    assert field.text() == f"before{text}after"
    steps = [after - before for before, after in pairwise([12, *sizes])]
    assert len(steps) > 4
    assert max(steps) <= 3 * SLICE_CHARS
    for _ in range(2):
        for step, wanted in ((field.undo, "before after"), (field.redo, f"before{text}after")):
            sizes[:] = [field.document().characterCount()]
            step()
            assert field.text() == wanted
            qtbot.waitUntil(lambda: not field.is_inserting)
            assert field.text() == wanted
            assert max(abs(after - before) for before, after in pairwise(sizes)) <= 3 * SLICE_CHARS


def test_undo_and_redo_beside_a_long_insertion(qtbot: QtBot) -> None:
    """By keyboard; edits before and after it are separate steps."""
    field = MessageField()
    qtbot.addWidget(field)
    QTest.keyClick(field, Qt.Key.Key_A)
    field.insert(LONG)
    qtbot.waitUntil(lambda: not field.is_inserting)
    field.moveCursor(QTextCursor.MoveOperation.Start)
    QTest.keyClick(field, Qt.Key.Key_B)
    texts = ["", "a", f"a{LONG}", f"ba{LONG}"]

    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier

    def press(wanted: str, *, back: bool) -> None:
        QTest.keyClick(field, Qt.Key.Key_Z, control if back else control | shift)
        assert field.text() == wanted
        qtbot.waitUntil(lambda: not field.is_inserting)

    for _ in range(2):
        for wanted in texts[-2::-1]:
            press(wanted, back=True)
        for wanted in texts[1:]:
            press(wanted, back=False)
    for wanted in texts[-2:0:-1]:
        press(wanted, back=True)
    field.insert("x" * 50)  # it replaces the undone text
    press("a", back=True)
    press("a" + "x" * 50, back=False)
    field.undo()
    field.undo()
    assert field.text() == ""


def test_the_menu_undoes_a_long_insertion(qtbot: QtBot) -> None:
    field = MessageField()
    qtbot.addWidget(field)
    field.show()
    field.insert(LONG)
    center = field.rect().center()
    where = QContextMenuEvent.Reason.Mouse, center, field.mapToGlobal(center)
    QApplication.sendEvent(field.viewport(), QContextMenuEvent(*where))
    (menu,) = [one for one in field.findChildren(QMenu) if one.isVisible()]
    action = menu.findChild(QAction, "edit-undo")
    assert isinstance(action, QAction) and action.isEnabled()
    action.trigger()
    menu.close()
    qtbot.waitUntil(lambda: not field.is_inserting)
    assert field.text() == ""


def test_an_edit_waits_for_a_long_insertion(qtbot: QtBot) -> None:
    for key, text in ((Qt.Key.Key_X, f"{LONG}x"), (Qt.Key.Key_Backspace, LONG[:-1])):
        field = MessageField()
        qtbot.addWidget(field)
        field.insert(LONG)
        assert field.is_inserting
        QTest.keyClick(field, key)
        assert not field.is_inserting
        assert field.text() == text
        field.insert(LONG)
        field.undo()
        assert field.text() == text


def test_another_draft_ends_a_long_insertion(qtbot: QtBot) -> None:
    field = MessageField()
    qtbot.addWidget(field)
    for replace in (field.set_text, field.replace_text):
        field.insert(LONG)
        replace("draft")
        assert not field.is_inserting
        assert field.text() == "draft"
    field.insert(LONG)
    field.clear()
    assert field.text() == ""


def test_a_long_text_is_offered_as_an_attachment(qtbot: QtBot) -> None:
    field = MessageField()
    qtbot.addWidget(field)
    field.attachable = True
    offered: list[str] = []
    field.long_text_pasted.connect(offered.append)
    data = QMimeData()
    data.setText("a" * LONG_PASTE)
    field.insertFromMimeData(data)
    assert (len(field.text()), offered) == (LONG_PASTE, [])
    data.setText("b" * (LONG_PASTE + 1))
    field.insertFromMimeData(data)
    assert (len(field.text()), offered) == (LONG_PASTE, ["b" * (LONG_PASTE + 1)])
