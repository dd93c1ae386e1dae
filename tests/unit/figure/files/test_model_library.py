from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.files.model_library import MOST_MODELS, FigureEntry, ModelLibrary
from neodeskpet.figure.files.model_reader import describe_model, name_at
from tests.unit.figure.models import NEO, make_model, make_old_model
from tests.unit.figure.sprites.packs import blob, pet, shimeji


@pytest.fixture
def shelf(tmp_path: Path) -> ModelLibrary:
    return ModelLibrary(tmp_path / "models", NEO)


def bring(shelf: ModelLibrary, source: Path) -> list[Path]:
    unpacked = shelf.unpack(source)
    return shelf.add(unpacked, unpacked.models)


def test_the_bundled_one_is_always_there(shelf: ModelLibrary) -> None:
    assert shelf.entries() == [FigureEntry(NEO, bundled=True)]


def test_several_are_brought_and_removed(shelf: ModelLibrary, tmp_path: Path) -> None:
    toy = make_model(tmp_path / "toy").parent
    old = shutil.make_archive(str(tmp_path / "old"), "zip", make_old_model(tmp_path / "o").parent)
    assert bring(shelf, toy) == [shelf.folder / "toy"]
    assert bring(shelf, toy) == [shelf.folder / "toy 2"]
    assert [path.parent for path in bring(shelf, Path(old))] == [shelf.folder]
    entries = shelf.entries()
    assert len(entries) == 4
    assert all(describe_model(entry.path).expressions for entry in entries)
    shelf.delete(FigureEntry(shelf.folder / "toy"))
    assert FigureEntry(shelf.folder / "toy") not in shelf.entries()
    assert len(shelf.entries()) == 3
    assert toy.is_dir()


def test_one_folder_with_several_models(shelf: ModelLibrary, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "toys").parent
    shutil.copyfile(folder / "toy.model3.json", folder / "twin.model3.json")
    make_model(folder / "inner")
    kept = bring(shelf, folder)
    assert len(kept) == 3
    assert {entry.path for entry in shelf.entries()[1:]} == set(kept)
    assert all(describe_model(path).name for path in kept)
    shelf.delete(FigureEntry(kept[2]))
    assert len(shelf.entries()) == 1


def test_only_chosen_ones_are_kept(shelf: ModelLibrary, tmp_path: Path) -> None:
    make_model(tmp_path / "both" / "a")
    make_old_model(tmp_path / "both" / "b")
    unpacked = shelf.unpack(tmp_path / "both")
    assert len(unpacked.models) == 2
    assert shelf.entries() == [FigureEntry(NEO, bundled=True)], "not yet on the shelf"
    kept = shelf.add(unpacked, unpacked.models[:1])
    assert [entry.path for entry in shelf.entries()[1:]] == kept
    assert not unpacked.folder.exists()


def test_a_folder_without_a_model_is_refused_and_leaves_nothing(
    shelf: ModelLibrary, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelFileError, match=r"no \.model3\.json"):
        shelf.unpack(tmp_path / "empty")
    assert list(shelf.folder.iterdir()) == []


def test_more_models_than_can_be_tried_are_refused(shelf: ModelLibrary, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "toys").parent
    for number in range(MOST_MODELS):
        shutil.copyfile(folder / "toy.model3.json", folder / f"toy{number}.model3.json")
    with pytest.raises(ModelFileError, match=str(MOST_MODELS)):
        shelf.unpack(folder)
    assert list(shelf.folder.iterdir()) == []


def test_nothing_else_can_be_removed(shelf: ModelLibrary, tmp_path: Path) -> None:
    toy = make_model(tmp_path / "toy").parent
    for entry in (FigureEntry(NEO, bundled=True), FigureEntry(toy), FigureEntry(shelf.folder)):
        with pytest.raises(ModelFileError, match="imported"):
            shelf.delete(entry)
    assert toy.is_dir()


def test_a_file_where_the_shelf_should_be(tmp_path: Path) -> None:
    (tmp_path / "models").write_text("")
    shelf = ModelLibrary(tmp_path / "models", NEO)
    assert len(shelf.entries()) == 1
    with pytest.raises(ModelFileError):
        shelf.unpack(make_model(tmp_path / "toy").parent)


def test_packs_of_pictures_are_brought_in_every_way(tmp_path: Path) -> None:
    shelf = ModelLibrary(tmp_path / "models", NEO)
    blobby = pet(tmp_path / "Blobby")
    cat = shimeji(tmp_path / "Cat")
    zipped = Path(shutil.make_archive(str(tmp_path / "Zipped"), "zip", blobby.parent))
    picture = tmp_path / "photo.png"
    blob((20, 20), (9, 9, 9)).save(picture)
    kept = []
    for source in (blobby.parent, blobby, cat, zipped, picture):
        unpacked = shelf.unpack(source)
        kept += shelf.add(unpacked, unpacked.models)
    names = ["Blobby", "Blobby 2", "Cat", "Blobby 3", "photo"]
    assert [path.relative_to(shelf.folder).parts[0] for path in kept] == names
    assert all(describe_model(path).motions for path in kept)
    assert [name_at(path) for path in kept] == names


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ({"displayName": "小圆"}, "小圆"),
        ({"displayName": "Sir Blob"}, "Sir Blob"),
        ({"displayName": "../../etc"}, "etc"),
        ({"displayName": ""}, "blob-1"),
        ({"displayName": 7}, "blob-1"),
    ],
)
def test_a_pet_is_called_what_it_calls_itself(
    tmp_path: Path, told: dict[str, object], name: str
) -> None:
    shelf = ModelLibrary(tmp_path / "models", NEO)
    unpacked = shelf.unpack(pet(tmp_path / "blob-1.2", **told).parent)
    (kept,) = shelf.add(unpacked, unpacked.models)
    assert name_at(kept) == name
    assert kept.is_relative_to(shelf.folder)
