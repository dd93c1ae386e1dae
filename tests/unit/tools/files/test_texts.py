"""Text files keep their encoding and line ends, and are never partly written."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.tools.files.text_files import TextFile, decode_file, diff_text, replace_file


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\ufeff")))
def test_a_written_text_is_read_again(text: str) -> None:
    assert decode_file(TextFile("").content(text)).text == text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_encoding_and_line_ends_are_kept(encoding: str, newline: str) -> None:
    raw = f"你好{newline}世界{newline}".encode(encoding)
    file = decode_file(raw)
    assert file.text == "你好\n世界\n"
    assert file.content(file.text) == raw


def test_text_that_the_encoding_can_not_hold_is_written_in_utf_8() -> None:
    assert decode_file(b"caf\xe9\xff\xff").content("茶") == "茶".encode()


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    folder = tmp_path / "a.txt"
    folder.mkdir()
    (folder / "in it").write_text("x")
    with pytest.raises(OSError):
        replace_file(folder, b"new")
    assert [one.name for one in tmp_path.iterdir()] == ["a.txt"]


def test_a_difference_is_a_unified_diff() -> None:
    assert diff_text("a\nb", "a\nc", "f") == "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c"
