"""The files of a figure are found in its folder, also under names that Windows considers equal."""

from __future__ import annotations

from pathlib import Path

import pytest

from neodeskpet.figure.files.file_lookup import find_file


def put(root: Path, name: str) -> Path:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("x")
    return file


def test_the_exact_name_has_priority(tmp_path: Path) -> None:
    upper, lower = put(tmp_path, "IMG/Shime1.PNG"), put(tmp_path, "img/shime1.png")
    assert find_file(tmp_path, "img\\shime1.png") == (lower, 1)
    assert find_file(tmp_path, "IMG/Shime1.PNG") == (upper, 1)


@pytest.mark.parametrize("name", ["img/shime1.png", "Img/SHIME1.png", "iMG\\shime1.PNG"])
def test_another_case_is_found(tmp_path: Path, name: str) -> None:
    file = put(tmp_path, "IMG/Shime1.PNG")
    assert find_file(tmp_path, name) == (file, 1)


@pytest.mark.parametrize("name", ["img/no.png", "no/shime1.png", "IMG", ""])
def test_a_missing_file_is_missing(tmp_path: Path, name: str) -> None:
    put(tmp_path, "IMG/Shime1.PNG")
    with pytest.raises(ValueError, match="missing"):
        find_file(tmp_path, name)


@pytest.mark.parametrize("name", ["../secret.txt", "img/../../secret.txt", "../SECRET.txt"])
def test_nothing_outside_is_found(tmp_path: Path, name: str) -> None:
    put(tmp_path, "secret.txt")
    root = tmp_path / "figure"
    put(root, "IMG/a.png")
    with pytest.raises(ValueError, match=r"outside|missing"):
        find_file(root, name)


def test_a_link_that_leads_outside_is_missing(tmp_path: Path) -> None:
    secret = put(tmp_path, "secret.png")
    root = tmp_path / "figure"
    root.mkdir()
    (root / "A.PNG").symlink_to(secret)
    with pytest.raises(ValueError, match="missing"):
        find_file(root, "a.png")
