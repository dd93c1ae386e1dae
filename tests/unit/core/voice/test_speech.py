"""What is spoken of a line, and the mouth that goes with the sound."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.voice.speech import LIP_MS, mouth_levels, speakable, spoken_language


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("Hello there! 😀👍🏽", "Hello there!"),
        ("*waves* Good morning.", "Good morning."),
        ("Good night. *yawns loudly*", "Good night."),
        ("I said *no* to it [3].", "I said no to it [3]."),
        ("Call 555-1234.", "Call 555-1234."),
        ("See https://example.com/a?b=c for more.", "See for more."),
        ("**Very** important.", "Very important."),
        ("🎉", ""),
        ("…", ""),
        ("", ""),
    ],
)
def test_what_is_spoken(text: str, spoken: str) -> None:
    assert speakable(text) == spoken


@pytest.mark.parametrize(
    ("text", "language"), [("我用 Python 写代码", "zh"), ("Hello", "en"), ("42", "en")]
)
def test_the_language_is_that_of_the_letters(text: str, language: str) -> None:
    assert spoken_language(text) == language


@given(st.text(max_size=200))
def test_any_text_has_words_or_nothing(text: str) -> None:
    spoken = speakable(text)
    assert not spoken or any(character.isalnum() for character in spoken)
    assert spoken == spoken.strip()


def test_the_mouth_follows_the_loudness() -> None:
    rate = 24_000
    step = rate * LIP_MS // 1000
    pcm = array("h", [0] * step + [3_000] * step + [20_000] * step + [20_000]).tobytes()
    assert mouth_levels(pcm, rate) == [0.0, 0.5, 1.0, 1.0]
    assert mouth_levels(b"", rate) == []
