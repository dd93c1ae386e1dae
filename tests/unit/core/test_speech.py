from __future__ import annotations

import textwrap

from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.speech_pages import (
    MOST_PAGES,
    PillKind,
    SpeechPages,
    pill,
    readable_text,
    split_pills,
)

WIDE = 10


def breaks(text: str) -> list[str]:
    """Lines of ten characters."""
    parts = text.split("\n")
    return [part[at : at + WIDE] for part in parts for at in range(0, len(part), WIDE)]


def make() -> SpeechPages:
    return SpeechPages(breaks, 5, "elsewhere")


def test_a_sentence_of_many_lines_is_split_evenly() -> None:
    speech = make()
    assert speech.empty
    assert (speech.pages, speech.lines, speech.text) == (1, [], "")
    speech.add("字" * 10 * 8)
    sizes = [len(speech.lines)]
    while speech.next_page():
        sizes.append(len(speech.lines))
    assert sizes == [4, 4]


def test_a_long_sentence_is_divided_between_its_clauses() -> None:
    speech = make()
    clauses = ("字" * 24 + "，", "词" * 21 + "；", "句" * 19 + "。")
    speech.add("".join(clauses))
    pages = ["".join(speech.lines)]
    while speech.next_page():
        pages.append("".join(speech.lines))
    assert pages == [clauses[0] + clauses[1], clauses[2]]
    english = make()
    english.add(" It costs 1,000,000 or so, more or less, and it is kept in the barn behind it.")
    pages = [english.text]
    while english.next_page():
        pages.append(english.text)
    assert len(pages) == 2 and pages[0].endswith("less,")


def test_a_clause_of_several_pages_is_shared_evenly() -> None:
    speech = make()
    speech.add("字" * 80 + "，" + "词" * 9)
    sizes = [len(speech.lines)]
    while speech.next_page():
        sizes.append(len(speech.lines))
    assert all(size <= 5 for size in sizes) and sum(sizes) == 10
    many = make()
    many.add("字词句话说，" * 800)
    assert many.pages == MOST_PAGES and many.full


def test_text_that_is_being_read_does_not_change() -> None:
    speech = make()
    for number in range(4):
        speech.add(f"\nline {number}")
    first = speech.lines
    for number in range(40):
        speech.add(f"\nmore {number}")
        assert speech.lines[: len(first)] == first


def test_a_very_long_text_is_shown_in_the_chat_only() -> None:
    for sentence in ("\nline", "字" * 30):
        speech = make()
        for _ in range(500):
            speech.add(sentence)
        assert speech.pages == MOST_PAGES
        while speech.next_page():
            pass
        assert speech.lines[-1] == "elsewhere"
    speech = make()
    speech.add("字" * 5000)
    assert speech.pages == MOST_PAGES
    speech.close()
    empty = make()
    empty.close()
    assert empty.lines == ["elsewhere"]


def test_lines_of_a_reply_have_pages_of_their_own() -> None:
    speech = make()
    speech.add("One. ")
    speech.add("Two.")
    assert speech.end_line("smile")
    assert not speech.end_line("sad"), "no text"
    speech.add(" \n")
    assert speech.pages == 1
    speech.add("字" * 10 * 8)
    assert speech.end_line("")
    speech.add("The end.")
    assert speech.end_line("wink")
    read = [(speech.text[:4], speech.expression)]
    while speech.next_page():
        read.append((speech.text[:4], speech.expression))
    assert read == [("One.", "smile"), ("字字字字", ""), ("字字字字", ""), ("The ", "wink")]


def test_too_many_lines_are_shown_in_the_chat_only() -> None:
    speech = make()
    for _ in range(MOST_PAGES + 3):
        speech.add("A line.")
        speech.end_line("smile")
    assert speech.pages == MOST_PAGES
    while speech.next_page():
        pass
    assert speech.lines == ["A line.", "elsewhere"]


def test_a_new_sentence_changes_only_the_last_line() -> None:
    broken: list[str] = []

    def breaks(text: str) -> list[str]:
        broken.append(text)
        return textwrap.wrap(text, 20, drop_whitespace=False)

    speech = SpeechPages(breaks, 5)
    for _ in range(12):
        speech.add(" 1. 2.")
    assert speech.pages == 1 and speech.lines == [
        line.rstrip() for line in textwrap.wrap("1. 2." + " 1. 2." * 11, 20, drop_whitespace=False)
    ]
    assert max(map(len, broken)) <= 20 + len(" 1. 2.")


def test_lines_are_joined_as_they_were_written() -> None:
    """A screen reader and the voice get no space within Chinese text."""
    speech = SpeechPages(breaks, 5)
    speech.add("火车九点四十二分从三号站台开出。")
    assert speech.text == "火车九点四十二分从三号站台开出。"
    speech.add("\n- 两张")
    assert speech.text == "火车九点四十二分从三号站台开出。 - 两张"
    english = SpeechPages(lambda text: textwrap.wrap(text, 10, drop_whitespace=False), 5)
    english.add("Your train leaves at nine.")
    assert len(english.lines) > 1
    assert english.text == "Your train leaves at nine."


@given(st.lists(st.text("ab 字。\n", min_size=1, max_size=12), max_size=12))
def test_the_text_of_a_page_only_grows(sentences: list[str]) -> None:
    speech = SpeechPages(breaks, 5)
    for sentence in sentences:
        before, pages = speech.marked_text, speech.pages
        speech.add(sentence)
        if pages == 1:
            assert speech.marked_text.startswith(before)
        assert "".join(speech.text.split()) == "".join("".join(speech.lines).split())


def test_a_pill_stands_for_what_is_not_text() -> None:
    table = pill(PillKind.TABLE, "表格 3 × 4")
    line = f"见 {table}。"
    assert split_pills(line) == [(None, "见 "), (PillKind.TABLE, "表格 3 × 4"), (None, "。")]
    assert readable_text(line) == "见 表格 3 × 4。"
    assert readable_text(line, lambda kind, _: kind.name) == "见 TABLE。"
    assert split_pills("plain") == [(None, "plain")]
    assert split_pills(table) == [(PillKind.TABLE, "表格 3 × 4")]
    speech = SpeechPages(lambda text: [text], 5)
    speech.add(line)
    assert speech.text == readable_text(line) and speech.marked_text == line
