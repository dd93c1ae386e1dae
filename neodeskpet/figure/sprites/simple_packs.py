"""Packs without an actions file: pets of Codex and Petdex (`pet.json` and an atlas of cells), and
plain pictures (`figure.json`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.sprites.pack_content import (
    PICTURES,
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
"""The animations in the order of their rows, with the milliseconds of their cells."""
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
    """Read the pet of a `pet.json`. Raises ModelFileError."""
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
    """Return the display name of the pet of a `pet.json`; "" if it has none."""
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


FIGURE_FILE = "figure.json"
_MOST = 100


class _Plain(BaseModel):
    model_config = ConfigDict(extra="ignore")

    name: _Text = ""
    pictures: Annotated[dict[_Text, str], Field(min_length=1, max_length=_MOST)]


def read_plain(file: Path) -> PackContent:
    """Read the figure of a `figure.json`. Raises ModelFileError."""
    try:
        plain = _Plain.model_validate_json(file.read_bytes())
    except (OSError, ValueError) as error:
        raise ModelFileError(error_reason(error), file=file.name) from None
    files: list[Path] = []
    strips: dict[str, AnimationStrip] = {}
    left_out: list[tuple[str, str]] = []
    for state, picture in plain.pictures.items():
        try:
            files.append(picture_in(file.parent, picture))
        except ValueError as error:
            left_out.append((picture[:80], str(error)))
            continue
        number = len(files) - 1
        animated = files[-1].suffix.lower() in (".gif", ".webp", ".apng", ".png")
        cut = ((SpriteCut(number), 1.0),)
        strips[state or "idle"] = (
            AnimationStrip(animated=number) if animated else AnimationStrip(cut)
        )
    if not files:
        name, reason = left_out[0]
        raise ModelFileError(reason, file=name)
    recipe = PackContent(
        plain.name or file.parent.name, "plain", tuple(files), strips, left_out=tuple(left_out)
    )
    return check_pack_content(recipe, file.name)


def name_pictures(folder: Path, name: str) -> Path | None:
    """Write the `figure.json` of a folder that contains pictures only; None if it contains none, or
    too many for a figure. Raises OSError.
    """
    found = sorted(
        file for file in folder.rglob("*") if file.suffix.lower() in PICTURES and file.is_file()
    )
    if not found or len(found) > _MOST:
        return None
    pictures = {
        ("idle" if len(found) == 1 else file.stem[:80]): file.relative_to(folder).as_posix()
        for file in found
    }
    target = folder / FIGURE_FILE
    text = json.dumps({"name": name[:80], "pictures": pictures}, ensure_ascii=False, indent=1)
    target.write_text(text + "\n", encoding="utf-8")
    return target
