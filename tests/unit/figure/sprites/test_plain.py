"""Plain pictures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.sprites.simple_packs import FIGURE_FILE, name_pictures, read_plain
from tests.unit.figure.sprites.packs import blob, film


def test_a_folder_of_pictures_becomes_a_figure(tmp_path: Path) -> None:
    film(tmp_path / "idle.png")
    film(tmp_path / "happy.webp", kind="WEBP")
    (tmp_path / "readme.txt").write_text("Mine.")
    file = name_pictures(tmp_path, "Cat")
    assert file is not None
    recipe = read_plain(file)
    assert recipe.name == "Cat"
    assert [strip.animated for strip in recipe.strips.values()] == [0, 1]
    assert set(recipe.strips) == {"idle", "happy"}


def test_one_picture_is_the_standing_figure(tmp_path: Path) -> None:
    blob((20, 20), (9, 9, 9)).save(tmp_path / "photo of a cat.png")
    file = name_pictures(tmp_path, "Cat")
    assert file is not None
    assert list(read_plain(file).strips) == ["idle"]


def test_an_empty_picture(tmp_path: Path) -> None:
    assert name_pictures(tmp_path, "Cat") is None


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ("{}", "required"),
        (json.dumps({"pictures": {}}), "at least 1"),
        (json.dumps({"pictures": {"idle": "../x.png"}}), "outside"),
        (json.dumps({"pictures": {"idle": "x" * 400}}), "missing"),
    ],
)
def test_errors_have_reasons(tmp_path: Path, told: str, reason: str) -> None:
    file = tmp_path / FIGURE_FILE
    file.write_text(told)
    with pytest.raises(ModelFileError, match=reason):
        read_plain(file)
