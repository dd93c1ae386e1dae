"""The models there are: the bundled one, and those the person brought, each in a folder of its own.

An import has three steps, so that a bad model never stands on the shelf: `unpack` copies it beside
the shelf, the guard looks at it there, `keep` puts it on.
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
from neodeskpet.figure.files.unpacker import bring_apart
from neodeskpet.figure.sprites.simple_packs import name_pictures
from neodeskpet.figure.sprites.sprite_packs import declared_name, is_pack_file_name, root_of
from neodeskpet.language import tr

_STAGING = ".new-"
_LONGEST = 60
MOST_MODELS = 24
"""In one import: each is tried for itself."""


@dataclass(frozen=True, slots=True)
class FigureEntry:
    """A model on the shelf. `path` is what `describe` takes, and what the settings remember (the
    bundled one is remembered as "").
    """

    path: Path
    bundled: bool = False


@dataclass(frozen=True, slots=True)
class UnpackedImport:
    """An import that isn't on the shelf yet: `models` are settings files in `folder`."""

    folder: Path
    models: tuple[Path, ...]
    name: str = ""
    """What was brought is called."""


class ModelLibrary:
    """`folder` holds the imported models; `bundled` is the model that comes with the app.

    All methods block. They raise ModelFileError.
    """

    def __init__(self, folder: Path, bundled: Path) -> None:
        self.folder = folder
        self.bundled = bundled

    def entries(self) -> list[FigureEntry]:
        """The bundled one first, the others by name."""
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
        """A copy of the folder, zip or settings file `source`. Give it to `keep` or `drop`. One at
        a time: what an import that never ended left behind is removed first.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for left in self.folder.glob(f"{_STAGING}*"):
                shutil.rmtree(left, ignore_errors=True)
            staging = Path(tempfile.mkdtemp(dir=self.folder, prefix=_STAGING))
        except OSError as error:
            raise file_error(source.name, str(error)) from None
        try:
            bring_apart(source, staging / "copy")
            models = find_models(staging / "copy") or _of_pictures(staging / "copy", source)
            if len(models) > MOST_MODELS:
                count = str(MOST_MODELS)
                raise file_error(source.name, tr("It holds more than {count} models.", count=count))
        except ModelFileError:
            shutil.rmtree(staging, ignore_errors=True)
            raise
        name = root_of(source).name if is_pack_file_name(source.name) else source.stem
        return UnpackedImport(staging, tuple(models), name)

    def add(self, unpacked: UnpackedImport, models: tuple[Path, ...]) -> list[Path]:
        """Put those of its models on the shelf; their new places, as `describe` takes them."""
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
        """Forget an import."""
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
    """The figure that plain pictures are. Raises ModelFileError if there are none."""
    try:
        found = name_pictures(copy, source.stem)
    except OSError as error:
        raise file_error(source.name, str(error)) from None
    if found is None:
        raise file_error(
            source.name,
            tr("There is no figure here: no .model3.json, model.json, pet.json or actions.xml."),
        )
    return [found]


def _name_of(model: Path, brought: str) -> str:
    """A folder's name for a model, which every file system takes."""
    stem = model.name.split(".")[0]
    if is_pack_file_name(model.name):
        place = root_of(model).name
        stem = declared_name(model) or (brought if place in ("copy", "img") else place)
    elif stem.lower() in ("model", "index") and model.parent.name != "copy":
        stem = model.parent.name
    cleaned = re.sub(r"[^\w\- ]+", "_", stem).strip(" _.")
    return cleaned[:_LONGEST] or "model"
