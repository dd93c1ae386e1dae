"""The bundled figure in another colour."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from neodeskpet.figure.files.tint import copy_with_textures, tint_figure, tint_image

TEAL, CREAM, CLEAR = (40, 190, 180, 255), (250, 230, 200, 255), (0, 0, 0, 0)


def test_only_teal_is_tinted() -> None:
    image = Image.new("RGBA", (3, 1))
    for at, colour in enumerate((TEAL, CREAM, CLEAR)):
        image.putpixel((at, 0), colour)
    made = tint_image(image, 180, 1.0, 1.0)
    red, green, blue, alpha = made.getpixel((0, 0))
    assert red > 150 > green and alpha == 255 and abs(green - blue) < 40
    assert made.getpixel((1, 0)) == pytest.approx(CREAM, abs=3)
    assert made.getpixel((2, 0))[3] == 0
    grey = tint_image(image, 0, 0.0, 0.5).getpixel((0, 0))
    assert max(grey[:3]) - min(grey[:3]) <= 1 and grey[0] < 120


def test_a_figure_is_copied_with_tinted_textures(tmp_path: Path) -> None:
    source = tmp_path / "neo"
    (source / "textures").mkdir(parents=True)
    (source / "neo.model3.json").write_text("{}", "utf-8")
    Image.new("RGBA", (2, 2), TEAL).save(source / "textures" / "a.png")
    tint_figure(source, tmp_path / "made", 180, 1.0, 1.0)
    assert (tmp_path / "made" / "neo.model3.json").read_text("utf-8") == "{}"
    with Image.open(tmp_path / "made" / "textures" / "a.png") as made:
        assert made.getpixel((0, 0))[0] > 150
    with Image.open(source / "textures" / "a.png") as kept:
        assert kept.getpixel((0, 0)) == TEAL


def test_a_figure_is_copied_with_other_textures(tmp_path: Path) -> None:
    source = tmp_path / "neo"
    (source / "textures").mkdir(parents=True)
    (source / "neo.model3.json").write_text("{}", "utf-8")
    Image.new("RGBA", (2, 2), TEAL).save(source / "textures" / "a.png")
    (tmp_path / "other").mkdir()
    Image.new("RGBA", (2, 2), CREAM).save(tmp_path / "other" / "a.png")
    copy_with_textures(source, tmp_path / "made", tmp_path / "other")
    assert (tmp_path / "made" / "neo.model3.json").is_file()
    changed, other = tmp_path / "made" / "textures" / "a.png", tmp_path / "other" / "a.png"
    assert changed.read_bytes() == other.read_bytes()
    assert (source / "textures" / "a.png").read_bytes() != other.read_bytes()
