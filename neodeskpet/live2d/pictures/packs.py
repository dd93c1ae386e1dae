"""Which files are the settings of a body made of pictures, and what such a body can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from neodeskpet.live2d.files.description import Dropped, HitArea, ModelDescription, Notes
from neodeskpet.live2d.files.side_file import SIDE_FILE, SideFile, dress, read_side
from neodeskpet.live2d.pictures.body import BODY_FILE, PictureBody, read_body
from neodeskpet.live2d.pictures.codex import called, read_pet
from neodeskpet.live2d.pictures.plain import FIGURE_FILE, read_plain
from neodeskpet.live2d.pictures.recipe import Recipe
from neodeskpet.live2d.pictures.shimeji import ACTIONS, ALONE, pack_root, read_pack

_READERS: Mapping[str, Callable[[Path], Recipe]] = {
    "pet.json": read_pet,
    FIGURE_FILE: read_plain,
    **dict.fromkeys(ACTIONS, read_pack),
    ALONE: read_pack,
}
SHIPPED = BODY_FILE
"""The form that the app itself writes and comes with; strangers' are never read in it."""


def names_pack(name: str) -> bool:
    """Whether a file of this name holds the settings of such a body."""
    return name.lower() in _READERS


def is_pack(file: Path) -> bool:
    """Whether these settings are those of such a body, a stranger's or our own."""
    return file.name == SHIPPED or names_pack(file.name)


def own_name(file: Path) -> str:
    """What the figure of these settings calls itself, "" where it doesn't say."""
    return called(file) if _READERS.get(file.name.lower()) is read_pet else ""


def root_of(file: Path) -> Path:
    """The folder of all that belongs to the settings in `file`."""
    return pack_root(file) if file.name.lower() in (*ACTIONS, ALONE) else file.parent


def read_recipe(file: Path) -> Recipe:
    """Raises ModelFileError."""
    return _READERS[file.name.lower()](file)


def describe_pack(file: Path, body: PictureBody | None = None) -> ModelDescription:
    """What the body of these settings can do: by its text alone, or as it was developed (`body`).
    Raises ModelFileError.
    """
    if file.name == SHIPPED:
        body = body or read_body(file.parent)
        return dress(_described(file, body, body.name, (), ()), SideFile())
    recipe = read_recipe(file)
    dropped = [Dropped(name, reason) for name, reason in recipe.left_out]
    try:
        side = read_side(root_of(file))
    except ValueError as error:
        side = SideFile()
        dropped.append(Dropped(SIDE_FILE, str(error)))
    found = _described(file, body, recipe.name, recipe.files, tuple(dropped))
    if body is None:
        acts = MappingProxyType(dict.fromkeys(recipe.strips, 1))
        found = _with_names(found, (), acts, recipe.notes)
    return dress(found, side)


def _described(
    file: Path,
    body: PictureBody | None,
    name: str,
    files: tuple[Path, ...],
    dropped: tuple[Dropped, ...],
) -> ModelDescription:
    found = ModelDescription(
        name=name,
        file=file,
        root=root_of(file),
        version=0,
        settings="",
        moc=file,
        textures=files,
        hit_areas=(HitArea("Head"), HitArea("Body")),
        dropped=dropped,
        pictures=body,
    )
    if body is None:
        return found
    return _with_names(found, tuple(body.faces), body.acts, body.notes)


def _with_names(
    found: ModelDescription,
    faces: tuple[str, ...],
    acts: Mapping[str, int],
    notes: Mapping[str, str],
) -> ModelDescription:
    return replace(
        found,
        expressions=faces,
        motions=MappingProxyType(dict(acts)),
        notes=Notes(
            {name: notes[name] for name in faces if name in notes},
            {name: notes[name] for name in acts if name in notes},
        ),
    )
