"""Reading with a size limit, and the message when a file can't be read."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from neodeskpet.core.json_text import TooDeep
from neodeskpet.platform.private_files import NotRegular, TooLarge, first_bytes, read_regular
from neodeskpet.settings.config_files import read_error_reason


def test_nothing_larger_than_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert read_regular(path, 5) == b"12345"
    assert first_bytes(path, 2) == b"12"
    with pytest.raises(TooLarge):
        read_regular(path, 4)
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a sparse file: reading it would fill the memory
    with pytest.raises(TooLarge):
        read_regular(path, 1_000_000)


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
        with pytest.raises(OSError):
            read_regular(path, 10)
    with pytest.raises(NotRegular):
        first_bytes(tmp_path / "pipe", 10)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FileNotFoundError(2, "No such file"), "The file does not exist."),
        (PermissionError(13, "Permission denied"), "You don't have permission to read this file."),
        (IsADirectoryError(21, "Is a directory"), "It is a folder, not a file."),
        (OSError(5, "Input/output error"), "The file can't be read."),
        (NotRegular("x"), "It is not a regular file."),
        (TooLarge(64_000_000), "It is larger than 64 MB."),
        (TooDeep("x"), "It is nested too deeply."),
        (UnicodeDecodeError("utf-8", b"a\n\xff", 2, 3, "x"), "Line 2 is not UTF-8 text."),
        (json.JSONDecodeError("x", "a\nb", 3), "Line 2 is not valid JSON."),
        (KeyError("x"), "It is damaged, or its type doesn't match its name."),
    ],
)
def test_reasons_are_sentences_and_no_python_errors(error: Exception, said: str) -> None:
    assert str(read_error_reason(error)) == said
