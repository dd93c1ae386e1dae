from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication

from neodeskpet.ui.pet.speech import MOST_PAGES, Speech, break_lines, reading_seconds
from neodeskpet.ui.theme import LIGHT, ui_font

WIDTH = 240.0


def make(qapp: QApplication) -> Speech:
    return Speech(ui_font(LIGHT), WIDTH, 5, "the rest is elsewhere")


def test_lines_fit(qapp: QApplication) -> None:
    font = ui_font(LIGHT)
    metrics = QFontMetricsF(font)
    text = (
        "明天上海有小雨，记得带伞。 Then some English words, and a loooooooooooooooooong one 😀😀"
    )
    lines = break_lines(text + "x" * 200, font, WIDTH)
    assert len(lines) > 3
    assert all(metrics.horizontalAdvance(line) <= WIDTH + 1 for line in lines)
    assert "".join(lines).replace(" ", "") == (text + "x" * 200).replace(" ", "")


def test_growing_gives_what_one_piece_gives(qapp: QApplication) -> None:
    pieces = ["Hello there.", " How are you?", "\nA new line.", "好的。", "再见！" * 20]
    whole, grown = make(qapp), make(qapp)
    whole.add("".join(pieces))
    for piece in pieces:
        grown.add(piece)
    assert grown.lines == whole.lines
    assert grown.pages == whole.pages


def test_pages(qapp: QApplication) -> None:
    speech = make(qapp)
    assert speech.empty
    assert speech.pages == 1
    speech.add("\n".join(f"line {number}" for number in range(12)))
    assert speech.pages == 3
    assert speech.lines == [f"line {number}" for number in range(5)]
    assert speech.turn()
    assert speech.turn()
    assert speech.lines == ["line 10", "line 11"]
    assert speech.last_page
    assert not speech.turn()
    assert speech.text == "line 10 line 11"


def test_a_book_is_for_the_chat(qapp: QApplication) -> None:
    speech = make(qapp)
    for number in range(500):
        speech.add(f"\nline {number}")
    assert speech.pages == MOST_PAGES
    while speech.turn():
        pass
    assert speech.lines[-1] == "the rest is elsewhere"


def test_reading_takes_its_time() -> None:
    assert reading_seconds("ok") < reading_seconds("字" * 40) < reading_seconds("字" * 80)
    assert reading_seconds("word " * 10_000) == 12.0


@given(st.lists(st.text(max_size=30), max_size=10))
def test_any_words_are_survived(pieces: list[str]) -> None:
    speech = Speech(ui_font(LIGHT), WIDTH, 5)
    for piece in pieces:
        speech.add(piece)
    assert 1 <= speech.pages <= MOST_PAGES
    assert len(speech.lines) <= 5
