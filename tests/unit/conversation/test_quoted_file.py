"""A text file in a message."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from neodeskpet.conversation.quoted_file import LONGEST, NotQuotable, quote_file
from neodeskpet.language import say


def test_it_stands_in_a_block_under_its_name(tmp_path: Path) -> None:
    file = tmp_path / "main.py"
    file.write_text('print("```")\r\n', encoding="utf-8", newline="")
    assert quote_file(file) == 'main.py:\n\n````py\nprint("```")\n````\n'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_in_the_usual_encodings(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "信"
    file.write_text("你好，世界", encoding=encoding)
    assert quote_file(file) == "信:\n\n```\n你好，世界\n```\n"


def test_what_cant_be_taken_is_said(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "book.pdf").write_bytes(b"%PDF\x00\x01\xff")
    (tmp_path / "odd").write_bytes(b"\xff\xff\xff")
    (tmp_path / "long.txt").write_text("x" * (LONGEST + 1))
    (tmp_path / "huge.txt").write_text("x" * (5 * LONGEST))
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "locked").symlink_to("locked")
    for name, words in (
        ("folder", "folder"),
        ("book.pdf", "neither"),
        ("odd", "neither"),
        ("long.txt", "32,000"),
        ("huge.txt", "32,000"),
        ("pipe", "no file"),
        ("gone", "any more"),
        ("locked", "any more"),
    ):
        with pytest.raises(NotQuotable) as refused:
            quote_file(tmp_path / name)
        what, hint = say(refused.value)
        assert name in what
        assert words in what
        assert hint == ""
