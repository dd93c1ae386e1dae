"""What is said of a file."""

from __future__ import annotations

from neodeskpet.ui.chat.items.files.words import file_words


def test_how_much_of_it_is_read() -> None:
    assert file_words(1500, 0, 0, cut=False) == "1.5 KiB"
    assert file_words(1500, 3, 3, cut=False) == "1.5 KiB · 3 pages"
    assert file_words(1500, 9, 3, cut=True) == "1.5 KiB · only pages 1–3 of 9"
    assert file_words(1500, 0, 0, cut=True) == "1.5 KiB · only the beginning"
