"""Detects the files that describe a sprite figure (a figure made of pictures), and describes what
such a figure can do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from neodeskpet.figure.files.figure_settings import (
    FIGURE_SETTINGS_FILE,
    FigureSettings,
    apply_figure_settings,
    read_figure_settings,
)
from neodeskpet.figure.files.model_description import (
    DroppedFile,
    HitArea,
    ModelDescription,
    PartNotes,
)
from neodeskpet.figure.sprites.pack_content import PackContent
from neodeskpet.figure.sprites.shimeji_pack import (
    ACTIONS_FILE,
    SINGLE_PICTURE,
    pack_root,
    read_pack,
)
from neodeskpet.figure.sprites.simple_packs import (
    FIGURE_FILE,
    pet_display_name,
    read_pet,
    read_plain,
)
from neodeskpet.figure.sprites.sprite_figure import (
    SPRITE_FIGURE_FILE,
    SpriteFigure,
    read_sprite_figure,
)

_READERS: Mapping[str, Callable[[Path], PackContent]] = {
    "pet.json": read_pet,
    FIGURE_FILE: read_plain,
    **dict.fromkeys(ACTIONS_FILE, read_pack),
    SINGLE_PICTURE: read_pack,
}
SHIPPED_FORMAT = SPRITE_FIGURE_FILE
"""The form that the app writes and that bundled figures have; untrusted files are never
read in it.
"""


def is_pack_file_name(name: str) -> bool:
    """Return whether a file of this name has the settings of such a figure."""
    return name.lower() in _READERS


def is_pack(file: Path) -> bool:
    """Return whether these settings are those of such a figure, imported or bundled."""
    return file.name == SHIPPED_FORMAT or is_pack_file_name(file.name)


def declared_name(file: Path) -> str:
    """Return the name in these settings, "" if there is none."""
    return pet_display_name(file) if _READERS.get(file.name.lower()) is read_pet else ""


def root_of(file: Path) -> Path:
    """Return the folder of all files that belong to the settings in `file`."""
    return pack_root(file) if file.name.lower() in (*ACTIONS_FILE, SINGLE_PICTURE) else file.parent


def read_pack_content(file: Path) -> PackContent:
    """Read the content of a pack. Raises ModelFileError."""
    return _READERS[file.name.lower()](file)


def describe_pack(file: Path, body: SpriteFigure | None = None) -> ModelDescription:
    """Describe the figure of these settings: by its text alone, or as it was converted (`body`).
    Raises ModelFileError.
    """
    if file.name == SHIPPED_FORMAT:
        body = body or read_sprite_figure(file.parent)
        return apply_figure_settings(_described(file, body, body.name, (), ()), FigureSettings())
    recipe = read_pack_content(file)
    dropped = [DroppedFile(name, reason) for name, reason in recipe.left_out]
    try:
        side = read_figure_settings(root_of(file))
    except ValueError as error:
        side = FigureSettings()
        dropped.append(DroppedFile(FIGURE_SETTINGS_FILE, str(error)))
    found = _described(file, body, recipe.name, recipe.files, tuple(dropped))
    if body is None:
        acts = MappingProxyType(dict.fromkeys(recipe.strips, 1))
        found = _with_names(found, (), acts, recipe.notes)
    return apply_figure_settings(found, side)


def _described(
    file: Path,
    body: SpriteFigure | None,
    name: str,
    files: tuple[Path, ...],
    dropped: tuple[DroppedFile, ...],
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
        notes=PartNotes(
            {name: notes[name] for name in faces if name in notes},
            {name: notes[name] for name in acts if name in notes},
        ),
    )
