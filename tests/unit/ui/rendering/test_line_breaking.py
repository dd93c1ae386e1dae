from __future__ import annotations

from functools import partial

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication

from neodeskpet.core.speech_pages import MOST_PAGES, SpeechPages
from neodeskpet.ui.rendering.line_breaking import break_lines
from neodeskpet.ui.theme import LIGHT, ui_font

WIDTH = 240.0


def make() -> SpeechPages:
    breaks = partial(break_lines, font=ui_font(LIGHT), width=WIDTH)
    return SpeechPages(breaks, 5, "the rest is elsewhere")


def test_lines_fit(qapp: QApplication) -> None:
    font = ui_font(LIGHT)
    metrics = QFontMetricsF(font)
    text = (
        "明天上海有小雨，记得带伞。 Then some English words, and a loooooooooooooooooong one 😀😀"
    )
    lines = break_lines(text + "x" * 200, font, WIDTH)
    assert len(lines) > 3
    assert all(metrics.horizontalAdvance(line.rstrip()) <= WIDTH + 1 for line in lines)
    assert "".join(lines) == text + "x" * 200


def test_sentences_fill_a_page(qapp: QApplication) -> None:
    speech = make()
    for sentence in ("Hello there.", " How are you?", "\nA new line.", "好的。"):
        speech.add(sentence)
    assert speech.lines == ["Hello there. How are you?", "A new line.好的。"]
    assert speech.pages == 1


def test_a_sentence_is_on_one_page(qapp: QApplication) -> None:
    speech = make()
    short, long = "这句话不长。", "这是一句要占两行的话，因为它说了很多很多的事情，一件接着一件。"
    for sentence in (short + "\n", *(["\n" + short] * 3), "\n" + long):
        speech.add(sentence)
    assert speech.pages == 2
    assert len(speech.lines) == 4
    assert speech.next_page()
    assert "".join(speech.lines) == long
    assert speech.last_page
    assert not speech.next_page()


@given(st.lists(st.text(max_size=30), max_size=10))
def test_any_words_can_be_broken(pieces: list[str]) -> None:
    speech = make()
    for piece in pieces:
        speech.add(piece)
    assert 1 <= speech.pages <= MOST_PAGES
    assert len(speech.lines) <= 5
