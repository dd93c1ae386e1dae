"""Hidden characters are written out; ordinary text stays unchanged."""

import json

import pytest

from neodeskpet.core.unicode_text import has_hidden_chars, is_surely_visible, show_hidden_chars


@pytest.mark.parametrize(
    "text",
    [
        "plain text\n\twith breaks",
        "中文，「引号」　全角",
        "naïve – “quotes” … €",
        "שלום עולם",
        "👍🏽 ☀️",
        "",
    ],
)
def test_ordinary_text_is_unchanged(text: str) -> None:
    assert show_hidden_chars(text) == text
    assert not has_hidden_chars(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a\\u202eb"),
        ("rm\u200b x", "rm\\u200b x"),
        ("\x1b[2J", "\\u001b[2J"),
        ("a\rb", "a\\u000db"),
        ("a\u2028b", "a\\u2028b"),
        ("a\u00a0b", "a\\u00a0b"),
        ("\u3164", "\\u3164"),
        ("a\ufe01", "a\\ufe01"),
        ("\ud83d", "\\ud83d"),
        ("\U000e0041", "\\udb40\\udc41"),
        ("👩\u200d👧", "👩\\u200d👧"),
    ],
)
def test_hidden_characters_are_written_out(text: str, shown: str) -> None:
    assert show_hidden_chars(text) == shown
    assert has_hidden_chars(text)


def test_json_keeps_its_meaning() -> None:
    value = {"a\u202e": "b\u200b\U000e0041"}
    assert json.loads(show_hidden_chars(json.dumps(value, ensure_ascii=False))) == value


def test_a_long_text_read_in_pieces_has_the_same_result() -> None:
    hidden = "a\u202eb\u3164\U000e0101\ufe00"
    text = "word 字\n\t\u3000" * 4_000 + hidden + "é" * 20_000 + hidden
    written = r"a\u202eb\u3164\udb40\udd01\ufe00"
    assert show_hidden_chars(text) == text.replace(hidden, written)


def test_the_quick_check_misses_no_hidden_character() -> None:
    glance = [letter for letter in map(chr, range(0x110000)) if is_surely_visible(letter)]
    assert len(glance) > 100_000
    assert show_hidden_chars("".join(glance[:10_000])) == "".join(glance[:10_000])
    assert [letter for letter in glance if show_hidden_chars(letter) != letter] == []
