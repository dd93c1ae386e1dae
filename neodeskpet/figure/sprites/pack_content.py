"""The declared content of a pack, before any picture is opened: the files, how they are cut, and
the order and duration of frames. The readers (`simple_packs.py`, `shimeji_pack.py`) return one
each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.files.file_lookup import check_bytes, find_file
from neodeskpet.figure.sprites.sprite_figure import (
    LONGEST_FRAME_SECONDS,
    MOST_ANIMATIONS,
    MOST_FRAMES,
    SHORTEST_FRAME_SECONDS,
)
from neodeskpet.language import tr

PICTURE_BYTES = 64_000_000
PICTURES = frozenset({".png", ".apng", ".webp", ".gif"})
MOST_FILES = 500


@dataclass(frozen=True, slots=True)
class SheetGrid:
    """A sheet of cells. A cell is `(row, column)`, from the upper left; without a cell size the
    sheet is divided evenly.
    """

    columns: int
    rows: int
    cell: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class SpriteCut:
    """One drawing: the file of number `source`; with a grid the cell, without one the whole
    picture. `anchor` is its point on the ground, by default the middle of its foot.
    """

    source: int
    cell: tuple[int, int] | None = None
    anchor: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class AnimationStrip:
    """An animation: cuts and their seconds; or `animated`, the number of an animated picture with
    all of its frames.
    """

    cuts: tuple[tuple[SpriteCut, float], ...] = ()
    animated: int | None = None
    loops: bool = True


@dataclass(frozen=True, slots=True)
class PackContent:
    """The content of a pack. `files` are pictures in the pack. `grids` are tried in the given
    order: the first one that fits the size of the picture is used.
    """

    name: str
    kind: Literal["codex", "shimeji", "plain"]
    files: tuple[Path, ...]
    strips: Mapping[str, AnimationStrip]
    grids: tuple[SheetGrid, ...] = ()
    looks: tuple[SpriteCut, ...] = ()
    towards: Literal["", "left", "right"] = ""
    notes: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[tuple[str, str], ...] = ()
    """Unusable files, with the reason."""


def check_pack_content(recipe: PackContent, file: str) -> PackContent:
    """Check the limits of a pack. Raises ModelFileError if it is too large or empty."""
    if not recipe.files or not recipe.strips:
        raise ModelFileError(tr("It contains no picture."), file=file)
    frames = sum(max(len(strip.cuts), 1) for strip in recipe.strips.values())
    if (
        len(recipe.files) > MOST_FILES
        or len(recipe.strips) > MOST_ANIMATIONS
        or (frames > MOST_FRAMES)
    ):
        raise ModelFileError(tr("It contains too many pictures."), file=file)
    return recipe


def error_reason(error: Exception) -> str:
    """Return the error in a file's text, in one line."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return f"{place}: {first['msg']}"[:200] if place else str(first["msg"])[:200]
    return str(error)[:200]


def frame_seconds(seconds: float) -> float:
    """Return a frame's duration within the limits. Raises ValueError for an invalid one."""
    if not seconds >= 0.0:
        raise ValueError(tr("A frame has no valid duration."))
    return min(max(seconds, SHORTEST_FRAME_SECONDS), LONGEST_FRAME_SECONDS)


def picture_in(root: Path, name: str) -> Path:
    """Return the picture `name` of a pack in `root`. Raises ValueError if it is missing, outside
    the folder or too large.
    """
    if "\0" in name or len(name) > 300:
        raise ValueError(tr("The file is missing."))
    path, size = find_file(root, name.replace("\\", "/").lstrip("/"))
    if path.suffix.lower() not in PICTURES:
        raise ValueError(tr("The picture format is not supported."))
    check_bytes(size, PICTURE_BYTES)
    return path
