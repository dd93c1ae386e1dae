"""A pack becomes a sprite figure: cut, trimmed, aligned to the ground and packed into sheets."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.sprites.importer_child import (
    MOST_ANIMATED_FRAMES,
    TALLEST_FRAME,
    import_pack,
)
from neodeskpet.figure.sprites.simple_packs import name_pictures
from neodeskpet.figure.sprites.sprite_figure import SpriteFigure, read_sprite_figure
from neodeskpet.figure.sprites.sprite_packs import read_pack_content
from neodeskpet.figure.sprites.sprite_thumbnails import SpriteThumbnails
from tests.unit.figure.sprites.packs import atlas, blob, film, pet, shimeji


def developed(file: Path, out: Path) -> SpriteFigure:
    out.mkdir()
    body = import_pack(read_pack_content(file), out)
    assert read_sprite_figure(out) == body
    return body


@pytest.mark.parametrize(("rows", "columns", "looks"), [(9, 8, 0), (11, 8, 16), (8, 9, 0)])
def test_a_pet(tmp_path: Path, rows: int, columns: int, looks: int) -> None:
    body = developed(pet(tmp_path / "blob", rows, columns), tmp_path / "out")
    assert len(body.animations) == min(rows, 9)
    assert len(body.looks) == looks
    assert [len(one.frames) for one in body.animations.values()][:3] == [6, 8, 8]
    assert body.notes["waving"] == "wave hello"
    assert not body.smooth
    left, top, right, bottom = body.figure
    assert (right - left, bottom - top) == (36, 45), "trimmed to the drawn pixels"
    assert bottom == body.canvas[1], "stands on the ground"


def test_a_shimeji_pack(tmp_path: Path) -> None:
    body = developed(shimeji(tmp_path / "cat"), tmp_path / "out")
    assert body.towards == "left"
    assert body.animations["Bouncing"].frames[0].seconds == pytest.approx(0.16)


def test_an_animated_picture(tmp_path: Path) -> None:
    film(tmp_path / "cat.webp", 5, "WEBP")
    file = name_pictures(tmp_path, "Cat")
    assert file is not None
    body = developed(file, tmp_path / "out")
    assert [frame.seconds for frame in body.animations["idle"].frames] == [0.08] * 5


def test_a_large_picture_is_scaled_down(tmp_path: Path) -> None:
    blob((1200, 3000), (9, 99, 9)).save(tmp_path / "cat.png")
    file = name_pictures(tmp_path, "Cat")
    assert file is not None
    body = developed(file, tmp_path / "out")
    assert body.canvas[1] <= TALLEST_FRAME
    assert body.smooth


def test_equal_pictures_are_stored_once(tmp_path: Path) -> None:
    body = developed(shimeji(tmp_path / "cat"), tmp_path / "out")
    stand, walk = body.animations["Stand"], body.animations["Walk"]
    assert stand.frames[0].cel == walk.frames[0].cel


def test_an_invalid_sheet(tmp_path: Path) -> None:
    file = pet(tmp_path / "blob")
    atlas().resize((400, 401)).save(tmp_path / "blob" / "spritesheet.webp")
    (tmp_path / "out").mkdir()
    with pytest.raises(ModelFileError, match="sheet of cells"):
        import_pack(read_pack_content(file), tmp_path / "out")


def test_an_empty_pack(tmp_path: Path) -> None:
    file = pet(tmp_path / "blob")
    Image.new("RGBA", (384, 468)).save(tmp_path / "blob" / "spritesheet.webp", lossless=True)
    (tmp_path / "out").mkdir()
    with pytest.raises(ModelFileError, match="no picture"):
        import_pack(read_pack_content(file), tmp_path / "out")


def test_a_film_that_is_too_long(tmp_path: Path) -> None:
    frames = [Image.new("L", (1, 1), n % 2 * 255) for n in range(MOST_ANIMATED_FRAMES + 1)]
    frames[0].save(tmp_path / "cat.gif", save_all=True, append_images=frames[1:], duration=20)
    file = name_pictures(tmp_path, "Cat")
    assert file is not None
    (tmp_path / "out").mkdir()
    with pytest.raises(ModelFileError, match="frames"):
        import_pack(read_pack_content(file), tmp_path / "out")


def test_its_pictures(tmp_path: Path) -> None:
    developed(pet(tmp_path / "blob"), tmp_path / "out")
    album = SpriteThumbnails(tmp_path / "out")
    assert album.picture(200).height == 200
    assert [shot.name for shot in album.motions(60)][:2] == ["idle", "running-right"]
    assert list(album.expressions(60)) == []
