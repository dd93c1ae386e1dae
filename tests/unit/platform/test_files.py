"""Private files: complete or not at all, and only for the user."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from neodeskpet.platform.private_files import broken_copy_path, last_good_path, write_private


def test_it_is_written_completely_and_only_for_the_user(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    path.write_text("old", encoding="utf-8")
    write_private(path, "新")
    assert path.read_text(encoding="utf-8") == "新"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [found.name for found in tmp_path.iterdir()] == ["keys.json"]


def test_a_partial_file_of_a_crashed_process_is_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    (tmp_path / f".keys.json.{os.getpid()}.part").write_text("half", encoding="utf-8")
    write_private(path, "whole")
    assert path.read_text(encoding="utf-8") == "whole"


def test_a_file_that_can_not_be_replaced_stays_and_no_partial_file_is_left(tmp_path: Path) -> None:
    folder = tmp_path / "is a folder"
    (folder / "with a file").mkdir(parents=True)
    with pytest.raises(OSError, match=r"folder|directory|empty"):
        write_private(folder, "text")
    assert [found.name for found in tmp_path.iterdir()] == ["is a folder"]


def test_copies_are_beside_their_file(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    assert last_good_path(path) == tmp_path / "keys.last-good.json"
    copy = broken_copy_path(path)
    assert (copy.parent, copy.suffix) == (tmp_path, ".json")
    assert copy.name.startswith("keys.broken-2")
