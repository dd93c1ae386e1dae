"""The description of a model: a value, made by `model_reader.describe_model` and completed by the
guard.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from neodeskpet.figure.animation_script import ParameterRange
from neodeskpet.figure.behaviour.handling import Motion
from neodeskpet.figure.behaviour.walking import Gait
from neodeskpet.figure.poses import POSE_CANDIDATES, Pose, find_name, name_words
from neodeskpet.figure.sprites.sprite_figure import SpriteFigure


@dataclass(frozen=True, slots=True)
class HitArea:
    """A part that can be touched: the mesh `id`, or a hand-drawn `box` (left, top, right, bottom)
    in shares of the figure at rest.
    """

    name: str
    id: str = ""
    box: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class DroppedFile:
    """An optional file that was left out, and why."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True)
class PartNotes:
    """Short descriptions, by name; a motion's by its group."""

    expressions: Mapping[str, str] = field(default_factory=dict)
    motions: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OriginalNames:
    """The library's names of renamed parts, by their shown names."""

    expressions: Mapping[str, str] = field(default_factory=dict)
    motions: Mapping[Motion, Motion] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PoseChoices:
    """The user's choices of what shows a pose, in shown names."""

    expressions: Mapping[Pose, str] = field(default_factory=dict)
    motions: Mapping[Pose, tuple[Motion, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """A figure that can be loaded. `version` is 3 (Cubism 3 to 5) or 2, or 0 for a figure made of
    pictures: then `moc` is its settings file, `textures` are pictures, and `pictures` is the
    converted figure (None before the conversion). `settings` is the checked settings JSON,
    indented, with file names relative to `root`. `motions` maps a group to its number of motions; a
    group's name may be "". `mouth` are the lip-sync parameters. `reach` is how far motions go
    beyond the figure at rest (left, top, right, bottom), as shares of its size; only a probe that
    could draw knows it. `drives` are the parameters each motion moves. `parameters` are those the
    moc names, without those that physics and lips move (none for Cubism 2, whose moc only the
    library reads).

    Expressions and motions have the user's names if the settings file gives some; the library gets
    `own_expression` and `own_motion`. `size` and `offset` (shares of the figure's width and height)
    are from the settings file, too, as are `gait`, if the steps are known, and `seat`: the height
    of its seat above its feet, as a share of its height, 0 if unknown.
    """

    name: str
    file: Path
    root: Path
    version: int
    settings: str
    moc: Path
    textures: tuple[Path, ...]
    expressions: tuple[str, ...] = ()
    motions: Mapping[str, int] = field(default_factory=dict)
    hit_areas: tuple[HitArea, ...] = ()
    mouth: tuple[str, ...] = ()
    dropped: tuple[DroppedFile, ...] = ()
    reach: tuple[float, float, float, float] | None = None
    drives: Mapping[Motion, frozenset[str]] = field(default_factory=dict)
    parameters: Mapping[str, ParameterRange] = field(default_factory=dict)
    notes: PartNotes = field(default_factory=PartNotes)
    own: OriginalNames = field(default_factory=OriginalNames)
    moods: PoseChoices = field(default_factory=PoseChoices)
    size: float = 1.0
    offset: tuple[float, float] = (0.0, 0.0)
    gait: Gait | None = None
    seat: float = 0.0
    pictures: SpriteFigure | None = None
    motion_files: Mapping[Motion, str] = field(default_factory=dict)
    """The names of the files of the library's motions, without folders and endings, where
    `settings` has others: those of a checked copy are numbers.
    """

    def own_expression(self, name: str) -> str:
        """Return the library's name of this expression."""
        return self.own.expressions.get(name, name)

    def own_motion(self, motion: Motion) -> Motion:
        """Return the library's name of this motion."""
        return self.own.motions.get(motion, motion)

    def shown_expression(self, own: str) -> str:
        """Return the shown name of the library's expression `own`."""
        return next((shown for shown, its in self.own.expressions.items() if its == own), own)

    def shown_motion(self, own: Motion) -> Motion:
        """Return the shown motion of the library's motion `own`."""
        return next((shown for shown, its in self.own.motions.items() if its == own), own)

    @property
    def own_expressions(self) -> tuple[str, ...]:
        """The library's names of all expressions."""
        return tuple(self.own_expression(name) for name in self.expressions)

    @property
    def own_motions(self) -> dict[str, int]:
        """The library's groups of motions, with their numbers."""
        every = [(group, index) for group, n in self.motions.items() for index in range(n)]
        return dict(Counter(self.own_motion(motion)[0] for motion in every))

    def motion_words(self, motion: Motion) -> list[str]:
        """Return the words of the name of a motion's file, [] if unknown."""
        stem = self.own_motion_files().get(self.own_motion(motion), "")
        return name_words(stem)

    def own_motion_files(self) -> Mapping[Motion, str]:
        """Return the names of the files of the library's motions, without folders and endings;
        nothing for a figure made of pictures.
        """
        if self.motion_files or not self.settings:
            return self.motion_files
        try:
            tree = json.loads(self.settings)
            groups = tree.get("FileReferences", {}).get("Motions") or tree.get("motions", {})
            return {
                (group, index): _stem(entry)
                for group, entries in groups.items()
                for index, entry in enumerate(entries)
            }
        except (ValueError, AttributeError, TypeError):
            return {}

    def face_for(self, pose: Pose) -> str | None:
        """Return the expression that shows a pose: the user's choice, else one with a matching
        name.
        """
        chosen = self.moods.expressions.get(pose)
        return (
            chosen
            if chosen is not None
            else find_name(POSE_CANDIDATES[pose].expressions, self.expressions)
        )


def _stem(entry: Mapping[str, Any]) -> str:
    file = str(entry.get("File") or entry.get("file") or "")
    return PurePosixPath(file.replace("\\", "/")).name.split(".")[0]
