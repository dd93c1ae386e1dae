"""The gallery of characters with an engine: choosing, importing and sharing."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from PySide6.QtGui import QImage, QPixmap
from pytestqt.qtbot import QtBot

from neodeskpet.app.character_gallery import GalleryActions, GalleryAdapter
from neodeskpet.app.characters import CharacterAdapter, CharacterController
from neodeskpet.app.engine import Engine, open_engine
from neodeskpet.app.figure_settings import FigureAdapter
from neodeskpet.characters.cards.card_errors import CardRefused
from neodeskpet.characters.cards.card_files import write_card
from neodeskpet.characters.cards.character_card import Card, Lorebook, LoreEntry
from neodeskpet.core.errors import KnownError
from neodeskpet.figure.files.model_guard import check_model
from neodeskpet.figure.stage import NullStage
from neodeskpet.language import set_language
from neodeskpet.llm.scripted_model import ScriptedModel
from neodeskpet.platform.installation import assets_dir
from tests.bench.mutations import small_neo


@dataclass(frozen=True)
class Desk:
    engine: Engine
    gallery: GalleryAdapter
    controller: CharacterController
    edited: list[str]

    def model(self) -> str:
        return str(self.engine.settings.value("companion", "model"))

    async def current(self) -> list[str]:
        await self.controller._work.wait_until_idle()
        return [one.name for one in await self.gallery.entries() if one.current]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of checked figures: each is checked once for all tests."""
    return tmp_path_factory.mktemp("cache")


@asynccontextmanager
async def desk(home: Path, cache: Path) -> AsyncIterator[Desk]:
    engine = await open_engine(home, model=ScriptedModel())
    storage = engine.storage
    figures = FigureAdapter(storage.home, cache, engine.settings, NullStage(), storage.personas)
    told: list[KnownError] = []
    port = CharacterAdapter(engine, figures, lambda: None)
    controller = CharacterController(
        engine, port, show=lambda: None, open_page=lambda: None, tell=told.append
    )
    edited: list[str] = []

    async def face(figure: str) -> QPixmap:
        return QPixmap.fromImage(QImage(str(await figures.picture(figure))))

    actions = GalleryActions(
        face,
        edited.append,
        lambda: edited.append("gallery"),
        lambda: edited.append("invite"),
    )
    await engine.chat.open()
    yield Desk(engine, GalleryAdapter(engine, port, figures, actions), controller, edited)
    controller.stop()
    await controller._work.wait_until_idle()
    await engine.aclose()
    assert not told


def test_one_choice_changes_face_texts_and_liveliness(
    qtbot: QtBot, tmp_path: Path, cache: Path
) -> None:
    set_language("en")

    async def scene() -> None:
        async with desk(tmp_path / "home", cache) as here:
            entries = await here.gallery.entries()
            assert len(entries) == 10 and await here.current() == ["Neo"]
            assert not any(one.own for one in entries)
            await here.gallery.choose("ready mochi")
            assert await here.current() == ["Mochi"]
            assert "Mochi" in here.model()
            assert here.engine.settings.value("companion", "welcome_back") is False
            assert here.engine.chat.conversation is not None
            store, conversation = here.engine.storage.store, here.engine.chat.conversation.id
            heads = await store.heads(conversation)
            (greeting,) = await store.messages([one.id for one in heads])
            assert "warm spot" in str(greeting)
            # The face on the card is that of the figure.
            neo, mochi = await here.gallery.face("neo"), await here.gallery.face("ready mochi")
            assert not mochi.isNull() and neo != mochi
            # It is a card of the user now, and isn't made again.
            await here.gallery.choose("neo")
            assert await here.current() == ["Neo"] and here.model() == ""
            await here.gallery.choose("ready mochi")
            assert await here.current() == ["Mochi"] and "Mochi" in here.model()
            library = here.engine.storage.characters.library
            assert [one.card.name for one in library.list_all()] == ["Mochi"]
            await here.gallery.choose("neo")
            assert await here.current() == ["Neo"] and here.model() == ""
            here.gallery.edit("ready mochi")
            here.gallery.edit("neo")
            here.gallery.invite()
            mochi_id = library.list_all()[0].id
            assert here.edited == [mochi_id, "", "invite"]

    asyncio.run(scene())


def test_a_palette_changes_only_the_texture_and_needs_no_check(
    qtbot: QtBot, tmp_path: Path
) -> None:
    """The app comes with the verdict about each palette, so nothing is tried on this computer."""

    async def scene() -> None:
        async with desk(tmp_path / "home", tmp_path / "cache") as here:
            await here.gallery.choose("ready ember")
            figure = Path(here.model())
            found = await check_model(figure, tmp_path / "other", timeout=0.0)
            assert found.reach is not None
            await here.gallery.choose("neo")
            assert here.model() == ""

    asyncio.run(scene())
    companion, models = assets_dir() / "companion", tmp_path / "home" / "models"
    (moc,) = models.rglob("*.moc3")
    found = {file.name: file.read_bytes() for file in models.rglob("*.png")}
    palette = companion / "palettes" / "ember"
    assert found == {file.name: file.read_bytes() for file in palette.iterdir()}
    assert moc.read_bytes() == (companion / "neo" / "neo.moc3").read_bytes()


def test_a_shared_file_contains_texts_world_book_and_figure(
    qtbot: QtBot, tmp_path: Path, cache: Path
) -> None:
    file = tmp_path / "luna.charx"

    async def scene() -> None:
        async with desk(tmp_path / "one", cache) as here:
            await here.gallery.choose("ready luna")
            library = here.engine.storage.characters.library
            (luna,) = library.list_all()
            book = Lorebook((LoreEntry(("rain",), "It rains on Tuesdays."),))
            changed = replace(luna, card=replace(luna.card, book=book))
            await here.gallery._characters.update(luna.id, changed)
            result = await here.gallery.share("ready luna", file)
            assert (result.figure, result.withheld) == (True, False)
        async with desk(tmp_path / "two", cache) as there:
            made = await there.gallery.import_file(file)
            await there.gallery.choose(made)
            assert await there.current() == ["Luna"]
            assert "Luna" in there.model()
            (came,) = there.engine.storage.characters.library.list_all()
            assert came.card.book is not None
            assert came.card.book.entries[0].content == "It rains on Tuesdays."
            assert came.card.greeting == luna.card.greeting
            assert not (await there.gallery.face(made)).isNull()

    asyncio.run(scene())


def test_a_figure_whose_licence_forbids_it_is_left_out(
    qtbot: QtBot, tmp_path: Path, cache: Path
) -> None:
    source = small_neo(tmp_path / "Mimi")
    (source / "neo.model3.json").rename(source / "Mimi.model3.json")
    (source / "LICENSE.txt").write_text("All rights reserved.", "utf-8")
    file = tmp_path / "mimi.charx"

    async def scene() -> None:
        async with desk(tmp_path / "one", cache) as here:
            made = await here.gallery.import_file(source)
            assert made.startswith("own ")
            await here.gallery.choose(made)
            assert await here.current() == ["Mimi"] and "Mimi" in here.model()
            result = await here.gallery.share(made, file)
            assert (result.figure, result.withheld) == (False, True)
            with zipfile.ZipFile(file) as archive:
                assert archive.namelist() == ["card.json"]
            gone = await here.gallery.share("own nobody", file)
            assert (gone.figure, gone.withheld) == (False, False)

    asyncio.run(scene())


def test_cards_pictures_and_damaged_files(qtbot: QtBot, tmp_path: Path, cache: Path) -> None:
    card = tmp_path / "fox.json"
    card.write_bytes(write_card(Card("Fox", description="{{char}} is quick."), b"", ".json"))
    wrong = tmp_path / "wrong.json"
    wrong.write_text("[]", "utf-8")
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("../../evil.model3.json", "{}")
    hostile = tmp_path / "hostile.charx"
    hostile.write_bytes(write_card(Card("Hostile"), b"", ".charx"))
    with zipfile.ZipFile(hostile, "a") as archive:
        archive.writestr("assets/other/neodeskpet-figure.zip", inner.getvalue())

    async def scene() -> None:
        async with desk(tmp_path / "one", cache) as here:
            fox = await here.gallery.import_file(card)
            entry = next(one for one in await here.gallery.entries() if one.id == fox)
            assert (entry.name, entry.line, entry.own) == ("Fox", "Fox is quick.", True)
            assert (await here.gallery.face(fox)).isNull()
            with pytest.raises(CardRefused):
                await here.gallery.import_file(wrong)
            # The texts are imported, the figure that refers to a file outside of its folder isn't.
            made = await here.gallery.import_file(hostile)
            library = here.engine.storage.characters.library
            found = library.get(made.removeprefix("own "))
            assert found is not None and found.figure is None

    asyncio.run(scene())
    assert not list(tmp_path.rglob("evil*"))


def test_a_character_is_described_and_its_face_is_made_once(qtbot: QtBot, tmp_path: Path) -> None:
    set_language("en")
    folder = tmp_path / "cache" / "faces"

    async def scene() -> None:
        async with desk(tmp_path / "home", tmp_path / "cache") as here:
            preview = await here.gallery.preview("ready mochi")
            assert "warm spot" in preview.greeting and "{{" not in preview.greeting
            assert (await here.gallery.preview("neo")).greeting == ""
            # one with a palette of its own, and one with a tint
            for number, name in enumerate(("ready mochi", "ready pixel")):
                first = await here.gallery.face(name)
                kept = {file: file.stat().st_mtime_ns for file in folder.iterdir()}
                assert not first.isNull() and len(kept) == number + 1
                assert await here.gallery.face(name) == first
                assert {file: file.stat().st_mtime_ns for file in folder.iterdir()} == kept
            entry = await here.gallery.create()
            assert [f"own {made}" for made in here.edited] == [entry]
            own = next(one for one in await here.gallery.entries() if one.id == entry)
            assert (own.own, own.ready) == (True, False)
            assert (await here.gallery.preview(entry)).licence == ""

    asyncio.run(scene())
