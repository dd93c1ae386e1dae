"""Own colours of a character's figure, the next worn part, and the words of the album."""

from __future__ import annotations

import asyncio
import zipfile
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from neodeskpet.app.activities.album import Album
from neodeskpet.app.look_adapter import (
    LookAdapter,
    LookServices,
    moment_caption,
    together_words,
)
from neodeskpet.figure.behaviour.seasons import SeasonSettings
from neodeskpet.figure.files.tint import DEFAULT_COLOURS, PALETTE_COLOURS, OwnColours
from neodeskpet.figure.live2d.library import bundled_figure_path
from neodeskpet.language import set_language
from neodeskpet.ui.pet.pet_window import PetWindow
from tests.unit.app.test_character_gallery import Desk, desk

VIOLET = OwnColours("#a06cd5", "#f2c14e")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def adapter(here: Desk, pet: PetWindow, birthday: tuple[int, int] | None = None) -> LookAdapter:
    gallery = here.gallery
    services = LookServices(
        here.engine,
        gallery._figures,
        gallery._characters,
        pet,
        lambda: SeasonSettings(birthday=birthday),
    )
    return LookAdapter(services, now=lambda: datetime(2026, 11, 29, 12))


def test_a_character_keeps_its_colours_and_takes_them_along(
    qtbot: QtBot, tmp_path: Path, cache: Path
) -> None:
    set_language("en")
    file = tmp_path / "ember.charx"
    pet = PetWindow(tmp_path, core=False)

    shared: list[Path] = []

    async def scene() -> None:
        async with desk(tmp_path / "one", cache) as here:
            await here.gallery.choose("ready ember")
            assert await here.current() == ["Captain Ember"]
            before = here.model()
            look = adapter(here, pet)
            assert await look.colours() == PALETTE_COLOURS["ember"]
            assert not (await look.preview(VIOLET)).isNull()
            await look.set_colours(VIOLET)
            assert await here.current() == ["Captain Ember"]
            assert here.model() != before
            assert await look.colours() == VIOLET
            assert not await look.colours_tail()
            (ember,) = here.engine.storage.characters.library.list_all()
            assert ember.figure == here.model()
            result = await here.gallery.share("ready ember", file)
            assert (result.figure, result.withheld) == (True, False)
            await here.gallery.choose("neo")
            assert await here.current() == ["Neo"] and here.model() == ""
            assert await look.colours() == DEFAULT_COLOURS
            assert await look.colours_tail()
            await here.gallery.choose("ready ember")
            assert await here.current() == ["Captain Ember"] and here.model() == ember.figure
            await look.set_colours(None)
            assert await here.current() == ["Captain Ember"] and here.model() == before
        async with desk(tmp_path / "two", cache) as there:
            made = await there.gallery.import_file(file)
            await there.gallery.choose(made)
            assert await there.current() == ["Captain Ember"]
            shared.append(Path(there.model()))

    asyncio.run(scene())
    (folder,) = shared
    (own,) = folder.rglob("texture_00.png")
    usual = next(bundled_figure_path().rglob("texture_00.png"))
    assert QImage(str(own)) != QImage(str(usual))
    ember = bundled_figure_path().parent / "palettes" / "ember" / own.name
    _assert_tail_and_paws_kept(usual, own, ember)
    assert (folder / "LICENSE").is_file()
    with zipfile.ZipFile(file) as archive:
        assert "assets/other/neodeskpet-figure.zip" in archive.namelist()
    pet.close()
    pet.deleteLater()


def _assert_tail_and_paws_kept(neo: Path, made: Path, ember: Path) -> None:
    """The paws are violet in Neo's palette; the tail tip has the colours of its hair there, and no
    other part of the first texture is pale yellow in Ember's.
    """
    usual, changed, own = (_pixels(file) for file in (neo, made, ember))
    paws = _near(usual, (80, 60, 148)) & (usual[..., 3] == 255)
    tail = _near(own, (255, 220, 140)) & _near(usual, (79, 202, 196)) & (own[..., 3] == 255)
    hair = _near(own, (245, 138, 54)) & _near(usual, (79, 202, 196)) & (own[..., 3] == 255)
    for part in (paws, tail):
        assert part.sum() > 1_000
        apart = np.abs(changed[part].astype(int) - own[part].astype(int)).max(axis=-1)
        assert (apart <= 6).mean() > 0.98
    assert hair.sum() > 1_000
    assert (changed[hair][:, 2] > changed[hair][:, 1]).mean() > 0.98, "the hair is violet"


def _pixels(file: Path) -> NDArray[np.uint8]:
    with Image.open(file) as image:
        return np.asarray(image.convert("RGBA"))


def _near(pixels: NDArray[np.uint8], colour: tuple[int, int, int]) -> NDArray[np.bool_]:
    near: NDArray[np.bool_] = (
        np.abs(pixels[..., :3].astype(int) - np.array(colour)).max(axis=-1) <= 14
    )
    return near


def test_the_words_of_the_album() -> None:
    set_language("en")
    kinds = ("turn 1", "turn 1000", "days 30", "focus 1", "holiday mid_autumn 2026")
    assert [moment_caption(one) for one in kinds] == [
        "The first talk",
        "1,000 turns",
        "30 days together",
        "The first focus session together",
        "Mid-Autumn Festival 2026",
    ]
    album = Album(days=2, first=date(2026, 11, 1), last=date(2026, 11, 29))
    assert together_words(album) == "2 days together since 1 Nov 2026"
    assert together_words(replace(album, first=None)) == "Today is the first day."
