"""Own colours of a character's figure, the next worn part, and the words of the album."""

from __future__ import annotations

import asyncio
import zipfile
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import pytest
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
from neodeskpet.figure.files.tint import DEFAULT_COLOURS, OwnColours
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
            assert await look.colours() == DEFAULT_COLOURS
            assert not (await look.preview(VIOLET)).isNull()
            await look.set_colours(VIOLET)
            assert await here.current() == ["Captain Ember"]
            assert here.model() != before
            assert await look.colours() == VIOLET
            (ember,) = here.engine.storage.characters.library.list_all()
            assert ember.figure == here.model()
            result = await here.gallery.share("ready ember", file)
            assert (result.figure, result.withheld) == (True, False)
            await here.gallery.choose("neo")
            assert await here.current() == ["Neo"] and here.model() == ""
            assert await look.colours() == DEFAULT_COLOURS
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
    assert (folder / "LICENSE").is_file()
    with zipfile.ZipFile(file) as archive:
        assert "assets/other/neodeskpet-figure.zip" in archive.namelist()
    pet.close()
    pet.deleteLater()


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
