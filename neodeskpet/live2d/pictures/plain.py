"""Plain pictures: one that stands there, or one for each state, still or animated.

`figure.json` names them: `{"name": "Cat", "pictures": {"idle": "cat.png", "happy": "joy.webp"}}`.
Where somebody brings pictures without it, it is written for the copy that is kept.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from neodeskpet.core.errors import ModelFileError
from neodeskpet.live2d.pictures.recipe import (
    PICTURES,
    AnimationStrip,
    PackContent,
    SpriteCut,
    check_pack_content,
    error_reason,
    picture_in,
)

FIGURE_FILE = "figure.json"
_MOST = 100
_Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=80)]


class _Plain(BaseModel):
    model_config = ConfigDict(extra="ignore")

    name: _Text = ""
    pictures: Annotated[dict[_Text, str], Field(min_length=1, max_length=_MOST)]


def read_plain(file: Path) -> PackContent:
    """The figure of a `figure.json`. Raises ModelFileError."""
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
    """Write the `figure.json` of a folder that holds pictures only; None if it holds none, or too
    many to be a figure. Raises OSError.
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
