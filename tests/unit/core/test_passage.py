"""The passage of a message that a search result shows."""

from __future__ import annotations

from neodeskpet.core.blocks import Message, MessageState, Role, Text, Thinking
from neodeskpet.core.text_search import SearchPattern, passage_around, searchable_text


def test_an_answer_is_shown_without_its_markup() -> None:
    blocks = (Thinking(0, 0, "hm"), Text(1, 0, "A **bo**ld [link](x)\n\n---\n\n- one"))
    answer = Message("a", Role.ASSISTANT, blocks, MessageState.DONE, 1.0)
    assert searchable_text(answer).split("\n")[0] == "A bold link"
    assert "one" in searchable_text(answer) and "hm" not in searchable_text(answer)


def test_the_users_text_is_shown_unchanged() -> None:
    said = Message("q", Role.USER, (Text(0, 0, "**so**"),), MessageState.DONE, 1.0)
    assert searchable_text(said) == "**so**"


def test_the_part_around_the_words() -> None:
    words = "word " * 30
    shown = passage_around(f"{words}needle\nand {words * 9}", SearchPattern(["needle"]))
    ((start, end),) = shown.marks
    assert shown.text[start:end] == "needle" and shown.text.startswith("…word")
    assert len(shown.text) <= 162 and "\n" not in shown.text
    tight = passage_around("字" * 60 + "针" + "字" * 9, SearchPattern(["针"]))
    assert tight.text == "…" + "字" * 24 + "针" + "字" * 9 and tight.marks == ((25, 26),)


def test_the_beginning_if_nothing_is_marked() -> None:
    assert passage_around("a b", SearchPattern(["c"])).text == "a b"
