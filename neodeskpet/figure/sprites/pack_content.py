"""What a pack says of its pictures, before one of them was opened: which files, cut how, in which
order and for how long. The readers (`codex.py`, `shimeji.py`, `plain.py`) make one each.
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
    """A sheet of cells. A cell is `(row, column)`, from the upper left; without a size of its own
    the sheet is divided.
    """

    columns: int
    rows: int
    cell: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class SpriteCut:
    """One drawing: file number `source`; with a grid the cell, without one the whole picture.
    `anchor` is the point of it that stands on the ground, the middle of its foot if not given.
    """

    source: int
    cell: tuple[int, int] | None = None
    anchor: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class AnimationStrip:
    """An animation: cuts and their seconds; or `film`, all frames of an animated picture."""

    cuts: tuple[tuple[SpriteCut, float], ...] = ()
    animated: int | None = None
    loops: bool = True


@dataclass(frozen=True, slots=True)
class PackContent:
    """`files` are pictures within the pack. `grids` are looked for in the order given: the first
    whose size fits the picture counts.
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
    """Files that can't be used, and why."""


def check_pack_content(recipe: PackContent, file: str) -> PackContent:
    """Raises ModelFileError if it says too much or nothing."""
    if not recipe.files or not recipe.strips:
        raise ModelFileError(tr("It shows no picture."), file=file)
    frames = sum(max(len(strip.cuts), 1) for strip in recipe.strips.values())
    if (
        len(recipe.files) > MOST_FILES
        or len(recipe.strips) > MOST_ANIMATIONS
        or (frames > MOST_FRAMES)
    ):
        raise ModelFileError(tr("It names more pictures than can be shown."), file=file)
    return recipe


def error_reason(error: Exception) -> str:
    """What is wrong with a file's text, in one line."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return f"{place}: {first['msg']}"[:200] if place else str(first["msg"])[:200]
    return str(error)[:200]


def frame_seconds(seconds: float) -> float:
    """A frame's time within what can be shown; raises ValueError for what is no time."""
    if not seconds >= 0.0:
        raise ValueError(tr("A frame lasts for no time that can be told."))
    return min(max(seconds, SHORTEST_FRAME_SECONDS), LONGEST_FRAME_SECONDS)


def picture_in(root: Path, name: str) -> Path:
    """The picture `name` of a pack in `root`. Raises ValueError if it is missing, lies outside or
    is too large.
    """
    if "\0" in name or len(name) > 300:
        raise ValueError(tr("The file is missing."))
    path, size = find_file(root, name.replace("\\", "/").lstrip("/"))
    if path.suffix.lower() not in PICTURES:
        raise ValueError(tr("It isn't a picture that can be shown."))
    check_bytes(size, PICTURE_BYTES)
    return path
