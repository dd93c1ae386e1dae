"""The text that describes an attached file."""

from __future__ import annotations

from neodeskpet.ui.formatting import format_file_info


def test_how_much_of_it_is_read() -> None:
    assert format_file_info(1500, 0, 0, cut=False) == "1.5 KiB"
    assert format_file_info(1500, 3, 3, cut=False) == "1.5 KiB · 3 pages"
    assert format_file_info(1500, 9, 3, cut=True) == "1.5 KiB · only pages 1–3 of 9"
    assert format_file_info(1500, 0, 0, cut=True) == "1.5 KiB · only the beginning"
