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
def library(tmp_path: Path) -> ModelLibrary:
    return ModelLibrary(tmp_path / "models", NEO)


def bring(library: ModelLibrary, source: Path) -> list[Path]:
    unpacked = library.unpack(source)
    return library.add(unpacked, unpacked.models)


def test_the_bundled_figure_always_exists(library: ModelLibrary) -> None:
    assert library.entries() == [FigureEntry(NEO, bundled=True)]


def test_several_are_imported_and_removed(library: ModelLibrary, tmp_path: Path) -> None:
    toy = make_model(tmp_path / "toy").parent
    old = shutil.make_archive(str(tmp_path / "old"), "zip", make_old_model(tmp_path / "o").parent)
    assert bring(library, toy) == [library.folder / "toy"]
    assert bring(library, toy) == [library.folder / "toy 2"]
    assert [path.parent for path in bring(library, Path(old))] == [library.folder]
    entries = library.entries()
    assert len(entries) == 4
    assert all(describe_model(entry.path).expressions for entry in entries)
    library.delete(FigureEntry(library.folder / "toy"))
    assert FigureEntry(library.folder / "toy") not in library.entries()
    assert len(library.entries()) == 3
    assert toy.is_dir()


def test_one_folder_with_several_models(library: ModelLibrary, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "toys").parent
    shutil.copyfile(folder / "toy.model3.json", folder / "twin.model3.json")
    make_model(folder / "inner")
    kept = bring(library, folder)
    assert len(kept) == 3
    assert {entry.path for entry in library.entries()[1:]} == set(kept)
    assert all(describe_model(path).name for path in kept)
    library.delete(FigureEntry(kept[2]))
    assert len(library.entries()) == 1


def test_only_chosen_ones_are_kept(library: ModelLibrary, tmp_path: Path) -> None:
    make_model(tmp_path / "both" / "a")
    make_old_model(tmp_path / "both" / "b")
    unpacked = library.unpack(tmp_path / "both")
    assert len(unpacked.models) == 2
    assert library.entries() == [FigureEntry(NEO, bundled=True)], "not yet in the library"
    kept = library.add(unpacked, unpacked.models[:1])
    assert [entry.path for entry in library.entries()[1:]] == kept
    assert not unpacked.folder.exists()


def test_a_folder_without_a_model_is_refused_and_leaves_nothing(
    library: ModelLibrary, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelFileError, match=r"no \.model3\.json"):
        library.unpack(tmp_path / "empty")
    assert list(library.folder.iterdir()) == []


def test_too_many_models_are_refused(library: ModelLibrary, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "toys").parent
    for number in range(MOST_MODELS):
        shutil.copyfile(folder / "toy.model3.json", folder / f"toy{number}.model3.json")
    with pytest.raises(ModelFileError, match=str(MOST_MODELS)):
        library.unpack(folder)
    assert list(library.folder.iterdir()) == []


def test_nothing_else_can_be_removed(library: ModelLibrary, tmp_path: Path) -> None:
    toy = make_model(tmp_path / "toy").parent
    for entry in (FigureEntry(NEO, bundled=True), FigureEntry(toy), FigureEntry(library.folder)):
        with pytest.raises(ModelFileError, match="imported"):
            library.delete(entry)
    assert toy.is_dir()


def test_a_file_in_the_place_of_the_library(tmp_path: Path) -> None:
    (tmp_path / "models").write_text("")
    library = ModelLibrary(tmp_path / "models", NEO)
    assert len(library.entries()) == 1
    with pytest.raises(ModelFileError):
        library.unpack(make_model(tmp_path / "toy").parent)


def test_packs_of_pictures_are_imported_in_every_form(tmp_path: Path) -> None:
    library = ModelLibrary(tmp_path / "models", NEO)
    blobby = pet(tmp_path / "Blobby")
    cat = shimeji(tmp_path / "Cat")
    zipped = Path(shutil.make_archive(str(tmp_path / "Zipped"), "zip", blobby.parent))
    picture = tmp_path / "photo.png"
    blob((20, 20), (9, 9, 9)).save(picture)
    kept = []
    for source in (blobby.parent, blobby, cat, zipped, picture):
        unpacked = library.unpack(source)
        kept += library.add(unpacked, unpacked.models)
    names = ["Blobby", "Blobby 2", "Cat", "Blobby 3", "photo"]
    assert [path.relative_to(library.folder).parts[0] for path in kept] == names
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
def test_a_pet_has_the_name_in_its_file(tmp_path: Path, told: dict[str, object], name: str) -> None:
    library = ModelLibrary(tmp_path / "models", NEO)
    unpacked = library.unpack(pet(tmp_path / "blob-1.2", **told).parent)
    (kept,) = library.add(unpacked, unpacked.models)
    assert name_at(kept) == name
    assert kept.is_relative_to(library.folder)
