"""Days and moments as text."""

from __future__ import annotations

from datetime import datetime

import pytest

from neodeskpet.core.schedule.vocabulary import moment_in_words, moments_in_words, show_moment


@pytest.mark.parametrize(
    ("text", "english", "chinese"),
    [
        ("2026-12-04", "Fri, 4 Dec", "12月4日 周五"),
        ("2026-12-04 17:00:30", "Fri, 4 Dec 17:00", "12月4日 周五 17:00"),
        ("2026-12-04 Fri", "Fri, 4 Dec", "12月4日 周五"),
        ("2026-12-04 四 17:00", "Fri, 4 Dec 17:00", "12月4日 周五 17:00"),
        ("2027-12-04 17:00", "Sat, 4 Dec 2027 17:00", "2027年12月4日 周六 17:00"),
        ("17:00", "17:00", "17:00"),
        ("2026-13-04", "2026-13-04", "2026-13-04"),
        ("from 2026-12-04", "from 2026-12-04", "from 2026-12-04"),
    ],
)  # fmt: skip
def test_a_moment_in_numbers_is_shown_in_words(text: str, english: str, chinese: str) -> None:
    assert moment_in_words(text, 2026, chinese=False) == english
    assert moment_in_words(text, 2026, chinese=True) == chinese


def test_each_moment_of_a_text_is_shown_in_words() -> None:
    text = "from 2026-12-04 to 2026-12-05 Sat 09:30, notes-2026-12-04.txt"
    shown = "from Fri, 4 Dec to Sat, 5 Dec 09:30, notes-2026-12-04.txt"
    assert moments_in_words(text, 2026, chinese=False) == shown


def test_the_form_without_translation_is_read_again() -> None:
    shown = show_moment(datetime(2026, 12, 4, 17))
    assert shown == "2026-12-04 Fri 17:00"
    assert moment_in_words(shown, 2026, chinese=True) == "12月4日 周五 17:00"
