"""The user's settings of a model, in a separate file beside it: the files of the model are not
changed.

`neodeskpet.json` renames and describes expressions and motions, chooses what shows the app's moods
and poses, adds hit areas, and sets a size, a place, the gait and the height of the seat. It uses
the model's own names; `apply_figure_settings` returns a description with the settings applied.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from neodeskpet.figure.behaviour.handling import Motion
from neodeskpet.figure.behaviour.walking import Gait
from neodeskpet.figure.files.model_description import (
    HitArea,
    ModelDescription,
    OriginalNames,
    PartNotes,
    PoseChoices,
)
from neodeskpet.figure.poses import Pose
from neodeskpet.language import language, tr
from neodeskpet.platform.private_files import write_private

FIGURE_SETTINGS_FILE = "neodeskpet.json"
_LIMIT = 1_000_000
Title = Annotated[str, StringConstraints(strip_whitespace=True, max_length=60)]
About = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]
Share = Annotated[float, Field(allow_inf_nan=False, ge=-1.0, le=2.0)]


class _Schema(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class PartSettings(_Schema):
    """Settings of one expression or motion. `title` is its new name, "" keeps the model's.

    `abouts` is `about` in other languages, by their names ("zh_CN").
    """

    title: Title = ""
    about: About = ""
    abouts: Annotated[dict[str, About], Field(max_length=20)] = {}
    poses: tuple[Pose, ...] = ()

    @property
    def empty(self) -> bool:
        return not (self.title or self.about or self.abouts or self.poses)

    @property
    def shown_text(self) -> str:
        """The description, in the user's language if available."""
        return self.abouts.get(language(), "") or self.about


class HitAreaSettings(_Schema):
    """A hit area: see `HitArea`."""

    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)]
    mesh: str = Field(default="", max_length=200)
    box: tuple[Share, Share, Share, Share] | None = None


class GaitSettings(_Schema):
    """See `Gait`."""

    seconds: Annotated[float, Field(allow_inf_nan=False, ge=0.1, le=10.0)]
    length: Annotated[float, Field(allow_inf_nan=False, ge=0.01, le=3.0)]


class FigureSettings(_Schema):
    """The settings of a figure: `expressions` by the model's names, `motions` by `motion_key`."""

    size: Annotated[float, Field(allow_inf_nan=False, ge=0.2, le=5.0)] = 1.0
    offset: tuple[Share, Share] = (0.0, 0.0)
    expressions: Annotated[dict[str, PartSettings], Field(max_length=1000)] = {}
    motions: Annotated[dict[str, PartSettings], Field(max_length=5000)] = {}
    areas: Annotated[tuple[HitAreaSettings, ...], Field(max_length=50)] = ()
    gait: GaitSettings | None = None
    seat: Annotated[float, Field(allow_inf_nan=False, ge=0.0, le=0.8)] = 0.0

    def with_expression(self, name: str, note: PartSettings) -> FigureSettings:
        """Return a copy with other settings of the expression that the model calls `name`."""
        return self.model_copy(update={"expressions": _noted(self.expressions, name, note)})

    def with_motion(self, motion: Motion, note: PartSettings) -> FigureSettings:
        """Return a copy with other settings of the motion that the model calls `motion`."""
        return self.model_copy(update={"motions": _noted(self.motions, motion_key(motion), note)})


def _noted(
    notes: Mapping[str, PartSettings], key: str, note: PartSettings
) -> dict[str, PartSettings]:
    """Return `notes` with this one; a pose is shown by the part that was chosen last."""
    others = {
        other: value.model_copy(
            update={"poses": tuple(pose for pose in value.poses if pose not in note.poses)}
        )
        for other, value in notes.items()
        if other != key
    }
    return {name: value for name, value in {**others, key: note}.items() if not value.empty}


def motion_key(motion: Motion) -> str:
    """Return the key of a motion, such as `Idle:0`."""
    return f"{motion[0]}:{motion[1]}"


def read_figure_settings(root: Path) -> FigureSettings:
    """Read the settings file in `root`; empty settings if there is none. Raises ValueError if it is
    broken.
    """
    file = root / FIGURE_SETTINGS_FILE
    try:
        if not file.is_file():
            return FigureSettings()
        if file.stat().st_size > _LIMIT:
            raise ValueError(tr("It is too large."))
        return FigureSettings.model_validate_json(file.read_bytes())
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{place}: {first['msg']}") from None
    except OSError as error:
        raise ValueError(str(error)) from None


def write_figure_settings(root: Path, side: FigureSettings) -> None:
    """Replace the settings file in `root`. Raises OSError."""
    tree = side.model_dump(mode="json", exclude_defaults=True)
    text = json.dumps(tree, indent=1, ensure_ascii=False) + "\n"
    write_private(root / FIGURE_SETTINGS_FILE, text)


# Applying the settings


def apply_figure_settings(found: ModelDescription, side: FigureSettings) -> ModelDescription:
    """Return the description with the user's names, notes, moods and areas.

    Settings of parts that the model doesn't have are ignored. If two parts would get the same name,
    the first one gets it.
    """
    faces = _shown_expressions(found, side)
    acts = _shown_motions(found, side)
    groups: dict[str, int] = {}
    for group, index in acts.values():
        groups[group] = max(groups.get(group, 0), index + 1)
    ours = tuple(HitArea(area.name, area.mesh, area.box) for area in side.areas)
    named = {area.name for area in ours}
    return replace(
        found,
        expressions=tuple(faces.values()),
        motions=MappingProxyType(groups),
        drives=MappingProxyType(
            {acts[own]: found.drives[own] for own in acts.keys() & found.drives.keys()}
        ),
        own=OriginalNames(
            {shown: own for own, shown in faces.items() if own != shown},
            {shown: own for own, shown in acts.items() if own != shown},
        ),
        notes=_notes(found, side, faces, acts),
        moods=_moods(side, faces, acts),
        hit_areas=(*ours, *(area for area in found.hit_areas if area.name not in named)),
        size=side.size,
        offset=side.offset,
        gait=Gait(side.gait.seconds, side.gait.length) if side.gait is not None else None,
        seat=side.seat,
    )


def _shown_expressions(found: ModelDescription, side: FigureSettings) -> dict[str, str]:
    """Return the shown names by the model's names, each used once: a title that is already the name
    of another expression is ignored.
    """
    shown: dict[str, str] = {}
    taken = set(found.expressions)
    for name in found.expressions:
        note = side.expressions.get(name)
        title = note.title if note is not None else ""
        shown[name] = title if title and title not in taken else name
        taken.add(shown[name])
    return shown


def _shown_motions(found: ModelDescription, side: FigureSettings) -> dict[Motion, Motion]:
    """Return the shown motions by the model's motions. A title is the group under which a motion is
    shown.
    """
    counts: dict[str, int] = {}
    shown: dict[Motion, Motion] = {}
    for group, count in found.motions.items():
        for index in range(count):
            note = side.motions.get(motion_key((group, index)))
            name = note.title if note is not None and note.title else group
            shown[group, index] = (name, counts.get(name, 0))
            counts[name] = counts.get(name, 0) + 1
    return shown


def _notes(
    found: ModelDescription,
    side: FigureSettings,
    faces: Mapping[str, str],
    acts: Mapping[Motion, Motion],
) -> PartNotes:
    expressions = {
        faces[own]: note.shown_text
        for own, note in side.expressions.items()
        if own in faces and note.shown_text
    }
    motions: dict[str, str] = {}
    for own, (group, _) in acts.items():
        note = side.motions.get(motion_key(own))
        if note is not None and note.shown_text:
            motions[group] = "; ".join(filter(None, (motions.get(group), note.shown_text)))
    return PartNotes(expressions, motions, found.notes.parameters)


def _moods(
    side: FigureSettings, faces: Mapping[str, str], acts: Mapping[Motion, Motion]
) -> PoseChoices:
    expressions = {
        pose: faces[own]
        for own, note in side.expressions.items()
        if own in faces
        for pose in note.poses
    }
    motions: dict[Pose, tuple[Motion, ...]] = {}
    for own, shown in acts.items():
        note = side.motions.get(motion_key(own))
        for pose in note.poses if note is not None else ():
            motions[pose] = (*motions.get(pose, ()), shown)
    return PoseChoices(expressions, motions)
