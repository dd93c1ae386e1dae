"""Which figures may be shared."""

from __future__ import annotations

from pathlib import Path

import pytest

from neodeskpet.figure.files.figure_licence import licence_name, may_be_shared
from neodeskpet.platform.installation import assets_dir


@pytest.mark.parametrize(
    ("text", "shared"),
    [
        ("Licensed under the Creative Commons Attribution 4.0 International License", True),
        ("MIT License\n\nCopyright (c) 2026 Ana", True),
        ("CC0 1.0", True),
        ("本模型可自由转载", True),
        ("Creative Commons Attribution-NonCommercial 4.0", False),
        ("CC BY-ND 4.0", False),
        ("MIT License for the code. The model must not be redistributed.", False),
        ("Live2D Free Material License Agreement", False),
        ("CC BY 4.0 … 禁止转载", False),
        ("Have fun!", False),
    ],
)
def test_the_licence_decides(tmp_path: Path, text: str, shared: bool) -> None:
    (tmp_path / "ReadMe.txt").write_text(text, "utf-8")
    assert may_be_shared(tmp_path) is shared


def test_a_figure_without_a_licence_is_not_shared(tmp_path: Path) -> None:
    (tmp_path / "a.model3.json").write_text("MIT License", "utf-8")
    assert may_be_shared(tmp_path) is False


def test_the_bundled_figure_may_be_shared() -> None:
    assert may_be_shared(assets_dir() / "companion") is True


def test_the_text_of_the_licence(tmp_path: Path) -> None:
    assert licence_name(tmp_path) == ""
    (tmp_path / "ReadMe.txt").write_text("Published under CC BY  4.0.", "utf-8")
    assert licence_name(tmp_path) == "CC BY"
    assert licence_name(assets_dir() / "companion") != ""
