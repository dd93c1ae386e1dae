"""Sentences as they are spoken, and how much of a reply the user heard."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.voice.heard_text import (
    PlayedSentence,
    cut_at_heard,
    heard_part,
    split_clauses,
    split_sentences,
)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        ("Hello there.", ["Hello there."]),
        ("Hello there. How are you?", ["Hello there.", "How are you?"]),
        ("Yes! That is right.", ["Yes! That is right."]),
        ("The U.S. law says 3.5 at most. Fine...", ["The U.S. law says 3.5 at most.", "Fine..."]),
        (
            "Ask Dr. Lee about it, e.g. today. Thanks for that.",
            ["Ask Dr. Lee about it, e.g. today.", "Thanks for that."],
        ),
        (
            "I was thinking... maybe not. But wait... What is it?",
            ["I was thinking... maybe not.", "But wait...", "What is it?"],
        ),
        (
            "今天天气很好，我们出去走走吧。你想去哪里呢？",
            ["今天天气很好，我们出去走走吧。", "你想去哪里呢？"],
        ),
        ("好。那我们现在就出发吧！", ["好。那我们现在就出发吧！"]),
        ("One line is here\nand another one", ["One line is here", "and another one"]),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@given(st.text())
def test_no_letter_is_lost(text: str) -> None:
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("position", "heard"),
    [
        (0.5, ""),
        (1.0, ""),
        (1.1, ""),
        (1.55, "Hello"),
        (2.0, "Hello wide"),
        (3.0, "Hello wide world"),
    ],
)
def test_a_sentence_is_heard_word_by_word(position: float, heard: str) -> None:
    assert heard_part(PlayedSentence("Hello wide world", 1.0, 2.2), position) == heard


def test_a_chinese_character_is_a_word_and_a_sentence_without_sound_counts_as_heard() -> None:
    assert heard_part(PlayedSentence("你好世界", 0.0, 1.0), 0.6) == "你好"
    assert heard_part(PlayedSentence("Hm", 1.0, 1.0), 1.0) == "Hm"
    assert heard_part(PlayedSentence("Hm", 1.0, 1.0), 0.5) == ""


@pytest.mark.parametrize(
    ("heard", "cut"),
    [
        ("", ""),
        ("It is", "**It is"),
        ("It is warm. It is", "**It is** warm. It is"),
        ("It is warm. It is dry and sunny", "**It is** warm. It is dry 😀 and `sunny"),
        ("words that were never said at all", "**It is** warm. It is dry 😀 and `sunny`."),
    ],
)
def test_a_reply_is_cut_after_the_last_heard_word(heard: str, cut: str) -> None:
    assert cut_at_heard("**It is** warm. It is dry 😀 and `sunny`.", heard) == cut


def test_unspoken_text_before_it_is_kept() -> None:
    reply = "看这里：\n```py\nprint(1)\n```\n这段代码会打印一个数字。很简单吧？"
    assert cut_at_heard(reply, "看这里：这段代码会打印").endswith("这段代码会打印")


def test_a_number_that_is_spoken_differently_does_not_matter() -> None:
    assert cut_at_heard("It is 21 °C in the old town.", "It is 21 degrees Celsius in the old") == (
        "It is 21 °C in the old"
    )


def test_clauses_end_at_commas_unless_they_are_short() -> None:
    assert split_clauses("Yes, when it rains, we stay. 今天天气真的特别特别好，我们去公园吧。") == [
        "Yes, when it rains,",
        "we stay.",
        "今天天气真的特别特别好，",
        "我们去公园吧。",
    ]
    assert split_clauses("It costs 1,000.") == ["It costs 1,000."]
    assert split_clauses("") == []
