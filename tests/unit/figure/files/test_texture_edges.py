from __future__ import annotations

from pathlib import Path

from PIL import Image

from neodeskpet.figure.files.texture_edges import bleed_edges, copy_with_bled_edges


def dot(colour: tuple[int, int, int, int]) -> Image.Image:
    picture = Image.new("RGBA", (64, 48), (0, 0, 0, 0))
    picture.paste(colour, (20, 20, 28, 28))
    return picture


def test_colour_spreads_under_transparent_pixels() -> None:
    made = bleed_edges(dot((255, 0, 0, 255)))
    assert made.getpixel((24, 24)) == (255, 0, 0, 255)
    assert made.getpixel((30, 24)) == (255, 0, 0, 0)
    assert made.getpixel((0, 0)) == (255, 0, 0, 0)


def test_visible_pixels_are_unchanged() -> None:
    picture = dot((10, 20, 30, 128))
    made = bleed_edges(picture)
    assert made.getchannel("A").tobytes() == picture.getchannel("A").tobytes()
    assert made.getpixel((24, 24)) == (10, 20, 30, 128)


def test_empty_and_odd_sizes() -> None:
    assert bleed_edges(Image.new("RGBA", (3, 5))).size == (3, 5)
    assert bleed_edges(Image.new("RGB", (1, 1), (9, 9, 9))).getpixel((0, 0)) == (9, 9, 9, 255)
    assert bleed_edges(Image.new("P", (33, 7))).mode == "RGBA"


def test_files_are_copied(tmp_path: Path) -> None:
    dot((200, 100, 50, 255)).quantize(8).save(tmp_path / "a.png")
    copy_with_bled_edges(tmp_path / "a.png", tmp_path / "b.png")
    with Image.open(tmp_path / "b.png") as made:
        assert made.mode == "RGBA"
        assert made.size == (64, 48)


def test_a_very_large_one_is_copied_unchanged(tmp_path: Path) -> None:
    Image.new("P", (8192, 2049)).save(tmp_path / "a.png")
    copy_with_bled_edges(tmp_path / "a.png", tmp_path / "b.png")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
