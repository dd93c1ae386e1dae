from __future__ import annotations

import textwrap

from neodeskpet.core.speech_bubble import MOST_PAGES, SpeechPages

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
