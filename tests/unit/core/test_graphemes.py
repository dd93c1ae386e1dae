"""Texts are cut between the characters that people see."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.unicode_text import cut_graphemes, is_joining

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@pytest.mark.parametrize(
    ("text", "most", "cut"),
    [
        ("abc", 5, "abc"),
        ("abc", 2, "ab"),
        ("ae\u0301b", 2, "a"),
        ("a" + FAMILY, 3, "a"),
        ("a" + FAMILY + "b", 6, "a" + FAMILY),
        ("a\U0001f44b\U0001f3fd", 2, "a"),
        ("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", 3, "\U0001f1e9\U0001f1ea"),
        ("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7x", 2, "\U0001f1e9\U0001f1ea"),
        ("a\u1100\u1161", 2, "a"),
        ("ab\u0301\u0302", 3, "a"),
        ("a\u0928\u093f", 2, "a"),
    ],
)
def test_no_grapheme_is_cut(text: str, most: int, cut: str) -> None:
    assert cut_graphemes(text, most) == cut


@given(st.text(), st.integers(0, 20))
def test_the_result_is_a_prefix_and_not_longer_than_asked(text: str, most: int) -> None:
    cut = cut_graphemes(text, most)
    assert text.startswith(cut) and len(cut) <= most


def test_joiners_are_kept_between_letters_or_symbols() -> None:
    assert is_joining("می\u200cخواهم", 2)
    assert is_joining(FAMILY, 1)
    assert not is_joining("a\u200d", 1) and not is_joining("\u200da", 0)
    assert not is_joining("a\u200d b", 1)
