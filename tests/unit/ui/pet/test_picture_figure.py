"""A figure made of pictures on a surface: its visible pixels are clickable."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from PySide6.QtGui import QColor, QImage
from qasync import QEventLoop

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.files.model_description import HitArea
from neodeskpet.figure.poses import Pose
from neodeskpet.figure.sprites.importer_child import import_pack
from neodeskpet.figure.sprites.sprite_figure import SPRITE_FIGURE_FILE
from neodeskpet.figure.sprites.sprite_packs import describe_pack, read_pack_content
from neodeskpet.platform.installation import assets_dir
from neodeskpet.ui.pet.gl_surface import opaque_bounds
from neodeskpet.ui.pet.pet_window import PetWindow
from neodeskpet.ui.pet.picture_figure import PictureFigure, load_sheets
from neodeskpet.ui.pet.window_placement import FIGURE_HEIGHT
from tests.unit.figure.models import NEO
from tests.unit.figure.sprites.packs import pet
from tests.unit.ui.pet.conftest import run_until


@pytest.fixture
def figure(qapp: object, tmp_path: Path) -> PictureFigure:
    file, out = pet(tmp_path / "blob"), tmp_path / "out"
    out.mkdir()
    found = describe_pack(file, import_pack(read_pack_content(file), out))
    sheets = tuple(out / name for name in found.pictures.sheets) if found.pictures else ()
    surface = QImage(200, 300, QImage.Format.Format_ARGB32_Premultiplied)
    surface.fill(0)
    found = replace(found, root=out, textures=sheets)
    return PictureFigure(found, asyncio.run(load_sheets(found)), surface, Random(1), 0.0)


def test_it_is_drawn_where_it_reports_to_be(figure: PictureFigure) -> None:
    picture = figure.snapshot(400)
    box, share = opaque_bounds(picture), figure.shape.figure
    assert box is not None
    assert box.left == pytest.approx(share.left * picture.width(), abs=3)
    assert box.bottom == pytest.approx(share.bottom * picture.height(), abs=3)


@pytest.mark.parametrize(("tall", "shown"), [(70, 210), (100, 200), (150, 150), (220, 220)])
def test_a_small_drawing_has_its_own_size_or_a_multiple(
    figure: PictureFigure, tall: int, shown: int
) -> None:
    body = figure.description.pictures
    assert body is not None
    left, top, right, _ = body.figure
    small = body.model_copy(update={"figure": (left, top, right, top + tall)})
    scaled = PictureFigure(
        replace(figure.description, pictures=small),
        asyncio.run(load_sheets(figure.description)),
        QImage(200, 300, QImage.Format.Format_ARGB32_Premultiplied),
        Random(1),
        0.0,
    )
    assert scaled.shape.size * FIGURE_HEIGHT == pytest.approx(shown)


def test_every_visible_point_is_clickable(figure: PictureFigure) -> None:
    picture = figure.snapshot(200)
    figure.set_size(picture.width(), picture.height())
    head, wrong = figure.shape.head.bottom * picture.height(), 0
    for x in range(1, picture.width(), 9):
        for y in range(1, picture.height(), 9):
            seen = picture.pixelColor(x, y).alpha() >= 24
            wanted = ("Head" if y <= head else "Body") if seen else ""
            wrong += figure.touch_area_at(x + 0.5, y + 0.5) != wanted
    assert wrong == 0


def test_an_area_drawn_by_hand(figure: PictureFigure) -> None:
    nose = HitArea("Nose", box=(0.0, 0.0, 1.0, 1.0))
    figure.set_description(replace(figure.description, hit_areas=(nose,)), 1.0)
    figure.set_size(100, 150)
    assert figure.touch_area_at(50.0, 80.0) == "Nose"


def test_it_is_drawn_on_its_surface_and_photographed(figure: PictureFigure) -> None:
    figure.set_size(200, 300)
    figure.actor.pose(Pose.WORKING, 0.0)
    figure.draw(0.1, 0.03)
    assert opaque_bounds(figure._surface) is not None  # type: ignore[arg-type]
    portrait = figure.portrait(64)
    assert (portrait.width(), portrait.height()) == (64, 64)
    assert portrait.pixelColor(32, 32) != QColor(0, 0, 0, 0)
    figure.close()


def test_neos_portrait_shows_the_whole_head(qapp: object) -> None:
    found = describe_pack(assets_dir() / "companion" / "pictures" / SPRITE_FIGURE_FILE)
    surface = QImage(200, 300, QImage.Format.Format_ARGB32_Premultiplied)
    neo = PictureFigure(found, asyncio.run(load_sheets(found)), surface, Random(1), 0.0)
    head, whole = neo.shape.head, neo.shape.figure
    assert 0.5 < head.height / whole.height < 0.7
    portrait = neo.portrait(96)
    eyes = [
        portrait.pixelColor(x, y).lightness() < 60 and portrait.pixelColor(x, y).alpha() > 200
        for y in range(40, 80)
        for x in range(20, 76)
    ]
    assert sum(eyes) > 60
    neo.close()


def test_a_portrait_shows_the_face_wherever_the_head_is(qapp: object) -> None:
    found = describe_pack(assets_dir() / "companion" / "pictures" / SPRITE_FIGURE_FILE)
    surface = QImage(200, 300, QImage.Format.Format_ARGB32_Premultiplied)
    neo = PictureFigure(found, asyncio.run(load_sheets(found)), surface, Random(1), 0.0)
    for pose in (Pose.GREETING, Pose.HAPPY, Pose.ASLEEP, Pose.THINKING, Pose.SORRY, Pose.ASKING):
        neo.actor.pose(pose, 0.0)
        for tenth in range(1, 30, 4):
            neo.draw(tenth / 10, 0.4)
            portrait = neo.portrait(48)
            face = [
                portrait.pixelColor(x, y).alpha() > 200
                for y in range(24, 40)
                for x in range(12, 36)
            ]
            assert sum(face) > 0.9 * len(face), f"{pose}, {tenth / 10} s: it is beside its portrait"
    neo.close()


def test_a_sheet_that_was_changed(figure: PictureFigure) -> None:
    figure.description.textures[0].write_bytes(b"nothing")
    with pytest.raises(ModelFileError):
        asyncio.run(load_sheets(figure.description))


@pytest.fixture
def without_core(loop: QEventLoop, tmp_path: Path) -> Iterator[PetWindow]:
    pet_window = PetWindow(tmp_path / "cache", core=False)
    yield pet_window
    pet_window.release_model()


def test_without_the_core_pictures_work_and_models_are_refused(
    without_core: PetWindow, loop: QEventLoop, cache: Path, tmp_path: Path
) -> None:
    window, faults, ready = without_core, [], []
    window.failed.connect(faults.append)
    window.ready.connect(ready.append)
    pack = pet(tmp_path / "blob", 11)

    async def load(path: Path) -> None:
        window.load(path)

    window.show()
    loop.run_until_complete(load(pack))
    run_until(loop, lambda: bool(ready))
    assert not window.snapshot().isNull()
    assert not window.portrait(48).isNull()
    assert window.parameters() == {}
    assert window.motions()["waving"] == 1
    loop.run_until_complete(load(NEO))
    run_until(loop, lambda: bool(faults))
    assert "Live2D" in str(faults[0])
