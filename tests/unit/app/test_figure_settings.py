"""The adapter of figures: library, guard and stage together."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from neodeskpet.app.figure_settings import FigureAdapter
from neodeskpet.app.services import figure_at
from neodeskpet.characters.persona_files import PersonaStore
from neodeskpet.core.errors import KnownError, ModelFileError
from neodeskpet.figure.files.figure_settings import FigureSettings, PartSettings
from neodeskpet.figure.stage import NullStage
from neodeskpet.platform.async_tasks import running, spawn_task
from neodeskpet.settings.store import SettingsStore
from tests.bench.mutations import small_neo
from tests.unit.figure.models import make_model


class Place:
    """A data folder with its desk, and a valid figure to import."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.settings = SettingsStore(folder / "settings.json", environ={})
        self.stage = NullStage()
        self.personas = PersonaStore(self.home / "personas", figure_at(self.home, ""))
        self.desk = FigureAdapter(
            self.home, folder / "cache", self.settings, self.stage, self.personas
        )
        self.source = small_neo(folder / "Mochi")
        (self.source / "neo.model3.json").rename(self.source / "Mochi.model3.json")

    @property
    def chosen(self) -> object:
        return self.settings.value("companion", "model")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("desk"))


def test_a_figure_is_imported_named_and_removed(place: Place) -> None:
    async def scenario() -> None:
        desk = place.desk
        archive = await asyncio.to_thread(
            shutil.make_archive, str(place.source), "zip", place.source
        )
        path = await desk.add(Path(archive))
        assert [tile.title for tile in await desk.tiles()] == ["Neo", "Mochi"]
        await desk.choose(path)
        assert place.chosen == path
        picture = await desk.picture(path)
        assert picture.read_bytes().startswith(b"\x89PNG")
        before = picture.stat().st_mtime_ns
        assert (await desk.picture(path)).stat().st_mtime_ns == before, "drawn once"
        parts = await desk.parts(path)
        assert parts.editable
        face = parts.description.expressions[0]
        noted = await desk.note(path, parts.side.with_expression(face, PartSettings(title="calm")))
        assert "calm" in noted.description.expressions
        assert place.stage.commands[-1] == ("load", Path(path))
        assert "calm" in place.stage.expressions()
        await desk.show_expression("calm")
        await desk.show_motion("Idle", 0)
        assert place.stage.commands[-2:] == [("express", "calm"), ("play", "Idle", 0)]
        await desk.remove(path)
        assert place.chosen == ""
        assert [tile.title for tile in await desk.tiles()] == ["Neo"]

    asyncio.run(scenario())


def test_an_invalid_figure_is_not_imported(place: Place, tmp_path: Path) -> None:
    toy = make_model(tmp_path / "toy")
    with pytest.raises(ModelFileError, match=r"toy\.moc3"):
        asyncio.run(place.desk.add(toy.parent))
    assert list((place.home / "models").iterdir()) == []
    with pytest.raises(ModelFileError):
        asyncio.run(place.desk.choose(str(toy)))
    assert place.chosen == ""


def test_a_cancelled_import_leaves_nothing(place: Place) -> None:
    async def scenario() -> None:
        coming = spawn_task(place.desk.add(place.source), name="an import")
        await asyncio.sleep(0)
        coming.cancel()
        with pytest.raises(asyncio.CancelledError):
            await coming
        await asyncio.wait(running())

    asyncio.run(scenario())
    assert list((place.home / "models").iterdir()) == []


def test_of_several_the_valid_ones_are_imported(place: Place, tmp_path: Path) -> None:
    shutil.copytree(place.source, tmp_path / "both" / "good")
    make_model(tmp_path / "both" / "bad")

    async def scenario() -> None:
        path = await place.desk.add(tmp_path / "both")
        assert Path(path).name == "Mochi"
        await place.desk.remove(path)

    asyncio.run(scenario())


def test_a_figure_elsewhere_is_shown_but_can_not_be_removed(place: Place, tmp_path: Path) -> None:
    place.settings.change("companion", "model", str(tmp_path / "gone"))

    async def scenario() -> None:
        desk = place.desk
        neo, gone = await desk.tiles()
        assert (neo.path, neo.removable, neo.problem) == ("", False, "")
        assert not gone.removable
        assert gone.problem
        with pytest.raises(KnownError):
            await desk.remove(str(tmp_path / "gone"))
        with pytest.raises(ModelFileError, match="imported"):
            await desk.note("", FigureSettings())
        assert not (await desk.parts("")).editable

    asyncio.run(scenario())
