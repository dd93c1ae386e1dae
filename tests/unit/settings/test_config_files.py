"""Configuration files that people edit by hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from neodeskpet.settings.config_files import ConfigFile, stamp_of


def test_text_is_read_with_or_without_a_bom(tmp_path: Path) -> None:
    file = tmp_path / "card.json"
    for data in ("你好".encode(), "你好".encode("utf-8-sig")):
        file.write_bytes(data)
        assert ConfigFile(file, 9).read() == "你好"


@pytest.mark.parametrize(
    ("data", "reason"), [(b"ten bytes.", "it is too large"), (b"a\nb\n\xff", "line 3: UTF-8")]
)
def test_errors_have_reasons(tmp_path: Path, data: bytes, reason: str) -> None:
    file = tmp_path / "card.json"
    file.write_bytes(data)
    with pytest.raises(ValueError, match=reason):
        ConfigFile(file, 9).read()


def test_invalid_json_is_copied(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text("{,}")
    assert ConfigFile(file, 99).write_values("{,}", {"a": 1}) == '{\n  "a": 1\n}\n'
    (copy,) = tmp_path.glob("settings.broken-*.json")
    assert copy.read_text() == "{,}"


def test_a_missing_file(tmp_path: Path) -> None:
    assert stamp_of(tmp_path / "none") is None
    with pytest.raises(FileNotFoundError):
        ConfigFile(tmp_path / "none", 9).read()


def test_a_change_is_visible_in_the_stamp(tmp_path: Path) -> None:
    file = tmp_path / "card.json"
    file.write_text("one")
    before = stamp_of(file)
    assert stamp_of(file) == before
    os.utime(file, ns=(1, 1))
    assert stamp_of(file) != before
