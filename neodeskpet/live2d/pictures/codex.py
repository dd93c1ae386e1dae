"""Pets of Codex and Petdex: `pet.json` and an atlas of cells of 192 × 208 pixels.

Eight columns; nine rows of animations, in version 2 two more of sixteen directions to look in
(up first, clockwise). An older atlas has nine columns and eight rows. What a row shows, how many of
its cells and for how long stands in no file: it is the convention of those programs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from neodeskpet.core.errors import ModelFileError
from neodeskpet.live2d.pictures.recipe import (
    AnimationStrip,
    PackContent,
    SheetGrid,
    SpriteCut,
    check_pack_content,
    error_reason,
    picture_in,
)

CELL = (192, 208)
GRIDS = (SheetGrid(8, 9, CELL), SheetGrid(8, 11, CELL), SheetGrid(9, 8, CELL))
_ROWS = {
    "idle": (280, 110, 110, 140, 140, 320),
    "running-right": (*(120,) * 7, 220),
    "running-left": (*(120,) * 7, 220),
    "waving": (140, 140, 140, 280),
    "jumping": (*(140,) * 4, 280),
    "failed": (*(140,) * 7, 240),
    "waiting": (*(150,) * 5, 260),
    "running": (*(120,) * 5, 220),
    "review": (*(150,) * 5, 280),
}
"""The animations in the order of their rows, and the milliseconds of their cells."""
_LOOPS = frozenset({"idle", "running-right", "running-left", "waiting", "running", "review"})
_FIRST_LOOK, _LOOKS = 9, 16
_SHEETS = ("spritesheet.webp", "spritesheet.png")
_NOTES = {
    "idle": "stand and breathe",
    "running-right": "run to the right",
    "running-left": "run to the left",
    "waving": "wave hello",
    "jumping": "jump for joy",
    "failed": "be sorry that it failed",
    "waiting": "wait for an answer",
    "running": "be busy",
    "review": "look at something closely",
}

_Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=80)]


class _Pet(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: _Text = ""
    display_name: _Text = Field("", alias="displayName")
    sheet: str = Field("", alias="spritesheetPath", max_length=300)
    version: int = Field(1, alias="spriteVersionNumber", ge=1, le=2)


def read_pet(file: Path) -> PackContent:
    """The pet of a `pet.json`. Raises ModelFileError."""
    try:
        pet = _Pet.model_validate_json(file.read_bytes())
    except (OSError, ValueError) as error:
        raise ModelFileError(error_reason(error), file=file.name) from None
    sheet = _find(file, pet.sheet)
    strips = {
        name: AnimationStrip(
            tuple((SpriteCut(0, (row, column)), ms / 1000) for column, ms in enumerate(pace)),
            loops=name in _LOOPS,
        )
        for row, (name, pace) in enumerate(_ROWS.items())
    }
    looks = tuple(SpriteCut(0, (_FIRST_LOOK + n // 8, n % 8)) for n in range(_LOOKS))
    name = pet.display_name or pet.id or file.parent.name
    recipe = PackContent(name, "codex", (sheet,), strips, GRIDS, looks, notes=_NOTES)
    return check_pack_content(recipe, file.name)


def pet_display_name(file: Path) -> str:
    """What the pet of a `pet.json` is called for people; "" where it doesn't say."""
    try:
        return _Pet.model_validate_json(file.read_bytes()).display_name
    except (OSError, ValueError):
        return ""


def _find(file: Path, named: str) -> Path:
    problem = ""
    for name in (named,) if named else _SHEETS:
        try:
            return picture_in(file.parent, name)
        except ValueError as error:
            problem = str(error)
    raise ModelFileError(problem, file=named or _SHEETS[0])
