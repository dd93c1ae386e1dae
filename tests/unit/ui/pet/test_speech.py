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
    assert all(metrics.horizontalAdvance(line.rstrip()) <= WIDTH + 1 for line in lines)
    assert "".join(lines) == text + "x" * 200


def test_sentences_fill_a_page(qapp: QApplication) -> None:
    speech = make(qapp)
    assert speech.empty
    assert speech.pages == 1
    assert speech.lines == []
    for sentence in ("Hello there.", " How are you?", "\nA new line.", "好的。"):
        speech.add(sentence)
    assert speech.lines == ["Hello there. How are you?", "A new line.好的。"]
    assert speech.pages == 1


def test_a_sentence_stands_on_one_page(qapp: QApplication) -> None:
    speech = make(qapp)
    short, long = "这句话不长。", "这是一句要占两行的话，因为它说了很多很多的事情，一件接着一件。"
    for sentence in (short + "\n", *(["\n" + short] * 3), "\n" + long):
        speech.add(sentence)
    assert speech.pages == 2
    assert len(speech.lines) == 4
    assert speech.turn()
    assert "".join(speech.lines) == long
    assert speech.last_page
    assert not speech.turn()


def test_a_sentence_of_many_lines_is_shared_evenly(qapp: QApplication) -> None:
    speech = make(qapp)
    speech.add("字" * 100)
    sizes = [len(speech.lines)]
    while speech.turn():
        sizes.append(len(speech.lines))
    assert len(sizes) > 1
    assert max(sizes) <= 5
    assert max(sizes) - min(sizes) <= 1


def test_what_is_read_does_not_change(qapp: QApplication) -> None:
    speech = make(qapp)
    for number in range(4):
        speech.add(f"\nline {number}")
    first = speech.lines
    for number in range(40):
        speech.add(f"\nmore {number}")
        assert speech.lines[: len(first)] == first


def test_a_book_is_for_the_chat(qapp: QApplication) -> None:
    for sentence in ("\nline", "字" * 30):
        speech = make(qapp)
        for _ in range(500):
            speech.add(sentence)
        assert speech.pages == MOST_PAGES
        while speech.turn():
            pass
        assert speech.lines[-1] == "the rest is elsewhere"
    speech = make(qapp)
    speech.add("字" * 5000)
    assert speech.pages == MOST_PAGES


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
