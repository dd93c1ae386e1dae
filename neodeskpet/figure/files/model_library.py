"""The library of models: the bundled one and the imported ones, each in a folder of its own.

An import has three steps, so that the library never contains a bad model: `unpack` copies it beside
the library, the guard checks it there, `add` moves it into the library.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.files.model_import import remove_folder
from neodeskpet.figure.files.model_reader import file_error, find_models
from neodeskpet.figure.files.unpacker import unpack_in_child
from neodeskpet.figure.sprites.simple_packs import name_pictures
from neodeskpet.figure.sprites.sprite_packs import declared_name, is_pack_file_name, root_of
from neodeskpet.language import tr

_STAGING = ".new-"
_LONGEST = 60
MOST_MODELS = 24
"""The largest number of models in one import: each is checked separately."""


@dataclass(frozen=True, slots=True)
class FigureEntry:
    """A model in the library. `path` is the argument for `describe_model` and the value in the
    settings (the bundled one is stored as "").
    """

    path: Path
    bundled: bool = False


@dataclass(frozen=True, slots=True)
class UnpackedImport:
    """An import that isn't in the library yet: `models` are settings files in `folder`."""

    folder: Path
    models: tuple[Path, ...]
    name: str = ""
    """The name of the imported file or folder."""


class ModelLibrary:
    """The library. `folder` contains the imported models; `bundled` is the model that comes with
    the app.

    All methods block. They raise ModelFileError.
    """

    def __init__(self, folder: Path, bundled: Path) -> None:
        self.folder = folder
        self.bundled = bundled

    def entries(self) -> list[FigureEntry]:
        """Return all models, the bundled one first, the others by name."""
        found = [FigureEntry(self.bundled, bundled=True)]
        try:
            folders = sorted(path for path in self.folder.iterdir() if path.is_dir())
        except OSError:
            folders = []
        for folder in folders:
            if folder.name.startswith("."):
                continue
            models = find_models(folder)
            found += [FigureEntry(folder if len(models) == 1 else model) for model in models]
        return found

    def unpack(self, source: Path) -> UnpackedImport:
        """Copy the folder, zip or settings file `source`. Pass the result to `add` or `discard`.
        One at a time: the remains of an earlier unfinished import are removed first.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for left in self.folder.glob(f"{_STAGING}*"):
                shutil.rmtree(left, ignore_errors=True)
            staging = Path(tempfile.mkdtemp(dir=self.folder, prefix=_STAGING))
        except OSError as error:
            raise file_error(source.name, str(error)) from None
        try:
            unpack_in_child(source, staging / "copy")
            models = find_models(staging / "copy") or _of_pictures(staging / "copy", source)
            if len(models) > MOST_MODELS:
                count = str(MOST_MODELS)
                raise file_error(
                    source.name, tr("It contains more than {count} models.", count=count)
                )
        except ModelFileError:
            shutil.rmtree(staging, ignore_errors=True)
            raise
        name = root_of(source).name if is_pack_file_name(source.name) else source.stem
        return UnpackedImport(staging, tuple(models), name)

    def add(self, unpacked: UnpackedImport, models: tuple[Path, ...]) -> list[Path]:
        """Move these models of an import into the library; return their new paths for
        `describe_model`.
        """
        kept: list[Path] = []
        moved: dict[Path, Path] = {}
        try:
            for model in sorted(models, key=lambda path: len(path.parts)):
                root = next((root for root in moved if root in model.parents), root_of(model))
                if root not in moved:
                    moved[root] = self._free_place(_name_of(model, unpacked.name))
                    root.rename(moved[root])
                alone = sum(root in other.parents for other in models) == 1
                kept.append(moved[root] if alone else moved[root] / model.relative_to(root))
        except OSError as error:
            raise file_error(unpacked.models[0].name, str(error)) from None
        finally:
            self.discard(unpacked)
        return kept

    def discard(self, unpacked: UnpackedImport) -> None:
        """Delete the files of an import."""
        shutil.rmtree(unpacked.folder, ignore_errors=True)

    def delete(self, entry: FigureEntry) -> None:
        """Delete an imported model from this computer."""
        place = entry.path if entry.path.is_dir() else entry.path.parent
        if entry.bundled or self.folder.resolve() not in place.resolve().parents:
            raise file_error(place.name, tr("Only imported models can be removed."))
        top = place
        while top.parent.resolve() != self.folder.resolve():
            top = top.parent
        try:
            remove_folder(top)
        except OSError as error:
            raise file_error(place.name, str(error)) from None

    def _free_place(self, name: str) -> Path:
        place, number = self.folder / name, 2
        while place.exists():
            place, number = self.folder / f"{name} {number}", number + 1
        return place


def _of_pictures(copy: Path, source: Path) -> list[Path]:
    """Create a figure of plain pictures. Raises ModelFileError if there are none."""
    try:
        found = name_pictures(copy, source.stem)
    except OSError as error:
        raise file_error(source.name, str(error)) from None
    if found is None:
        raise file_error(
            source.name,
            tr("No figure was found: no .model3.json, model.json, pet.json or actions.xml."),
        )
    return [found]


def _name_of(model: Path, brought: str) -> str:
    """Return a folder name for a model that every file system accepts."""
    stem = model.name.split(".")[0]
    if is_pack_file_name(model.name):
        place = root_of(model).name
        stem = declared_name(model) or (brought if place in ("copy", "img") else place)
    elif stem.lower() in ("model", "index") and model.parent.name != "copy":
        stem = model.parent.name
    cleaned = re.sub(r"[^\w\- ]+", "_", stem).strip(" _.")
    return cleaned[:_LONGEST] or "model"
